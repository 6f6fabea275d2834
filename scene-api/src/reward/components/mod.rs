//! The quality components, one per file: each in [0, 1], with an uncertainty and its faults.

mod bounds;
mod lighting;
mod mesh;
mod normals;
mod overlap;
mod scale;
mod support;
mod visibility;

use super::evidence::Finding;
use super::input::Input;
use super::profile::Measure;
use super::sight::Sight;

#[derive(Debug, Clone)]
pub(crate) struct Measured {
    pub(crate) value: f64,
    /// Half-width of the error of `value`.
    pub(crate) uncertainty: f64,
    pub(crate) findings: Vec<Finding>,
    /// Something was left out of the measurement, and says so in `uncertainty`, or out of the findings.
    pub(crate) truncated: bool,
}

impl Measured {
    fn exact(value: f64, findings: Vec<Finding>) -> Self {
        Self { value, uncertainty: 0.0, findings, truncated: false }
    }
}

pub(crate) fn measure(measure: Measure, input: &Input<'_>, sight: &Sight) -> Measured {
    match measure {
        Measure::Overlap => overlap::measure(input),
        Measure::Normals => normals::measure(input),
        Measure::Mesh => mesh::measure(input),
        Measure::Visibility => visibility::measure(input, sight),
        Measure::Lighting => lighting::measure(input, sight),
        Measure::Support => support::measure(input),
        Measure::Bounds => bounds::measure(input),
        Measure::Scale => scale::measure(input),
    }
}

/// Mean of the `count` least values; 1 without values. So nothing good that is added makes up for a fault.
fn mean_of_least(mut values: Vec<f64>, count: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    values.truncate(count.max(1));
    mean(&values).unwrap_or(1.0)
}

fn mean(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / count)
}

/// 1 up to `full`, 0 from `zero` on, linear in between; also falling where `zero` < `full`. No negative zero.
pub(super) fn ramp(value: f64, full: f64, zero: f64) -> f64 {
    ((zero - value) / (zero - full)).clamp(0.0, 1.0) + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clean_additions_do_not_dilute_a_fault() {
        assert_eq!(mean_of_least(vec![1.0, 0.0, 1.0], 3), 2.0 / 3.0);
        assert_eq!(mean_of_least(vec![1.0, 0.0, 1.0, 1.0, 1.0, 1.0], 3), 2.0 / 3.0);
        assert_eq!(mean_of_least(Vec::new(), 3), 1.0);
    }

    #[test]
    fn ramps_rise_and_fall() {
        assert_eq!(ramp(1.5, 1.5, 4.0), 1.0);
        assert_eq!(ramp(2.75, 1.5, 4.0), 0.5);
        assert_eq!(ramp(0.25, 1.0, 0.0), 0.25);
    }
}
