//! GDPO (arXiv 2601.05242): components of a reward are normalised before they are added.
//!
//! A sum loses what it was made of: groups with totals {0, 1} and {0, 2} have the same GRPO advantages.

use super::group::{GrpoNorm, grpo};

/// One component of the rewards of a group.
#[derive(Debug, Clone, PartialEq)]
pub struct Component {
    pub weight: f64,
    /// One for each sample of the group, in the order of the samples.
    pub values: Vec<f64>,
}

/// Σ weight · [`grpo`] of each component, within one group. Components have equally many values.
pub fn combined_scores(components: &[Component], norm: GrpoNorm) -> Vec<f64> {
    let samples = components.first().map_or(0, |component| component.values.len());
    let mut sums = vec![0.0; samples];
    for component in components {
        for (sum, score) in sums.iter_mut().zip(grpo(&component.values, norm)) {
            *sum += component.weight * score;
        }
    }
    sums
}

/// [`combined_scores`] of each group, normalised once more over all samples of the batch; in the order of the groups.
pub fn gdpo(groups: &[Vec<Component>], norm: GrpoNorm) -> Vec<f64> {
    let scores: Vec<f64> = groups.iter().flat_map(|components| combined_scores(components, norm)).collect();
    grpo(&scores, norm)
}
