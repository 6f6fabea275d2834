//! An export: a header, the steps of one way, and how many lines these are.

use super::lines::{Header, Leg, Line, Origin, VERSION, read, written};
use crate::{Code, DomainError};
use std::sync::Arc;

/// What the bytes of an export say.
pub(crate) struct Export {
    pub(crate) origin: Arc<Origin>,
    /// From the opening on.
    pub(crate) legs: Vec<Arc<Leg>>,
    /// The checksum of all of it.
    pub(crate) sum: u64,
}

/// `legs` from the opening on. Equal for equal ways.
pub(crate) fn write_export(origin: Arc<Origin>, legs: &[Arc<Leg>]) -> Result<Vec<u8>, DomainError> {
    let header = Line::Header(Header { version: VERSION, origin, session: None });
    let mut lines = vec![header];
    lines.extend(legs.iter().map(|leg| Line::Before(Arc::clone(leg))));
    lines.push(Line::End(count(&lines)));
    let (mut sum, mut text) = (0, String::new());
    for line in &lines {
        let line = written(line, &mut sum)
            .map_err(|error| DomainError::new(Code::Internal, "EXPORT_FAILED", error.to_string()))?;
        text.push_str(&line);
    }
    Ok(text.into_bytes())
}

/// `InvalidArgument`, field `data`, where it is cut short, changed, of another version, or no export at all.
pub(crate) fn read_export(data: &[u8]) -> Result<Export, DomainError> {
    let whole = read(data).map_err(damaged)?;
    let mut lines = whole.lines;
    let last = lines.pop();
    if whole.bytes != data.len() || last != Some(Line::End(count(&lines))) {
        return Err(damaged("the end is missing"));
    }
    let mut lines = lines.into_iter();
    let origin = match lines.next() {
        Some(Line::Header(Header { version: VERSION, origin, session: None })) => origin,
        Some(Line::Header(header)) => {
            return Err(damaged(format!("it is of version {}; this server reads version {VERSION}", header.version)));
        }
        _ => return Err(damaged("the header is missing")),
    };
    let leg = |line| match line {
        Line::Before(leg) => Ok(leg),
        _ => Err(damaged("a line is no step")),
    };
    Ok(Export { origin, legs: lines.map(leg).collect::<Result<_, _>>()?, sum: whole.sum })
}

fn damaged(problem: impl Into<String>) -> DomainError {
    let message = format!("no whole export: {}", problem.into());
    DomainError::new(Code::InvalidArgument, "EXPORT_DAMAGED", message).field("data")
}

fn count(lines: &[Line]) -> u64 {
    u64::try_from(lines.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OpenSpec, ToolCall};

    fn export() -> Vec<u8> {
        let tool_groups = vec!["scale".into()];
        let spec = OpenSpec { task_id: "counter/x".into(), count: 1, seed: u64::MAX, profile: None, tool_groups };
        let call = ToolCall { name: "add".into(), arguments_json: "{}".into() };
        let legs = [Arc::new(Leg::new(vec![call], &[1]))];
        write_export(Arc::new(Origin::new("counter", &spec, &[0])), &legs).unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        let Export { origin, legs, .. } = read_export(&export()).unwrap();
        assert_eq!((origin.domain.as_str(), origin.seed, origin.state_hash.as_str()), ("counter", u64::MAX, "00"));
        assert_eq!(origin.spec().tool_groups, ["scale"]);
        assert_eq!((legs.len(), legs[0].state_hash.as_str()), (1, "01"));
    }

    #[test]
    fn what_is_cut_short_is_refused() {
        let export = export();
        for end in 0..export.len() {
            let error = read_export(&export[..end]).err().unwrap();
            assert_eq!((error.code, error.field.as_str()), (Code::InvalidArgument, "data"), "{end} bytes");
        }
        assert!(read_export(&[export, b"x".to_vec()].concat()).is_err());
    }
}
