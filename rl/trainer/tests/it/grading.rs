//! From rewards to advantages, group by group.

use maquette_train::{
    advantage::AdvantageKind,
    pipeline::graded,
    trajectory::{Outcome, Trajectory},
};

/// Four groups of four.
fn trajectories(reward: impl Fn(u64, u32) -> f64) -> Vec<Trajectory> {
    let trajectory = |group: u64, member: u32| Trajectory {
        domain: "d".into(),
        task_id: format!("d/{group}"),
        group,
        member,
        tokens: Vec::new(),
        sampled: Vec::new(),
        temperature: 1.0,
        policy_version: 0,
        outcome: Outcome::Scored { reward: reward(group, member), components: Vec::new() },
        turns: 1,
        wall_secs: 0.0,
    };
    (0..16).map(|index| trajectory(index / 4, (index % 4) as u32)).collect()
}

#[test]
fn members_are_held_against_their_group() {
    let played = trajectories(|group, member| if group == 2 { 0.5 } else { f64::from(member) / 4.0 });
    let graded = graded(&played, AdvantageKind::DrGrpo, None);
    assert_eq!(graded.equal_groups, [2]);
    assert_eq!(graded.advantages[..4], [-0.375, -0.125, 0.125, 0.375]);
    assert_eq!(graded.advantages[8..12], [0.0; 4]);
}

#[test]
fn the_control_exchanges_rewards_and_invents_none() {
    let played = trajectories(|group, member| (group * 4 + u64::from(member)) as f64 / 16.0);
    let [plain, one, same, other] = [None, Some((7, 1)), Some((7, 1)), Some((7, 2))]
        .map(|shuffled| graded(&played, AdvantageKind::Rloo, shuffled).rewards);
    assert!(one == same && one != plain && one != other);
    let sorted = |mut rewards: Vec<f64>| {
        rewards.sort_by(f64::total_cmp);
        rewards
    };
    assert_eq!(sorted(one), sorted(plain));
}
