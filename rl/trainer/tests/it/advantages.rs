//! Advantages against golden values, their definitions, and what they must not do.

use maquette_train::advantage::{
    AdvantageKind, Component, GrpoNorm, combined_scores, dr_grpo, gae, gdpo, group_mean_batch_std, grpo, maxrl,
    reinforce_pp_baseline, rloo, soft_overlong_penalty, whiten,
};

use crate::numbers::{assert_near, numbers};
use crate::vectors::{flat, vectors};

const EXACT: f64 = 1e-12;

fn norm(ddof: u32, eps: f64) -> GrpoNorm {
    GrpoNorm { ddof, eps, ..GrpoNorm::default() }
}

#[test]
#[ignore = "needs MAQUETTE_DATA"]
fn group_advantages_are_the_golden_ones() {
    let groups = vectors()["A_outcome_advantages"].clone();
    for (name, golden) in groups.as_object().unwrap() {
        println!("{name}");
        let rewards = flat(&golden["rewards"]);
        assert_near(&dr_grpo(&rewards), &flat(&golden["dr_grpo"]), EXACT);
        assert_near(&grpo(&rewards, norm(1, 1e-6)), &flat(&golden["grpo_ddof1_eps1e-6"]), EXACT);
        assert_near(&grpo(&rewards, norm(1, 1e-4)), &flat(&golden["grpo_ddof1_eps1e-4"]), EXACT);
        assert_near(&grpo(&rewards, norm(0, 1e-6)), &flat(&golden["grpo_ddof0_eps1e-6"]), EXACT);
        assert_near(&rloo(&rewards), &flat(&golden["rloo"]), EXACT);
        assert_near(&maxrl(&rewards), &flat(&golden["maxrl"]), EXACT);
    }
}

#[test]
#[ignore = "needs MAQUETTE_DATA"]
fn batch_advantages_are_the_golden_ones() {
    let all = vectors();
    let golden = &all["A2_reinforce_pp_baseline"];
    let mask = golden["mask"].as_array().unwrap();
    let (mut sequence_of_token, mut truth) = (Vec::new(), Vec::new());
    for (sequence, (row, advantages)) in mask.iter().zip(golden["adv"].as_array().unwrap()).enumerate() {
        for (sampled, advantage) in flat(row).into_iter().zip(flat(advantages)) {
            if sampled == 1.0 {
                sequence_of_token.push(sequence);
                truth.push(advantage);
            }
        }
    }
    assert_near(&reinforce_pp_baseline(&dr_grpo(&flat(&golden["rewards"])), &sequence_of_token), &truth, EXACT);

    let golden = &all["A3_gdpo"];
    let component = |name: &str| Component {
        weight: golden["weights"][name].as_f64().unwrap(),
        values: flat(&golden["components"][name]),
    };
    let components = vec![component("correct"), component("cite")];
    let totals: Vec<f64> = (0..4).map(|i| components.iter().map(|part| part.weight * part.values[i]).sum()).collect();
    assert_near(&grpo(&totals, norm(1, 1e-4)), &flat(&golden["grpo_on_sum"]), EXACT);
    assert_near(&combined_scores(&components, norm(1, 1e-4)), &flat(&golden["pre_batch"]), EXACT);
    assert_near(&gdpo(&[components], norm(1, 1e-4)), &flat(&golden["adv"]), EXACT);
}

#[test]
#[ignore = "needs MAQUETTE_DATA"]
fn gae_and_overlong_penalties_are_the_golden_ones() {
    let all = vectors();
    let golden = &all["B_gae_tool_mask_skip"];
    let sampled: Vec<bool> = flat(&golden["mask"]).into_iter().map(|flag| flag == 1.0).collect();
    let (gamma, lambda) = (golden["gamma"].as_f64().unwrap(), golden["lam"].as_f64().unwrap());
    let ours = gae(&flat(&golden["rewards"]), &flat(&golden["values"]), &sampled, 0.0, gamma, lambda);
    assert_near(&ours.advantages, &flat(&golden["adv_raw_masked"]), EXACT);
    assert_near(&ours.returns, &flat(&golden["returns_masked"]), EXACT);
    let of_sampled = |entries: &[f64]| -> Vec<f64> {
        entries.iter().zip(&sampled).filter(|(_, sampled)| **sampled).map(|(entry, _)| *entry).collect()
    };
    let whitened = flat(&golden["adv_whitened"]);
    assert_near(&whiten(&of_sampled(&ours.advantages)), &of_sampled(&whitened), EXACT);

    let golden = &all["G_soft_overlong"];
    let (most, margin) = (golden["L_max"].as_u64().unwrap() as usize, golden["cache"].as_u64().unwrap() as usize);
    for (tokens, penalty) in golden["len->penalty"].as_object().unwrap() {
        let ours = soft_overlong_penalty(tokens.parse().unwrap(), most, margin);
        assert_near(&[ours], &[penalty.as_f64().unwrap()], EXACT);
    }
}

#[test]
fn rloo_is_the_distance_from_the_mean_of_the_others() {
    for seed in 0..50 {
        let rewards = numbers(seed, 2 + seed as usize % 9);
        let others = |i: usize| (rewards.iter().sum::<f64>() - rewards[i]) / (rewards.len() - 1) as f64;
        let truth: Vec<f64> = (0..rewards.len()).map(|i| rewards[i] - others(i)).collect();
        assert_near(&rloo(&rewards), &truth, 1e-14);
    }
}

#[test]
fn grpo_has_mean_0_and_spread_1_whatever_the_scale() {
    for seed in 0..50 {
        let rewards = numbers(seed, 2 + seed as usize % 9);
        let advantages = grpo(&rewards, norm(0, 0.0));
        let count = rewards.len() as f64;
        let squares: f64 = advantages.iter().map(|advantage| advantage * advantage).sum();
        assert_near(&[advantages.iter().sum::<f64>(), squares / count], &[0.0, 1.0], 1e-12);
        let other_unit: Vec<f64> = rewards.iter().map(|reward| 3.0 * reward + 7.0).collect();
        assert_near(&grpo(&other_unit, norm(0, 0.0)), &advantages, 1e-11);
    }
}

#[test]
fn equal_rewards_and_lone_ones_have_no_advantage_at_all() {
    let kinds = [AdvantageKind::Grpo, AdvantageKind::DrGrpo, AdvantageKind::Rloo];
    for reward in [0.0, 0.1, 0.35, 1.0 / 3.0, 0.7, 1.0] {
        for size in 0..20 {
            let rewards = vec![reward; size];
            let all: Vec<Vec<f64>> =
                kinds.iter().map(|kind| kind.of_group(&rewards)).chain([maxrl(&rewards)]).collect();
            assert!(all.iter().all(|advantages| *advantages == vec![0.0; size]), "{size} of {reward}: {all:?}");
        }
    }
}

#[test]
fn what_rounding_left_of_a_difference_is_not_blown_up() {
    let rewards = [0.35, 0.35, 0.35, 0.35 + 3e-4];
    assert!(grpo(&rewards, GrpoNorm::default()).iter().all(|advantage| advantage.abs() < 1e-3));
    let unguarded = grpo(&rewards, GrpoNorm { sigma_floor: 0.0, ..GrpoNorm::default() });
    assert!(unguarded.iter().any(|advantage| *advantage > 1.0));
}

#[test]
fn a_reward_that_is_no_number_is_absent() {
    let rewards = [1.0, f64::NAN, 0.0, f64::INFINITY, 0.25];
    for kind in [AdvantageKind::Grpo, AdvantageKind::DrGrpo, AdvantageKind::Rloo] {
        let of_the_others = kind.of_group(&[1.0, 0.0, 0.25]);
        let truth = [of_the_others[0], 0.0, of_the_others[1], 0.0, of_the_others[2]];
        assert_eq!(kind.of_group(&rewards), truth);
        assert_eq!(kind.of_group(&[f64::NAN, 1.0]), [0.0, 0.0]);
    }
}

#[test]
fn kinds_are_named_as_in_the_papers() {
    for (name, kind) in
        [("grpo", AdvantageKind::Grpo), ("dr_grpo", AdvantageKind::DrGrpo), ("rloo", AdvantageKind::Rloo)]
    {
        assert_eq!(serde_json::from_value::<AdvantageKind>(name.into()).unwrap(), kind);
    }
    assert!(serde_json::from_str::<GrpoNorm>(r#"{"dof": 1}"#).is_err());
}

#[test]
fn the_spread_of_a_batch_keeps_small_groups_small() {
    // All rewards together have mean 0.25 and, with n − 1, the variance 0.25.
    let groups = [vec![1.0, 0.0], vec![0.0, 0.0]];
    let advantages = group_mean_batch_std(&groups, norm(1, 0.0));
    assert_eq!(advantages, [[1.0, -1.0], [0.0, 0.0]]);
    let [wide, narrow] = [vec![1.0, 0.0], vec![0.52, 0.5]];
    let together = group_mean_batch_std(&[wide, narrow.clone()], norm(1, 0.0));
    assert!(together[1][0] < 0.05 && grpo(&narrow, norm(1, 0.0))[0] > 0.5, "{together:?}");
}

#[test]
fn components_survive_in_gdpo_where_their_sum_loses_them() {
    let part = |values: [f64; 2]| Component { weight: 1.0, values: values.to_vec() };
    let one = vec![part([0.0, 1.0]), part([0.0, 0.0])];
    let both = vec![part([0.0, 1.0]), part([0.0, 1.0])];
    assert_near(&grpo(&[0.0, 1.0], norm(1, 0.0)), &grpo(&[0.0, 2.0], norm(1, 0.0)), EXACT);
    let advantages = gdpo(&[one, both], norm(1, 1e-6));
    assert!(advantages[3] > 1.5 * advantages[1] && advantages[1] > 0.0, "{advantages:?}");
}

#[test]
fn gae_is_the_sum_of_rewards_at_lambda_1_and_one_step_at_lambda_0() {
    for seed in 0..20 {
        let (rewards, values, gamma) = (numbers(seed, 7), numbers(seed + 100, 7), 0.9);
        let last_value = 0.5;
        let far = gae(&rewards, &values, &[true; 7], last_value, gamma, 1.0);
        let near = gae(&rewards, &values, &[true; 7], last_value, gamma, 0.0);
        let mut discounted = last_value;
        let mut next = last_value;
        for t in (0..7).rev() {
            discounted = rewards[t] + gamma * discounted;
            assert_near(&[far.returns[t], far.advantages[t]], &[discounted, discounted - values[t]], EXACT);
            assert_near(&[near.advantages[t]], &[rewards[t] + gamma * next - values[t]], EXACT);
            next = values[t];
        }
    }
}

#[test]
fn tokens_that_were_not_sampled_change_nothing_in_gae() {
    let sampled = [false, true, true, false, false, true, false];
    let (rewards, values) = ([0.0, 0.1, 0.2, 0.0, 0.0, 1.0, 0.0], [9.0, 1.0, 2.0, -9.0, 99.0, 3.0, -99.0]);
    let alone = gae(&[0.1, 0.2, 1.0], &[1.0, 2.0, 3.0], &[true; 3], 0.25, 0.9, 0.8);
    let among = gae(&rewards, &values, &sampled, 0.25, 0.9, 0.8);
    let [first, second, third] = alone.advantages[..] else { panic!("{alone:?}") };
    assert_eq!(among.advantages, [0.0, first, second, 0.0, 0.0, third, 0.0]);
    let [first, second, third] = alone.returns[..] else { panic!("{alone:?}") };
    assert_eq!(among.returns, [0.0, first, second, 0.0, 0.0, third, 0.0]);

    // The reward of an episode arrives with the last result of a tool, after the policy's last token.
    let late = [0.0, 0.1, 0.0, 0.2, 0.0, 0.0, 1.0];
    assert_eq!(gae(&late, &values, &sampled, 0.25, 0.9, 0.8), among);
}

#[test]
fn whitened_values_have_mean_0_and_variance_1() {
    for seed in 0..20 {
        let whitened = whiten(&numbers(seed, 12));
        let squares: f64 = whitened.iter().map(|value| value * value).sum();
        assert_near(&[whitened.iter().sum::<f64>(), squares / 11.0], &[0.0, 1.0], 1e-6);
    }
    assert_eq!(whiten(&[0.1; 3]), [0.0; 3]);
    assert_eq!(whiten(&[4.0]), [0.0]);
}

#[test]
fn length_is_charged_from_the_margin_on() {
    let penalties: Vec<f64> = [10, 16, 17, 18, 20, 21].iter().map(|&n| soft_overlong_penalty(n, 20, 4)).collect();
    assert_eq!(penalties, [0.0, 0.0, -0.25, -0.5, -1.0, -1.0]);
    assert_eq!([20, 21].map(|tokens| soft_overlong_penalty(tokens, 20, 0)), [0.0, -1.0]);
}
