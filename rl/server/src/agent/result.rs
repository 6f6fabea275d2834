//! What the model is told of a call.

use rl_protocol::{Body, ToolResult};
use std::fmt::Write as _;

/// The reply as JSON, then the texts beside it, and what is there but not shown.
pub(super) fn text(result: &ToolResult, shows_pictures: bool) -> String {
    let mut text = result.json.to_string();
    for content in &result.contents {
        let (name, mime) = (&content.name, &content.mime);
        let written = match &content.body {
            Body::Text(body) => write!(text, "\n{name}:\n{body}"),
            Body::Data(_) if shows_pictures && mime.starts_with("image/") => write!(text, "\n{name} follows."),
            Body::Data(data) => write!(text, "\n{name} ({mime}, {} bytes) cannot be shown to you.", data.len()),
        };
        // A String takes everything.
        written.ok();
    }
    text
}

/// One line for the person who watches.
pub(super) fn line(name: &str, result: &ToolResult) -> String {
    if result.ok {
        return format!("{name}: ok");
    }
    format!("{name}: refused: {}", result.json["error"]["message"].as_str().unwrap_or("no reason given"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rl_protocol::Content;
    use serde_json::json;

    #[test]
    fn what_is_not_shown_is_said() {
        let content = |name: &str, mime: &str, body: Body| Content { name: name.into(), mime: mime.into(), body };
        let contents = vec![
            content("a.txt", "text/plain", Body::Text("hello".into())),
            content("still.png", "image/png", Body::Data(vec![0; 5])),
        ];
        let result = ToolResult { ok: true, json: json!({ "ok": true }), contents };
        let shown = text(&result, true);
        assert_eq!(shown, "{\"ok\":true}\na.txt:\nhello\nstill.png follows.");
        let hidden = text(&result, false);
        assert!(hidden.ends_with("still.png (image/png, 5 bytes) cannot be shown to you."), "{hidden}");
    }

    #[test]
    fn a_refusal_is_told_with_its_reason() {
        let json = json!({ "error": { "message": "no node n_7" } });
        let result = ToolResult { ok: false, json, contents: Vec::new() };
        assert_eq!(line("node.delete", &result), "node.delete: refused: no node n_7");
    }
}
