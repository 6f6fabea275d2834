//! A conversation that outgrows what the model can take.

use serde_json::Value;

/// Of a result that was shortened.
const BEGINNING_CHARS: usize = 160;

/// The messages as they are sent. Where they have more than `limit_chars` as JSON, results and pictures are shortened,
/// the oldest first, until they fit. Every message stays, and with it every call and its answer, so what is sent may
/// still be over the limit.
pub(super) fn within(messages: &[Value], limit_chars: usize) -> Vec<Value> {
    let mut sent = messages.to_vec();
    let mut total: usize = sent.iter().map(chars).sum();
    for message in &mut sent {
        if total <= limit_chars {
            break;
        }
        let before = chars(message);
        if let Some(content) = short(message) {
            message["content"] = Value::String(content);
            total = (total + chars(message)).saturating_sub(before);
        }
    }
    sent
}

fn chars(message: &Value) -> usize {
    message.to_string().chars().count()
}

/// One line in place of a long result or of pictures.
fn short(message: &Value) -> Option<String> {
    match (message["role"].as_str(), &message["content"]) {
        (Some("tool"), Value::String(text)) => {
            let length = text.chars().count();
            let beginning: String = text.chars().take_while(|letter| *letter != '\n').take(BEGINNING_CHARS).collect();
            let line = format!("{beginning}… (shortened; there were {length} characters)");
            (length > 2 * BEGINNING_CHARS).then_some(line)
        }
        (Some("user"), Value::Array(_)) => Some("(pictures that are no longer shown)".into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::chat::{system, tool, user};
    use super::*;
    use serde_json::json;

    fn conversation() -> Vec<Value> {
        let long = "x".repeat(1000);
        let pictures = json!({ "role": "user", "content": [{ "type": "text", "text": long }] });
        vec![system(&long), user(&long), tool("a", &long), pictures, tool("b", "short"), tool("c", &long)]
    }

    #[test]
    fn what_fits_is_sent_as_it_is() {
        assert_eq!(within(&conversation(), 100_000), conversation());
    }

    #[test]
    fn the_oldest_results_are_shortened_first_and_no_message_is_lost() {
        let sent = within(&conversation(), 4900);
        assert!(sent[2]["content"].as_str().unwrap().ends_with("(shortened; there were 1000 characters)"), "{sent:?}");
        assert_eq!(sent[3..], conversation()[3..]);

        let sent = within(&conversation(), 0);
        assert_eq!(sent.len(), 6);
        assert_eq!((&sent[..2], &sent[4]), (&conversation()[..2], &tool("b", "short")));
        assert_eq!(sent[3]["content"], "(pictures that are no longer shown)");
        assert!(sent[5]["content"].as_str().unwrap().len() < 250 && sent[5]["tool_call_id"] == "c", "{sent:?}");
    }
}
