//! JSON Schema as the specification reads, for the keywords that tools use: what the grammar is checked against.

use serde_json::Value;

/// Where `value` breaks `schema`; nothing where it is valid. A keyword that is not known here is a panic.
pub(crate) fn broken(schema: &Value, value: &Value) -> Option<String> {
    let Value::Object(keywords) = schema else {
        return (schema == &Value::Bool(false)).then(|| format!("{value} is never valid"));
    };
    let all = |name: &str| keywords.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let number = |limit: &Value| (value.as_f64(), limit.as_f64().unwrap());
    keywords.iter().find_map(|(keyword, said)| {
        let holds = match keyword.as_str() {
            "type" => {
                let kinds = if said.is_array() { all("type") } else { vec![said.clone()] };
                kinds.iter().any(|kind| is_of(kind.as_str().unwrap(), value))
            }
            "const" => same(said, value),
            "enum" => all("enum").iter().any(|allowed| same(allowed, value)),
            "anyOf" => all("anyOf").iter().any(|option| broken(option, value).is_none()),
            "oneOf" => all("oneOf").iter().filter(|option| broken(option, value).is_none()).count() == 1,
            "minimum" => number(said).0.is_none_or(|given| given >= number(said).1),
            "maximum" => number(said).0.is_none_or(|given| given <= number(said).1),
            "exclusiveMinimum" => number(said).0.is_none_or(|given| given > number(said).1),
            "multipleOf" => number(said).0.is_none_or(|given| {
                let times = given / number(said).1;
                (times - times.round()).abs() < 1e-9
            }),
            "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= said.as_u64().unwrap()),
            "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= said.as_u64().unwrap()),
            "items" => {
                return value.as_array().into_iter().flatten().find_map(|item| broken(said, item));
            }
            "required" => value
                .as_object()
                .is_none_or(|members| all("required").iter().all(|name| members.contains_key(name.as_str().unwrap()))),
            "properties" => {
                let properties = said.as_object().unwrap();
                return value
                    .as_object()
                    .into_iter()
                    .flatten()
                    .find_map(|(name, member)| properties.get(name).and_then(|property| broken(property, member)));
            }
            "additionalProperties" => {
                assert_eq!(said, &Value::Bool(false));
                let known = |name: &String| keywords.get("properties").is_some_and(|known| known.get(name).is_some());
                value.as_object().is_none_or(|members| members.keys().all(known))
            }
            "description" | "format" => true,
            other => panic!("{other} is not checked"),
        };
        (!holds).then(|| format!("{value} breaks {keyword}: {said}"))
    })
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        other => panic!("no type {other}"),
    }
}

/// Numbers by what they are, not by how they are written.
fn same(one: &Value, two: &Value) -> bool {
    one == two || (one.is_number() && two.is_number() && one.as_f64() == two.as_f64())
}
