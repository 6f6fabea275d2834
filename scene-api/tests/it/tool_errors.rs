use crate::play::{done, played, refused, then};
use scene_api::{Limits, Workspace, tools};
use serde_json::{Value, json};

/// `n_1` table_top with a box, `n_2` eye with a camera, `mat_1` oak.
fn room() -> Workspace {
    let calls = [
        ("node.create", json!({"name": "table_top", "translation": [0, 0.5, 0]})),
        ("mesh.add_primitive", json!({"node": "n_1", "shape": {"kind": "box", "size_m": [1, 1, 1]}})),
        ("camera.add", json!({"name": "eye", "translation": [0, 1, 4]})),
        ("material.create", json!({"name": "oak"})),
    ];
    then(&Workspace::default(), &calls)
}

/// Code and pointer of the refusal.
fn verdict(name: &str, arguments: &str) -> (String, String, Value) {
    let error = refused(&room(), name, arguments);
    let text = |member: &str| error[member].as_str().unwrap().to_owned();
    (text("code"), text("pointer"), error.clone())
}

#[test]
fn refusals_name_code_and_place() {
    for (name, arguments, code, pointer) in [
        ("node.create", r#"{"name": "#, "INVALID_ARGUMENT", ""),
        ("node.create", r#"{"name": "a"} x"#, "INVALID_ARGUMENT", ""),
        ("node.create", "", "INVALID_ARGUMENT", ""),
        ("node.create", r#"["a"]"#, "TYPE_MISMATCH", ""),
        ("node.create", r#""a""#, "TYPE_MISMATCH", ""),
        ("node.create", "{}", "INVALID_ARGUMENT", "/name"),
        ("node.create", r#"{"name": "a", "name": "b"}"#, "INVALID_ARGUMENT", "/name"),
        ("node.create", r#"{"name": "a", "translaton": [0, 0, 0]}"#, "INVALID_ARGUMENT", "/translaton"),
        ("node.create", r#"{"name": "a", "translation": [0, "x", 0]}"#, "TYPE_MISMATCH", "/translation/1"),
        ("node.create", r#"{"name": "a", "translation": [0, 0]}"#, "TYPE_MISMATCH", "/translation"),
        ("node.create", r#"{"name": "a", "translation": [0, 0, 0, 0]}"#, "TYPE_MISMATCH", "/translation"),
        ("node.create", r#"{"name": "a", "translation": [0, 1e999, 0]}"#, "NON_FINITE", "/translation/1"),
        ("node.create", r#"{"name": "a", "translation": [0, 0, 1e9]}"#, "OUT_OF_RANGE", "/translation/2"),
        ("node.create", r#"{"name": "a", "scale": [1, 0, 1]}"#, "OUT_OF_RANGE", "/scale/1"),
        ("node.create", r#"{"name": "a", "rotation": [0, 0, 0, 0]}"#, "OUT_OF_RANGE", "/rotation"),
        (
            "node.create",
            r#"{"name": "a", "rotation": [0, 0, 0, 1], "rotation_euler_deg": [0, 0, 0]}"#,
            "INVALID_ARGUMENT",
            "/rotation_euler_deg",
        ),
        ("node.create", r#"{"name": " "}"#, "OUT_OF_RANGE", "/name"),
        ("node.create", r#"{"name": "table_top"}"#, "NAME_CONFLICT", "/name"),
        ("node.create", r#"{"name": "a", "parent": "n_7"}"#, "NOT_FOUND", "/parent"),
        ("node.set_transform", r#"{"node": "n_1"}"#, "INVALID_ARGUMENT", ""),
        ("node.set_transform", r#"{"node": "n_1", "move_by_m": [0, 3000, 0]}"#, "OUT_OF_RANGE", "/move_by_m/1"),
        ("node.set_transform", r#"{"node": "n_1", "move_by_m": [0, 1000, 0]}"#, "LIMIT_EXCEEDED", "/move_by_m"),
        ("node.set_transform", r#"{"node": "n_1", "parent": "n_1"}"#, "INVALID_ARGUMENT", "/parent"),
        ("node.set_transform", r#"{"node": "n_1", "scale": [1, 1, 1], "space": "moon"}"#, "INVALID_ARGUMENT", "/space"),
        ("node.delete", r#"{"node": "table_top"}"#, "NOT_FOUND", "/node"),
        ("mesh.add_primitive", r#"{"node": "n_1", "shape": {"kind": "cube"}}"#, "INVALID_ARGUMENT", "/shape/kind"),
        (
            "mesh.add_primitive",
            r#"{"node": "n_1", "shape": {"kind": "cylinder", "radius": 1, "height_m": 1, "segments": 8}}"#,
            "INVALID_ARGUMENT",
            "/shape/radius",
        ),
        (
            "mesh.add_primitive",
            r#"{"node": "n_1", "shape": {"kind": "cylinder", "radius_m": 1, "height_m": 1, "segments": 4294967295}}"#,
            "OUT_OF_RANGE",
            "/shape/segments",
        ),
        (
            "mesh.add_primitive",
            r#"{"node": "n_1", "shape": {"kind": "box", "size_m": [1, -1, 1]}}"#,
            "OUT_OF_RANGE",
            "/shape/size_m/1",
        ),
        (
            "mesh.add_primitive",
            r#"{"node": "n_1", "shape": {"kind": "box", "size_m": [1, 1, 1e300]}}"#,
            "OUT_OF_RANGE",
            "/shape/size_m/2",
        ),
        (
            "mesh.add_primitive",
            r#"{"node": "n_1", "shape": {"kind": "box", "size_m": [1, 1]}}"#,
            "TYPE_MISMATCH",
            "/shape/size_m",
        ),
        ("mesh.add_primitive", r#"{"node": "n_1", "shape": {"kind": "box"}}"#, "INVALID_ARGUMENT", "/shape/size_m"),
        ("mesh.add_primitive", r#"{"node": "n_1", "shape": {"size_m": [1, 1, 1]}}"#, "INVALID_ARGUMENT", "/shape/kind"),
        ("mesh.add_primitive", r#"{"node": "n_1", "shape": "box"}"#, "TYPE_MISMATCH", "/shape"),
        (
            "mesh.add_primitive",
            r#"{"node": "n_1", "shape": {"kind": "cone", "radius_m": 1, "height_m": 1, "segments": 8.5}}"#,
            "TYPE_MISMATCH",
            "/shape/segments",
        ),
        (
            "light.add",
            r#"{"name": "a", "light": {"kind": "spot", "inner_cone_rad": "x", "outer_cone_rad": 1}, "intensity": 1}"#,
            "TYPE_MISMATCH",
            "/light/inner_cone_rad",
        ),
        (
            "mesh.add_primitive",
            r#"{"node": "n_1", "shape": {"kind": "box", "size_m": [3000, 1, 1]}}"#,
            "LIMIT_EXCEEDED",
            "/shape",
        ),
        (
            "mesh.add_primitive",
            r#"{"node": "n_1", "shape": {"kind": "box", "size_m": [1e-4, 1e-4, 1e-4]}}"#,
            "LIMIT_EXCEEDED",
            "/shape",
        ),
        (
            "mesh.add_primitive",
            r#"{"node": "n_1", "shape": {"kind": "plane", "size_m": [1, 1]}, "material": "oak"}"#,
            "NOT_FOUND",
            "/material",
        ),
        ("mesh.set_data", r#"{"node": "n_1", "positions": [[0, 0, 0]], "triangles": []}"#, "DEGENERATE", "/triangles"),
        (
            "mesh.set_data",
            r#"{"node": "n_1", "positions": [[0, 0, 1e39]], "triangles": [[0, 0, 0]]}"#,
            "OUT_OF_RANGE",
            "/positions/0/2",
        ),
        (
            "mesh.set_data",
            r#"{"node": "n_1", "positions": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "triangles": [[0, 1, 2], [0, 1, 3]]}"#,
            "OUT_OF_RANGE",
            "/triangles/1",
        ),
        (
            "mesh.set_data",
            r#"{"node": "n_1", "positions": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "triangles": [[0, 1, 2]], "normals": [[0, 0, 1], [0, 0, 2], [0, 0, 1]]}"#,
            "OUT_OF_RANGE",
            "/normals/1",
        ),
        (
            "mesh.set_data",
            r#"{"node": "n_1", "positions": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "triangles": [[0, 1, 2]], "normals": [[0, 0, 1]]}"#,
            "INVALID_ARGUMENT",
            "/normals",
        ),
        ("material.create", r#"{"name": "a", "base_color": [0.1, 0.2]}"#, "TYPE_MISMATCH", "/base_color"),
        ("material.create", r#"{"name": "a", "base_color": [0.1, 0.2, 255]}"#, "OUT_OF_RANGE", "/base_color/2"),
        ("material.create", r#"{"name": "a", "roughness": 2}"#, "OUT_OF_RANGE", "/roughness"),
        ("material.create", r#"{"name": "a", "alpha_mode": "opaque"}"#, "INVALID_ARGUMENT", "/alpha_mode"),
        ("material.assign", r#"{"node": "n_2", "material": "mat_1"}"#, "NOT_FOUND", "/node"),
        ("light.add", r#"{"name": "a", "light": {"kind": "point"}, "intensity": -1}"#, "OUT_OF_RANGE", "/intensity"),
        (
            "light.add",
            r#"{"name": "a", "light": {"kind": "spot", "inner_cone_rad": 1, "outer_cone_rad": 0.5}, "intensity": 1}"#,
            "OUT_OF_RANGE",
            "/light/inner_cone_rad",
        ),
        ("camera.add", r#"{"name": "a", "yfov_deg": 200}"#, "OUT_OF_RANGE", "/yfov_deg"),
        ("camera.add", r#"{"name": "a", "znear_m": 2, "zfar_m": 1}"#, "OUT_OF_RANGE", "/zfar_m"),
        (
            "camera.add",
            r#"{"name": "a", "orthographic": {"xmag_m": 0, "ymag_m": 1}}"#,
            "OUT_OF_RANGE",
            "/orthographic/xmag_m",
        ),
        (
            "camera.add",
            r#"{"name": "a", "orthographic": {"xmag_m": 1, "ymag_m": 1e-9}}"#,
            "OUT_OF_RANGE",
            "/orthographic/ymag_m",
        ),
        ("camera.add", r#"{"name": "a", "znear_m": 1e39}"#, "OUT_OF_RANGE", "/znear_m"),
        ("camera.add", r#"{"name": "a", "zfar_m": 1e307}"#, "OUT_OF_RANGE", "/zfar_m"),
        ("camera.look_at", r#"{"camera": "n_2", "target": [0, 1, 4]}"#, "DEGENERATE", "/target"),
        ("camera.look_at", r#"{"camera": "n_2", "target": 7}"#, "TYPE_MISMATCH", "/target"),
        ("camera.look_at", r#"{"camera": "n_1", "target": [0, 0, 0]}"#, "NOT_FOUND", "/camera"),
        ("query.overlaps", r#"{"nodes": ["n_1", "n_9"]}"#, "NOT_FOUND", "/nodes/1"),
        ("scene.describe", r#"{"page_size": 101}"#, "OUT_OF_RANGE", "/page_size"),
        ("scene.describe", r#"{"page_token": "second"}"#, "INVALID_ARGUMENT", "/page_token"),
        ("scene.export", r#"{"format": "usd"}"#, "INVALID_ARGUMENT", "/format"),
        ("episode.submit", r#"{"score": 1}"#, "INVALID_ARGUMENT", "/score"),
        ("mesh.add_primitve", "{}", "NOT_FOUND", ""),
    ] {
        let (given_code, given_pointer, error) = verdict(name, arguments);
        assert_eq!((given_code.as_str(), given_pointer.as_str()), (code, pointer), "{name} {arguments}: {error}");
        if ["TYPE_MISMATCH", "OUT_OF_RANGE", "NON_FINITE", "LIMIT_EXCEEDED"].contains(&code) {
            assert!(!error["allowed"].as_str().unwrap().is_empty() && !error["given"].is_null(), "{error}");
        }
    }
}

#[test]
fn refusals_offer_the_nearest_words() {
    let nearest = |name: &str, arguments: &str| verdict(name, arguments).2["nearest"][0].clone();
    assert_eq!(nearest("mesh.add_primitve", "{}"), "mesh.add_primitive");
    assert_eq!(nearest("node.create", r#"{"name": "a", "translaton": [0, 0, 0]}"#), "translation");
    assert_eq!(nearest("node.delete", r#"{"node": "table_tpo"}"#), "n_1");
    assert_eq!(nearest("material.assign", r#"{"node": "n_1", "material": "oka"}"#), "mat_1");
    assert_eq!(nearest("camera.look_at", r#"{"camera": "n_1", "target": [0, 0, 0]}"#), "n_2");
    let (_, _, by_name) = verdict("node.delete", r#"{"node": "table_top"}"#);
    assert!(by_name["message"].as_str().unwrap().contains("table_top is n_1"), "{by_name}");
    let (_, _, kind) = verdict("mesh.add_primitive", r#"{"node": "n_1", "shape": {"kind": "uv_spere"}}"#);
    assert_eq!((&kind["given"], &kind["nearest"][0]), (&json!("uv_spere"), &json!("uv_sphere")));
    let (_, _, typed) = verdict("node.create", r#"{"name": "a", "translation": [0, "x", 0]}"#);
    assert_eq!((&typed["given"], &typed["allowed"]), (&json!("x"), &json!("a number")));
    let said = |name: &str, arguments: &str| {
        let error = verdict(name, arguments).2;
        (error["given"].clone(), error["allowed"].as_str().unwrap().to_owned())
    };
    for (arguments, given, allowed) in [
        (r#"{"name": "a", "translation": [0, 0, 0, 0]}"#, json!([0, 0, 0, 0]), "an array of 3 numbers"),
        (r#"{"name": "a", "translation": [0, 1e999, 0]}"#, json!("1e999"), "a finite number"),
        (r#"{"name": 7}"#, json!(7), "a string"),
        (r#"{"name": "a", "translation": [0, 0, 1e9]}"#, json!(1e9), "-1000 to 1000"),
    ] {
        assert_eq!(said("node.create", arguments), (given, allowed.into()));
    }
    let sides = r#"{"node": "n_1", "shape": {"kind": "cone", "radius_m": 1, "height_m": 0, "segments": 8}}"#;
    assert_eq!(said("mesh.add_primitive", sides), (json!(0), "greater than 0".into()));
    let segments = r#"{"node": "n_1", "shape": {"kind": "cone", "radius_m": 1, "height_m": 1, "segments": 257}}"#;
    assert_eq!(said("mesh.add_primitive", segments), (json!(257), "3 to 256".into()));
    assert_eq!(said("mesh.set_data", r#"{"node": "n_1", "positions": [[0, 0]]}"#).1, "an array of 3 numbers");
    let (_, _, bare) = verdict("material.assign", r#"{"node": "n_2", "material": "mat_1"}"#);
    assert_eq!((&bare["allowed"], &bare["nearest"]), (&json!("the id of a node with a mesh"), &json!(["n_1"])));
}

#[test]
fn a_shear_is_refused() {
    let tilted = played(&[
        ("node.create", json!({"name": "flat", "scale": [3, 1, 1]})),
        ("node.create", json!({"name": "child", "parent": "n_1"})),
    ]);
    let turned = json!({"node": "n_2", "rotation_euler_deg": [0, 45, 0], "space": "world"});
    let error = refused(&tilted, "node.set_transform", &turned.to_string());
    assert_eq!((&error["code"], &error["pointer"]), (&json!("UNSUPPORTED"), &json!("/space")));
    done(&tilted, "node.set_transform", &json!({"node": "n_2", "translation": [3, 0, 0], "space": "world"}));
}

#[test]
fn limits_hold() {
    let box_on = |node: &str| json!({"node": node, "shape": {"kind": "box", "size_m": [1, 1, 1]}}).to_string();
    let sun = |name: &str| json!({"name": name, "light": {"kind": "directional"}, "intensity": 1}).to_string();
    let limited = |limits: Limits| {
        let calls = [
            ("node.create", json!({"name": "a"})),
            ("node.create", json!({"name": "b", "parent": "n_1"})),
            ("mesh.add_primitive", json!({"node": "n_1", "shape": {"kind": "plane", "size_m": [1, 1]}})),
            ("material.create", json!({"name": "m"})),
        ];
        let made = played(&calls);
        Workspace { limits, ..made }
    };
    let usual = Limits::default();
    for (limits, name, arguments) in [
        (Limits { nodes: 2, ..usual }, "node.create", r#"{"name": "c"}"#.to_owned()),
        (Limits { depth: 2, ..usual }, "node.create", r#"{"name": "c", "parent": "n_2"}"#.to_owned()),
        (Limits { triangles_per_mesh: 11, ..usual }, "mesh.add_primitive", box_on("n_2")),
        (Limits { triangles: 13, ..usual }, "mesh.add_primitive", box_on("n_2")),
        (Limits { materials: 1, ..usual }, "material.create", r#"{"name": "c"}"#.to_owned()),
        (Limits { lights: 0, ..usual }, "light.add", sun("c")),
        (Limits { cameras: 0, ..usual }, "camera.add", r#"{"name": "c"}"#.to_owned()),
        (Limits { export_bytes: 100, ..usual }, "scene.export", "{}".to_owned()),
        (Limits { request_bytes: 10, ..usual }, "scene.export", r#"{"format": "glb"}"#.to_owned()),
    ] {
        let error = refused(&limited(limits), name, &arguments);
        assert_eq!(error["code"], "LIMIT_EXCEEDED", "{name}: {error}");
        done(&limited(usual), name, &serde_json::from_str(&arguments).unwrap());
    }
    let far = played(&[
        ("node.create", json!({"name": "a", "translation": [900, 0, 0]})),
        ("node.create", json!({"name": "b", "parent": "n_1"})),
    ]);
    let error = refused(&far, "node.set_transform", r#"{"node": "n_2", "translation": [200, 0, 0]}"#);
    assert_eq!((&error["code"], &error["given"]), (&json!("LIMIT_EXCEEDED"), &json!(1100.0)));
    assert_eq!(error["pointer"], "/translation");
}

#[test]
fn the_hierarchy_ends_at_32_levels() {
    let mut workspace = Workspace::default();
    for level in 1..=32 {
        let parent = (level > 1).then(|| format!("n_{}", level - 1));
        workspace = done(&workspace, "node.create", &json!({"name": "a", "parent": parent})).0;
    }
    assert_eq!(refused(&workspace, "node.create", r#"{"name": "a", "parent": "n_32"}"#)["code"], "LIMIT_EXCEEDED");
}

#[test]
fn the_201st_call_is_refused() {
    let mut workspace = Workspace::default();
    for used in 1..=200 {
        let (after, reply) = done(&workspace, "scene.describe", &json!({}));
        assert_eq!(reply["budget"]["calls_left"], 200 - used);
        workspace = after;
    }
    for tool in tools(false) {
        let error = refused(&workspace, tool.name, "{}");
        assert_eq!((&error["code"], &error["allowed"]), (&json!("BUDGET_EXHAUSTED"), &json!("at most 200 calls")));
    }
}

#[test]
fn a_still_is_refused_with_its_place() {
    let room = Workspace { has_renderer: true, ..room() };
    for (arguments, code, pointer) in [
        (r#"{"camera": "n_1"}"#, "NOT_FOUND", "/camera"),
        (r#"{"camera": "eye"}"#, "NOT_FOUND", "/camera"),
        (r#"{"pass": "beaty"}"#, "INVALID_ARGUMENT", "/pass"),
        (r#"{"width": 513}"#, "OUT_OF_RANGE", "/width"),
        (r#"{"height": 0}"#, "OUT_OF_RANGE", "/height"),
        (r#"{"height": 1.5}"#, "TYPE_MISMATCH", "/height"),
    ] {
        let error = refused(&room, "render.still", arguments);
        assert_eq!((&error["code"], &error["pointer"]), (&json!(code), &json!(pointer)), "{arguments}: {error}");
    }
    assert_eq!(refused(&room, "render.still", r#"{"pass": "beaty"}"#)["nearest"][0], "beauty");
    assert_eq!(refused(&room, "render.still", r#"{"camera": "n_1"}"#)["nearest"], json!(["n_2"]));
    let empty = Workspace { has_renderer: true, ..Workspace::default() };
    assert_eq!(refused(&empty, "render.still", "{}")["code"], "NOT_FOUND");
    let spent = Workspace { pixels_used: room.limits.pixels - 100, ..room };
    let error = refused(&spent, "render.still", r#"{"width": 11, "height": 10}"#);
    assert_eq!((&error["code"], &error["given"]), (&json!("BUDGET_EXHAUSTED"), &json!(110)));
    done(&spent, "render.still", &json!({"width": 10, "height": 10}));
}

#[test]
fn nothing_follows_the_submission() {
    let submitted = done(&room(), "episode.submit", &json!({})).0;
    for tool in tools(false) {
        let error = refused(&submitted, tool.name, "{}");
        assert_eq!((&error["code"], &error["allowed"]), (&json!("EPISODE_OVER"), &json!("no further call")));
    }
}

#[test]
fn hostile_arguments_are_refused_whole() {
    let room = room();
    let long = format!(r#"{{"name": "{}"}}"#, "a".repeat(10 << 20));
    assert_eq!(refused(&room, "node.create", &long)["code"], "LIMIT_EXCEEDED");
    let long_name = format!(r#"{{"name": "{}"}}"#, "é".repeat(129));
    assert_eq!(refused(&room, "node.create", &long_name)["code"], "OUT_OF_RANGE");
    let long_id = format!(r#"{{"node": "{}"}}"#, "n".repeat(1_000_000));
    let error = refused(&room, "node.delete", &long_id);
    assert_eq!(error["code"], "NOT_FOUND");
    assert!(error.to_string().len() < 2000);
    let deep =
        format!(r#"{{"node": "n_1", "shape": {{"kind": "box", "size_m": {}{}}}}}"#, "[".repeat(200), "]".repeat(200));
    assert_eq!(refused(&room, "mesh.add_primitive", &deep)["code"], "INVALID_ARGUMENT");
    let long_tool = "x".repeat(1 << 20);
    for name in ["", "node", "node.create\0", "../node.create", long_tool.as_str()] {
        assert_eq!(refused(&room, name, "{}")["code"], "NOT_FOUND");
    }
    for arguments in ["\u{0}", "{", "}", "nul", "NaN", r#"{"name": NaN}"#, r#"{"name": "\ud800"}"#, "[[[["] {
        let error = refused(&room, "node.create", arguments);
        assert!(["INVALID_ARGUMENT", "TYPE_MISMATCH"].contains(&error["code"].as_str().unwrap()), "{error}");
    }
}

/// The whole refusal goes back to the model and is kept for replays.
#[test]
fn refusals_are_short_whatever_was_given() {
    let megabyte = "~".repeat(1_000_000);
    for (name, arguments) in [
        ("node.create", format!(r#"{{"{megabyte}": 1}}"#)),
        ("node.create", format!(r#"{{"name": "x", "translation": "{megabyte}"}}"#)),
        ("node.create", format!(r#"{{"name": "{megabyte}"}}"#)),
        ("node.delete", format!(r#"{{"node": "{megabyte}"}}"#)),
        ("mesh.add_primitive", format!(r#"{{"node": "n_1", "shape": {{"kind": "{megabyte}"}}}}"#)),
        ("mesh.add_primitive", format!(r#"{{"node": "n_1", "shape": {{"kind": "box", "{megabyte}": 1}}}}"#)),
    ] {
        let length = refused(&room(), name, &arguments).to_string().len();
        assert!(length < 5_000, "{name}: {length}");
    }
}
