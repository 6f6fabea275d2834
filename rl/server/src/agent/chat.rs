//! Chat completions as OpenAI's API has them: the messages that are sent, and what an answer says.

use super::tool_list::NAME_MAX_CHARS;
use crate::tool_names::wire_name;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rl_protocol::{Body, Content, ToolSpec};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A message of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) calls: Vec<Call>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    /// Empty where the endpoint gave none.
    pub(super) id: String,
    /// As the model wrote it.
    pub(super) name: String,
    /// As the model wrote them; need not be JSON.
    pub(super) arguments_json: String,
}

impl Answer {
    /// # Errors
    /// What is missing.
    pub(super) fn read(body: &[u8]) -> Result<Self, String> {
        let reply: Value = serde_json::from_slice(body).map_err(|error| format!("it is not JSON ({error})"))?;
        let message = &reply["choices"][0]["message"];
        if !message.is_object() {
            let problem = error_text(&reply).map(|said| format!(": {said}")).unwrap_or_default();
            return Err(format!("it has no choices[0].message{problem}"));
        }
        let given = &message["tool_calls"];
        let calls: &[Value] = match given {
            Value::Null => &[],
            Value::Array(calls) => calls,
            Value::Object(_) => std::slice::from_ref(given),
            _ => return Err(format!("its tool_calls are neither a list nor an object, but {given}")),
        };
        if calls.is_empty() && message["function_call"].is_object() {
            return Err("it calls by function_call, an older form; tool_calls are needed".into());
        }
        Ok(Self {
            text: message["content"].as_str().unwrap_or_default().to_owned(),
            calls: calls.iter().map(read_call).collect::<Result<_, _>>()?,
        })
    }

    /// Strict endpoints refuse a conversation with an id that comes twice: a call without one, or with one that is
    /// `taken`, gets its own.
    pub(super) fn tell_calls_apart(&mut self, turn: u32, taken: &mut BTreeSet<String>) {
        for (index, call) in self.calls.iter_mut().enumerate() {
            if call.id.is_empty() || taken.contains(&call.id) {
                call.id = format!("call_{turn}_{index}");
            }
            // The model may have made up this one, too.
            while !taken.insert(call.id.clone()) {
                call.id.push('_');
            }
        }
    }
}

/// The message of an error, wherever endpoints put it.
pub(super) fn error_text(reply: &Value) -> Option<&str> {
    let places = [&reply["error"]["message"], &reply["error"], &reply["message"], &reply["detail"]];
    places.into_iter().find_map(Value::as_str)
}

/// Some endpoints leave out the id, send an object for the arguments, or nothing where there are none.
fn read_call(call: &Value) -> Result<Call, String> {
    let function = &call["function"];
    let name = function["name"].as_str().ok_or("a tool call has no function.name")?;
    let arguments_json = match &function["arguments"] {
        Value::String(text) if !text.trim().is_empty() => text.clone(),
        Value::String(_) | Value::Null => "{}".to_owned(),
        arguments => arguments.to_string(),
    };
    let id = call["id"].as_str().unwrap_or_default().to_owned();
    Ok(Call { id, name: name.to_owned(), arguments_json })
}

pub(super) fn system(text: &str) -> Value {
    json!({ "role": "system", "content": text })
}

pub(super) fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

pub(super) fn tool(call_id: &str, text: &str) -> Value {
    json!({ "role": "tool", "tool_call_id": call_id, "content": text })
}

/// The answer, as it is sent back with the next request.
pub(super) fn assistant(answer: &Answer) -> Value {
    if answer.calls.is_empty() {
        return json!({ "role": "assistant", "content": answer.text });
    }
    let call = |call: &Call| {
        let function = json!({ "name": sent_name(&call.name), "arguments": object(&call.arguments_json) });
        json!({ "id": call.id, "type": "function", "function": function })
    };
    let text = (!answer.text.is_empty()).then_some(&answer.text);
    let calls: Vec<Value> = answer.calls.iter().map(call).collect();
    json!({ "role": "assistant", "content": text, "tool_calls": calls })
}

/// Endpoints refuse a conversation with a name that no tool may have, also where the model made it up.
fn sent_name(name: &str) -> String {
    let sent: String = wire_name(name).chars().take(NAME_MAX_CHARS).collect();
    if sent.is_empty() { "unknown".into() } else { sent }
}

/// Templates of local endpoints read the arguments of earlier calls and fail on what is no JSON object.
fn object(arguments_json: &str) -> String {
    match serde_json::from_str(arguments_json) {
        Ok(Value::Object(_)) => arguments_json.to_owned(),
        _ => json!({ "not_an_object": arguments_json }).to_string(),
    }
}

/// The pictures among the contents, as data URIs; `None` where there are none.
pub(super) fn pictures(contents: &[Content]) -> Option<Value> {
    let picture = |content: &Content| match &content.body {
        Body::Data(data) if content.mime.starts_with("image/") => {
            let url = format!("data:{};base64,{}", content.mime, BASE64_STANDARD.encode(data));
            Some([
                json!({ "type": "text", "text": content.name }),
                json!({ "type": "image_url", "image_url": { "url": url } }),
            ])
        }
        _ => None,
    };
    let parts: Vec<Value> = contents.iter().filter_map(picture).flatten().collect();
    (!parts.is_empty()).then(|| json!({ "role": "user", "content": parts }))
}

/// A tool as the model is told of it.
pub(super) fn function(tool: &ToolSpec) -> Value {
    json!({ "type": "function", "function": {
        "name": wire_name(&tool.name), "description": tool.description, "parameters": tool.arguments_schema,
    }})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(message: Value) -> Result<Answer, String> {
        Answer::read(json!({ "choices": [{ "message": message }] }).to_string().as_bytes())
    }

    fn call(id: &str, name: &str, arguments_json: &str) -> Call {
        Call { id: id.into(), name: name.into(), arguments_json: arguments_json.into() }
    }

    #[test]
    fn answers_are_read_also_where_endpoints_are_sloppy() {
        let answer = read(json!({ "content": null, "tool_calls": [
            { "id": "a", "type": "function", "function": { "name": "node_create", "arguments": "{\"name\":" } },
            { "function": { "name": "scene_create", "arguments": "" } },
            { "id": "", "function": { "name": "node_create", "arguments": { "name": "top" } } },
        ]}));
        let calls = vec![
            call("a", "node_create", "{\"name\":"),
            call("", "scene_create", "{}"),
            call("", "node_create", "{\"name\":\"top\"}"),
        ];
        assert_eq!(answer, Ok(Answer { text: String::new(), calls }));
        assert_eq!(read(json!({ "content": "done" })), Ok(Answer { text: "done".into(), calls: Vec::new() }));
        let one = json!({ "id": "a", "function": { "name": "x", "arguments": "{}" } });
        assert_eq!(read(json!({ "tool_calls": one })).unwrap().calls, [call("a", "x", "{}")]);
    }

    #[test]
    fn what_is_no_answer_says_what_is_missing() {
        assert!(Answer::read(b"{\"choices\": [").unwrap_err().contains("not JSON"));
        let error = Answer::read(br#"{"error": {"message": "model is loading"}}"#).unwrap_err();
        assert!(error.contains("choices[0].message: model is loading"), "{error}");
        assert!(read(json!({ "tool_calls": [{ "function": {} }] })).unwrap_err().contains("function.name"));
        assert!(read(json!({ "tool_calls": "x" })).unwrap_err().contains("neither a list nor an object, but \"x\""));
        assert!(read(json!({ "function_call": { "name": "x" } })).unwrap_err().contains("tool_calls are needed"));
        assert!(Answer::read(br#"{"error": "no model"}"#).unwrap_err().ends_with(": no model"));
    }

    #[test]
    fn every_call_of_a_conversation_has_its_own_id_and_a_name_that_endpoints_take() {
        let mut taken = BTreeSet::new();
        let answers = [["a", "a", "call_2_1"], ["", "a", "b"]].map(|ids| {
            let calls = ids.map(|id| call(id, "node.create", "{}")).to_vec();
            Answer { text: String::new(), calls }
        });
        let ids = [1, 2].into_iter().zip(answers).flat_map(|(turn, mut answer)| {
            answer.tell_calls_apart(turn, &mut taken);
            answer.calls.into_iter().map(|call| call.id).collect::<Vec<_>>()
        });
        assert_eq!(ids.collect::<Vec<_>>(), ["a", "call_1_1", "call_2_1", "call_2_0", "call_2_1_", "b"]);
        assert_eq!(["node.create", "", "ä b"].map(sent_name), ["node_create", "unknown", "__b"]);
        assert_eq!(sent_name(&"x".repeat(100)), "x".repeat(64));
    }

    #[test]
    fn arguments_are_sent_back_as_an_object() {
        let calls = vec![call("a", "x", "{\"n\":1}"), call("b", "x", "{\"n\":"), call("c", "x", "[1]")];
        let message = assistant(&Answer { text: String::new(), calls });
        let arguments: Vec<&str> =
            (0..3).map(|index| message["tool_calls"][index]["function"]["arguments"].as_str().unwrap()).collect();
        assert_eq!(arguments, ["{\"n\":1}", r#"{"not_an_object":"{\"n\":"}"#, r#"{"not_an_object":"[1]"}"#]);
        assert_eq!(message["content"], Value::Null);
    }

    #[test]
    fn pictures_are_data_uris() {
        let content = |mime: &str, body: Body| Content { name: "still.png".into(), mime: mime.into(), body };
        let message = pictures(&[content("image/png", Body::Data(vec![1, 2, 3]))]).unwrap();
        assert_eq!(message["content"][1]["image_url"]["url"], "data:image/png;base64,AQID");
        assert_eq!(pictures(&[content("text/plain", Body::Text("a".into()))]), None);
    }
}
