//! What commands say: a reward as text for people and as JSON for programs, and errors.

use crate::exit_code::answer;
use crate::visible::{visible, visible_lines};
use rl_protocol::{DomainError, Evidence, Outcome, Reward};
use serde_json::Value;
use std::io::{BufWriter, Write as _};
use std::process::ExitCode;

/// Prints the reward; the exit code says whether there is a number.
pub(crate) fn print(reward: &Reward, as_json: bool) -> anyhow::Result<ExitCode> {
    say(&if as_json { serde_json::to_string_pretty(&json(reward)?)? } else { text(reward) })?;
    Ok(exit_code(reward))
}

pub(crate) fn exit_code(reward: &Reward) -> ExitCode {
    answer(reward.value().is_some())
}

/// For programs, with its hashes as `hex`.
pub(crate) fn json(reward: &Reward) -> serde_json::Result<Value> {
    let mut value = serde_json::to_value(reward)?;
    value["profile_hash"] = hex(&reward.profile_hash).into();
    value["scored_state_hash"] = hex(&reward.scored_state_hash).into();
    Ok(value)
}

/// Two lower-case digits a byte.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An error, on standard error.
pub(crate) fn complain(error: &anyhow::Error) {
    eprintln!("error: {}", visible(&told(error)));
}

/// With the nearest names, where a domain knows some.
fn told(error: &anyhow::Error) -> String {
    let nearest = error.chain().find_map(|cause| cause.downcast_ref::<DomainError>()).map(|error| &error.nearest);
    match nearest {
        Some(names) if !names.is_empty() => format!("{error:#}; the nearest are {}", names.join(", ")),
        _ => format!("{error:#}"),
    }
}

/// One text on standard output; a reader that has heard enough (`| head`) is no error.
pub(crate) fn say(text: &str) -> anyhow::Result<()> {
    writeln!(std::io::stdout(), "{text}").or_else(heard_enough)
}

/// Lines, each made when the one before it is written, until the reader has heard enough.
pub(crate) fn say_lines(lines: impl Iterator<Item = anyhow::Result<String>>) -> anyhow::Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for line in lines {
        if let Err(error) = writeln!(out, "{}", line?) {
            return heard_enough(error);
        }
    }
    out.flush().or_else(heard_enough)
}

fn heard_enough(error: std::io::Error) -> anyhow::Result<()> {
    if error.kind() == std::io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error.into()) }
}

fn text(reward: &Reward) -> String {
    let outcome = match &reward.outcome {
        Outcome::Value(value) => format!("reward {value:.4}  ({})", reward.profile_id),
        Outcome::Unscorable(why) => format!("no reward  ({:?}, {}): {}", why.class, why.code, why.message),
    };
    let mut lines = vec![outcome];
    lines.extend(reward.factors.iter().map(|factor| format!("  {:<12} {:.4}", factor.name, factor.value)));
    for gate in reward.gates.iter().filter(|gate| !gate.passed) {
        lines.push(format!("  gate {} failed", gate.name));
        lines.extend(gate.evidence.iter().map(evidence));
    }
    for component in &reward.components {
        let filled = (component.value * 20.0).round() as usize;
        let bar: String = (0..20).map(|cell| if cell < filled { '█' } else { '·' }).collect();
        lines.push(format!(
            "  {:<12} {bar} {:.4} ± {:.4}  weight {:.3}",
            component.name, component.value, component.uncertainty, component.weight
        ));
        lines.extend(component.evidence.iter().map(evidence));
        if component.truncated {
            lines.push("      … more".into());
        }
    }
    visible_lines(&lines)
}

fn evidence(item: &Evidence) -> String {
    let place = if item.pointer.is_empty() { String::new() } else { format!(" at {}", item.pointer) };
    let fix = if item.fix.is_empty() { String::new() } else { format!(" → {}", item.fix) };
    let (value, threshold) = (measured(item.value), measured(item.threshold));
    format!("      {}{place} [{value} {} against {threshold}]{fix}", item.message, item.unit)
}

/// A number of evidence, which has four digits already; what stands for infinity has three hundred.
pub(crate) fn measured(value: f64) -> String {
    if value.abs() < 1e9 { value.to_string() } else { format!("{value:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context as _;
    use rl_protocol::{Code, FailureClass, Gate, Unscorable};

    fn reward() -> Reward {
        let (class, code, message) = (FailureClass::Task, "X".into(), "no \u{1b}[31mmesh".into());
        let unscorable = Unscorable { class, code, message, retryable: false };
        Reward {
            profile_hash: vec![0x0a, 0xff],
            scored_state_hash: vec![0xb0, 0x01],
            ..Reward::unscorable("r3d/0", unscorable)
        }
    }

    #[test]
    fn an_error_names_the_nearest() {
        let error = DomainError::new(Code::NotFound, "TASK_NOT_FOUND", "no").nearest(vec!["a/b".into(), "a/c".into()]);
        let error = Err::<(), _>(error).context("cannot open").unwrap_err();
        assert_eq!(told(&error), "cannot open: TASK_NOT_FOUND: no; the nearest are a/b, a/c");
    }

    #[test]
    fn hashes_are_hexadecimal_for_programs() {
        let value = json(&reward()).unwrap();
        assert_eq!(value["profile_hash"], "0aff");
        assert_eq!(value["scored_state_hash"], "b001");
        assert_eq!(value["outcome"]["unscorable"]["code"], "X", "{value}");
    }

    #[test]
    fn names_in_evidence_neither_steer_the_terminal_nor_add_lines() {
        let evidence = Evidence { message: "leg\u{1b}[2J\nreward 1.0".into(), ..Evidence::default() };
        let (name, evidence, thresholds) = ("scale".into(), vec![evidence], Vec::new());
        let gate = Gate { name, passed: false, evidence, truncated: false, thresholds };
        let text = text(&Reward { gates: vec![gate], ..reward() });
        assert!(!text.contains('\u{1b}') && text.contains(r"leg\u{1b}[2J\nreward 1.0"), "{text}");
        assert_eq!(text.lines().count(), 3, "{text}");
    }

    #[test]
    fn numbers_of_evidence_are_short() {
        assert_eq!([measured(0.25), measured(-3.0), measured(f64::MAX)], ["0.25", "-3", "1.7976931348623157e308"]);
    }
}
