use crate::scenes::{cuboid, orthographic, quad, scene};
use scene_document::BakedMesh;
use scene_raster::{Coverage, RasterScene};

fn of_first(meshes: Vec<BakedMesh>) -> Coverage {
    let raster = RasterScene::new(&scene(meshes, vec![]));
    let view = orthographic(5.0, 100);
    raster.coverage(&view, &raster.frame(&view), &[0])
}

fn unit_box() -> BakedMesh {
    cuboid([-0.5; 3], [0.5; 3])
}

#[test]
fn box_in_the_open_is_all_there() {
    assert_eq!(of_first(vec![unit_box()]), Coverage { visible_px: 100, alone_px: 100, unoccluded: 1.0, in_frame: 1.0 });
}

#[test]
fn half_hidden_box_is_half_unoccluded() {
    let screen = cuboid([-4.0, -4.0, 1.0], [0.0, 4.0, 2.0]);
    assert_eq!(
        of_first(vec![unit_box(), screen]),
        Coverage { visible_px: 50, alone_px: 100, unoccluded: 0.5, in_frame: 1.0 }
    );
}

#[test]
fn object_of_two_meshes_does_not_hide_itself() {
    let screen = cuboid([-1.0, -1.0, 1.0], [0.0, 1.0, 2.0]);
    let raster = RasterScene::new(&scene(vec![unit_box(), screen], vec![]));
    let view = orthographic(5.0, 100);
    let coverage = raster.coverage(&view, &raster.frame(&view), &[0, 1, 77]);
    assert_eq!(coverage, Coverage { visible_px: 250, alone_px: 250, unoccluded: 1.0, in_frame: 1.0 });
}

#[test]
fn objects_beside_and_behind_the_camera_are_out_of_frame() {
    let nothing = Coverage { visible_px: 0, alone_px: 0, unoccluded: 0.0, in_frame: 0.0 };
    assert_eq!(of_first(vec![cuboid([99.5, -0.5, -0.5], [100.5, 0.5, 0.5])]), nothing);
    assert_eq!(of_first(vec![cuboid([-0.5, -0.5, 19.5], [0.5, 0.5, 20.5])]), nothing);
}

#[test]
fn surface_across_the_border_is_partly_in_frame() {
    let across = quad([[3.0, -1.0, 0.0], [7.0, -1.0, 0.0], [7.0, 1.0, 0.0], [3.0, 1.0, 0.0]]);
    let coverage = of_first(vec![across]);
    assert_eq!(coverage.in_frame, 0.5);
    assert_eq!(coverage.alone_px, 400);
}
