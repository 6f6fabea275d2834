//! What a tool takes, from the JSON Schema of its arguments, in words.

use serde_json::Value;

/// An argument, or a member of one, e.g. `filter.kind` or `calls[].name`.
#[derive(Debug, PartialEq)]
pub(super) struct Argument {
    pub(super) name: String,
    pub(super) is_needed: bool,
    /// Type and range.
    pub(super) takes: String,
    /// Meaning, unit and default.
    pub(super) about: String,
}

/// Those that are needed come first, each with its members after it.
pub(super) fn arguments(schema: &Value) -> Vec<Argument> {
    members(schema, "", "")
}

/// `of` is the kind of object that the members are of, where there are several.
fn members(schema: &Value, prefix: &str, of: &str) -> Vec<Argument> {
    let needed: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let all = schema["properties"].as_object().into_iter().flatten().map(|(name, member)| (name.as_str(), member));
    let (mut first, rest): (Vec<_>, Vec<_>) = all.partition(|(name, _)| needed.contains(name));
    first.sort_by_key(|(name, _)| needed.iter().position(|needed| needed == name));
    let mut found = Vec::new();
    // A constant tells kinds apart, which the member above lists.
    for (name, member) in first.into_iter().chain(rest).filter(|(_, member)| member.get("const").is_none()) {
        let path = format!("{prefix}{name}");
        found.push(Argument {
            name: format!("{path}{of}"),
            is_needed: needed.contains(&name),
            takes: takes(member),
            about: member["description"].as_str().unwrap_or_default().replace('\n', " "),
        });
        found.extend(members(member, &format!("{path}."), of));
        found.extend(members(&member["items"], &format!("{path}[]."), of));
        for kind in member["oneOf"].as_array().into_iter().flatten() {
            let name = kind["properties"]["kind"]["const"].as_str().unwrap_or_default();
            found.extend(members(kind, &format!("{path}."), &format!(" ({name})")));
        }
    }
    found
}

fn takes(schema: &Value) -> String {
    if let Some(kinds) = schema["oneOf"].as_array() {
        let names = kinds.iter().filter_map(|kind| kind["properties"]["kind"]["const"].as_str());
        return format!("object of kind {}", names.collect::<Vec<_>>().join(", "));
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let words = choices.iter().map(takes).filter(|words| !words.is_empty());
        return words.collect::<Vec<_>>().join(" or ");
    }
    if let Some(words) = schema["enum"].as_array() {
        return words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ");
    }
    match type_of(schema) {
        "array" => format!("array of {}{}", items(schema), each(schema)),
        "integer" => format!("whole number{}", range(schema, ", ")),
        "number" => format!("number{}", range(schema, ", ")),
        "string" => "text".to_owned(),
        "boolean" => "true or false".to_owned(),
        "null" => String::new(),
        other => other.to_owned(),
    }
}

/// "3 numbers", "2 to 256 arrays of 3 numbers"
fn items(schema: &Value) -> String {
    let inner = &schema["items"];
    let what = match type_of(inner) {
        "array" => format!("arrays of {}", items(inner)),
        "integer" => "whole numbers".to_owned(),
        "string" if inner["enum"].is_array() => takes(inner),
        "string" => "texts".to_owned(),
        other => format!("{other}s"),
    };
    match (schema["minItems"].as_u64(), schema["maxItems"].as_u64()) {
        (Some(least), Some(most)) if least == most => format!("{least} {what}"),
        (Some(least), Some(most)) => format!("{least} to {most} {what}"),
        _ => what,
    }
}

/// The range of the numbers in an array, however deep.
fn each(schema: &Value) -> String {
    let inner = &schema["items"];
    if type_of(inner) == "array" { each(inner) } else { range(inner, ", each ") }
}

/// Nothing without one.
fn range(schema: &Value, before: &str) -> String {
    let (least, above, most) =
        (schema["minimum"].as_f64(), schema["exclusiveMinimum"].as_f64(), schema["maximum"].as_f64());
    let text = match (least, above, most) {
        (Some(least), _, Some(most)) => format!("{least} to {most}"),
        (Some(least), _, None) => format!("at least {least}"),
        (None, Some(above), Some(most)) => format!("more than {above}, at most {most}"),
        (None, Some(above), None) => format!("more than {above}"),
        (None, None, Some(most)) => format!("at most {most}"),
        (None, None, None) => return String::new(),
    };
    format!("{before}{text}")
}

/// The first that is not null.
fn type_of(schema: &Value) -> &str {
    let (one, many) = (schema["type"].as_str(), schema["type"].as_array());
    let mut all = one.into_iter().chain(many.into_iter().flatten().filter_map(Value::as_str));
    all.find(|name| *name != "null").unwrap_or("null")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn schemas_are_told_in_words() {
        let array = |items: Value, least: u32, most: u32| json!({"type": ["array", "null"], "items": items, "minItems": least, "maxItems": most});
        let number = json!({"type": "number"});
        let radius = json!({"type": "number", "exclusiveMinimum": 0});
        let ball = json!({
            "properties": {"kind": {"const": "ball"}, "radius_m": radius},
            "required": ["kind", "radius_m"],
        });
        let schema = json!({
            "type": "object",
            "properties": {
                "at": array(json!({"type": "number", "maximum": 1, "minimum": 0}), 3, 3),
                "path": array(array(number, 3, 3), 2, 9),
                "shape": {"description": "Which.", "oneOf": [ball]},
                "to": {"anyOf": [{"type": "number"}, {"type": "string"}]},
            },
            "required": ["shape", "path"],
        });
        let told: Vec<(String, bool, String)> =
            arguments(&schema).into_iter().map(|told| (told.name, told.is_needed, told.takes)).collect();
        let expected = [
            ("shape", true, "object of kind ball"),
            ("shape.radius_m (ball)", true, "number, more than 0"),
            ("path", true, "array of 2 to 9 arrays of 3 numbers"),
            ("at", false, "array of 3 numbers, each 0 to 1"),
            ("to", false, "number or text"),
        ];
        assert_eq!(told, expected.map(|(name, is_needed, takes)| (name.to_owned(), is_needed, takes.to_owned())));
    }
}
