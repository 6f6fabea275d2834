use serde_json::{Value, json};

/// From an empty scene: `n_1` crate, `n_2` eye, `n_3` lamp, `n_4` to `n_8` a studio, `n_9` to `n_12` a three-point rig.
pub(crate) fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("node.create", json!({"name": "crate", "translation": [0, 0.5, 0]})),
        ("mesh.add_primitive", json!({"node": "n_1", "shape": {"kind": "box", "size_m": [1, 1, 1]}})),
        ("material.create", json!({"name": "oak", "base_color_srgb": [0.6, 0.45, 0.3]})),
        ("material.assign", json!({"node": "n_1", "material": "mat_1"})),
        ("camera.add", json!({"name": "eye", "translation": [0, 1, 5]})),
        ("light.add", json!({"name": "lamp", "light": {"kind": "point"}, "intensity": 100, "translation": [2, 3, 2]})),
        ("material.update", json!({"material": "mat_1", "name": "dark oak", "roughness": 0.6})),
        (
            "light.update",
            json!({
                "node": "n_3", "light": {"kind": "spot", "inner_cone_rad": 0.3, "outer_cone_rad": 0.6},
                "intensity": 400, "target": "n_1",
            }),
        ),
        ("light.add_rig", json!({"name": "studio", "rig": "studio", "target": "n_1", "albedo": 0.3})),
        (
            "light.add_rig",
            json!({"name": "portrait", "rig": "three_point", "target": [0, 1, 0], "radius_m": 2, "azimuth_deg": 30}),
        ),
        ("camera.frame", json!({"camera": "n_2", "nodes": ["n_1"], "azimuth_deg": 30, "elevation_deg": 20})),
        ("camera.update", json!({"camera": "n_2", "yfov_deg": 35})),
        ("camera.set_active", json!({"camera": "n_2"})),
    ]
}

/// Each after `calls`, with the code of its refusal.
pub(crate) fn refusals() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("material.update", json!({"material": "dark oak", "roughness": 0.5}), "NOT_FOUND"),
        ("light.update", json!({"node": "n_3", "light": {"kind": "directional"}}), "INVALID_ARGUMENT"),
        ("light.add_rig", json!({"name": "studio", "rig": "sun_sky", "target": "n_1"}), "NAME_CONFLICT"),
        ("camera.frame", json!({"camera": "n_2", "nodes": ["n_3"]}), "NOT_FOUND"),
        ("camera.update", json!({"camera": "n_2", "znear_m": 5, "zfar_m": 4}), "OUT_OF_RANGE"),
        ("camera.set_active", json!({"camera": "n_1"}), "NOT_FOUND"),
    ]
}
