use serde_json::{Value, json};

/// From an empty scene with all groups: a floor `n_1`, a block `n_2`, a ball `n_3`, a lamp `n_4`, a camera `n_5`.
pub(crate) fn calls() -> Vec<(&'static str, Value)> {
    let shape = |node: &str, size_m: [f64; 3]| json!({"node": node, "shape": {"kind": "box", "size_m": size_m}});
    let ball = json!({"kind": "uv_sphere", "radius_m": 0.25, "segments": 16, "rings": 8});
    let lamp = json!({"name": "lamp", "light": {"kind": "point"}, "intensity": 400, "translation": [1, 3, 2]});
    vec![
        ("node.create", json!({"name": "floor", "translation": [0, -0.05, 0]})),
        ("mesh.add_primitive", shape("n_1", [4.0, 0.1, 4.0])),
        ("node.create", json!({"name": "block", "translation": [0, 0.25, 0]})),
        ("mesh.add_primitive", shape("n_2", [0.5, 0.5, 0.5])),
        ("node.create", json!({"name": "ball", "translation": [1, 0.25, 0]})),
        ("mesh.add_primitive", json!({"node": "n_3", "shape": ball})),
        ("light.add", lamp),
        ("camera.add", json!({"name": "eye", "translation": [0, 1.5, 4], "target": [0, 0.25, 0]})),
        ("query.bounds", json!({"nodes": ["n_2", "n_3"]})),
        ("query.distance", json!({"a": "n_2", "b": "n_3"})),
        ("query.raycast", json!({"origin_m": [0, 2, 0], "direction": [0, -1, 0], "max_m": 10})),
        ("query.support", json!({"node": "n_2"})),
        ("query.visible", json!({"camera": "n_5"})),
        ("query.lighting", json!({"nodes": ["n_2"]})),
        ("query.mesh_report", json!({"node": "n_3"})),
    ]
}

pub(crate) fn refusals() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("query.bounds", json!({"nodes": ["n_2", "block"]}), "NOT_FOUND"),
        ("query.distance", json!({"a": "n_2", "b": "n_2"}), "INVALID_ARGUMENT"),
        ("query.raycast", json!({"origin_m": [0, 2, 0], "direction": [0, 0, 0]}), "DEGENERATE"),
        ("query.support", json!({"node": "n_5"}), "NOT_FOUND"),
        ("query.visible", json!({"camera": "n_2"}), "NOT_FOUND"),
        ("query.lighting", json!({"nodes": ["n_9"]}), "NOT_FOUND"),
        ("query.mesh_report", json!({"node": "n_5"}), "NOT_FOUND"),
    ]
}
