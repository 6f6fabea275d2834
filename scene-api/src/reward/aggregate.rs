//! R = G · T · min(Q, base + (1 − base)·c), and the failed gates' 0.05 · passed/all.

use super::profile::{Measure, Profile, Weighted};
use rl_protocol::{Factor, Gate};

/// Shares of the weighted mean over the measures in force; they sum to 1.
pub(crate) fn renormalised(in_force: &[Weighted]) -> Vec<Weighted> {
    let sum: f64 = in_force.iter().map(|weighted| weighted.weight).sum();
    in_force.iter().map(|weighted| Weighted { weight: weighted.weight / sum, ..*weighted }).collect()
}

/// The value in [0, 1] and its factors G, T, Q, c. `graded` holds each measure's share and value.
pub(crate) fn aggregate(
    profile: &Profile,
    gates: &[Gate],
    task_grade: f64,
    graded: &[(Measure, f64, f64)],
) -> (f64, Vec<Factor>) {
    let t = &profile.thresholds;
    let open = gates.iter().all(|gate| gate.passed);
    let log_mean: f64 = graded.iter().map(|(_, share, value)| share * libm::log(value.max(t.component_floor))).sum();
    let quality = libm::exp(log_mean).min(1.0);
    let cap = graded.iter().filter(|(measure, ..)| measure.caps()).map(|(_, _, value)| *value).fold(1.0, f64::min);
    let value = if open {
        task_grade * quality.min(t.cap_base + (1.0 - t.cap_base) * cap)
    } else {
        let passed = gates.iter().filter(|gate| gate.passed).count() as f64 / gates.len() as f64;
        t.failed_gate_reward * passed
    };
    let factor = |name: &str, value: f64| Factor { name: name.into(), value };
    let gate_factor = if open { 1.0 } else { 0.0 };
    let factors = vec![factor("G", gate_factor), factor("T", task_grade), factor("Q", quality), factor("c", cap)];
    (value.clamp(0.0, 1.0), factors)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(passed: bool) -> Gate {
        Gate { name: String::new(), passed, evidence: Vec::new() }
    }

    fn profile() -> Profile {
        Profile::by_id("r3d/0").unwrap()
    }

    #[test]
    fn a_single_zero_is_capped_at_a_quarter() {
        let graded = [(Measure::Overlap, 0.0, 0.0), (Measure::Normals, 1.0, 1.0)];
        assert_eq!(aggregate(&profile(), &[gate(true)], 1.0, &graded).0, 0.25);
    }

    #[test]
    fn bounds_do_not_cap() {
        let graded = [(Measure::Bounds, 0.05, 0.01), (Measure::Normals, 0.95, 1.0)];
        let value = aggregate(&profile(), &[gate(true)], 1.0, &graded).0;
        // 0.01^0.05
        assert!((value - 0.794_328).abs() < 1e-6, "{value}");
    }

    #[test]
    fn failed_gates_leave_a_twentieth() {
        let gates = [gate(true), gate(false), gate(true), gate(true)];
        let value = aggregate(&profile(), &gates, 1.0, &[(Measure::Mesh, 1.0, 1.0)]).0;
        assert!((value - 0.0375).abs() < 1e-15, "{value}");
    }

    #[test]
    fn weights_sum_to_one_over_the_mask() {
        let shares = renormalised(&Profile::by_id("r3d/0").unwrap().measures);
        assert!((shares.iter().map(|share| share.weight).sum::<f64>() - 1.0).abs() < 1e-12);
        assert!((shares[0].weight - 0.21 / 0.92).abs() < 1e-12);
    }
}
