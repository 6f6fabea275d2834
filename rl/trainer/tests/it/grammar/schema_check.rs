//! Whether a value satisfies a JSON Schema, of the keywords that the tests use.

use serde_json::Value;

pub(super) fn satisfies(schema: &Value, value: &Value, root: &Value) -> bool {
    let Some(schema) = schema.as_object() else { return schema.as_bool().unwrap() };
    schema.iter().all(|(keyword, said)| match keyword.as_str() {
        "type" => match said {
            Value::Array(kinds) => kinds.iter().any(|kind| is_of(kind.as_str().unwrap(), value)),
            kind => is_of(kind.as_str().unwrap(), value),
        },
        "const" => said == value,
        "enum" => said.as_array().unwrap().contains(value),
        "$ref" => satisfies(root.pointer(said.as_str().unwrap().trim_start_matches('#')).unwrap(), value, root),
        "allOf" => said.as_array().unwrap().iter().all(|part| satisfies(part, value, root)),
        "anyOf" => said.as_array().unwrap().iter().any(|branch| satisfies(branch, value, root)),
        "oneOf" => said.as_array().unwrap().iter().filter(|branch| satisfies(branch, value, root)).count() == 1,
        "properties" => value.as_object().is_none_or(|members| {
            members.iter().all(|(name, member)| said.get(name).is_none_or(|schema| satisfies(schema, member, root)))
        }),
        "required" => value.as_object().is_none_or(|members| {
            said.as_array().unwrap().iter().all(|name| members.contains_key(name.as_str().unwrap()))
        }),
        "additionalProperties" => {
            *said != Value::Bool(false)
                || value.as_object().is_none_or(|members| {
                    members.keys().all(|name| schema.get("properties").is_some_and(|named| named.get(name).is_some()))
                })
        }
        "prefixItems" => value.as_array().is_none_or(|items| {
            items.iter().zip(said.as_array().unwrap()).all(|(item, schema)| satisfies(schema, item, root))
        }),
        "items" => value.as_array().is_none_or(|items| {
            let first = schema.get("prefixItems").map_or(0, |prefix| prefix.as_array().unwrap().len());
            items.iter().skip(first).all(|item| satisfies(said, item, root))
        }),
        "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= said.as_u64().unwrap()),
        "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= said.as_u64().unwrap()),
        "minLength" => value.as_str().is_none_or(|text| text.chars().count() as u64 >= said.as_u64().unwrap()),
        "maxLength" => value.as_str().is_none_or(|text| text.chars().count() as u64 <= said.as_u64().unwrap()),
        "minimum" => value.as_f64().is_none_or(|number| number >= said.as_f64().unwrap()),
        "maximum" => value.as_f64().is_none_or(|number| number <= said.as_f64().unwrap()),
        "exclusiveMinimum" => value.as_f64().is_none_or(|number| number > said.as_f64().unwrap()),
        "exclusiveMaximum" => value.as_f64().is_none_or(|number| number < said.as_f64().unwrap()),
        "multipleOf" => value.as_f64().is_none_or(|number| {
            let times = number / said.as_f64().unwrap();
            (times - times.round()).abs() < 1e-9
        }),
        "$defs" | "description" => true,
        other => panic!("the check does not know `{other}`"),
    })
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("no type `{other}`"),
    }
}
