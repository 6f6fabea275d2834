//! Meshes are clean surfaces: closed, manifold, without degenerate, duplicate or self-intersecting faces.

use super::{Measured, mean_of_least};
use crate::reward::evidence::Finding;
use crate::reward::input::Input;
use crate::reward::sheet::is_sheet;
use geometry_checks::{FaultKind, Integrity, MeshFault, integrity};
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
    let value = mean_of_least(measured.iter().map(Integrity::value).collect(), count);
    // Faces that were not tested against each other may all intersect.
    let at_worst = |integrity: &Integrity| if integrity.truncated { 0.0 } else { integrity.value() };
    let least = mean_of_least(measured.iter().map(at_worst).collect(), count);
    let mut findings = Vec::new();
    for (index, integrity) in measured.iter().enumerate() {
        let badness = 1.0 - integrity.value();
        findings
            .extend(integrity.faults.iter().map(|fault| Finding { badness, evidence: evidence(input, index, fault) }));
        if integrity.truncated {
            findings.push(Finding { badness, evidence: untested(input, index) });
        }
    }
    let truncated = measured.iter().any(|integrity| integrity.truncated);
    Measured { value, uncertainty: value - least, findings, truncated }
}

fn untested(input: &Input<'_>, mesh: usize) -> Evidence {
    let (name, pairs) = (input.mesh_path(mesh), input.tolerances.self_intersection_pairs as f64);
    Evidence {
        value: pairs,
        threshold: pairs,
        unit: "pairs of faces".into(),
        message: format!("only the first {pairs} pairs of close faces of {name} were tested against each other"),
        fix: format!("give {name} fewer faces with mesh.set_data"),
        ..input.mesh_evidence("mesh", &[mesh])
    }
}

fn evidence(input: &Input<'_>, mesh: usize, fault: &MeshFault) -> Evidence {
    let name = input.mesh_path(mesh);
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
        fix: format!("{fix} in {name} with mesh.set_data"),
        ..input.mesh_evidence("mesh", &[mesh])
    }
}
