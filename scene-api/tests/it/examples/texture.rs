//! Group `texture`.

use serde_json::{Value, json};

/// From an empty scene with all groups: a crate `n_1` of `mat_1`, a ball `n_2`, `tex_1` to `tex_3`.
pub(crate) fn calls() -> Vec<(&'static str, Value)> {
    let ball = json!({"kind": "uv_sphere", "radius_m": 0.25, "segments": 16, "rings": 8});
    vec![
        ("node.create", json!({"name": "crate"})),
        ("material.create", json!({"name": "boards"})),
        (
            "mesh.add_primitive",
            json!({"node": "n_1", "shape": {"kind": "box", "size_m": [1, 1, 1]}, "material": "mat_1"}),
        ),
        (
            "texture.create",
            json!({
                "name": "squares", "filter": "nearest",
                "image": {
                    "kind": "checker", "size_px": 64, "squares": 8, "color_a": [0.9, 0.8, 0.6],
                    "color_b": [0.4, 0.3, 0.2],
                },
            }),
        ),
        (
            "texture.create",
            json!({
                "name": "fade", "wrap": "clamp_to_edge",
                "image": {
                    "kind": "gradient", "size_px": 16, "along": "v", "color_a": [0, 0, 0], "color_b": [1, 1, 1],
                },
            }),
        ),
        (
            "texture.create",
            json!({
                "name": "grain",
                "image": {
                    "kind": "noise", "size_px": 32, "cells": 4, "seed": 7, "color_a": [0, 0.5, 0],
                    "color_b": [0, 0.9, 0],
                },
            }),
        ),
        (
            "material.set_texture",
            json!({"material": "mat_1", "slot": "base_color", "texture": "tex_1", "scale": [2, 2]}),
        ),
        ("material.set_texture", json!({"material": "mat_1", "slot": "metallic_roughness", "texture": "tex_3"})),
        ("material.set_texture", json!({"material": "mat_1", "slot": "occlusion", "texture": "tex_2", "amount": 0.5})),
        ("material.set_texture", json!({"material": "mat_1", "slot": "occlusion"})),
        ("mesh.unwrap", json!({"node": "n_1", "projection": {"kind": "box", "tile_m": 0.5}})),
        ("node.create", json!({"name": "ball", "translation": [2, 0, 0]})),
        ("mesh.add_primitive", json!({"node": "n_2", "shape": ball})),
        ("mesh.unwrap", json!({"node": "n_2", "projection": {"kind": "spherical"}})),
    ]
}

/// After `calls`, with the code of each refusal.
pub(crate) fn refusals() -> Vec<(&'static str, Value, &'static str)> {
    let squares = |size_px: u32, squares: u32| {
        json!({
            "name": "x",
            "image": {
                "kind": "checker", "size_px": size_px, "squares": squares, "color_a": [0, 0, 0], "color_b": [1, 1, 1],
            },
        })
    };
    let file = |data: &str| json!({"name": "x", "image": {"kind": "file", "data_base64": data}});
    vec![
        ("texture.create", squares(48, 4), "OUT_OF_RANGE"),
        ("texture.create", squares(4, 8), "OUT_OF_RANGE"),
        ("texture.create", squares(2048, 4), "OUT_OF_RANGE"),
        ("texture.create", file("R0lGODlh"), "UNSUPPORTED"),
        ("texture.create", file("iVBORw0KGgo="), "INVALID_ARGUMENT"),
        ("texture.create", file("not base64"), "INVALID_ARGUMENT"),
        ("material.set_texture", json!({"material": "mat_1", "slot": "base_color", "texture": "squares"}), "NOT_FOUND"),
        ("material.set_texture", json!({"material": "mat_1", "slot": "emissive"}), "NOT_FOUND"),
        ("material.set_texture", json!({"material": "mat_1", "slot": "base_color", "amount": 1}), "INVALID_ARGUMENT"),
        (
            "material.set_texture",
            json!({"material": "mat_1", "slot": "occlusion", "texture": "tex_1", "amount": 2}),
            "OUT_OF_RANGE",
        ),
        ("mesh.unwrap", json!({"node": "n_1", "projection": {"kind": "box", "tile_m": 0}}), "OUT_OF_RANGE"),
        ("mesh.unwrap", json!({"node": "n_9", "projection": {"kind": "spherical"}}), "NOT_FOUND"),
    ]
}
