use serde_json::{Value, json};

/// From an empty scene with all groups of tools; ids are given by the order.
pub(crate) fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("node.create", json!({"name": "chair"})),
        ("node.create", json!({"name": "leg", "parent": "n_1", "translation": [0.2, 0.25, 0.2]})),
        ("mesh.add_primitive", json!({"node": "n_2", "shape": {"kind": "box", "size_m": [0.04, 0.5, 0.04]}})),
        ("node.array", json!({"node": "n_2", "count": 4, "turn_deg": 90})),
        ("node.create", json!({"name": "seat", "translation": [0, 0.52, 0]})),
        ("mesh.add_primitive", json!({"node": "n_6", "shape": {"kind": "box", "size_m": [0.5, 0.04, 0.5]}})),
        ("node.set_parent", json!({"node": "n_6", "parent": "n_1"})),
        ("node.duplicate", json!({"node": "n_1", "move_by_m": [1, 0, 0]})),
        ("node.mirror", json!({"node": "n_7", "axis": "x", "name": "chair_left"})),
        ("node.rename", json!({"node": "n_13", "name": "stool"})),
        ("node.set_visibility", json!({"node": "n_13", "visible": false})),
        ("node.set_extras", json!({"node": "n_1", "extras": {"part_number": "C-17", "tags": ["oak", "kitchen"]}})),
    ]
}

/// After `calls`, with the code of each refusal.
pub(crate) fn refusals() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("node.set_parent", json!({"node": "n_1", "parent": "n_2"}), "INVALID_ARGUMENT"),
        ("node.duplicate", json!({"node": "n_1", "name": "chair_2"}), "NAME_CONFLICT"),
        ("node.array", json!({"node": "n_1", "count": 3}), "INVALID_ARGUMENT"),
        ("node.mirror", json!({"node": "n_99", "axis": "x"}), "NOT_FOUND"),
        ("node.rename", json!({"node": "n_1", "name": "chair_2"}), "NAME_CONFLICT"),
        ("node.set_visibility", json!({"node": "chair", "visible": true}), "NOT_FOUND"),
        ("node.set_extras", json!({"node": "n_1", "extras": ["oak"]}), "TYPE_MISMATCH"),
    ]
}
