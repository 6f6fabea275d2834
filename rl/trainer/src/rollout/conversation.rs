//! A conversation as tokens: `<task>` prompt `<policy>` call `<end>` `<result>` text `<policy>` call `<end>` …
//!
//! Calls are compact JSON, `{"name":…,"arguments":…}`.

use crate::tokens::{Token, Tokenizer};
use rl_protocol::{Body, Content, ToolCall, ToolResult};

/// What the policy is shown of the results of its calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultView {
    /// False: a call that was played is answered by `ok` alone. A refused one always says why.
    pub shows_results: bool,
    /// The rest is cut off.
    pub tokens_max: usize,
}

/// Up to the first call.
#[must_use]
pub fn task(tokenizer: &dyn Tokenizer, prompt: &str) -> Vec<Token> {
    let markers = tokenizer.markers();
    let mut tokens = vec![markers.task];
    tokens.extend(tokenizer.encode(prompt));
    tokens.push(markers.policy);
    tokens
}

/// A call as it was written: its arguments keep their text, which domains judge.
#[must_use]
pub fn call(text: &str) -> Option<ToolCall> {
    let (name, arguments) = text.strip_prefix("{\"name\":")?.strip_suffix('}')?.split_once(",\"arguments\":")?;
    Some(ToolCall { name: serde_json::from_str(name).ok()?, arguments_json: arguments.to_owned() })
}

/// From the end of a call to the next one.
#[must_use]
pub fn result(tokenizer: &dyn Tokenizer, result: &ToolResult, view: ResultView) -> Vec<Token> {
    let markers = tokenizer.markers();
    let mut tokens = vec![markers.result];
    tokens.extend(tokenizer.encode(&result_text(result, view.shows_results)).into_iter().take(view.tokens_max));
    tokens.push(markers.policy);
    tokens
}

/// The texts of an observation, one below the other; what is no text is not shown.
#[must_use]
pub fn texts(contents: &[Content]) -> String {
    let texts = contents.iter().filter_map(|content| match &content.body {
        Body::Text(text) => Some(text.as_str()),
        Body::Data(_) => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

fn result_text(result: &ToolResult, shows_results: bool) -> String {
    if result.ok && !shows_results {
        return "ok".to_owned();
    }
    let mut text = result.json.to_string();
    let beside = texts(&result.contents);
    if !beside.is_empty() {
        text.push('\n');
        text.push_str(&beside);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_are_sent_as_they_were_written() {
        let arguments_json = r#"{"n":4.0e0,"n":[",\"arguments\":"]}"#.to_owned();
        let text = format!(r#"{{"name":"a.\u0062","arguments":{arguments_json}}}"#);
        assert_eq!(call(&text), Some(ToolCall { name: "a.b".into(), arguments_json }));
        assert_eq!([call("{}"), call(r#"{"name":a,"arguments":{}}"#)], [None, None]);
    }

    #[test]
    fn refusals_are_shown_whatever_the_view() {
        let contents = vec![
            Content { name: "a".into(), mime: "text/plain".into(), body: Body::Text("beside".into()) },
            Content { name: "b".into(), mime: "image/png".into(), body: Body::Data(vec![1]) },
        ];
        let good = ToolResult { ok: true, json: json!({ "id": 3 }), contents };
        assert_eq!(result_text(&good, true), "{\"id\":3}\nbeside");
        assert_eq!(result_text(&good, false), "ok");
        let bad = ToolResult { ok: false, json: json!({ "error": { "code": "NOT_FOUND" } }), contents: Vec::new() };
        assert_eq!(result_text(&bad, false), r#"{"error":{"code":"NOT_FOUND"}}"#);
    }
}
