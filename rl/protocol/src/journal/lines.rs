//! The lines of an export and of a session's file: JSON, each behind a checksum of itself and of all lines before it.

use crate::{OpenSpec, ToolCall};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Of the format; another one is not read.
pub(crate) const VERSION: u32 = 1;
/// Of a line that holds a step, beside its texts: more than it takes.
const BYTES_AROUND_LEG: usize = 160;
const BYTES_AROUND_CALL: usize = 8;
const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Line {
    /// The first one.
    Header(Header),
    /// A step before the session's own: its parent's, or one that was imported.
    Before(Arc<Leg>),
    /// A step of the session's own, and its seq.
    Step(u64, Arc<Leg>),
    /// Its id.
    Snapshot(String),
    /// To this snapshot, and its state hash in hexadecimal.
    Rollback(String, String),
    /// The last one of an export: how many lines come before it.
    End(u64),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) version: u32,
    pub(crate) origin: Arc<Origin>,
    /// `None` in an export.
    pub(crate) session: Option<Held>,
}

/// What an episode was opened with, and the hash of the state it opened in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Origin {
    pub(crate) domain: String,
    pub(crate) task_id: String,
    pub(crate) seed: u64,
    pub(crate) profile: Option<String>,
    pub(crate) tool_groups: Vec<String>,
    /// In hexadecimal.
    pub(crate) state_hash: String,
}

/// The session that a file is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Held {
    pub(crate) id: String,
    /// As agreed when it was opened.
    pub(crate) lease_ms: u64,
}

/// One step of a way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Leg {
    /// Names and arguments, to the letter.
    calls: Vec<(String, String)>,
    /// Of the state that they lead to, in hexadecimal.
    pub(crate) state_hash: String,
}

impl Origin {
    pub(crate) fn new(domain: &str, spec: &OpenSpec, state_hash: &[u8]) -> Self {
        Self {
            domain: domain.to_owned(),
            task_id: spec.task_id.clone(),
            seed: spec.seed,
            profile: spec.profile.clone(),
            tool_groups: spec.tool_groups.clone(),
            state_hash: hex(state_hash),
        }
    }

    /// For one episode.
    pub(crate) fn spec(&self) -> OpenSpec {
        OpenSpec {
            task_id: self.task_id.clone(),
            count: 1,
            seed: self.seed,
            profile: self.profile.clone(),
            tool_groups: self.tool_groups.clone(),
        }
    }
}

impl Leg {
    pub(crate) fn new(calls: Vec<ToolCall>, state_hash: &[u8]) -> Self {
        let calls = calls.into_iter().map(|call| (call.name, call.arguments_json)).collect();
        Self { calls, state_hash: hex(state_hash) }
    }

    pub(crate) fn calls(&self) -> Vec<ToolCall> {
        let call = |(name, arguments_json): &(String, String)| ToolCall {
            name: name.clone(),
            arguments_json: arguments_json.clone(),
        };
        self.calls.iter().map(call).collect()
    }

    pub(crate) fn call_count(&self) -> usize {
        self.calls.len()
    }

    /// Of its line, at most.
    pub(crate) fn bytes(&self) -> usize {
        let of_call = |(name, arguments): &(String, String)| escaped(name) + escaped(arguments) + BYTES_AROUND_CALL;
        BYTES_AROUND_LEG + self.state_hash.len() + self.calls.iter().map(of_call).sum::<usize>()
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Of the text as a JSON string, at most.
fn escaped(text: &str) -> usize {
    let escaped = |byte: u8| match byte {
        b'"' | b'\\' => 2,
        0..=0x1f => 6,
        _ => 1,
    };
    text.bytes().map(escaped).sum()
}

/// The text of a line; `sum`, the checksum of the lines before it (0 for none), becomes its own.
pub(super) fn written(line: &Line, sum: &mut u64) -> Result<String, serde_json::Error> {
    let json = serde_json::to_string(line)?;
    *sum = chained(*sum, &json);
    Ok(format!("{sum:016x} {json}\n"))
}

/// Whole lines.
#[derive(Debug)]
pub(super) struct Whole {
    pub(super) lines: Vec<Line>,
    /// The checksum of all of them.
    pub(super) sum: u64,
    /// What follows these is no whole line.
    pub(super) bytes: usize,
}

/// All whole lines. Of one that is not as it was written the number is told.
pub(super) fn read(data: &[u8]) -> Result<Whole, String> {
    let bytes = data.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    let mut whole = Whole { lines: Vec::new(), sum: 0, bytes };
    let lines = data.get(..bytes).unwrap_or_default().split_inclusive(|byte| *byte == b'\n');
    for (number, line) in (1_usize..).zip(lines) {
        let parsed = str::from_utf8(line).ok().and_then(|line| parsed(line, whole.sum));
        let Some((line, sum)) = parsed else { return Err(format!("line {number} is not as it was written")) };
        whole.sum = sum;
        whole.lines.push(line);
    }
    Ok(whole)
}

fn parsed(line: &str, before: u64) -> Option<(Line, u64)> {
    let (sum, json) = line.strip_suffix('\n')?.split_once(' ')?;
    let sum = u64::from_str_radix(sum, 16).ok()?;
    if sum != chained(before, json) {
        return None;
    }
    Some((serde_json::from_str(json).ok()?, sum))
}

/// FNV-1a of the checksum before and the text.
fn chained(before: u64, text: &str) -> u64 {
    let step = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(FNV_PRIME);
    let begun = before.to_le_bytes().iter().fold(FNV_OFFSET, step);
    text.as_bytes().iter().fold(begun, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leg() -> Arc<Leg> {
        let call = |name: &str, arguments: &str| ToolCall { name: name.into(), arguments_json: arguments.into() };
        Arc::new(Leg::new(vec![call("add", "{\"n\" : 4}"), call("é\n", "\"\\\u{1}")], &[0, 0xab]))
    }

    fn text(lines: &[Line]) -> String {
        let mut sum = 0;
        lines.iter().map(|line| written(line, &mut sum).unwrap()).collect()
    }

    fn lines() -> Vec<Line> {
        vec![Line::Before(leg()), Line::Step(u64::MAX, leg()), Line::Snapshot("s_1".into())]
    }

    #[test]
    fn lines_come_back_to_the_letter() {
        let text = text(&lines());
        let whole = read(text.as_bytes()).unwrap();
        assert_eq!((whole.lines, whole.bytes), (lines(), text.len()));
        assert_eq!(leg().calls()[0].arguments_json, "{\"n\" : 4}");
        assert_eq!(leg().state_hash, "00ab");
    }

    #[test]
    fn a_torn_last_line_is_left_out() {
        let text = text(&lines());
        let whole = read(text.trim_end().as_bytes()).unwrap();
        assert_eq!(whole.lines, lines()[..2]);
        assert!(text.as_bytes()[..whole.bytes].ends_with(b"\n"));
        assert_eq!(read(b"").unwrap().bytes, 0);
    }

    #[test]
    fn a_change_of_any_byte_is_told() {
        let text = text(&lines());
        for place in 0..text.len() {
            let mut changed = text.clone().into_bytes();
            changed[place] ^= 1;
            let whole = read(&changed);
            assert!(whole.is_err() || whole.unwrap().lines.len() < 3, "byte {place}");
        }
        let swapped: String = text.lines().rev().map(|line| format!("{line}\n")).collect();
        assert_eq!(read(swapped.as_bytes()).unwrap_err(), "line 1 is not as it was written");
    }

    #[test]
    fn a_line_takes_no_more_than_is_said() {
        let mut sum = 0;
        let control: String = (0..0x80_u8).map(char::from).collect();
        let call = ToolCall { name: control.clone(), arguments_json: control };
        for leg in [Leg::new(vec![call; 9], &[7; 64]), Leg::new(Vec::new(), &[])] {
            let bytes = leg.bytes();
            let line = written(&Line::Step(u64::MAX, Arc::new(leg)), &mut sum).unwrap();
            assert!(line.len() <= bytes, "{} bytes: {line}", line.len());
        }
    }
}
