//! Whether a scene shows anything.

use crate::golden::renderer;
use crate::scenes::{cuboid, light, matt, overview, scene, solids, soon};
use nalgebra::Point3;
use renderer::{LitBy, Picture, Shot};
use scene_document::{Baked, BakedCamera, CameraId, LightKind, NodeId, View};
use std::sync::Arc;

fn drawn(scene: Baked) -> Picture {
    renderer().picture(Shot::renderability(Arc::new(scene)), soon()).unwrap()
}

fn seen_by(view: View) -> Baked {
    let View { world_from_camera, projection, .. } = view;
    let name = String::from("camera");
    let camera = BakedCamera { node: NodeId(2), name, camera: CameraId(1), projection, world_from_camera };
    Baked { cameras: vec![camera], active_camera: Some(0), ..Baked::clone(&scene(solids(), vec![])) }
}

#[test]
fn a_scene_is_drawn_with_and_without_a_camera_and_lights() {
    let framed = Baked::clone(&scene(solids(), vec![]));
    let picture = drawn(framed.clone());
    assert_eq!((picture.is_blank(), picture.lit_by), (false, LitBy::Studio));
    let lit = Baked { lights: vec![light(LightKind::Point, 1000.0, [0.0, 4.0, 1.0])], ..framed };
    let picture = drawn(lit);
    assert_eq!((picture.is_blank(), picture.lit_by), (false, LitBy::Scene));
    assert!(!drawn(seen_by(overview(4, 3))).is_blank());
}

#[test]
fn an_empty_scene_and_a_camera_that_looks_away_are_blank() {
    assert!(drawn(Baked::default()).is_blank());
    let away = View::looking_at(Point3::new(0.0, 5.0, 0.0), Point3::new(0.0, 9.0, 1.0), 0.8, 4, 3);
    assert!(drawn(seen_by(away)).is_blank());
}

/// The picture is a wall: no edge, no gradient of light.
#[test]
fn a_wall_that_glows_evenly_is_blank() {
    let mut glow = matt([0.0; 3]);
    glow.emissive = [50.0; 3];
    let wall = scene(vec![cuboid([-100.0, -100.0, -1.0], [100.0, 100.0, 0.0], glow)], vec![]);
    let view = View::looking_at(Point3::new(0.0, 0.0, 1.0), Point3::origin(), 0.8, 4, 3);
    let dark = light(LightKind::Directional, 0.0, [0.0, 0.0, 5.0]);
    let scene = Baked { meshes: wall.meshes.clone(), lights: vec![dark], ..seen_by(view) };
    assert!(drawn(scene).is_blank());
}

#[test]
fn the_shot_is_small_and_drawn_twice() {
    let shot = Shot::renderability(scene(solids(), vec![]));
    assert_eq!((shot.view.width, shot.view.height, shot.twice), (128, 96, true));
}
