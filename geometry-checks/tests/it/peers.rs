//! Common volumes of real mesh pairs against what manifold3d found on the same files.

use std::path::PathBuf;

use geometry_checks::{Tolerances, overlap};
use serde_json::Value;

use crate::mesh_files::{read_mesh, real_meshes};
use crate::shapes::body;

#[test]
#[ignore = "needs MAQUETTE_DATA"]
fn file_pairs_agree_with_manifold3d() {
    let root = real_meshes();
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(root.join("pairs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.to_string_lossy().ends_with(".pairs.json"));
    files.sort();
    let (mut compared, mut common) = (0, 0);
    for file in &files {
        let report: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        for pair in report["pairs"].as_array().unwrap() {
            let number = |key: &str| pair[key].as_f64();
            let (Some(wanted_m3), Some(a_m3), Some(b_m3)) =
                (number("manifold3d_intersection_volume"), number("volume_a"), number("volume_b"))
            else {
                continue;
            };
            let smaller_m3 = a_m3.min(b_m3);
            // More in common than there is of one of them: the file's coordinates overflow the oracle's precision.
            if wanted_m3 > smaller_m3 * (1.0 + 1e-6) {
                continue;
            }
            let [a, b] = ["a", "b"].map(|key| body(read_mesh(&root.join(pair[key].as_str().unwrap())).unwrap()));
            if !(a.closed() && b.closed()) {
                continue;
            }
            let given_m3 = overlap(&a, &b, &Tolerances::default()).map_or(0.0, |o| o.volume_m3);
            let allowed_m3 = (5e-3 * wanted_m3).max(1e-4 * smaller_m3);
            assert!((given_m3 - wanted_m3).abs() <= allowed_m3, "{pair}: {given_m3} instead of {wanted_m3}");
            compared += 1;
            common += u32::from(wanted_m3 > 0.0);
        }
    }
    assert!(compared >= 45 && common >= 5, "{compared} pairs compared, {common} of them with common volume");
}
