//! Evidence: the ten worst faults of a component, with numbers that a model can read.

use crate::measured::four_digits;
use rl_protocol::Evidence;

/// Kept per component or gate.
const WORST: usize = 10;
/// Stands for what has no finite number.
const LARGEST: f64 = 1e300;

/// A fault and how bad it is; larger is worse.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub(crate) badness: f64,
    pub(crate) evidence: Evidence,
}

/// The worst first, numbers rounded; ties keep their order. The flag says that some were left out.
pub(crate) fn worst(mut findings: Vec<Finding>) -> (Vec<Evidence>, bool) {
    findings.sort_by(|a, b| b.badness.total_cmp(&a.badness));
    let truncated = findings.len() > WORST;
    findings.truncate(WORST);
    (findings.into_iter().map(|finding| readable(finding.evidence)).collect(), truncated)
}

fn readable(evidence: Evidence) -> Evidence {
    let shown: fn(f64) -> f64 = if evidence.unit == "m" { metres } else { rounded };
    Evidence {
        value: shown(evidence.value),
        threshold: shown(evidence.threshold),
        position_m: evidence.position_m.map(|position| position.map(metres)),
        ..evidence
    }
}

/// Four significant digits; no infinities, which JSON cannot hold.
pub(crate) fn rounded(value: f64) -> f64 {
    if value.is_finite() { four_digits(value) } else { value.clamp(-LARGEST, LARGEST).max(-LARGEST) }
}

/// Whole micrometres, so that rounding of stored numbers does not show.
pub(crate) fn micrometres(length_m: f64) -> f64 {
    (length_m * 1e6).round() / 1e6 + 0.0
}

/// Four significant digits of whole micrometres.
pub(crate) fn metres(length_m: f64) -> f64 {
    rounded(micrometres(length_m))
}

/// The same in millimetres, e.g. `20 mm`.
pub(crate) fn millimetres(length_m: f64) -> String {
    format!("{} mm", rounded(micrometres(length_m) * 1000.0))
}

/// `[0, -0.02, 0]`, metres (or a colour) to four significant digits.
pub(crate) fn vector(v: [f64; 3]) -> String {
    let [x, y, z] = v.map(metres);
    format!("[{x}, {y}, {z}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_significant_digits_are_kept() {
        assert_eq!(rounded(0.020_000_000_3), 0.02);
        assert_eq!(rounded(-1234.56), -1235.0);
        assert!(rounded(f64::NAN).is_finite());
        assert!(rounded(f64::INFINITY).is_finite());
        assert_eq!(vector([0.0, -0.020_000_000_3, -2e-8]), "[0, -0.02, 0]");
        assert_eq!(millimetres(0.000_300_04), "0.3 mm");
    }
}
