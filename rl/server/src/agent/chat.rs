//! Chat completions as OpenAI's API has them: the messages that are sent, and what an answer says.

use crate::tool_names::wire_name;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rl_protocol::{Body, Content, ToolSpec};
use serde_json::{Value, json};

/// A message of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) calls: Vec<Call>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) id: String,
    /// As on the wire.
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
            let problem = reply["error"]["message"].as_str().map(|said| format!(": {said}")).unwrap_or_default();
            return Err(format!("it has no choices[0].message{problem}"));
        }
        let calls = message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
        Ok(Self {
            text: message["content"].as_str().unwrap_or_default().to_owned(),
            calls: calls.iter().enumerate().map(|(index, call)| read_call(call, index)).collect::<Result<_, _>>()?,
        })
    }
}

/// Some endpoints leave out the id, send an object for the arguments, or nothing where there are none.
fn read_call(call: &Value, index: usize) -> Result<Call, String> {
    let function = &call["function"];
    let name = function["name"].as_str().ok_or("a tool call has no function.name")?;
    let arguments_json = match &function["arguments"] {
        Value::String(text) if !text.trim().is_empty() => text.clone(),
        Value::String(_) | Value::Null => "{}".to_owned(),
        arguments => arguments.to_string(),
    };
    let id = call["id"].as_str().filter(|id| !id.is_empty());
    Ok(Call { id: id.map_or_else(|| format!("call_{index}"), str::to_owned), name: name.to_owned(), arguments_json })
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
        let function = json!({ "name": call.name, "arguments": object(&call.arguments_json) });
        json!({ "id": call.id, "type": "function", "function": function })
    };
    let text = (!answer.text.is_empty()).then_some(&answer.text);
    let calls: Vec<Value> = answer.calls.iter().map(call).collect();
    json!({ "role": "assistant", "content": text, "tool_calls": calls })
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
            call("call_1", "scene_create", "{}"),
            call("call_2", "node_create", "{\"name\":\"top\"}"),
        ];
        assert_eq!(answer, Ok(Answer { text: String::new(), calls }));
        assert_eq!(read(json!({ "content": "done" })), Ok(Answer { text: "done".into(), calls: Vec::new() }));
    }

    #[test]
    fn what_is_no_answer_says_what_is_missing() {
        assert!(Answer::read(b"{\"choices\": [").unwrap_err().contains("not JSON"));
        let error = Answer::read(br#"{"error": {"message": "model is loading"}}"#).unwrap_err();
        assert!(error.contains("choices[0].message: model is loading"), "{error}");
        assert!(read(json!({ "tool_calls": [{ "function": {} }] })).unwrap_err().contains("function.name"));
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
