//! Values that an independent program computed, in f64 and plain Python.

use std::path::PathBuf;

use serde_json::Value;

/// `vectors/golden_rl_vectors.json` beside the folder that `MAQUETTE_DATA` names.
pub(crate) fn vectors() -> Value {
    let data = PathBuf::from(std::env::var_os("MAQUETTE_DATA").expect("MAQUETTE_DATA names the data folder"));
    let text = std::fs::read(data.join("../vectors/golden_rl_vectors.json")).expect("the golden vectors");
    serde_json::from_slice(&text).expect("JSON")
}

/// A list of numbers, or of lists of them one after another.
pub(crate) fn flat(value: &Value) -> Vec<f64> {
    match value.as_array() {
        Some(entries) => entries.iter().flat_map(flat).collect(),
        None => vec![value.as_f64().expect("a number")],
    }
}
