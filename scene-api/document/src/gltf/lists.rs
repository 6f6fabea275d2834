//! Arrays under a key of a JSON object; glTF forbids empty ones.

use serde_json::{Map, Value};

/// Nothing is put where there are no items.
pub(super) fn put_list(object: &mut Map<String, Value>, key: &str, items: Vec<Value>) {
    if !items.is_empty() {
        object.insert(key.into(), Value::Array(items));
    }
}

/// The array under `key`, taken out of `object`; empty where there is none.
pub(super) fn take_list(object: &mut Map<String, Value>, key: &str) -> Vec<Value> {
    match object.remove(key) {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    }
}
