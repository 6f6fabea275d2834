//! Generalised advantage estimation over the tokens that the policy sampled.

/// Both have an entry for each token; it is 0 where the token was not sampled.
#[derive(Debug, Clone, PartialEq)]
pub struct Gae {
    pub advantages: Vec<f64>,
    /// Advantage + value: what the value head is trained towards.
    pub returns: Vec<f64>,
}

/// δ = r + γV′ − V and A = δ + γλA′, where ′ is the next *sampled* token (Schulman et al., arXiv 1506.02438).
///
/// Tokens that were not sampled (prompts, tool results, what a grammar forced) take no step of time and their values are
/// never read. A reward that falls on one belongs to the sampled token before it. `last_value`: V of what follows the
/// last token, 0 if the episode ended there. The slices are equally long, one entry a token, oldest first.
pub fn gae(rewards: &[f64], values: &[f64], sampled: &[bool], last_value: f64, gamma: f64, lambda: f64) -> Gae {
    let (mut next_value, mut next_advantage, mut later_reward) = (last_value, 0.0, 0.0);
    let mut newest_first = Vec::with_capacity(rewards.len());
    for ((&reward, &value), &sampled) in rewards.iter().zip(values).zip(sampled).rev() {
        if sampled {
            let delta = reward + later_reward + gamma * next_value - value;
            let advantage = delta + gamma * lambda * next_advantage;
            newest_first.push((advantage, advantage + value));
            (next_value, next_advantage, later_reward) = (value, advantage, 0.0);
        } else {
            newest_first.push((0.0, 0.0));
            later_reward += reward;
        }
    }
    let (advantages, returns) = newest_first.into_iter().rev().unzip();
    Gae { advantages, returns }
}
