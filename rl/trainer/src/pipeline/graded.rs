//! From the rewards of a rollout to what is learnt from.

use super::draws;
use crate::advantage::AdvantageKind;
use crate::rollout::RolloutReport;
use crate::trajectory::Trajectory;
use std::collections::BTreeMap;

/// Rewards and advantages of all trajectories, in their order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Graded {
    pub rewards: Vec<f64>,
    pub advantages: Vec<f64>,
    /// Groups whose members were all worth the same: there is nothing to learn from them.
    pub equal_groups: Vec<u64>,
}

/// Holds each trajectory against its group. With `shuffled`, the (seed, step) of the negative control, rewards are
/// exchanged between all trajectories before.
#[must_use]
pub fn graded(trajectories: &[Trajectory], kind: AdvantageKind, shuffled: Option<(u64, u64)>) -> Graded {
    let mut rewards: Vec<f64> = trajectories.iter().map(Trajectory::reward).collect();
    if let Some((seed, step)) = shuffled {
        draws::shuffle(seed, step, &mut rewards);
    }
    let mut groups: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (index, trajectory) in trajectories.iter().enumerate() {
        groups.entry(trajectory.group).or_default().push(index);
    }
    let mut advantages = vec![0.0; rewards.len()];
    let mut equal_groups = Vec::new();
    for (group, members) in groups {
        let of_group: Vec<f64> = members.iter().map(|&member| rewards[member]).collect();
        let of_group = kind.of_group(&of_group);
        if of_group.iter().all(|advantage| *advantage == 0.0) {
            equal_groups.push(group);
        }
        for (member, advantage) in members.into_iter().zip(of_group) {
            advantages[member] = advantage;
        }
    }
    Graded { rewards, advantages, equal_groups }
}

/// Failures of environments by their class.
#[must_use]
pub fn failures(report: &RolloutReport) -> BTreeMap<String, u64> {
    report.failures.iter().map(|(class, failures)| ((*class).to_owned(), failures.count)).collect()
}
