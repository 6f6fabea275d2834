//! What a run leaves in its folder. Transcript and calls are written as it goes, so that one that is interrupted leaves
//! them.

use crate::{files, report};
use anyhow::{Context, Result, ensure};
use rl_protocol::{Reward, ToolCall};
use serde_json::Value;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

const TRANSCRIPT: &str = "transcript.json";
const CALLS: &str = "calls.jsonl";
const REWARD: &str = "reward.json";
const SCENE: &str = "scene.glb";

pub(super) struct Record {
    folder: PathBuf,
    /// Task, seed, model and tools.
    about: Value,
}

impl Record {
    /// Leaves what is there.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub(super) fn begin(folder: &Path, about: Value) -> Result<Self> {
        for name in [TRANSCRIPT, CALLS, REWARD, SCENE] {
            files::make_writable(&folder.join(name))?;
        }
        Ok(Self { folder: folder.to_owned(), about })
    }

    /// Once the model has answered: a reward of an earlier run would look like this one's.
    pub(super) fn answered(&self) -> Result<()> {
        for name in [REWARD, SCENE] {
            forget(&self.folder.join(name))?;
        }
        files::write(&self.folder.join(CALLS), b"")
    }

    /// Every message in full, also those that were later sent shortened.
    pub(super) fn transcript(&self, messages: &[Value]) -> Result<()> {
        let mut transcript = self.about.clone();
        transcript["messages"] = messages.into();
        files::write(&self.folder.join(TRANSCRIPT), &serde_json::to_vec_pretty(&transcript)?)
    }

    /// A line of the log that `maquette play` takes.
    ///
    /// # Errors
    /// The log is gone: a new one would lack the calls before.
    pub(super) fn call(&self, call: &ToolCall) -> Result<()> {
        let line = serde_json::to_string(call)? + "\n";
        let path = self.folder.join(CALLS);
        let log = OpenOptions::new().append(true).open(&path);
        let written = log.and_then(|mut log| log.write_all(line.as_bytes()));
        written.with_context(|| format!("cannot write {}", path.display()))
    }

    /// # Errors
    /// It cannot be written, or the log that earned it is gone.
    pub(super) fn reward(&self, reward: &Reward) -> Result<()> {
        let log = self.folder.join(CALLS);
        ensure!(log.is_file(), "{} is gone: the reward has no log of its calls", log.display());
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
        let read = |name: &str| std::fs::read_to_string(out.join(name));
        for name in [REWARD, CALLS, SCENE] {
            files::write(&out.join(name), b"old").unwrap();
        }
        let record = Record::begin(&out, json!({ "task": "scene/table" })).unwrap();
        assert_eq!([REWARD, CALLS, SCENE].map(|name| read(name).unwrap()), ["old"; 3], "nothing has been answered yet");
        record.answered().unwrap();
        let calls = ["{\"a\":1}", "{"].map(|text| ToolCall { name: "x".into(), arguments_json: text.into() });
        for call in &calls {
            record.call(call).unwrap();
        }
        record.transcript(&[json!({ "role": "user" })]).unwrap();

        assert_eq!(ToolCall::from_log(&read(CALLS).unwrap()).unwrap(), calls);
        let transcript: Value = serde_json::from_str(&read(TRANSCRIPT).unwrap()).unwrap();
        assert_eq!(transcript, json!({ "task": "scene/table", "messages": [{ "role": "user" }] }));
        assert!(read(REWARD).is_err() && read(SCENE).is_err());

        std::fs::remove_file(out.join(CALLS)).unwrap();
        let error = record.call(&calls[0]).unwrap_err().to_string();
        assert!(error.contains("cannot write") && error.contains(CALLS), "{error}");
    }
}
