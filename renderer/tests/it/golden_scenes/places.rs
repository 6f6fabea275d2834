//! Places: a room with a table and chairs, a tower in portrait, a colonnade in landscape.

use super::stage::{Named, Stage, at, cuboid, looking, matt, one, perspective, turned};
use scene_document::{Geometry, LightKind, MaterialId, NodeId, Shape, Trs};

pub(crate) fn all() -> Vec<Named> {
    vec![room(), tower(), colonnade()]
}

fn room() -> Named {
    let mut stage = Stage::default();
    let (boards, wall) = (stage.material(matt([0.45, 0.3, 0.2])), stage.material(matt([0.7, 0.68, 0.6])));
    let (oak, cloth) = (stage.material(matt([0.6, 0.4, 0.2])), stage.material(matt([0.25, 0.4, 0.55])));
    stage.shape("floor", at(0.0, -0.05, 0.0), cuboid(5.0, 0.1, 4.0), boards);
    stage.shape("back wall", at(0.0, 1.25, -2.05), cuboid(5.0, 2.5, 0.1), wall);
    stage.shape("left wall", at(-2.55, 1.25, 0.0), cuboid(0.1, 2.5, 4.2), wall);
    let top = [1.5, 0.05, 0.9];
    furniture(&mut stage, "table", at(0.0, 0.0, 0.0), "tabletop", (top, 0.75), oak);
    let places = [(-0.4, -0.75, 0.0), (0.4, -0.75, 0.0), (-0.4, 0.75, 180.0), (1.1, 0.1, -90.0)];
    for (place, (x, z, angle_deg)) in places.into_iter().enumerate() {
        let transform = turned(at(x, 0.0, z), [0.0, 1.0, 0.0], angle_deg);
        let name = format!("chair {place}");
        let chair = furniture(&mut stage, &name, transform, "seat", ([0.42, 0.05, 0.42], 0.46), cloth);
        let back = one(Geometry::Shape(cuboid(0.42, 0.45, 0.05)), cloth);
        stage.mesh(Some(chair), "back", at(0.0, 0.7, -0.185), back);
    }
    let shade = stage.material(matt([0.8, 0.75, 0.6]));
    let cone = Shape::Cone { radius_m: 0.25, height_m: 0.3, segments: 24 };
    stage.shape("shade", at(0.0, 2.1, 0.0), cone, shade);
    stage.coloured("lamp", at(0.0, 1.85, 0.0), LightKind::Point, 450.0, [1.0, 0.9, 0.75]);
    stage.light("window", looking([3.0, 3.5, 3.0], [0.0; 3]), LightKind::Directional, 140.0);
    stage.camera([2.6, 2.1, 3.6], [-0.1, 0.75, -0.2], perspective(42.0, 4.0 / 3.0));
    ("room", stage.scene, "tabletop")
}

/// A board of `size_m` whose top is at `height_m`, on four legs that share a mesh.
fn furniture(
    stage: &mut Stage,
    name: &str,
    transform: Trs,
    board: &str,
    (size_m, height_m): ([f64; 3], f64),
    material: MaterialId,
) -> NodeId {
    let group = stage.group(None, name, transform);
    let [width, thickness, depth] = size_m;
    let shape = |x, y, z| one(Geometry::Shape(cuboid(x, y, z)), material);
    let lift = height_m - thickness;
    stage.mesh(Some(group), board, at(0.0, lift + thickness / 2.0, 0.0), shape(width, thickness, depth));
    let place = |x: f64, z: f64| at(x * (width / 2.0 - 0.03), lift / 2.0, z * (depth / 2.0 - 0.03));
    let leg = stage.mesh(Some(group), "leg 0", place(-1.0, -1.0), shape(0.05, lift, 0.05));
    let mesh = stage.mesh_of(leg);
    for (index, (x, z)) in [(1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)].into_iter().enumerate() {
        stage.again(Some(group), &format!("leg {}", index + 1), place(x, z), mesh);
    }
    group
}

/// Floors that turn a little more each, under a roof.
fn tower() -> Named {
    let mut stage = Stage::default();
    stage.floor(20.0);
    let (light, dark) = (stage.material(matt([0.8, 0.7, 0.55])), stage.material(matt([0.45, 0.3, 0.25])));
    for level in 0..8 {
        let place = turned(at(0.0, 0.35 * f64::from(level) + 0.175, 0.0), [0.0, 1.0, 0.0], 9.0 * f64::from(level));
        let side = 1.3 - 0.06 * f64::from(level);
        let material = if level % 2 == 0 { light } else { dark };
        stage.shape(&format!("level {level}"), place, cuboid(side, 0.35, side), material);
    }
    let slate = stage.material(matt([0.3, 0.35, 0.45]));
    stage.shape("roof", at(0.0, 3.3, 0.0), Shape::Cone { radius_m: 0.75, height_m: 1.0, segments: 24 }, slate);
    stage.light("sun", looking([-3.0, 5.0, 5.0], [0.0; 3]), LightKind::Directional, 340.0);
    stage.camera([1.5, 2.6, 6.5], [0.0, 1.8, 0.0], perspective(38.0, 2.0 / 3.0));
    ("tower", stage.scene, "roof")
}

/// Columns that share a mesh, under one beam.
fn colonnade() -> Named {
    let mut stage = Stage::default();
    stage.floor(30.0);
    let marble = stage.material(matt([0.75, 0.72, 0.68]));
    let column = Shape::Cylinder { radius_m: 0.22, height_m: 2.0, segments: 24 };
    let first = stage.shape("column 0", at(-3.5, 1.0, 0.0), column, marble);
    let mesh = stage.mesh_of(first);
    for place in 1..8 {
        stage.again(None, &format!("column {place}"), at(f64::from(place) - 3.5, 1.0, 0.0), mesh);
    }
    stage.shape("beam", at(0.0, 2.2, 0.0), cuboid(7.8, 0.4, 0.6), marble);
    stage.shape("step", at(0.0, -0.1, 0.0), cuboid(8.4, 0.3, 1.6), marble);
    stage.light("sun", looking([3.0, 4.0, 4.0], [0.0; 3]), LightKind::Directional, 300.0);
    stage.camera([-2.0, 2.2, 7.5], [-0.1, 1.05, 0.0], perspective(30.0, 2.0));
    ("colonnade", stage.scene, "beam")
}
