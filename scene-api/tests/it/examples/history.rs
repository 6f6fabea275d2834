use serde_json::{Value, json};

/// From an empty scene with all groups of tools; ids are given by the order.
pub(crate) fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("checkpoint.save", json!({"name": "empty"})),
        ("node.create", json!({"name": "chest", "translation": [0, 0.5, 0]})),
        ("mesh.add_primitive", json!({"node": "n_1", "shape": {"kind": "box", "size_m": [1, 1, 1]}})),
        ("history.undo", json!({"count": 1})),
        ("history.redo", json!({})),
        (
            "batch.apply",
            json!({"calls": [
                {"name": "node.create", "arguments": {"name": "lid", "translation": [0, 1.05, 0]}},
                {
                    "name": "mesh.add_primitive",
                    "arguments": {"node": "n_2", "shape": {"kind": "box", "size_m": [1, 0.1, 1]}},
                },
            ]}),
        ),
        ("checkpoint.save", json!({"name": "with lid"})),
        ("checkpoint.restore", json!({"name": "empty"})),
        ("history.undo", json!({})),
        ("scene.diff", json!({"checkpoint": "empty"})),
    ]
}

/// After `calls`, with the code of each refusal.
pub(crate) fn refusals() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("history.undo", json!({"count": 99}), "OUT_OF_RANGE"),
        ("history.redo", json!({"count": 2}), "OUT_OF_RANGE"),
        ("checkpoint.save", json!({"name": " "}), "OUT_OF_RANGE"),
        ("checkpoint.restore", json!({"name": "lid"}), "NOT_FOUND"),
        ("scene.diff", json!({"checkpoint": "emty"}), "NOT_FOUND"),
        ("batch.apply", json!({"calls": [{"name": "episode.submit", "arguments": {}}]}), "UNSUPPORTED"),
    ]
}
