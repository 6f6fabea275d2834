//! The observation `history`: what is new since a revision, in as many tokens as the client has room for.

use crate::change_log::{Difference, Focus, Object};
use crate::tools::budget;
use crate::workspace::Workspace;
use rl_protocol::{Code, DomainError, ObserveOptions};
use scene_document::Scene;
use serde_json::{Value, json};
use std::cmp::Reverse;

/// JSON takes about as many.
const BYTES_PER_TOKEN: usize = 4;
const MAX_TOKENS: u32 = 1024;
const FOCUS_IDS: usize = 8;

/// JSON of at most `max_tokens`. Told in this order as long as there is room: the focus, refused calls, and what was
/// changed and made, the latest first; `left_out` counts the rest.
///
/// # Errors
/// `InvalidArgument` for a revision that was not reached, or room for not even the counts.
pub(super) fn history(workspace: &Workspace, options: ObserveOptions) -> Result<String, DomainError> {
    let since = options.since_revision.unwrap_or(0);
    if since > workspace.revision {
        let message = format!("revision {since} was not reached; allowed: 0 to {}", workspace.revision);
        return Err(invalid("REVISION_UNKNOWN", message, "since_revision"));
    }
    let log = &workspace.log;
    let refusals = log.refusals_since(since);
    let mut news: Vec<News> = log.since(since).into_iter().map(News::Change).collect();
    let changes = news.len();
    news.extend(log.artifacts_since(since).map(|(revision, told)| News::Artifact(revision, told)));
    let artifacts = news.len() - changes;
    news.sort_by_key(|news| Reverse(news.revision()));

    let mut history = json!({
        "revision": workspace.revision,
        "since_revision": since,
        "budget": budget(workspace),
        "focus": null,
        "changes": [],
        "artifacts": [],
        "errors": {"count": refusals.values().sum::<u32>(), "by_code": {}, "last": null},
        "left_out": {"changes": changes, "artifacts": artifacts, "errors": false},
    });
    let mut room = Room::within(options.max_tokens, history.to_string().len())?;
    if let Some(focus) = log.focus().map(focus)
        && room.takes(&focus)
    {
        history["focus"] = focus;
    }
    if !refusals.is_empty() {
        let (by_code, last) = (json!(refusals), log.last_refusal().cloned().unwrap_or_default());
        let takes_codes = room.takes(&by_code);
        let takes_last = takes_codes && room.takes(&last);
        if takes_codes {
            history["errors"]["by_code"] = by_code;
        }
        if takes_last {
            history["errors"]["last"] = last;
        }
        history["left_out"]["errors"] = json!(!takes_last);
    }
    let (mut told_changes, mut told_artifacts) = (Vec::new(), Vec::new());
    for news in &news {
        let told = news.told(&workspace.scene);
        if !room.takes(&told) {
            break;
        }
        match news {
            News::Change(_) => told_changes.push(told),
            News::Artifact(..) => told_artifacts.push(told),
        }
    }
    history["left_out"]["changes"] = json!(changes - told_changes.len());
    history["left_out"]["artifacts"] = json!(artifacts - told_artifacts.len());
    history["changes"] = Value::Array(told_changes);
    history["artifacts"] = Value::Array(told_artifacts);
    Ok(history.to_string())
}

enum News {
    Change(Difference),
    Artifact(u64, Value),
}

impl News {
    fn revision(&self) -> u64 {
        match self {
            Self::Change(difference) => difference.revision,
            Self::Artifact(revision, _) => *revision,
        }
    }

    fn told(&self, scene: &Scene) -> Value {
        match self {
            Self::Change(difference) => {
                let mut told = difference.told(scene);
                told["revision"] = json!(difference.revision);
                told
            }
            Self::Artifact(_, told) => told.clone(),
        }
    }
}

/// Bytes that are still free.
struct Room(usize);

impl Room {
    /// # Errors
    /// `InvalidArgument` where `taken` is more than all there is.
    fn within(max_tokens: u32, taken: usize) -> Result<Self, DomainError> {
        let tokens = if max_tokens == 0 { MAX_TOKENS } else { max_tokens };
        let bytes = (tokens as usize).saturating_mul(BYTES_PER_TOKEN);
        bytes.checked_sub(taken).map(Self).ok_or_else(|| {
            let least = taken.div_ceil(BYTES_PER_TOKEN);
            let message = format!("the counts alone take {least} tokens; {tokens} are too few");
            invalid("TOO_FEW_TOKENS", message, "max_tokens")
        })
    }

    /// With its comma.
    fn takes(&mut self, told: &Value) -> bool {
        let left = self.0.checked_sub(told.to_string().len() + 1);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

fn focus(focus: &Focus) -> Value {
    let ids = focus.objects.iter().take(FOCUS_IDS).collect::<Vec<&Object>>();
    let more = focus.objects.len().saturating_sub(FOCUS_IDS);
    json!({"revision": focus.revision, "tool": focus.tool, "ids": ids, "more": more})
}

fn invalid(reason: &'static str, message: String, field: &str) -> DomainError {
    DomainError::new(Code::InvalidArgument, reason, message).field(field)
}
