//! Other people's meshes against what CGAL's exact kernel and an exact edge count say of them.

use std::path::{Path, PathBuf};

use geometry_checks::{FaultKind, Tolerances, integrity};
use serde_json::Value;

use crate::mesh_files::{read_mesh, real_meshes};

/// The truth beside it holds for another mesh: that reader counted relative indices from the end of the file.
const MISREAD_BY_THE_PEERS: [&str; 1] = ["box-negative-indices.obj"];

/// Counts by (truth, ours).
#[derive(Debug, Default)]
struct Confusion {
    cells: [[usize; 2]; 2],
}

impl Confusion {
    fn note(&mut self, truth: bool, ours: bool) {
        self.cells[usize::from(truth)][usize::from(ours)] += 1;
    }

    fn agreement(&self) -> f64 {
        let [[no, over], [under, yes]] = self.cells;
        (no + yes) as f64 / (no + over + under + yes) as f64
    }
}

#[test]
#[ignore = "needs MAQUETTE_DATA"]
fn closed_and_self_intersecting_agree_with_the_peers() {
    let mut truths = Vec::new();
    collect_truths(&real_meshes().join("mesh"), &mut truths);
    let (mut closed, mut crossing) = (Confusion::default(), Confusion::default());
    for truth in truths {
        let path = truth.with_extension("").with_extension("");
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let json: Value = serde_json::from_slice(&std::fs::read(&truth).expect("a readable truth file")).expect("JSON");
        let (Some(is_closed), Some(crossing_faces), Some(mesh)) = (
            json["numpy_exact_merged"]["closed"].as_bool(),
            json["cgal_exact"]["self_intersecting_faces"].as_u64(),
            read_mesh(&path),
        ) else {
            continue;
        };
        if MISREAD_BY_THE_PEERS.contains(&name.as_str()) {
            continue;
        }
        let found = integrity(&mesh, false, &Tolerances::default());
        let ours_closed =
            found.closed == 1.0 && !found.faults.iter().any(|fault| fault.kind == FaultKind::NonManifoldEdge);
        let is_crossing = crossing_faces > 0;
        closed.note(is_closed, ours_closed);
        crossing.note(is_crossing, found.nonself < 1.0);
        if is_closed != ours_closed || is_crossing != (found.nonself < 1.0) {
            println!("{name}: closed {is_closed}, crossing faces {crossing_faces}; ours {:?}", found.faults);
        }
    }
    println!("[truth][ours]: closed {:?}, self-intersecting {:?}", closed.cells, crossing.cells);
    assert!(closed.cells.iter().flatten().sum::<usize>() >= 50, "too few meshes read");
    assert!(closed.agreement() >= 0.95, "{closed:?}");
    assert!(crossing.agreement() >= 0.95, "{crossing:?}");
}

fn collect_truths(folder: &Path, truths: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a readable folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            collect_truths(&entry, truths);
        } else if entry.to_string_lossy().ends_with(".truth.json") {
            truths.push(entry);
        }
    }
}
