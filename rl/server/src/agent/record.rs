//! What a run leaves in its folder. Transcript and calls are written as it goes, so that one that is interrupted leaves
//! them.

use crate::{files, report};
use anyhow::{Context, Result};
use rl_protocol::{Reward, ToolCall};
use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

const TRANSCRIPT: &str = "transcript.json";
const CALLS: &str = "calls.jsonl";
const REWARD: &str = "reward.json";

pub(super) struct Record {
    folder: PathBuf,
    /// Task, seed, model and tools.
    about: Value,
    calls: File,
}

impl Record {
    /// # Errors
    /// The folder cannot be written.
    pub(super) fn begin(folder: &Path, about: Value) -> Result<Self> {
        // A reward of an earlier run would look like this one's.
        for name in [REWARD, "scene.glb"] {
            forget(&folder.join(name))?;
        }
        let path = folder.join(CALLS);
        files::write(&path, b"")?;
        let calls = OpenOptions::new().append(true).open(&path);
        let calls = calls.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { folder: folder.to_owned(), about, calls })
    }

    /// Every message in full, also those that were later sent shortened.
    pub(super) fn transcript(&self, messages: &[Value]) -> Result<()> {
        let mut transcript = self.about.clone();
        transcript["messages"] = messages.into();
        files::write(&self.folder.join(TRANSCRIPT), &serde_json::to_vec_pretty(&transcript)?)
    }

    /// A line of the log that `maquette play` takes.
    pub(super) fn call(&mut self, call: &ToolCall) -> Result<()> {
        let line = serde_json::to_string(call)?;
        writeln!(self.calls, "{line}").with_context(|| format!("cannot write {CALLS}"))
    }

    pub(super) fn reward(&self, reward: &Reward) -> Result<()> {
        let json = serde_json::to_vec_pretty(&report::json(reward)?)?;
        files::write(&self.folder.join(REWARD), &json)
    }
}

fn forget(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_run_leaves_what_it_has_so_far_and_nothing_of_an_earlier_one() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        for name in [REWARD, CALLS] {
            files::write(&out.join(name), b"old").unwrap();
        }
        let mut record = Record::begin(&out, json!({ "task": "scene/table" })).unwrap();
        let calls = ["{\"a\":1}", "{"].map(|text| ToolCall { name: "x".into(), arguments_json: text.into() });
        for call in &calls {
            record.call(call).unwrap();
        }
        record.transcript(&[json!({ "role": "user" })]).unwrap();

        let read = |name: &str| std::fs::read_to_string(out.join(name));
        assert_eq!(ToolCall::from_log(&read(CALLS).unwrap()).unwrap(), calls);
        let transcript: Value = serde_json::from_str(&read(TRANSCRIPT).unwrap()).unwrap();
        assert_eq!(transcript, json!({ "task": "scene/table", "messages": [{ "role": "user" }] }));
        assert!(read(REWARD).is_err());
    }
}
