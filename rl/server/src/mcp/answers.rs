//! Results, contents and errors of a domain as MCP has them.

use super::offer::URI_SCHEME;
use super::own_tools::OwnTool;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rl_protocol::{Body, Code, Content, DomainError, ToolResult};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode, ResourceContents};
use serde_json::json;

/// The reply as text and as data, then what it shows.
pub(super) fn answer(result: ToolResult) -> CallToolResult {
    let ToolResult { ok, json, contents } = result;
    let mut answer = if ok { CallToolResult::structured(json) } else { CallToolResult::structured_error(json) };
    answer.content.extend(contents.into_iter().map(shown));
    answer
}

fn shown(content: Content) -> ContentBlock {
    match content.body {
        Body::Data(data) if content.mime.starts_with("image/") => {
            ContentBlock::image(STANDARD.encode(data), content.mime)
        }
        body => ContentBlock::resource(resource(Content { body, ..content })),
    }
}

pub(super) fn resource(content: Content) -> ResourceContents {
    let Content { name, mime, body } = content;
    let uri = format!("{URI_SCHEME}{name}");
    let contents = match body {
        Body::Text(text) => ResourceContents::text(text, uri),
        Body::Data(data) => ResourceContents::blob(STANDARD.encode(data), uri),
    };
    contents.with_mime_type(mime)
}

/// Of a call that failed. What the caller can mend is told the model as a refused call is; the rest is an error of the
/// protocol, which many clients keep from their model.
pub(super) fn failed(error: DomainError) -> Result<CallToolResult, ErrorData> {
    match error.code {
        Code::InvalidArgument | Code::NotFound | Code::FailedPrecondition => Ok(refused(&error)),
        Code::ResourceExhausted | Code::DeadlineExceeded | Code::Unavailable | Code::Internal => Err(fault(error)),
    }
}

fn refused(error: &DomainError) -> CallToolResult {
    let pointer = if error.field.is_empty() { String::new() } else { format!("/{}", error.field) };
    // The second is of a server that has been started anew.
    let is_over = error.code == Code::FailedPrecondition || error.reason == "SESSION_NOT_FOUND";
    let allowed = if is_over { format!("{} begins another episode", OwnTool::Restart.name()) } else { String::new() };
    let (code, message, nearest) = (&error.reason, &error.message, &error.nearest);
    let error = json!({
        "code": code,
        "message": message,
        "pointer": pointer,
        "given": null,
        "allowed": allowed,
        "nearest": nearest,
    });
    CallToolResult::structured_error(json!({"ok": false, "error": error}))
}

pub(super) fn fault(error: DomainError) -> ErrorData {
    let code = match error.code {
        Code::InvalidArgument | Code::NotFound => ErrorCode::INVALID_PARAMS,
        Code::FailedPrecondition => ErrorCode::INVALID_REQUEST,
        Code::ResourceExhausted | Code::DeadlineExceeded | Code::Unavailable | Code::Internal => {
            ErrorCode::INTERNAL_ERROR
        }
    };
    let data = json!({
        "reason": error.reason,
        "field": error.field,
        "nearest": error.nearest,
        "retry_after_ms": error.retry_after_ms,
    });
    ErrorData::new(code, error.message, Some(data))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(mime: &str, body: Body) -> Content {
        Content { name: "it".into(), mime: mime.into(), body }
    }

    #[test]
    fn pictures_are_pictures_and_the_rest_are_resources() {
        let contents = vec![
            content("image/png", Body::Data(b"\x89PNG\r\n\x1a\n".to_vec())),
            content("model/gltf-binary", Body::Data(b"glTF".to_vec())),
            content("text/plain", Body::Text("told".into())),
        ];
        let answer = answer(ToolResult { ok: true, json: json!({"n": 1.5}), contents });
        let answer = serde_json::to_value(answer).unwrap();
        assert_eq!(answer["structuredContent"], json!({"n": 1.5}));
        assert_eq!(answer["content"][0], json!({"type": "text", "text": "{\"n\":1.5}"}));
        assert_eq!(answer["content"][1], json!({"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}));
        let glb = json!({"uri": "maquette://it", "mimeType": "model/gltf-binary", "blob": "Z2xURg=="});
        assert_eq!(answer["content"][2], json!({"type": "resource", "resource": glb}));
        assert_eq!(answer["content"][3]["resource"]["text"], "told");
    }

    #[test]
    fn the_model_hears_of_what_it_can_mend() {
        let missing = DomainError::new(Code::NotFound, "TASK_NOT_FOUND", "there is no task \"tabel\"");
        let missing = missing.field("task_id").nearest(vec!["scene/table".into()]);
        let told = serde_json::to_value(failed(missing.clone()).unwrap()).unwrap();
        assert_eq!(told["isError"], true);
        assert_eq!(told["structuredContent"]["error"]["nearest"], json!(["scene/table"]));
        assert_eq!(told["structuredContent"]["error"]["allowed"], "");
        assert_eq!(fault(missing).code, ErrorCode::INVALID_PARAMS);

        let gone = failed(DomainError::new(Code::NotFound, "SESSION_NOT_FOUND", "no such session")).unwrap();
        let allowed = &serde_json::to_value(gone).unwrap()["structuredContent"]["error"]["allowed"];
        assert!(allowed.as_str().unwrap().contains("episode_restart"), "{allowed}");

        let ours = DomainError::new(Code::Unavailable, "RENDERER_FAILED", "gone").retry_after(500);
        let ours = failed(ours).unwrap_err();
        assert_eq!((ours.code, ours.message.as_ref()), (ErrorCode::INTERNAL_ERROR, "gone"));
        assert_eq!(ours.data.unwrap()["retry_after_ms"], 500);
    }
}
