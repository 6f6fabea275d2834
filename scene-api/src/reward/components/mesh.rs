//! Meshes are clean surfaces: closed, manifold, without degenerate, duplicate or self-intersecting faces.

use super::{Measured, mean_of_least};
use crate::reward::evidence::Finding;
use crate::reward::input::Input;
use crate::reward::sheet::is_sheet;
use geometry_checks::{FaultKind, MeshFault, integrity};
use rayon::prelude::*;
use rl_protocol::Evidence;

/// Mean over the n worst meshes, n the number of required objects (without a task: of meshes).
pub(super) fn measure(input: &Input<'_>) -> Measured {
    let measured: Vec<_> = input
        .bodies
        .par_iter()
        .zip(&input.baked.meshes)
        .map(|(body, mesh)| integrity(body.mesh(), is_sheet(input, mesh), &input.tolerances))
        .collect();
    let count = if input.task.is_some() { input.objects.len() } else { measured.len() };
    let value = mean_of_least(measured.iter().map(|integrity| integrity.value()).collect(), count);
    let findings = measured
        .iter()
        .enumerate()
        .flat_map(|(index, integrity)| {
            let badness = 1.0 - integrity.value();
            integrity.faults.iter().map(move |fault| Finding { badness, evidence: evidence(input, index, fault) })
        })
        .collect();
    Measured::exact(value, findings)
}

fn evidence(input: &Input<'_>, mesh: usize, fault: &MeshFault) -> Evidence {
    let name = input.baked.meshes.get(mesh).map(|mesh| mesh.name.as_str()).unwrap_or_default();
    let (what, fix) = match fault.kind {
        FaultKind::OpenEdge => ("edges with one face", "close the holes"),
        FaultKind::NonManifoldEdge => ("edges with three or more faces", "give each edge two faces"),
        FaultKind::NonFanVertex => ("vertices where parts only touch", "give each part its own vertex, apart"),
        FaultKind::DegenerateFace => ("faces without area", "remove them"),
        FaultKind::DuplicateFace => ("faces that repeat another", "remove them"),
        FaultKind::SelfIntersection => ("faces that pass through others", "move them apart"),
    };
    let share_of = match fault.kind {
        FaultKind::OpenEdge | FaultKind::NonManifoldEdge | FaultKind::NonFanVertex => "share of edges",
        FaultKind::DegenerateFace | FaultKind::DuplicateFace | FaultKind::SelfIntersection => "share of faces",
    };
    Evidence {
        value: fault.share,
        threshold: 0.0,
        unit: share_of.into(),
        position_m: Some(fault.position.coords.into()),
        message: format!("{name} has {} {what}, at triangle {} first", fault.count, fault.triangle),
        fix: format!("{fix} in {name}"),
        ..input.mesh_evidence("mesh", &[mesh])
    }
}
