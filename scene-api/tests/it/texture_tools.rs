//! Textures on materials and meshes, and what a task says of them.

use crate::examples::texture;
use crate::play::{done, played, refused};
use scene_api::{Group, Groups, Limits, Workspace, tools};
use scene_document::gltf::{self, Severity, check, read, write_glb};
use scene_document::{MaterialId, Triangles, Volume};
use serde_json::{Value, json};
use std::sync::Arc;

/// The triangles of a shape on `n_1` after `mesh.unwrap`.
fn unwrapped(shape: &Value, projection: &Value) -> Arc<Triangles> {
    let made = played(&[
        ("node.create", json!({"name": "part"})),
        ("mesh.add_primitive", json!({"node": "n_1", "shape": shape})),
        ("mesh.unwrap", json!({"node": "n_1", "projection": projection})),
    ]);
    let mesh = made.scene.meshes().values().next().unwrap();
    mesh.primitives[0].geometry.triangles()
}

/// Twice the area in the image, positive where the image is not mirrored.
fn doubled_area(triangles: &Triangles, corners: [u32; 3]) -> f64 {
    let uvs = triangles.uvs.as_ref().unwrap();
    let [a, b, c] = corners.map(|corner| uvs[corner as usize].map(f64::from));
    // v points down, so what is counter-clockwise in the image has the other sign.
    -((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]))
}

#[test]
fn the_examples_run_and_their_refusals_are_refused() {
    let made = played(&texture::calls());
    let used: Vec<&str> = texture::calls().iter().map(|(name, _)| *name).collect();
    for tool in tools(false).filter(|tool| tool.group == Group::Texture) {
        assert!(used.contains(&tool.name), "{} has no example", tool.name);
    }
    for (name, arguments, code) in texture::refusals() {
        assert_eq!(refused(&made, name, &arguments.to_string())["code"], code, "{name} {arguments}");
    }
    let glb = write_glb(&made.scene).unwrap();
    let errors: Vec<_> = check(&glb, &|_| None).into_iter().filter(|issue| issue.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let again = read(&glb, &|_| None, &gltf::Limits::default()).unwrap();
    assert_eq!((again.scene.textures().size(), again.scene.materials().size()), (3, 1));
    let core = Workspace::default();
    assert_eq!(refused(&core, "texture.create", "{}")["code"], "NOT_FOUND");
}

#[test]
fn a_reply_says_what_is_not_judged() {
    let calls = texture::calls();
    let made = played(&calls[..4]);
    let arguments = json!({"material": "mat_1", "slot": "base_color", "texture": "tex_1"});
    let (after, reply) = done(&made, "material.set_texture", &arguments);
    assert_eq!(reply["changed"], json!(["mat_1"]));
    assert_eq!(reply["result"]["without_uvs"], json!(["n_1"]));
    assert_eq!(reply["result"]["not_evaluated"], json!(["baseColorTexture"]));
    let import = read(&write_glb(&after.scene).unwrap(), &|_| None, &gltf::Limits::default()).unwrap();
    assert_eq!(import.not_evaluated.iter().map(|feature| feature.what).collect::<Vec<_>>(), ["baseColorTexture"]);

    let (after, _) = done(&after, "mesh.unwrap", &json!({"node": "n_1", "projection": {"kind": "box"}}));
    let (after, reply) = done(&after, "material.set_texture", &arguments);
    assert_eq!(reply["result"]["without_uvs"], json!([]));
    let (after, reply) = done(&after, "mesh.flip_normals", &json!({"node": "n_1"}));
    assert!(reply["result"].get("lost").is_none(), "texture coordinates follow: {reply}");
    let (_, reply) = done(&after, "mesh.recalculate_normals", &json!({"node": "n_1"}));
    assert_eq!(reply["result"]["lost"], json!(["TEXCOORD_0"]));
    let (after, reply) = done(&after, "material.set_texture", &json!({"material": "mat_1", "slot": "base_color"}));
    assert_eq!(reply["result"]["not_evaluated"], json!([]));
    assert!(after.scene.materials().get(&MaterialId(1)).unwrap().textures.is_empty());
}

#[test]
fn extension_factors_keep_what_is_not_said() {
    let made = played(&texture::calls()[..2]);
    let glass = json!({"material": "mat_1", "extensions": {"transmission": 1, "thickness_m": 0.01, "clearcoat": 0.5}});
    let (made, reply) = done(&made, "material.update", &glass);
    assert_eq!(reply["result"]["not_evaluated"], json!(["KHR_materials_clearcoat", "KHR_materials_transmission"]));
    let tint = json!({"attenuation_color": [0, 1, 0], "clearcoat_roughness": 0.25, "iridescence_thickness_nm": [1, 2]});
    let (made, _) = done(&made, "material.update", &json!({"material": "mat_1", "extensions": tint}));
    let found = made.scene.materials().get(&MaterialId(1)).unwrap().extensions;
    let wanted = Volume { thickness_m: 0.01, attenuation_color: [0.0, 1.0, 0.0], ..Volume::default() };
    assert_eq!(found.volume, Some(wanted));
    let clearcoat = found.clearcoat.unwrap();
    assert_eq!((clearcoat.factor, clearcoat.roughness), (0.5, 0.25));
    let film = found.iridescence.unwrap();
    assert_eq!((film.factor, film.ior, film.thickness_min_nm, film.thickness_max_nm), (0.0, 1.3, 1.0, 2.0));
    assert_eq!((found.sheen, found.unlit), (None, None));

    let unlit = |unlit: bool| json!({"material": "mat_1", "extensions": {"unlit": unlit}});
    let (made, _) = done(&made, "material.update", &unlit(true));
    assert!(made.scene.materials().get(&MaterialId(1)).unwrap().extensions.unlit.is_some());
    let (made, _) = done(&made, "material.update", &unlit(false));
    assert!(made.scene.materials().get(&MaterialId(1)).unwrap().extensions.unlit.is_none());
    let (_, described) = done(&made, "scene.describe", &json!({}));
    let material = &described["result"]["materials"][0]["extensions"];
    assert_eq!(material["KHR_materials_transmission"]["transmissionFactor"], 1.0);
    for (extensions, code, pointer) in [
        (json!({"ior": 0.5}), "OUT_OF_RANGE", "/extensions/ior"),
        (json!({"transmission": 2}), "OUT_OF_RANGE", "/extensions/transmission"),
        (json!({"ior": 1e39}), "OUT_OF_RANGE", "/extensions/ior"),
        (json!({"thickness_m": 1e39}), "OUT_OF_RANGE", "/extensions/thickness_m"),
        (json!({"attenuation_distance_m": 1e-39}), "OUT_OF_RANGE", "/extensions/attenuation_distance_m"),
        (json!({"specular_color": [1, 1e39, 1]}), "OUT_OF_RANGE", "/extensions/specular_color/1"),
        (json!({"ir": 1}), "INVALID_ARGUMENT", "/extensions/ir"),
        (json!({"sheen_color": [0, 0]}), "TYPE_MISMATCH", "/extensions/sheen_color"),
        (json!({}), "INVALID_ARGUMENT", ""),
    ] {
        let arguments = json!({"material": "mat_1", "extensions": extensions});
        let error = refused(&made, "material.update", &arguments.to_string());
        assert_eq!((&error["code"], &error["pointer"]), (&json!(code), &json!(pointer)), "{arguments}: {error}");
    }
}

#[test]
fn a_box_has_upright_images_of_one_size_on_all_sides() {
    let cuboid = json!({"kind": "box", "size_m": [1, 2, 3]});
    let triangles = unwrapped(&cuboid, &json!({"kind": "box", "tile_m": 0.5}));
    let mut areas = 0.0;
    for corners in &triangles.triangles {
        let area = doubled_area(&triangles, *corners);
        assert!(area > 0.0, "a mirrored image on {corners:?}");
        areas += area / 2.0;
    }
    // 22 m² of faces; a tile is a quarter.
    assert!((areas - 88.0).abs() < 1e-6, "{areas}");
    let (uvs, normals) = (triangles.uvs.as_ref().unwrap(), triangles.normals.as_ref().unwrap());
    let front: Vec<usize> = (0..normals.len()).filter(|index| normals[*index] == [0.0, 0.0, 1.0]).collect();
    assert_eq!(front.len(), 4);
    for index in front {
        let [x, y, _] = triangles.positions[index];
        assert_eq!(uvs[index], [x * 2.0, -y * 2.0], "u along +x, v down");
    }
    let planar = unwrapped(&cuboid, &json!({"kind": "planar", "axis": "y"}));
    for (position, uv) in planar.positions.iter().zip(planar.uvs.as_ref().unwrap()) {
        assert_eq!(*uv, [position[0], position[2]]);
    }
}

#[test]
fn round_images_go_once_around_without_a_jump() {
    let ball = json!({"kind": "uv_sphere", "radius_m": 1, "segments": 16, "rings": 8});
    let can = json!({"kind": "cylinder", "radius_m": 1, "height_m": 2, "segments": 16});
    for (shape, projection) in [(ball, "spherical"), (can, "cylindrical")] {
        let triangles = unwrapped(&shape, &json!({ "kind": projection }));
        let uvs = triangles.uvs.as_ref().unwrap();
        let mut sides = 0.0;
        for corners in &triangles.triangles {
            let [a, b, c] = corners.map(|corner| uvs[corner as usize]);
            let spread = [a[0], b[0], c[0]].map(f64::from);
            let width = spread.iter().copied().fold(0.0, f64::max) - spread.iter().copied().fold(2.0, f64::min);
            let area = doubled_area(&triangles, *corners);
            assert!(area >= -1e-9, "{projection}: a mirrored image on {corners:?}");
            let heights = corners.map(|corner| triangles.positions[corner as usize][1]);
            let is_cap = heights[0] == heights[1] && heights[1] == heights[2];
            if projection == "spherical" || !is_cap {
                assert!(width < 0.1, "{projection}: {corners:?} spans {width} of the image");
                sides += area / 2.0;
            }
        }
        // The triangles at the poles have half of their part of the image.
        let least = if projection == "spherical" { 0.85 } else { 1.0 - 1e-5 };
        assert!(sides > least && sides < 1.0 + 1e-5, "{projection} covers {sides}");
    }
}

#[test]
fn a_file_is_base64_alone_and_not_empty() {
    let made = played(&texture::calls()[..2]);
    let file = |data: &str| json!({"name": "wood", "image": {"kind": "file", "data_base64": data}}).to_string();
    for (data, message) in
        [("", "the file is empty"), ("data:image/png;base64,iVBORw0KGgo=", "a data URI"), ("i*", "not base64")]
    {
        let error = refused(&made, "texture.create", &file(data));
        assert_eq!((&error["code"], &error["pointer"]), (&json!("INVALID_ARGUMENT"), &json!("/image/data_base64")));
        assert!(error["message"].as_str().unwrap().starts_with(message), "{error}");
    }
}

#[test]
fn textures_have_limits_of_number_and_bytes() {
    let calls = texture::calls();
    let usual = Limits::default();
    for (limits, pointer) in [(Limits { textures: 0, ..usual }, ""), (Limits { texture_bytes: 50, ..usual }, "/image")]
    {
        let workspace = Workspace { limits, groups: Groups::all(), ..Workspace::default() };
        let error = refused(&workspace, calls[3].0, &calls[3].1.to_string());
        assert_eq!((&error["code"], &error["pointer"]), (&json!("LIMIT_EXCEEDED"), &json!(pointer)), "{error}");
    }
}
