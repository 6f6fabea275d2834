//! What must not change the measure, and what must only raise it.

use geometry_checks::{Mesh, Overlap, Tolerances, column_overlap, overlap};
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed},
};

use crate::shapes::{block, body, joined, moved, turned_x, turned_y, uv_sphere};

fn common(a: Mesh, b: Mesh) -> Option<Overlap> {
    overlap(&body(a), &body(b), &Tolerances::default())
}

fn tilted_pair(size: [f64; 3], degrees: f64, offset: [f64; 3]) -> (Mesh, Mesh) {
    let guest = moved(turned_y(turned_x(block([0.0; 3], size), degrees), 0.7 * degrees), offset);
    (block([0.0; 3], [1.0, 0.8, 1.2]), guest)
}

fn scaled(mut mesh: Mesh, factor: f64) -> Mesh {
    mesh.positions.iter_mut().for_each(|p| p.coords *= factor);
    mesh
}

proptest! {
    #![proptest_config(Config { cases: 32, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..Config::default() })]

    #[test]
    fn translation_order_and_scale_change_nothing(
        size in prop::array::uniform3(0.5_f64..1.5),
        degrees in 0.0_f64..90.0,
        offset in prop::array::uniform3(-0.3_f64..0.3),
        by in prop::array::uniform3(-100.0_f64..100.0),
        factor in 0.01_f64..10.0,
    ) {
        let (a, b) = tilted_pair(size, degrees, offset);
        let here = common(a.clone(), b.clone()).unwrap();
        let there = common(moved(a.clone(), by), moved(b.clone(), by)).unwrap();
        prop_assert!((there.volume_m3 - here.volume_m3).abs() <= 1e-9 * here.volume_m3);
        prop_assert!((there.thickness_m - here.thickness_m).abs() <= 1e-9);
        let swapped = common(b.clone(), a.clone()).unwrap();
        prop_assert!((swapped.volume_m3 - here.volume_m3).abs() <= 1e-12 * here.volume_m3);
        prop_assert!((swapped.share - here.share).abs() <= 1e-12);
        let larger = common(scaled(a, factor), scaled(b, factor)).unwrap();
        prop_assert!((larger.share - here.share).abs() <= 1e-9);
        prop_assert!((larger.thickness_m - here.thickness_m * factor).abs() <= 1e-9 * factor);
    }

    #[test]
    fn the_order_of_naming_changes_no_bit(
        size in prop::array::uniform3(0.5_f64..1.5),
        degrees in 0.0_f64..90.0,
        offset in prop::array::uniform3(-0.5_f64..0.5),
        rings in 4_u32..9,
    ) {
        let (host, guest) = tilted_pair(size, degrees, offset);
        let t = Tolerances { columns_last: 64, ..Tolerances::default() };
        let sphere = moved(turned_x(uv_sphere(2 * rings, rings, [0.0; 3], 0.6), degrees), offset);
        let dented = joined(&[sphere.clone(), host.clone()]);
        for (a, b) in [(&host, &guest), (&guest, &sphere), (&dented, &guest), (&host, &host)] {
            let (a, b) = (body(a.clone()), body(b.clone()));
            for measure in [overlap, column_overlap] {
                let (one, other) = (measure(&a, &b, &t), measure(&b, &a, &t));
                let turned = other.map(|o| Overlap { separate_a_m: -o.separate_a_m, ..o });
                let same_body = a.mesh() == b.mesh();
                prop_assert!(one == turned || (same_body && one == other), "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn columns_stay_within_their_bound_of_the_exact_volume(
        size in prop::array::uniform3(0.5_f64..1.5),
        degrees in 0.0_f64..90.0,
        offset in prop::array::uniform3(-0.3_f64..0.3),
    ) {
        let (a, b) = tilted_pair(size, degrees, offset);
        let exact = common(a.clone(), b.clone()).unwrap();
        let columns = column_overlap(&body(a), &body(b), &Tolerances::default()).unwrap();
        prop_assert!((columns.volume_m3 - exact.volume_m3).abs() <= 5e-3 * exact.volume_m3, "{columns:?} {exact:?}");
        prop_assert!(columns.thickness_m <= exact.thickness_m + 1e-9, "{columns:?} {exact:?}");
    }
}

fn assert_never_falls(name: &str, fixed: Mesh, pushed: Mesh, start_m: f64) {
    let mut before_m3 = 0.0;
    for millimetres in 0..200_u32 {
        let by = [start_m - 1e-3 * f64::from(millimetres), 0.0, 0.0];
        let volume_m3 = common(fixed.clone(), moved(pushed.clone(), by)).map_or(0.0, |o| o.volume_m3);
        assert!(volume_m3 >= before_m3, "{name} at {millimetres} mm: {volume_m3} after {before_m3}");
        before_m3 = volume_m3;
    }
    assert!(before_m3 > 0.0, "{name}");
}

#[test]
fn pushing_together_never_lowers_the_volume() {
    let cube = block([0.0; 3], [0.4; 3]);
    assert_never_falls("boxes", cube.clone(), moved(cube, [0.0, 0.05, 0.1]), 0.45);
    let ball = uv_sphere(24, 12, [0.0; 3], 0.2);
    assert_never_falls("spheres", ball.clone(), ball, 0.45);
}
