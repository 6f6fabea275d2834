use crate::scenes::{at, cuboid, floor, orthographic, perspective, quad, scene};
use scene_document::BakedMesh;
use scene_raster::{Coverage, RasterScene};

fn of_first(meshes: Vec<BakedMesh>) -> Coverage {
    let raster = RasterScene::new(&scene(meshes, vec![]));
    let view = orthographic(5.0, 100);
    raster.coverage(&view, &raster.frame(&view), &[0])
}

/// From outside, whole in the picture.
fn seen(visible_px: u32, alone_px: u32, unoccluded: f64) -> Coverage {
    Coverage { visible_px, alone_px, unoccluded, in_frame: 1.0, ..Coverage::default() }
}

fn unit_box() -> BakedMesh {
    cuboid([-0.5; 3], [0.5; 3])
}

#[test]
fn box_in_the_open_is_all_there() {
    assert_eq!(of_first(vec![unit_box()]), seen(100, 100, 1.0));
}

#[test]
fn half_hidden_box_is_half_unoccluded() {
    let screen = cuboid([-4.0, -4.0, 1.0], [0.0, 4.0, 2.0]);
    assert_eq!(of_first(vec![unit_box(), screen]), seen(50, 100, 0.5));
}

#[test]
fn object_of_two_meshes_does_not_hide_itself() {
    let screen = cuboid([-1.0, -1.0, 1.0], [0.0, 1.0, 2.0]);
    let raster = RasterScene::new(&scene(vec![unit_box(), screen], vec![]));
    let view = orthographic(5.0, 100);
    let coverage = raster.coverage(&view, &raster.frame(&view), &[0, 1, 77]);
    assert_eq!(coverage, seen(250, 250, 1.0));
}

#[test]
fn objects_beside_and_behind_the_camera_are_out_of_frame() {
    assert_eq!(of_first(vec![cuboid([99.5, -0.5, -0.5], [100.5, 0.5, 0.5])]), Coverage::default());
    assert_eq!(of_first(vec![cuboid([-0.5, -0.5, 19.5], [0.5, 0.5, 20.5])]), Coverage::default());
}

#[test]
fn surface_across_the_border_is_partly_in_frame() {
    let across = quad([[3.0, -1.0, 0.0], [7.0, -1.0, 0.0], [7.0, 1.0, 0.0], [3.0, 1.0, 0.0]]);
    let coverage = of_first(vec![across]);
    assert_eq!(coverage.in_frame, 0.5);
    assert_eq!(coverage.alone_px, 400);
}

/// Whatever part of the picture the object is drawn in: also with corners behind the camera, and with others around.
#[test]
fn object_alone_covers_what_it_covers_in_a_scene_of_its_own() {
    let meshes = || {
        vec![
            floor(0.0, 50.0),
            cuboid([-1.3, 0.1, -3.2], [-0.4, 1.0, -2.7]),
            cuboid([0.2, -0.4, -6.0], [2.9, 0.7, 0.4]),
            quad([[-3.0, 0.3, -2.0], [1.0, 0.2, -2.5], [1.2, 1.7, -2.4], [-2.0, 1.5, -1.0]]),
        ]
    };
    let raster = RasterScene::new(&scene(meshes(), vec![]));
    for view in [perspective(at(0.1, 0.6, 0.2), 60, 45), perspective(at(0.4, 1.1, -0.3), 32, 64), orthographic(3.0, 50)]
    {
        let frame = raster.frame(&view);
        for (index, mesh) in meshes().into_iter().enumerate() {
            let alone = RasterScene::new(&scene(vec![mesh], vec![])).frame(&view);
            let alone_px = alone.mesh.iter().filter(|id| **id > 0).count();
            let coverage = raster.coverage(&view, &frame, &[index]);
            assert_eq!(coverage.alone_px as usize, alone_px, "mesh {index}");
            let visible_px = frame.mesh.iter().filter(|id| **id == 1 + index as u32).count();
            assert_eq!(coverage.visible_px as usize, visible_px, "mesh {index}");
        }
    }
}

#[test]
fn body_around_the_camera_is_seen_from_behind() {
    let ball = cuboid([-0.2, -0.2, -1.2], [0.2, 0.2, -0.8]);
    let raster = RasterScene::new(&scene(vec![cuboid([-2.0; 3], [2.0; 3]), ball], vec![]));
    let view = perspective(at(0.0, 0.0, 0.0), 40, 40);
    let frame = raster.frame(&view);
    let [room, ball] = [0, 1].map(|mesh| raster.coverage(&view, &frame, &[mesh]));
    // Its front face is 0.8 m away: half the side is 20 · 0.2 / 0.8 = 5 pixels.
    assert_eq!((ball.visible_px, ball.behind_px), (100, 0));
    assert_eq!((room.visible_px, room.behind_px), (1500, 1500));
}
