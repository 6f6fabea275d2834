//! Surfaces face outwards: neighbouring faces agree, closed parts are not inside out, shading follows the faces.

use super::Measured;
use crate::reward::evidence::Finding;
use crate::reward::input::Input;
use crate::reward::sheet::is_sheet;
use geometry_checks::{NormalFault, NormalFaultKind, normals};
use rayon::prelude::*;
use rl_protocol::Evidence;

/// The least over all meshes, not a mean over the worst: one flipped face of one leg is a hole in the picture however
/// many clean meshes stand beside it.
pub(super) fn measure(input: &Input<'_>) -> Measured {
    let measured: Vec<_> = input
        .bodies
        .par_iter()
        .zip(&input.baked.meshes)
        .map(|(body, mesh)| normals(body.mesh(), is_sheet(input, mesh), &input.tolerances))
        .collect();
    let value = measured.iter().map(|normals| normals.value()).fold(1.0, f64::min);
    let findings = measured
        .iter()
        .enumerate()
        .flat_map(|(index, normals)| {
            let badness = 1.0 - normals.value();
            normals.faults.iter().map(move |fault| Finding { badness, evidence: evidence(input, index, fault) })
        })
        .collect();
    Measured::exact(value, findings)
}

fn evidence(input: &Input<'_>, mesh: usize, fault: &NormalFault) -> Evidence {
    let (name, g) = (input.mesh_path(mesh), &input.tolerances);
    let (count, triangle) = (fault.count, fault.triangle);
    let (threshold, unit, message, fix) = match fault.kind {
        NormalFaultKind::Inconsistent => (
            0.0,
            "share of edges",
            format!("{count} edges of {name} have faces wound against each other, triangle {triangle} among them"),
            format!("swap two vertices of triangle {triangle} of {name}"),
        ),
        NormalFaultKind::InsideOut => (
            1.0,
            "share of area that looks outwards",
            format!("faces of {name} look inwards, triangle {triangle} among them"),
            format!("swap two vertices of each triangle of {name} that looks inwards, triangle {triangle} among them"),
        ),
        NormalFaultKind::SeenFromBehind => (
            1.0,
            "share of first hits on a front",
            format!("{count} open parts of {name} show their backs, that of triangle {triangle} first"),
            format!("close {name}, or swap two vertices of every triangle of that part"),
        ),
        NormalFaultKind::NotUnit => (
            if fault.value > 1.0 { 1.0 + g.unit_normal } else { 1.0 - g.unit_normal },
            "length",
            format!("{count} shading normals of {name} are not of unit length"),
            format!("normalise the normals of {name}, or leave them out"),
        ),
        NormalFaultKind::Opposed => (
            0.0,
            "cosine to the face",
            format!("{count} shading normals of {name} point to the wrong side of their faces"),
            format!("recompute the normals of {name} from its faces, or leave them out"),
        ),
        NormalFaultKind::Grazing => (
            g.grazing_normal_cosine,
            "cosine to the face",
            format!("{count} shading normals of {name} are almost at a right angle to their faces' normals"),
            format!("recompute the normals of {name} from its faces, or leave them out"),
        ),
    };
    Evidence {
        value: fault.value,
        threshold,
        unit: unit.into(),
        position_m: Some(fault.position.coords.into()),
        message,
        fix,
        ..input.mesh_evidence("normals", &[mesh])
    }
}
