//! Group `mesh`.

use serde_json::{Value, json};

/// From an empty scene, with all groups.
pub(crate) fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("node.create", json!({"name": "bowl"})),
        (
            "mesh.add_lathe",
            json!({"node": "n_1", "profile": [[0, 0], [0.1, 0], [0.2, 0.1], [0.19, 0.1], [0.09, 0.02], [0, 0.02]]}),
        ),
        ("node.create", json!({"name": "wall", "translation": [0, 0, -2]})),
        (
            "mesh.add_extrusion",
            json!({
                "node": "n_2", "plane": "xy", "height_m": 0.2, "outline": [[0, 0], [4, 0], [4, 2.5], [0, 2.5]],
                "holes": [[[1, 1], [2, 1], [2, 2], [1, 2]]],
            }),
        ),
        ("node.create", json!({"name": "pipe", "translation": [2, 0, 0], "scale": [1, 2, 1]})),
        (
            "mesh.add_sweep",
            json!({
                "node": "n_3", "profile": {"kind": "circle", "radius_m": 0.05, "sides": 12},
                "path": [[0, 0, 0], [0, 0.5, 0], [0.5, 0.5, 0]], "curve": "catmull_rom",
            }),
        ),
        ("mesh.apply_transform", json!({"node": "n_3"})),
        ("node.create", json!({"name": "stone", "translation": [-2, 0.5, 0]})),
        (
            "mesh.set_data",
            json!({
                "node": "n_4", "positions": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1.00001, 0, 0]],
                "triangles": [[0, 1, 2], [0, 4, 3], [0, 3, 2], [1, 2, 3]],
            }),
        ),
        ("mesh.merge_by_distance", json!({"node": "n_4", "distance_m": 0.001})),
        ("mesh.recalculate_normals", json!({"node": "n_4", "smooth_angle_deg": 0})),
        ("mesh.subdivide", json!({"node": "n_4", "method": "loop", "levels": 2})),
        ("mesh.flip_normals", json!({"node": "n_4"})),
        ("mesh.flip_normals", json!({"node": "n_4"})),
        ("node.create", json!({"name": "empty"})),
        ("node.create", json!({"name": "crooked", "scale": [1, 3, 1]})),
        (
            "mesh.add_primitive",
            json!({"node": "n_6", "shape": {"kind": "ico_sphere", "radius_m": 0.1, "subdivisions": 1}}),
        ),
        ("node.create", json!({"name": "tilted", "parent": "n_6", "rotation_euler_deg": [0, 0, 45]})),
        ("node.create", json!({"name": "pillow", "translation": [4, 1, 0]})),
        ("mesh.add_primitive", json!({"node": "n_8", "shape": {"kind": "box", "size_m": [1, 1, 1]}})),
        ("node.create", json!({"name": "pillow tall", "translation": [6, 1, 0]})),
        ("mesh.add_primitive", json!({"node": "n_9", "shape": {"kind": "box", "size_m": [1, 2, 1]}})),
        ("mesh.add_morph_target", json!({"node": "n_8", "shape": "n_9", "name": "tall"})),
        ("node.delete", json!({"node": "n_9"})),
        ("node.set_morph_weights", json!({"node": "n_8", "weights": [0.5]})),
        ("node.create", json!({"name": "sign", "translation": [0, 2, 0]})),
        (
            "mesh.add_text",
            json!({"node": "n_10", "text": "Café 8\nopen", "height_m": 0.1, "depth_m": 0.02, "align": "centre"}),
        ),
        ("node.create", json!({"name": "block", "translation": [8, 0.5, 0]})),
        ("mesh.add_primitive", json!({"node": "n_11", "shape": {"kind": "box", "size_m": [1, 1, 1]}})),
        ("mesh.bevel", json!({"node": "n_11", "width_m": 0.05, "segments": 3})),
        ("node.create", json!({"name": "drill", "translation": [8, 0.5, 0]})),
        (
            "mesh.add_primitive",
            json!({"node": "n_12", "shape": {"kind": "cylinder", "radius_m": 0.2, "height_m": 2, "segments": 24}}),
        ),
        ("mesh.boolean", json!({"node": "n_11", "other": "n_12", "operation": "difference"})),
    ]
}

/// After those calls, with the code of the refusal.
pub(crate) fn refusals() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("mesh.add_lathe", json!({"node": "n_1", "profile": [[0.1, 0], [-0.1, 1]]}), "OUT_OF_RANGE"),
        (
            "mesh.add_extrusion",
            json!({"node": "n_2", "height_m": 1, "outline": [[0, 0], [2, 2], [2, 0], [0, 1]]}),
            "DEGENERATE",
        ),
        (
            "mesh.add_sweep",
            json!({
                "node": "n_3", "profile": {"kind": "circle", "radius_m": 0.1, "sides": 8},
                "path": [[0, 0, 0], [1, 0, 0], [0, 0, 0.01]],
            }),
            "DEGENERATE",
        ),
        ("mesh.subdivide", json!({"node": "n_4", "levels": 9}), "OUT_OF_RANGE"),
        ("mesh.merge_by_distance", json!({"node": "n_4", "distance_m": 9}), "DEGENERATE"),
        ("mesh.recalculate_normals", json!({"node": "n_5"}), "NOT_FOUND"),
        ("mesh.flip_normals", json!({"node": "n_99"}), "NOT_FOUND"),
        ("mesh.apply_transform", json!({"node": "n_6"}), "UNSUPPORTED"),
        ("mesh.add_morph_target", json!({"node": "n_8", "shape": "n_4", "name": "stony"}), "INVALID_ARGUMENT"),
        ("node.set_morph_weights", json!({"node": "n_4", "weights": [1]}), "UNSUPPORTED"),
        (
            "mesh.add_text",
            json!({"node": "n_10", "text": "snow \u{1f600}", "height_m": 0.1, "depth_m": 0.02}),
            "UNSUPPORTED",
        ),
        (
            "mesh.boolean",
            json!({"node": "n_11", "other": "n_11", "operation": "union", "keep_other": true}),
            "INVALID_ARGUMENT",
        ),
        ("mesh.bevel", json!({"node": "n_2", "width_m": 0.01}), "UNSUPPORTED"),
    ]
}
