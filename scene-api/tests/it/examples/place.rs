use serde_json::{Value, json};

/// From an empty scene with all groups: a table `n_1` with its top `n_2`, a crate `n_3`, a ball `n_4`, a post `n_5`.
pub(crate) fn calls() -> Vec<(&'static str, Value)> {
    let shape = |node: &str, size_m: [f64; 3]| json!({"node": node, "shape": {"kind": "box", "size_m": size_m}});
    let ball = json!({"kind": "uv_sphere", "radius_m": 0.1, "segments": 16, "rings": 8});
    vec![
        ("node.create", json!({"name": "table"})),
        ("node.create", json!({"name": "top", "parent": "n_1", "translation": [0, 0.72, 0]})),
        ("mesh.add_primitive", shape("n_2", [1.2, 0.04, 0.8])),
        ("node.create", json!({"name": "crate", "translation": [3, 2, 1]})),
        ("mesh.add_primitive", shape("n_3", [0.4, 0.4, 0.4])),
        ("node.create", json!({"name": "ball", "translation": [-3, 1, 0]})),
        ("mesh.add_primitive", json!({"node": "n_4", "shape": ball})),
        ("node.create", json!({"name": "post", "translation": [-5, 0.5, 0]})),
        ("mesh.add_primitive", shape("n_5", [0.2, 1.0, 0.2])),
        ("place.on", json!({"node": "n_4", "support": "n_2", "u": 0.25})),
        ("place.against", json!({"node": "n_3", "to": "n_2", "side": "+x", "gap_m": 0.1})),
        ("place.align", json!({"nodes": ["n_3", "n_5"], "axis": "z", "edge": "centre", "to": "n_2"})),
        ("place.distribute", json!({"nodes": ["n_1", "n_3", "n_5"], "axis": "x", "spacing_m": 0.5})),
        ("place.drop", json!({"node": "n_3"})),
        ("place.face", json!({"node": "n_3", "target": "n_5"})),
    ]
}

pub(crate) fn refusals() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("place.on", json!({"node": "ball", "support": "n_2"}), "NOT_FOUND"),
        ("place.against", json!({"node": "n_1", "to": "n_2", "side": "-z"}), "INVALID_ARGUMENT"),
        ("place.align", json!({"nodes": ["n_1", "n_2"], "axis": "y", "edge": "min", "to": 0}), "INVALID_ARGUMENT"),
        ("place.distribute", json!({"nodes": ["n_3", "n_5"], "axis": "x"}), "INVALID_ARGUMENT"),
        ("place.drop", json!({"node": "n_9"}), "NOT_FOUND"),
        ("place.face", json!({"node": "n_1", "target": "n_2"}), "INVALID_ARGUMENT"),
    ]
}
