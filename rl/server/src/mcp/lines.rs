//! JSON-RPC, a line a message. Each request is answered, also one that is no JSON, and calls keep their order.

use super::tickets::Tickets;
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, GetExtensions as _, JsonRpcMessage, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use std::io;
use std::mem::{replace, take};
use std::pin::Pin;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Mutex;

/// Of a line.
const MOST_BYTES: usize = 16 << 20;
/// Many editors on Windows begin a text with it.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

type Writing = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

pub(super) struct Lines<R, W> {
    input: BufReader<R>,
    /// As far as it has been read.
    line: Vec<u8>,
    /// The line is the rest of one that was too long.
    is_rest: bool,
    output: Arc<Mutex<W>>,
    /// Of a line that is no message. It is kept because `receive` may be given up at any time and begun again.
    refusal: Option<Writing>,
    tickets: Tickets,
    is_initialized: bool,
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(input: R, output: W) -> Self {
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            is_rest: false,
            output: Arc::new(Mutex::new(output)),
            refusal: None,
            tickets: Tickets::new(),
            is_initialized: false,
        }
    }

    /// The next line, or the beginning of one that is too long, whose rest is then skipped; `None` at the end.
    async fn next_line(&mut self) -> Option<Vec<u8>> {
        loop {
            let room = MOST_BYTES + 1 - self.line.len();
            let read = (&mut self.input).take(room as u64).read_until(b'\n', &mut self.line).await;
            if !read.is_ok_and(|bytes| bytes > 0) {
                return None;
            }
            let is_whole = self.line.last() == Some(&b'\n');
            if !is_whole && self.line.len() <= MOST_BYTES {
                continue;
            }
            let line = take(&mut self.line);
            if !replace(&mut self.is_rest, !is_whole) {
                return Some(line);
            }
        }
    }

    /// Before `initialize` there is nobody who could take a notification or a response.
    fn accept(&mut self, message: &mut ClientJsonRpcMessage) -> bool {
        let JsonRpcMessage::Request(request) = message else { return self.is_initialized };
        match request.request {
            ClientRequest::InitializeRequest(_) => self.is_initialized = true,
            // Those that play.
            ClientRequest::CallToolRequest(_)
            | ClientRequest::ReadResourceRequest(_)
            | ClientRequest::GetPromptRequest(_) => {
                request.request.extensions_mut().insert(self.tickets.draw());
            }
            _ => {}
        }
        true
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = Arc::clone(&self.output);
        async move {
            let line = serde_json::to_vec(&message)?;
            write(output, line).await
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(refusal) = &mut self.refusal {
                let written = refusal.as_mut().await;
                self.refusal = None;
                written.ok()?;
            }
            let line = self.next_line().await?;
            match message(&line) {
                Ok(Some(mut message)) => {
                    if self.accept(&mut message) {
                        return Some(message);
                    }
                }
                Ok(None) => {}
                Err(refusal) => {
                    let line = refusal.to_string().into_bytes();
                    self.refusal = Some(Box::pin(write(Arc::clone(&self.output), line)));
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        // It may hold the output.
        self.refusal = None;
        self.output.lock().await.flush().await
    }
}

async fn write<W: AsyncWrite + Unpin>(output: Arc<Mutex<W>>, mut line: Vec<u8>) -> io::Result<()> {
    line.push(b'\n');
    let mut output = output.lock().await;
    output.write_all(&line).await?;
    output.flush().await
}

/// What a line says: `None` where nothing is to be done, and the answer where it is no message.
fn message(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Value> {
    if line.len() > MOST_BYTES {
        return Err(refusal(ErrorCode::PARSE_ERROR, "a line of more than 16 MiB", id(line)));
    }
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return Ok(Some(message));
    }
    match serde_json::from_slice::<Value>(line) {
        Err(fault) => Err(refusal(ErrorCode::PARSE_ERROR, &format!("no JSON: {fault}"), id(line))),
        Ok(value) => match (value.get("method"), value.get("id")) {
            // Notifications are never answered.
            (Some(_), None) => Ok(None),
            (Some(_), given) => Err(refusal(ErrorCode::INVALID_REQUEST, "no request of JSON-RPC", given.cloned())),
            (None, _) => Err(refusal(ErrorCode::INVALID_REQUEST, "no message of JSON-RPC", None)),
        },
    }
}

fn refusal(code: ErrorCode, message: &str, id: Option<Value>) -> Value {
    let id = id.filter(|id| id.is_string() || id.is_number());
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code.0, "message": message}})
}

/// The id of what is not JSON as a whole, as far as it can be made out.
fn id(line: &[u8]) -> Option<Value> {
    let (mut depth, mut rest) = (0_i64, line);
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            b'"' => {
                let end = end_of_string(after)?;
                let (text, after) = after.split_at(end);
                rest = after.get(1..)?;
                let value = rest.trim_ascii_start().strip_prefix(b":");
                if let (1, b"id", Some(value)) = (depth, text, value) {
                    return serde_json::Deserializer::from_slice(value).into_iter().next()?.ok();
                }
            }
            _ => {}
        }
    }
    None
}

/// Where its closing quote is.
fn end_of_string(text: &[u8]) -> Option<usize> {
    let mut is_escaped = false;
    text.iter().position(|byte| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(line: &str) -> (Value, Value) {
        let refusal = message(line.as_bytes()).unwrap_err();
        (refusal["error"]["code"].clone(), refusal["id"].clone())
    }

    #[test]
    fn what_is_no_message_is_answered_with_its_id_where_it_has_one() {
        assert_eq!(refused("garbage"), (json!(-32700), Value::Null));
        let surrogate = r#"{"jsonrpc":"2.0","params":{"id":1,"name":"\ud800"},"id":7,"method":"tools/call"}"#;
        assert_eq!(refused(surrogate), (json!(-32700), json!(7)));
        let deep = format!(r#"{{"id": "a\"b", "params": {}{}}}"#, "[".repeat(200), "]".repeat(200));
        assert_eq!(refused(&deep), (json!(-32700), json!("a\"b")));
        assert_eq!(refused(r#"{"jsonrpc":"2.0","id":7,"method":8}"#), (json!(-32600), json!(7)));
        assert_eq!(refused(r#"{"jsonrpc":"2.0","id":7}"#), (json!(-32600), Value::Null));
        let long = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{}"#, "x".repeat(MOST_BYTES));
        assert_eq!(refused(&long), (json!(-32700), json!(7)));
        assert!(message(b"\r\n").unwrap().is_none());
        assert!(message(br#"{"jsonrpc":"2.0","method":8}"#).unwrap().is_none());
    }

    #[tokio::test]
    async fn the_line_after_one_that_is_too_long_is_heard() {
        let ping = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        let input = [vec![b'x'; 2 * MOST_BYTES + 10], b"\n".to_vec(), ping.to_vec(), b"\n".to_vec()].concat();
        let mut lines = Lines::new(input.as_slice(), Vec::<u8>::new());
        assert!(matches!(lines.receive().await, Some(JsonRpcMessage::Request(_))));
        assert!(lines.receive().await.is_none());
        let output = lines.output.lock().await;
        assert_eq!(output.iter().filter(|byte| **byte == b'\n').count(), 1, "one refusal");
    }
}
