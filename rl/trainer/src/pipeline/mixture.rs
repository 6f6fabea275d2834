//! Sources of tasks side by side.

/// The source whose share of the weights holds `draw`, a number in [0, 1).
#[must_use]
pub fn source(weights: &[f64], draw: f64) -> usize {
    let total: f64 = weights.iter().sum();
    let mut below = 0.0;
    let held = weights.iter().position(|weight| {
        below += weight;
        below > draw * total
    });
    // Rounding can leave the last one short.
    held.or_else(|| weights.iter().rposition(|weight| *weight > 0.0)).unwrap_or(0)
}
