//! Expected gradients by going through every sample that a small policy can give.

use std::iter::repeat_n;

use maquette_train::advantage::{GrpoNorm, dr_grpo, grpo, rloo};
use maquette_train::loss::{Aggregation, KlEstimator, kl, masked_log_probs, reinforce, token_weights};
use tch::{Kind, Tensor};

use crate::derivatives::gradient;
use crate::numbers::{assert_near, assert_near_relative, list, numbers};

/// Every sequence of a policy with parameters `theta`, a row each: log-probabilities of its tokens.
type Policy = fn(&Tensor) -> Tensor;

/// `theta [3]` are the logits of the only token: `[3, 1]`.
pub(crate) fn one_token(theta: &Tensor) -> Tensor {
    let everything = Tensor::from_slice(&[true; 9]).reshape([3, 3]);
    let rows = theta.unsqueeze(0).expand([3, 3], false);
    masked_log_probs(&rows, &everything, 1.0, &Tensor::from_slice(&[0_i64, 1, 2])).unsqueeze(-1)
}

/// `theta [4, 3]`: logits of the first token, and of the second after each first. At temperature 0.7, and after a first
/// token 1 the second may not be 2. `[9, 2]`.
fn two_tokens(theta: &Tensor) -> Tensor {
    let mut allowed = [true; 12];
    allowed[2 * 3 + 2] = false;
    let allowed = Tensor::from_slice(&allowed).reshape([4, 3]);
    let first = Tensor::from_slice(&[0_i64, 0, 0, 1, 1, 1, 2, 2, 2]);
    let second = Tensor::from_slice(&[0_i64, 1, 2, 0, 1, 2, 0, 1, 2]);
    let rows = Tensor::stack(&[first.zeros_like(), &first + 1_i64], 1).flatten(0, -1);
    let tokens = Tensor::stack(&[first, second], 1).flatten(0, -1);
    masked_log_probs(&theta.index_select(0, &rows), &allowed.index_select(0, &rows), 0.7, &tokens).reshape([9, 2])
}

fn of_sequences(log_probs: &Tensor) -> Tensor {
    log_probs.sum_dim_intlist(-1_i64, false, Kind::Double)
}

/// ∇J of J = Σ π(y)·r(y).
fn true_gradient(theta: &Tensor, policy: Policy, rewards: &[f64]) -> Vec<f64> {
    gradient(theta, |theta| (of_sequences(&policy(theta)).exp() * Tensor::from_slice(rewards)).sum(Kind::Double))
}

/// Mean over all groups of `group` samples, each with its chance, of the direction in which a step on the group goes.
pub(crate) fn expected_policy_gradient(
    theta: &Tensor,
    policy: Policy,
    rewards: &[f64],
    group: u32,
    advantage: fn(&[f64]) -> Vec<f64>,
    aggregation: Aggregation,
) -> Vec<f64> {
    let loss = |theta: &Tensor| {
        let log_probs = policy(theta);
        let chances = list(&of_sequences(&log_probs).exp());
        let (sequences, tokens) = (rewards.len(), log_probs.size()[1] as usize);
        let sequence_of_token: Vec<usize> = (0..group as usize).flat_map(|member| repeat_n(member, tokens)).collect();
        let weights = Tensor::from_slice(&token_weights(aggregation, &sequence_of_token, group as usize));
        let mut total = Tensor::from(0.0_f64);
        for choice in 0..sequences.pow(group) {
            let members: Vec<usize> = (0..group).map(|place| choice / sequences.pow(place) % sequences).collect();
            let chance: f64 = members.iter().map(|&member| chances[member]).product();
            if chance > 0.0 {
                let advantages = advantage(&members.iter().map(|&member| rewards[member]).collect::<Vec<_>>());
                let advantages: Vec<f64> = advantages.into_iter().flat_map(|one| repeat_n(one, tokens)).collect();
                let index: Vec<i64> = members.iter().map(|&member| member as i64).collect();
                let sampled = log_probs.index_select(0, &Tensor::from_slice(&index)).flatten(0, -1);
                let losses = reinforce(&sampled, &Tensor::from_slice(&advantages)) * &weights;
                total += losses.sum(Kind::Double) * chance;
            }
        }
        total
    };
    gradient(theta, loss).into_iter().map(|slope| -slope).collect()
}

/// Mean over samples of the policy `theta_old` of the gradient of the estimator as a loss.
pub(crate) fn expected_kl_gradient(
    theta: &Tensor,
    theta_old: &Tensor,
    reference: &Tensor,
    estimator: KlEstimator,
) -> Vec<f64> {
    let [log_old, log_ref] = [theta_old, reference].map(|logits| logits.log_softmax(-1, Kind::Double));
    gradient(theta, |theta| {
        let losses = kl(estimator, &theta.log_softmax(-1, Kind::Double), &log_old, &log_ref);
        (losses * log_old.exp()).sum(Kind::Double)
    })
}

fn exact_kl(from: &Tensor, to: &Tensor) -> Tensor {
    let [from, to] = [from, to].map(|logits| logits.log_softmax(-1, Kind::Double));
    (from.exp() * (&from - to)).sum(Kind::Double)
}

fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

fn table(seed: u64) -> (Tensor, Vec<f64>) {
    let theta = Tensor::from_slice(&numbers(seed, 12)).reshape([4, 3]);
    (theta, numbers(seed + 100, 9).into_iter().map(|number| 0.5 + 0.5 * number).collect())
}

#[test]
fn rloo_follows_the_true_gradient_in_the_mean() {
    for seed in 0..3 {
        let (theta, rewards) = table(seed);
        let truth = true_gradient(&theta, two_tokens, &rewards);
        for group in [2, 3] {
            let sum = Aggregation::SeqMeanTokenSum;
            let ours = expected_policy_gradient(&theta, two_tokens, &rewards, group, rloo, sum);
            assert_near_relative(&ours, &truth, 1e-11);
        }
    }
}

#[test]
fn dr_grpo_follows_it_shortened_by_one_in_the_group_and_by_the_length() {
    let (theta, rewards) = table(7);
    let truth = true_gradient(&theta, two_tokens, &rewards);
    for group in [2, 3] {
        let constant = Aggregation::DrGrpo { length: 5.0 };
        let ours = expected_policy_gradient(&theta, two_tokens, &rewards, group, dr_grpo, constant);
        let share = f64::from(group - 1) / f64::from(group) / 5.0;
        let shortened: Vec<f64> = truth.iter().map(|slope| slope * share).collect();
        assert_near_relative(&ours, &shortened, 1e-11);
    }
}

#[test]
fn grpo_divided_by_the_spread_goes_elsewhere() {
    let (theta, rewards) = table(7);
    let truth = true_gradient(&theta, two_tokens, &rewards);
    let towards = |advantage: fn(&[f64]) -> Vec<f64>| {
        let ours = expected_policy_gradient(&theta, two_tokens, &rewards, 3, advantage, Aggregation::SeqMeanTokenSum);
        cosine(&ours, &truth)
    };
    assert!(towards(dr_grpo) > 1.0 - 1e-12);
    let grpo = towards(|rewards| grpo(rewards, GrpoNorm::default()));
    assert!((0.5..0.9999).contains(&grpo), "cosine {grpo}");
}

#[test]
fn kl_estimators_follow_what_their_docs_say() {
    for seed in 0..5 {
        let [theta, theta_old, reference] = [0, 50, 100].map(|more| Tensor::from_slice(&numbers(seed + more, 5)));
        let reverse = gradient(&theta, |theta| exact_kl(theta, &reference));
        let forward = gradient(&theta, |theta| exact_kl(&reference, theta));
        let on_policy = |estimator| expected_kl_gradient(&theta, &theta, &reference, estimator);
        assert_near(&on_policy(KlEstimator::K1), &[0.0; 5], 1e-14);
        assert_near_relative(&on_policy(KlEstimator::K2), &reverse, 1e-11);
        assert_near_relative(&on_policy(KlEstimator::K3), &forward, 1e-11);
        assert_near_relative(&on_policy(KlEstimator::RatioK3), &reverse, 1e-11);
        assert_near_relative(
            &expected_kl_gradient(&theta, &theta_old, &reference, KlEstimator::RatioK3),
            &reverse,
            1e-11,
        );
        assert!(cosine(&reverse, &forward) < 0.9999, "the directions must differ to be told apart");
    }
}
