//! Tool calls as people and programs keep them: one JSON object a line, `{"name": …, "arguments": {…}}`.

use crate::ToolCall;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// Longer arguments are kept as a string, spaces and all.
const VALUE_MAX_BYTES: usize = 1 << 20;
/// serde_json reads 128 levels, and a line adds one.
const VALUE_MAX_LEVELS: usize = 100;

/// A line of a call log that is no call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {problem}; a call is {{\"name\": …, \"arguments\": {{…}}}}")]
pub struct LogError {
    /// From 1, as `column`.
    pub line: usize,
    pub column: usize,
    pub problem: String,
}

impl LogError {
    fn new(line: usize, error: &serde_json::Error) -> Self {
        let text = error.to_string();
        // serde_json counts lines within the one line it was given.
        let problem = text.rsplit_once(" at line ").map_or(text.as_str(), |(problem, _)| problem).to_owned();
        Self { line, column: error.column(), problem }
    }
}

impl ToolCall {
    /// Reads a log; empty lines count but say nothing.
    pub fn from_log(text: &str) -> Result<Vec<Self>, LogError> {
        text.lines()
            .zip(1..)
            .filter(|(line, _)| !line.trim().is_empty())
            .map(|(line, number)| serde_json::from_str(line).map_err(|error| LogError::new(number, &error)))
            .collect()
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "ToolCall")]
struct Entry {
    name: String,
    /// A string holds what the model wrote where a value would not give it back.
    arguments: Value,
}

/// The arguments as a value, where that reads back as the same text but for the spaces between. Domains judge the text:
/// members that come twice, digits, depth and length.
fn value(text: &str) -> Option<Value> {
    if text.len() > VALUE_MAX_BYTES {
        return None;
    }
    let (compact, levels) = without_spaces(text);
    let value: Value = serde_json::from_str(text).ok()?;
    (levels <= VALUE_MAX_LEVELS
        && !value.is_string()
        && serde_json::to_string(&value).is_ok_and(|text| text == compact))
    .then_some(value)
}

/// JSON without what stands between its parts, and how deep it goes.
fn without_spaces(json: &str) -> (String, usize) {
    let (mut is_string, mut is_escaped) = (false, false);
    let (mut level, mut deepest) = (0_usize, 0_usize);
    let mut compact = String::with_capacity(json.len());
    for letter in json.chars() {
        if is_string {
            is_string = is_escaped || letter != '"';
            is_escaped = letter == '\\' && !is_escaped;
        } else {
            match letter {
                ' ' | '\t' | '\n' | '\r' => continue,
                '"' => is_string = true,
                '[' | '{' => level += 1,
                ']' | '}' => level = level.saturating_sub(1),
                _ => {}
            }
            deepest = deepest.max(level);
        }
        compact.push(letter);
    }
    (compact, deepest)
}

impl Serialize for ToolCall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let arguments = value(&self.arguments_json).unwrap_or_else(|| Value::String(self.arguments_json.clone()));
        Entry { name: self.name.clone(), arguments }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ToolCall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Entry { name, arguments } = Entry::deserialize(deserializer)?;
        let arguments_json = match arguments {
            Value::String(text) => text,
            arguments => arguments.to_string(),
        };
        Ok(Self { name, arguments_json })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(arguments_json: &str) -> ToolCall {
        ToolCall { name: "add".into(), arguments_json: arguments_json.into() }
    }

    #[test]
    fn a_log_is_read_and_written() {
        let log = "{\"name\":\"add\",\"arguments\":{\"n\":4}}\n\n{\"name\":\"add\",\"arguments\":[1]}\n";
        let calls = ToolCall::from_log(log).unwrap();
        assert_eq!(calls, [call("{\"n\":4}"), call("[1]")]);
        assert_eq!(serde_json::to_string(&calls[0]).unwrap(), log.lines().next().unwrap());
    }

    #[test]
    fn what_is_no_json_is_kept_as_the_model_wrote_it() {
        for text in ["{\"n\":", "", "\"four\"", "NaN"] {
            let line = serde_json::to_string(&call(text)).unwrap();
            assert_eq!(ToolCall::from_log(&line).unwrap(), [call(text)], "{line}");
        }
    }

    #[test]
    fn what_a_value_would_change_is_kept_as_the_model_wrote_it() {
        let deep = format!("{{\"n\":{}{}}}", "[".repeat(126), "]".repeat(126));
        let long = format!("{{\"n\":4{}}}", " ".repeat(1 << 20));
        for text in ["{\"n\":1,\"n\":2}", "{\"n\":1e2}", "{\"n\":\"\\u0041 b\"}", &deep, &long] {
            let line = serde_json::to_string(&call(text)).unwrap();
            assert_eq!(ToolCall::from_log(&line).unwrap(), [call(text)]);
        }
        let line = serde_json::to_string(&call("{ \"n\": [1.5, \"a \\\" b\"] }\n")).unwrap();
        assert_eq!(line, r#"{"name":"add","arguments":{"n":[1.5,"a \" b"]}}"#);
    }

    #[test]
    fn a_line_that_is_no_call_is_named() {
        let error = ToolCall::from_log("{\"name\":\"add\",\"arguments\":{}}\n\n{\"name\":\"add\"}\n").unwrap_err();
        assert_eq!((error.line, error.problem.as_str()), (3, "missing field `arguments`"));
        assert_eq!(ToolCall::from_log("[").unwrap_err().line, 1);
        assert!(ToolCall::from_log(" \n").unwrap().is_empty());
    }
}
