//! Why a tool call was refused, in a form that a model can act on.

use crate::nearest::nearest;
use serde::Serialize;
use serde_json::Value;
use std::fmt::Display;

/// The closed set of reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    /// Not JSON, an unknown or missing member, or members that exclude each other.
    InvalidArgument,
    TypeMismatch,
    OutOfRange,
    NonFinite,
    /// Unknown tool, id or page.
    NotFound,
    NameConflict,
    /// Geometry without extent or direction.
    Degenerate,
    LimitExceeded,
    /// Meaningful, but not expressible in this document.
    Unsupported,
    BudgetExhausted,
    EpisodeOver,
}

/// `pointer` is a JSON pointer into the arguments, empty for the whole; `given` is null where nothing was given;
/// `allowed` says what would have been accepted; `nearest` lists the likeliest valid words, best first.
#[derive(Debug, Clone, PartialEq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    pub code: ErrorCode,
    pub message: String,
    pub pointer: String,
    /// Boxed to keep `Result`s small.
    pub given: Box<Value>,
    pub allowed: String,
    pub nearest: Vec<String>,
}

/// A value longer than this in JSON is quoted by its beginning.
const QUOTED_CHARS: usize = 200;

impl ToolError {
    pub(crate) fn new(code: ErrorCode, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            pointer: pointer.into(),
            given: Box::new(Value::Null),
            allowed: String::new(),
            nearest: Vec::new(),
        }
    }

    pub(crate) fn given(mut self, given: impl Into<Value>) -> Self {
        let given = given.into();
        let text = given.to_string();
        let quoted = if text.len() <= QUOTED_CHARS {
            given
        } else {
            Value::String(text.chars().take(QUOTED_CHARS).chain(['…']).collect())
        };
        self.given = Box::new(quoted);
        self
    }

    pub(crate) fn allowed(mut self, allowed: impl Into<String>) -> Self {
        self.allowed = allowed.into();
        self
    }

    pub(crate) fn nearest(mut self, nearest: Vec<String>) -> Self {
        self.nearest = nearest;
        self
    }

    pub(crate) fn limit(pointer: &str, what: &str, given: u64, allowed: u64) -> Self {
        Self::new(ErrorCode::LimitExceeded, pointer, format!("{given} {what}; at most {allowed} are allowed"))
            .given(given)
            .allowed(format!("at most {allowed} {what}"))
    }

    /// Of a value inside another: `pointer` is told from the outer one.
    pub(crate) fn below(mut self, member: impl Display) -> Self {
        self.pointer = format!("/{}{}", segment(&member.to_string()), self.pointer);
        self
    }

    pub(crate) fn out_of_range(pointer: impl Into<String>, given: f64, allowed: impl Into<String>) -> Self {
        let allowed = allowed.into();
        let shown = if given.abs() < 1e15 { given.to_string() } else { format!("{given:e}") };
        Self::new(ErrorCode::OutOfRange, pointer, format!("{shown} is out of range; allowed: {allowed}"))
            .given(given)
            .allowed(allowed)
    }

    pub(crate) fn unknown(pointer: &str, kind: &str, given: &str, known: &[&str]) -> Self {
        Self::new(ErrorCode::NotFound, pointer, format!("there is no {kind} {}", quoted(given)))
            .given(given)
            .allowed(format!("one of the {} known {kind}s", known.len()))
            .nearest(nearest(given, known.iter().copied()))
    }
}

/// One member of a JSON pointer, escaped, cut to a readable length.
pub(crate) fn segment(member: &str) -> String {
    let cut: String = member.chars().take(QUOTED_CHARS).collect();
    cut.replace('~', "~0").replace('/', "~1")
}

/// In quotation marks, cut to a readable length.
pub(crate) fn quoted(text: &str) -> String {
    let cut: String = text.chars().take(QUOTED_CHARS).collect();
    format!("{cut:?}")
}
