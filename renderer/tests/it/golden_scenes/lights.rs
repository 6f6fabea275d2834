//! Light: a low sun, coloured lamps, cones.

use super::stage::{Named, Stage, at, ball, cone, cuboid, looking, matt, perspective, turned};
use scene_document::{LightKind, MaterialId, Shape};

pub(crate) fn all() -> Vec<Named> {
    vec![sun(), coloured_points(), spots()]
}

/// Long shadows of a fence.
fn sun() -> Named {
    let mut stage = Stage::default();
    stage.floor(20.0);
    let wood = stage.material(matt([0.7, 0.45, 0.25]));
    for x in [-1.6, -0.8, 0.0, 0.8, 1.6] {
        stage.shape(&format!("post at {x}"), at(x, 0.5, -0.8), cuboid(0.16, 1.0, 0.16), wood);
    }
    stage.shape("beam", at(0.0, 0.85, -0.66), cuboid(3.8, 0.3, 0.12), wood);
    let red = stage.material(matt([0.8, 0.2, 0.15]));
    stage.shape("ball", at(0.9, 0.4, 0.6), ball(0.4), red);
    stage.light("sun", looking([2.0, 2.2, -1.2], [0.0; 3]), LightKind::Directional, 380.0);
    stage.light("sky", looking([0.0, 4.0, 3.0], [0.0; 3]), LightKind::Directional, 70.0);
    stage.camera([-0.4, 2.8, 5.4], [-0.2, 0.3, 0.0], perspective(36.0, 4.0 / 3.0));
    ("sun", stage.scene, "beam")
}

/// A floor and two walls that stand on it.
fn corner(stage: &mut Stage, wall: MaterialId) {
    let sheet = Shape::Plane { size_m: [6.0, 6.0] };
    stage.shape("floor", at(0.0, 0.0, 0.0), sheet, wall);
    stage.shape("back", turned(at(0.0, 0.0, -1.5), [1.0, 0.0, 0.0], 90.0), sheet, wall);
    stage.shape("left", turned(at(-2.0, 0.0, 0.0), [0.0, 0.0, 1.0], -90.0), sheet, wall);
}

/// Red, green and blue lamps in a white corner.
fn coloured_points() -> Named {
    let mut stage = Stage::default();
    let white = stage.material(matt([0.8, 0.8, 0.8]));
    corner(&mut stage, white);
    stage.shape("ball", at(-0.1, 0.65, -0.1), ball(0.65), white);
    let lamps = [("red", [-1.4, 1.6, 0.6]), ("green", [0.2, 1.9, 1.2]), ("blue", [1.6, 1.2, 0.2])];
    for (place, (name, [x, y, z])) in lamps.into_iter().enumerate() {
        let mut color = [0.05; 3];
        color[place] = 1.0;
        stage.coloured(name, at(x, y, z), LightKind::Point, 900.0, color);
    }
    stage.camera([1.2, 1.9, 4.8], [-0.3, 0.8, 0.0], perspective(38.0, 4.0 / 3.0));
    ("coloured-points", stage.scene, "ball")
}

/// A soft, a half soft and a hard cone.
fn spots() -> Named {
    let mut stage = Stage::default();
    let grey = stage.material(matt([0.7, 0.7, 0.7]));
    corner(&mut stage, grey);
    let drum = stage.material(matt([0.75, 0.6, 0.4]));
    let cylinder = Shape::Cylinder { radius_m: 0.45, height_m: 0.9, segments: 32 };
    stage.shape("drum", at(0.2, 0.45, 0.1), cylinder, drum);
    let from = [1.2, 3.2, 2.6];
    stage.light("soft", looking([0.4, 3.6, 2.4], [0.2, 0.4, 0.0]), cone(0.0, 18.0), 6500.0);
    stage.coloured("amber", looking(from, [-1.6, 1.0, -1.0]), cone(6.0, 12.0), 5000.0, [1.0, 0.6, 0.2]);
    stage.coloured("hard", looking(from, [1.4, 1.4, -1.5]), cone(10.0, 10.5), 3500.0, [0.4, 0.8, 1.0]);
    stage.camera([1.0, 1.9, 5.0], [-0.1, 0.85, 0.0], perspective(38.0, 4.0 / 3.0));
    ("spots", stage.scene, "drum")
}
