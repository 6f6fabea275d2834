//! R = G · T · min(Q, base + (1 − base)·c), and the failed gates' 0.05 · passed/all.

use super::profile::{Measure, Weighted};
use super::thresholds::Thresholds;
use rl_protocol::{Factor, Gate};

/// Shares of the weighted mean over the measures in force; they sum to 1.
pub(crate) fn renormalised(in_force: &[Weighted]) -> Vec<Weighted> {
    let sum: f64 = in_force.iter().map(|weighted| weighted.weight).sum();
    in_force.iter().map(|weighted| Weighted { weight: weighted.weight / sum, ..*weighted }).collect()
}

/// What the components came to.
pub(crate) struct Graded {
    /// T
    pub(crate) task: f64,
    /// Each measure's share of the weights and its value.
    pub(crate) measures: Vec<(Measure, f64, f64)>,
}

/// The value in [0, 1] and its factors G, T, Q, c; only G, which is 0, where nothing could be measured.
pub(crate) fn aggregate(t: &Thresholds, gates: &[Gate], graded: Option<&Graded>) -> (f64, Vec<Factor>) {
    let factor = |name: &str, value: f64| Factor { name: name.into(), value };
    let open = gates.iter().all(|gate| gate.passed);
    let passed = gates.iter().filter(|gate| gate.passed).count() as f64 / gates.len().max(1) as f64;
    let closed = t.failed_gate_reward * passed;
    let Some(Graded { task, measures }) = graded else { return (closed, vec![factor("G", 0.0)]) };
    let log_mean: f64 = measures.iter().map(|(_, share, value)| share * libm::log(value.max(t.component_floor))).sum();
    let quality = libm::exp(log_mean).min(1.0);
    let cap = measures.iter().filter(|(measure, ..)| measure.caps()).map(|(_, _, value)| *value).fold(1.0, f64::min);
    let value = if open { task * quality.min(t.cap_base + (1.0 - t.cap_base) * cap) } else { closed };
    let gate_factor = if open { 1.0 } else { 0.0 };
    let factors = vec![factor("G", gate_factor), factor("T", *task), factor("Q", quality), factor("c", cap)];
    (value.clamp(0.0, 1.0), factors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reward::Profile;

    fn gate(passed: bool) -> Gate {
        Gate { name: String::new(), passed, evidence: Vec::new(), truncated: false, thresholds: Vec::new() }
    }

    fn value(gates: &[Gate], measures: &[(Measure, f64, f64)]) -> f64 {
        aggregate(&Thresholds::default(), gates, Some(&Graded { task: 1.0, measures: measures.to_vec() })).0
    }

    #[test]
    fn a_single_zero_is_capped_at_a_quarter() {
        assert_eq!(value(&[gate(true)], &[(Measure::Overlap, 0.0, 0.0), (Measure::Normals, 1.0, 1.0)]), 0.25);
    }

    #[test]
    fn bounds_do_not_cap() {
        let found = value(&[gate(true)], &[(Measure::Bounds, 0.05, 0.01), (Measure::Normals, 0.95, 1.0)]);
        // 0.01^0.05
        assert!((found - 0.794_328).abs() < 1e-6, "{found}");
    }

    #[test]
    fn failed_gates_leave_a_twentieth() {
        let gates = [gate(true), gate(false), gate(true), gate(true)];
        let found = value(&gates, &[(Measure::Mesh, 1.0, 1.0)]);
        assert!((found - 0.0375).abs() < 1e-15, "{found}");
    }

    #[test]
    fn what_was_not_measured_is_no_factor() {
        let (value, factors) = aggregate(&Thresholds::default(), &[gate(true), gate(false)], None);
        assert_eq!((value, factors.len(), factors[0].name.as_str()), (0.025, 1, "G"));
    }

    #[test]
    fn weights_sum_to_one_over_the_mask() {
        let shares = renormalised(&Profile::by_id("r3d/0").unwrap().measures);
        assert!((shares.iter().map(|share| share.weight).sum::<f64>() - 1.0).abs() < 1e-12);
        assert!((shares[0].weight - 0.21 / 0.92).abs() < 1e-12);
    }
}
