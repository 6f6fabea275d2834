use crate::scenes::{cuboid, floor, light, scene};
use nalgebra::Point3;
use scene_document::{LightKind, View};
use scene_raster::{Frame, Lit, RasterScene};

fn pictures(threads: usize) -> Vec<(Frame, Lit)> {
    let mut meshes = vec![floor(0.0, 3.0)];
    meshes.extend((0..20).map(|i| {
        let (x, z) = (f64::from(i % 5) - 2.1, f64::from(i / 5) - 1.7);
        cuboid([x, 0.0, z], [x + 0.55, 0.3 + 0.1 * f64::from(i % 3), z + 0.45])
    }));
    let lights = vec![
        light(LightKind::Point, 100.0, [0.3, 2.0, 0.4], [0.0, -1.0, 0.0]),
        light(LightKind::Directional, 10.0, [0.0; 3], [0.6, -0.8, 0.0]),
    ];
    let raster = RasterScene::new(&scene(meshes, lights));
    let views: Vec<View> = (0..6)
        .map(|i| View::looking_at(Point3::new(3.0 - f64::from(i), 2.0, 3.5), Point3::origin(), 0.9, 96, 64))
        .collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let frames = raster.frames(&views);
        let lits: Vec<Lit> = views.iter().zip(&frames).map(|(view, frame)| raster.light(view, frame)).collect();
        frames.into_iter().zip(lits).collect()
    })
}

#[test]
fn pictures_do_not_depend_on_the_number_of_threads() {
    let one = pictures(1);
    assert!(one.iter().all(|(frame, _)| frame.mesh.iter().any(|id| *id > 1)));
    assert!(one == pictures(4));
}

#[test]
fn frames_are_in_the_order_of_their_views() {
    let raster = RasterScene::new(&scene(vec![cuboid([-0.5; 3], [0.5; 3])], vec![]));
    let views: Vec<View> =
        (1..9).map(|i| View::looking_at(Point3::new(0.0, 0.0, f64::from(i)), Point3::origin(), 0.9, 9, 9)).collect();
    for (frame, distance) in raster.frames(&views).iter().zip(1..) {
        assert!((frame.depth_m[40] - (f64::from(distance) - 0.5)).abs() < 1e-12);
    }
}
