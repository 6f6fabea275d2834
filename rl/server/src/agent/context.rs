//! A conversation that outgrows what the model can take.

use serde_json::{Value, json};

/// Of a result that was shortened.
const BEGINNING_CHARS: usize = 160;

/// The messages as they are sent. Where they have more than `limit_chars` as JSON, results and pictures are shortened,
/// the oldest first, then the arguments of calls, until they fit. Every message stays, and with it every call and its
/// answer, and what came after the model's last message stays whole, so what is sent may still be over the limit.
pub(super) fn within(messages: &[Value], limit_chars: usize) -> Vec<Value> {
    let mut sent = messages.to_vec();
    let mut total: usize = sent.iter().map(chars).sum();
    let old = sent.iter().rposition(|message| message["role"] == "assistant").unwrap_or(0);
    let passes: [fn(&Value) -> Option<Value>; 2] = [with_short_content, with_short_arguments];
    'passes: for shortened in passes {
        for message in sent.iter_mut().take(old) {
            if total <= limit_chars {
                break 'passes;
            }
            if let Some(shortened) = shortened(message) {
                total = (total + chars(&shortened)).saturating_sub(chars(message));
                *message = shortened;
            }
        }
    }
    sent
}

/// As JSON.
pub(super) fn chars(message: &Value) -> usize {
    message.to_string().chars().count()
}

/// One line in place of a long result or of pictures.
fn with_short_content(message: &Value) -> Option<Value> {
    let content = match (message["role"].as_str(), &message["content"]) {
        (Some("tool"), Value::String(text)) => {
            let length = text.chars().count();
            let beginning: String = text.chars().take_while(|letter| *letter != '\n').take(BEGINNING_CHARS).collect();
            let line = format!("{beginning}… (shortened; there were {length} characters)");
            (length > 2 * BEGINNING_CHARS).then_some(line)?
        }
        (Some("user"), Value::Array(_)) => "(pictures that are no longer shown)".into(),
        _ => return None,
    };
    let mut shortened = message.clone();
    shortened["content"] = Value::String(content);
    Some(shortened)
}

/// An object with their length in place of long arguments.
fn with_short_arguments(message: &Value) -> Option<Value> {
    let mut shortened = message.clone();
    let mut is_shorter = false;
    for call in shortened.get_mut("tool_calls")?.as_array_mut()? {
        let arguments = &mut call["function"]["arguments"];
        let length = arguments.as_str().map_or(0, |text| text.chars().count());
        if length > 2 * BEGINNING_CHARS {
            *arguments = json!({ "shortened": format!("… {length} characters") }).to_string().into();
            is_shorter = true;
        }
    }
    is_shorter.then_some(shortened)
}

#[cfg(test)]
mod tests {
    use super::super::chat::{Answer, Call, assistant, system, tool, user};
    use super::*;

    fn conversation() -> Vec<Value> {
        let long = "x".repeat(1000);
        let pictures = json!({ "role": "user", "content": [{ "type": "text", "text": long }] });
        let last = assistant(&Answer { text: "so".into(), calls: Vec::new() });
        vec![
            system(&long),
            user(&long),
            tool("a", &long),
            pictures.clone(),
            tool("b", "short"),
            tool("c", &long),
            last,
            tool("d", &long),
            pictures,
        ]
    }

    #[test]
    fn what_fits_is_sent_as_it_is() {
        assert_eq!(within(&conversation(), 100_000), conversation());
    }

    #[test]
    fn the_oldest_results_are_shortened_first_and_no_message_is_lost() {
        let sent = within(&conversation(), 7000);
        assert!(sent[2]["content"].as_str().unwrap().ends_with("(shortened; there were 1000 characters)"), "{sent:?}");
        assert_eq!(sent[3..], conversation()[3..]);

        let sent = within(&conversation(), 0);
        assert_eq!(sent[6..], conversation()[6..], "what the model has not seen stays");
        assert_eq!((&sent[..2], &sent[4]), (&conversation()[..2], &tool("b", "short")));
        assert_eq!(sent[3]["content"], "(pictures that are no longer shown)");
        assert!(sent[5]["content"].as_str().unwrap().len() < 250 && sent[5]["tool_call_id"] == "c", "{sent:?}");
    }

    #[test]
    fn arguments_of_old_calls_are_shortened_where_results_do_not_suffice() {
        let calls = |length: usize| {
            let arguments_json = json!({ "name": "x".repeat(length) }).to_string();
            let calls = vec![Call { id: "a".into(), name: "node_create".into(), arguments_json }];
            assistant(&Answer { text: String::new(), calls })
        };
        let messages =
            [calls(5000), tool("a", "short"), calls(20), tool("b", "short"), calls(5000), tool("c", "short")];
        let sent = within(&messages, 6000);
        let arguments = sent[0]["tool_calls"][0]["function"]["arguments"].as_str().unwrap();
        assert_eq!(arguments, r#"{"shortened":"… 5011 characters"}"#);
        assert_eq!(sent[1..], messages[1..]);
        assert_eq!(within(&messages, 60_000), messages);
    }
}
