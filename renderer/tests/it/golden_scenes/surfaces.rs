//! Materials: metal and roughness, emission, transparency, sides.

use super::stage::{Named, Stage, at, ball, cuboid, looking, matt, perspective, turned};
use scene_document::{AlphaMode, LightKind, Material, Projection, Shape, Triangles};

pub(crate) fn all() -> Vec<Named> {
    vec![metal_and_roughness(), emissive(), alpha(), sheets()]
}

/// Roughness grows to the right, metal upwards.
fn metal_and_roughness() -> Named {
    let mut stage = Stage::default();
    let backdrop = stage.material(matt([0.25, 0.25, 0.28]));
    let upright = turned(at(0.0, 0.0, -1.2), [1.0, 0.0, 0.0], 90.0);
    stage.shape("backdrop", upright, Shape::Plane { size_m: [12.0, 12.0] }, backdrop);
    for (row, metallic) in [0.0, 0.5, 1.0].into_iter().enumerate() {
        for (column, roughness) in [0.1, 0.3, 0.6, 1.0].into_iter().enumerate() {
            let copper = Material { metallic, roughness, ..matt([0.9, 0.5, 0.3]) };
            let material = stage.material(copper);
            let place = at(1.2 * (column as f64 - 1.5), 1.2 * (row as f64 - 1.0), 0.0);
            stage.shape(&format!("ball {row} {column}"), place, ball(0.52), material);
        }
    }
    stage.light("key", looking([-3.0, 4.0, 5.0], [0.0; 3]), LightKind::Directional, 260.0);
    stage.light("fill", looking([4.0, -1.0, 5.0], [0.0; 3]), LightKind::Directional, 80.0);
    let lens = Projection::Orthographic { xmag_m: 2.6, ymag_m: 1.95, znear_m: 0.1, zfar_m: 20.0 };
    stage.camera([0.0, 0.0, 6.0], [0.0; 3], lens);
    ("metal-and-roughness", stage.scene, "ball 0 3")
}

/// Four bars from dim to far above white, beside a wall that only the weak light shows.
fn emissive() -> Named {
    let mut stage = Stage::default();
    stage.floor(20.0);
    let glows = [([1.0, 0.3, 0.1], 15.0), ([0.2, 1.0, 0.3], 40.0), ([0.2, 0.4, 1.0], 120.0), ([1.0, 0.9, 0.7], 500.0)];
    for (place, (emissive, emissive_strength)) in glows.into_iter().enumerate() {
        let glow = Material { emissive, emissive_strength, ..matt([0.1, 0.1, 0.1]) };
        let material = stage.material(glow);
        stage.shape(&format!("bar {place}"), at(place as f64 - 2.2, 0.7, 0.6), cuboid(0.4, 1.4, 0.4), material);
    }
    let plaster = stage.material(matt([0.8, 0.75, 0.7]));
    stage.shape("wall", at(2.1, 0.9, 0.0), cuboid(1.0, 1.8, 1.6), plaster);
    stage.light("moon", looking([-2.0, 4.0, 5.0], [0.0; 3]), LightKind::Directional, 140.0);
    stage.camera([0.1, 2.3, 7.4], [0.1, 0.75, 0.0], perspective(34.0, 4.0 / 3.0));
    ("emissive", stage.scene, "wall")
}

/// Panes one behind another, a mask above and one below its cutoff, in front of solid things.
fn alpha() -> Named {
    let mut stage = Stage::default();
    stage.floor(20.0);
    let solid = stage.material(matt([0.8, 0.8, 0.75]));
    stage.shape("block", at(-0.4, 0.7, -1.2), cuboid(3.2, 1.4, 0.8), solid);
    let glass = |color: [f64; 3], alpha: f64, alpha_mode| {
        let [red, green, blue] = color;
        Material { base_color: [red, green, blue, alpha], alpha_mode, ..Material::default() }
    };
    let panes = [
        ("red pane", -1.2, 0.2, glass([0.9, 0.1, 0.1], 0.4, AlphaMode::Blend)),
        ("blue pane", -0.7, 0.7, glass([0.1, 0.2, 0.9], 0.6, AlphaMode::Blend)),
        ("mask above", 0.6, 0.3, glass([0.2, 0.7, 0.2], 0.8, AlphaMode::Mask)),
        ("mask below", 1.2, 0.9, glass([0.9, 0.1, 0.9], 0.3, AlphaMode::Mask)),
        ("faint pane", 1.7, 0.5, glass([0.9, 0.8, 0.1], 0.15, AlphaMode::Blend)),
    ];
    for (name, x, z, material) in panes {
        let material = stage.material(material);
        stage.shape(name, at(x, 0.6, z), cuboid(0.9, 1.1, 0.04), material);
    }
    stage.light("sun", looking([-2.0, 5.0, 5.0], [0.0; 3]), LightKind::Directional, 300.0);
    stage.camera([0.5, 1.9, 6.2], [0.15, 0.6, 0.0], perspective(34.0, 4.0 / 3.0));
    ("alpha", stage.scene, "block")
}

/// One-sided sheets from the front and from behind (unseen), a two-sided one from behind, and a folded one.
fn sheets() -> Named {
    let mut stage = Stage::default();
    stage.floor(20.0);
    let sheet = |color: [f64; 3], double_sided| Material { double_sided, ..matt(color) };
    let plane = Shape::Plane { size_m: [1.0, 1.0] };
    let facing = |x: f64, z: f64, angle_deg: f64| turned(at(x, 0.6, z), [1.0, 0.0, 0.0], angle_deg);
    let (front, back) = (90.0, -90.0);
    let one_sided = stage.material(sheet([0.3, 0.6, 0.8], false));
    let two_sided = stage.material(sheet([0.8, 0.5, 0.2], true));
    stage.shape("front", facing(-1.8, 0.0, front), plane, one_sided);
    stage.shape("culled", facing(-0.6, 0.0, back), plane, one_sided);
    stage.shape("two-sided", facing(0.6, 0.0, back), plane, two_sided);
    let leaf = stage.material(sheet([0.4, 0.7, 0.3], true));
    stage.raw("folded", at(1.8, 0.1, 0.0), folded(), leaf);
    let post = stage.material(matt([0.7, 0.3, 0.3]));
    stage.shape("post", at(-0.6, 0.5, -1.2), cuboid(0.5, 1.0, 0.5), post);
    stage.light("lamp", at(0.5, 3.0, 4.0), LightKind::Point, 5500.0);
    stage.camera([0.0, 2.4, 6.0], [0.0, 0.55, 0.0], perspective(34.0, 4.0 / 3.0));
    ("sheets", stage.scene, "front")
}

/// Two squares that meet like an open book whose back is towards the viewer.
fn folded() -> Triangles {
    let positions = vec![
        [-0.5, 0.0, -0.3],
        [0.0, 0.0, 0.2],
        [0.0, 1.0, 0.2],
        [-0.5, 1.0, -0.3],
        [0.5, 0.0, -0.3],
        [0.5, 1.0, -0.3],
    ];
    Triangles { positions, triangles: vec![[0, 1, 2], [0, 2, 3], [1, 4, 5], [1, 5, 2]], ..Triangles::default() }
}
