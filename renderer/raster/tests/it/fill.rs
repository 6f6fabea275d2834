//! How much there is to draw.

use crate::scenes::{floor, mesh, quad, scene};
use nalgebra::Point3;
use scene_document::View;
use scene_raster::fill_px;

fn view() -> View {
    View::looking_at(Point3::new(0.0, 0.0, 5.0), Point3::origin(), 1.0, 64, 48)
}

#[test]
fn every_layer_counts_as_far_as_it_is_in_the_picture() {
    let wall = |z: f64| quad([[-99.0, -99.0, z], [99.0, -99.0, z], [99.0, 99.0, z], [-99.0, 99.0, z]]);
    let layers = (0..7).map(|layer| wall(-f64::from(layer))).collect();
    assert_eq!(fill_px(&scene(layers, vec![]), &view()), 7 * 2 * 64 * 48);
    assert_eq!(fill_px(&scene(vec![wall(6.0)], vec![]), &view()), 0, "behind the camera");
}

#[test]
fn a_floor_through_the_camera_counts_once_a_triangle() {
    let px = fill_px(&scene(vec![floor(-1.0, 50.0)], vec![]), &view());
    assert!((1..=2 * 64 * 48).contains(&px), "{px}");
}

#[test]
fn what_cannot_be_drawn_costs_nothing() {
    let broken = mesh(&[[0.0; 3], [f64::NAN; 3], [1.0; 3]], &[[0, 1, 9], [0, 0, 9]]);
    assert_eq!(fill_px(&scene(vec![broken], vec![]), &view()), 0);
    let blind = View { width: 0, ..view() };
    assert_eq!(fill_px(&scene(vec![floor(-1.0, 5.0)], vec![]), &blind), 0);
}
