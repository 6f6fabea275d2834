//! What commands say: a reward as text for people and as JSON for programs, and remarks on pictures.

use rl_protocol::{Evidence, Outcome, Reward};
use scene_document::gltf::NotEvaluated;
use std::collections::BTreeMap;
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
            item.value,
            item.unit,
            item.threshold,
            if item.fix.is_empty() { String::new() } else { format!(" → {}", item.fix) }
        );
    }
}

/// A line per feature of a file that pictures and scores leave out, in the order of their names.
pub(crate) fn not_evaluated(features: &[NotEvaluated]) -> Vec<String> {
    let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    // Node visibility is obeyed.
    for feature in features.iter().filter(|feature| feature.what != "KHR_node_visibility") {
        places.entry(feature.what).or_default().push(&feature.pointer);
    }
    let line = |(what, places): (&str, Vec<&str>)| match places.as_slice() {
        [first, _, ..] => format!("{what} is not evaluated ({first} and {} more)", places.len() - 1),
        places => format!("{what} is not evaluated ({})", places.concat()),
    };
    places.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_named_once_with_its_first_place() {
        let features = [("weights", "/meshes/0/weights"), ("skin", "/nodes/1/skin"), ("skin", "/nodes/2/skin")];
        let features = features.map(|(what, pointer)| NotEvaluated { what, pointer: pointer.into() });
        let expected =
            ["skin is not evaluated (/nodes/1/skin and 1 more)", "weights is not evaluated (/meshes/0/weights)"];
        assert_eq!(not_evaluated(&features), expected);
    }
}
