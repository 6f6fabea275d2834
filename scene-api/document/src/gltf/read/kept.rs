//! What an object's typed fields do not cover.

use crate::Kept;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The members of `object` without the `covered` paths; objects that become empty go too.
pub(super) fn kept(object: &Value, covered: &[&[&str]]) -> Kept {
    let Some(members) = object.as_object() else { return Kept::default() };
    let mut rest = members.clone();
    for path in covered {
        remove(&mut rest, path);
    }
    Kept((!rest.is_empty()).then(|| Arc::new(rest)))
}

fn remove(members: &mut Map<String, Value>, path: &[&str]) {
    match path {
        [] => {}
        [name] => {
            members.remove(*name);
        }
        [name, below @ ..] => {
            let Some(Value::Object(inner)) = members.get_mut(*name) else { return };
            remove(inner, below);
            if inner.is_empty() {
                members.remove(*name);
            }
        }
    }
}
