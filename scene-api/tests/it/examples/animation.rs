//! Of the group `animation`.

use serde_json::{Value, json};

/// A door that opens in two seconds, with its knob.
pub(crate) fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("node.create", json!({"name": "door", "translation": [1, 0, 0]})),
        ("node.create", json!({"name": "knob", "parent": "n_1", "translation": [0.8, 1, 0]})),
        ("animation.create", json!({"name": "open"})),
        (
            "animation.add_channel",
            json!({
                "animation": "anm_1", "node": "n_1", "path": "rotation", "times_s": [0, 2],
                "values_euler_deg": [[0, 0, 0], [0, 90, 0]],
            }),
        ),
        (
            "animation.add_channel",
            json!({
                "animation": "anm_1", "node": "n_2", "path": "scale", "times_s": [0, 0.5, 1],
                "values": [[1, 1, 1], [1, 2, 1], [1, 1, 1]], "interpolation": "STEP",
            }),
        ),
        ("animation.evaluate", json!({"animation": "anm_1", "time_s": 1, "nodes": ["n_1", "n_2"]})),
        ("animation.create", json!({"name": "unused"})),
        ("animation.delete", json!({"animation": "anm_2"})),
    ]
}

pub(crate) fn refusals() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("animation.create", json!({"name": " "}), "OUT_OF_RANGE"),
        (
            "animation.add_channel",
            json!({
                "animation": "anm_1", "node": "n_1", "path": "translation", "times_s": [0, 1, 1],
                "values": [[0, 0, 0], [1, 0, 0], [2, 0, 0]],
            }),
            "OUT_OF_RANGE",
        ),
        ("animation.evaluate", json!({"animation": "open", "time_s": 1}), "NOT_FOUND"),
        ("animation.delete", json!({"animation": "anm_2"}), "NOT_FOUND"),
    ]
}
