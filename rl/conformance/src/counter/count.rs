//! The counter's state, what a call does to it, and what it is worth.

use rl_protocol::{Component, End, EndReason, Evidence, Factor, Gate, Outcome, Reward, ToolCall, ToolResult};
use serde_json::{Value, json};

pub(super) const PROFILE: &str = "count/1";
/// Stands for the profile's text: goal 10, slope 0.1.
pub(super) const PROFILE_HASH: [u8; 2] = [10, 10];
pub(super) const MAX_CALLS: u32 = 20;
pub(super) const MAX_STEP: i64 = 1000;
const GOAL: i64 = 10;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Count {
    /// Whether `double` may be called.
    pub(super) doubles: bool,
    pub(super) value: i64,
    pub(super) calls_left: u32,
    pub(super) end: Option<End>,
}

impl Count {
    pub(super) fn new(doubles: bool) -> Self {
        Self { doubles, value: 0, calls_left: MAX_CALLS, end: None }
    }

    /// A bad call costs one of the calls left and changes nothing else; after the end nothing changes.
    pub(super) fn play(&mut self, call: &ToolCall) -> ToolResult {
        if self.end.is_some() {
            return refusal("EPISODE_OVER", "the episode has ended", "", json!(call.name), "no more calls", &[]);
        }
        self.calls_left -= 1;
        let result = match call.name.as_str() {
            "add" => match number(&call.arguments_json) {
                Ok(n) => {
                    self.value += n;
                    ToolResult { ok: true, json: json!({ "value": self.value }), contents: Vec::new() }
                }
                Err(refusal) => refusal,
            },
            "submit" => match object(&call.arguments_json, &[]) {
                Ok(_) => {
                    self.end = Some(End { terminated: true, truncated: false, reason: EndReason::Submitted });
                    ToolResult { ok: true, json: json!({ "value": self.value }), contents: Vec::new() }
                }
                Err(refusal) => refusal,
            },
            "double" if self.doubles => match object(&call.arguments_json, &[]) {
                Ok(_) => {
                    self.value *= 2;
                    ToolResult { ok: true, json: json!({ "value": self.value }), contents: Vec::new() }
                }
                Err(refusal) => refusal,
            },
            other => {
                let known: &[&str] = if self.doubles { &["add", "double", "submit"] } else { &["add", "submit"] };
                refusal("NOT_FOUND", "there is no such tool", "", json!(other), &known.join(", "), known)
            }
        };
        if self.calls_left == 0 && self.end.is_none() {
            self.end = Some(End { terminated: false, truncated: true, reason: EndReason::CallLimit });
        }
        result
    }

    /// One to one with the value: the smallest hash there is.
    pub(super) fn state_hash(&self) -> Vec<u8> {
        self.value.to_le_bytes().to_vec()
    }

    pub(super) fn score(&self) -> Reward {
        score_value(self.value)
    }
}

/// A text that is no number fails the gate: that is the model's fault, and worth nothing.
pub(super) fn score_text(text: &str) -> Reward {
    match text.trim().parse() {
        Ok(value) => score_value(value),
        Err(_) => Reward { gates: vec![reads(false)], ..rewarded(0.0, Vec::new(), text.as_bytes().to_vec()) },
    }
}

fn score_value(value: i64) -> Reward {
    let off = value.abs_diff(GOAL);
    let points = u8::try_from(GOAL.unsigned_abs().saturating_sub(off)).unwrap_or(0);
    let worth = f64::from(points) / 10.0;
    let evidence = if off == 0 {
        Vec::new()
    } else {
        vec![Evidence {
            component: "closeness".into(),
            value: value as f64,
            threshold: GOAL as f64,
            unit: "1".into(),
            message: format!("the counter stands at {value}"),
            fix: format!("add {}", GOAL.saturating_sub(value)),
            ..Evidence::default()
        }]
    };
    let component = Component {
        name: "closeness".into(),
        value: worth,
        weight: 1.0,
        uncertainty: 0.0,
        evidence,
        truncated: false,
        thresholds: vec![Factor { name: "goal".into(), value: GOAL as f64 }],
    };
    rewarded(worth, vec![component], value.to_le_bytes().to_vec())
}

fn rewarded(worth: f64, components: Vec<Component>, scored_state_hash: Vec<u8>) -> Reward {
    Reward {
        outcome: Outcome::Value(worth),
        gates: vec![reads(true)],
        components,
        factors: Vec::new(),
        profile_id: PROFILE.into(),
        profile_hash: PROFILE_HASH.to_vec(),
        attempt: 1,
        scored_state_hash,
    }
}

fn reads(passed: bool) -> Gate {
    Gate { name: "reads".into(), passed, evidence: Vec::new(), truncated: false, thresholds: Vec::new() }
}

fn number(arguments_json: &str) -> Result<i64, ToolResult> {
    let arguments = object(arguments_json, &["n"])?;
    let refused = |code: &str, message: &str, given: &Value| {
        Err(refusal(code, message, "/n", given.clone(), "an integer from -1000 to 1000", &[]))
    };
    let Some(given) = arguments.get("n") else {
        return refused("INVALID_ARGUMENT", "n is missing", &Value::Null);
    };
    match given.as_i64() {
        Some(n) if (-MAX_STEP..=MAX_STEP).contains(&n) => Ok(n),
        Some(_) => refused("OUT_OF_RANGE", "n is too far from zero", given),
        None => refused("TYPE_MISMATCH", "n is no integer", given),
    }
}

fn object(arguments_json: &str, allowed: &[&str]) -> Result<serde_json::Map<String, Value>, ToolResult> {
    match serde_json::from_str(arguments_json) {
        Ok(Value::Object(arguments)) => match arguments.keys().find(|key| !allowed.contains(&key.as_str())) {
            None => Ok(arguments),
            Some(unknown) => {
                let members = if allowed.is_empty() { "no arguments".to_owned() } else { allowed.join(", ") };
                Err(refusal("INVALID_ARGUMENT", "there is no such argument", "", json!(unknown), &members, allowed))
            }
        },
        Ok(other) => Err(refusal("TYPE_MISMATCH", "the arguments are no object", "", other, "a JSON object", &[])),
        Err(error) => {
            let given = json!(arguments_json);
            Err(refusal("INVALID_ARGUMENT", &error.to_string(), "", given, "a JSON object", &[]))
        }
    }
}

fn refusal(code: &str, message: &str, pointer: &str, given: Value, allowed: &str, nearest: &[&str]) -> ToolResult {
    let error = json!({
        "code": code, "message": message, "pointer": pointer, "given": given, "allowed": allowed, "nearest": nearest,
    });
    ToolResult { ok: false, json: json!({ "error": error }), contents: Vec::new() }
}
