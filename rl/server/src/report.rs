//! What commands say on standard output: a reward as text for people and as JSON for programs.

use rl_protocol::{Evidence, Outcome, Reward};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;

/// Prints the reward; the exit code is 0 when there is a number and 1 when there is none.
pub(crate) fn print(reward: &Reward, json: bool) -> anyhow::Result<ExitCode> {
    say(&if json { serde_json::to_string_pretty(reward)? } else { text(reward) })?;
    Ok(exit_code(reward))
}

pub(crate) fn exit_code(reward: &Reward) -> ExitCode {
    if reward.value().is_some() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// One text on standard output; a reader that has heard enough (`| head`) is no error.
pub(crate) fn say(text: &str) -> anyhow::Result<()> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

fn text(reward: &Reward) -> String {
    let mut out = match &reward.outcome {
        Outcome::Value(value) => format!("reward {value:.4}  ({})\n", reward.profile_id),
        Outcome::Unscorable(why) => {
            format!("no reward  ({:?}, {}): {}\n", why.class, why.code, why.message)
        }
    };
    for factor in &reward.factors {
        let _ = writeln!(out, "  {:<12} {:.4}", factor.name, factor.value);
    }
    for gate in reward.gates.iter().filter(|gate| !gate.passed) {
        let _ = writeln!(out, "  gate {} failed", gate.name);
        evidence(&mut out, &gate.evidence);
    }
    for component in &reward.components {
        let filled = (component.value * 20.0).round() as usize;
        let bar: String = (0..20).map(|cell| if cell < filled { '█' } else { '·' }).collect();
        let _ = writeln!(
            out,
            "  {:<12} {bar} {:.4} ± {:.4}  weight {:.3}",
            component.name, component.value, component.uncertainty, component.weight
        );
        evidence(&mut out, &component.evidence);
        if component.truncated {
            let _ = writeln!(out, "      … more");
        }
    }
    out.trim_end().into()
}

fn evidence(out: &mut String, list: &[Evidence]) {
    for item in list {
        let place = if item.pointer.is_empty() { String::new() } else { format!(" at {}", item.pointer) };
        let _ = writeln!(
            out,
            "      {}{place} [{} {} against {}]{}",
            item.message,
            measured(item.value),
            item.unit,
            measured(item.threshold),
            if item.fix.is_empty() { String::new() } else { format!(" → {}", item.fix) }
        );
    }
}

/// A number of evidence, which has four digits already; what stands for infinity has three hundred.
pub(crate) fn measured(value: f64) -> String {
    if value.abs() < 1e9 { value.to_string() } else { format!("{value:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_evidence_are_short() {
        assert_eq!([measured(0.25), measured(-3.0), measured(f64::MAX)], ["0.25", "-3", "1.7976931348623157e308"]);
    }
}
