//! Losses against golden values and values by hand.

use std::f64::consts::LN_2;

use maquette_train::loss::{
    Aggregation, CispoClip, Clip, KlEstimator, cispo, gspo, kl, masked_entropy, masked_log_probs, ppo_clip, reinforce,
    token_weights, truncated_importance, value_loss,
};
use serde_json::Value;
use tch::{Kind, Tensor};

use crate::derivatives::gradient;
use crate::enumeration::{expected_kl_gradient, expected_policy_gradient, one_token};
use crate::numbers::{assert_near, list};
use crate::vectors::{flat, vectors};

const EXACT: f64 = 1e-12;
const CLIP_HIGHER: Clip = Clip { low: 0.2, high: 0.28, dual: None };
const DUAL: Clip = Clip { low: 0.2, high: 0.2, dual: Some(3.0) };
const TWO_SIDED: CispoClip = CispoClip::TwoSided { low: 0.2, high: 0.2 };

/// Log-probabilities, those before, and advantages of three tokens with the ratios 0.5, 1 and 10.
fn three_tokens() -> [Tensor; 3] {
    let log_old = Tensor::from_slice(&[-1.0, -1.0, -3.0]);
    let log_prob = &log_old + Tensor::from_slice(&[0.5, 1.0, 10.0]).log();
    [log_prob, log_old, Tensor::from_slice(&[1.0, -1.0, -4.0])]
}

fn sum(losses: &Tensor) -> f64 {
    losses.sum(Kind::Double).double_value(&[])
}

fn assert_golden(golden: &Value, loss: impl Fn(&Tensor) -> Tensor) {
    let [log_prob, ..] = three_tokens();
    assert_near(&list(&loss(&log_prob)), &flat(&golden["loss_per_token"]), EXACT);
    assert_near(&gradient(&log_prob, |at| loss(at).sum(Kind::Double)), &flat(&golden["dloss_dlogp"]), EXACT);
}

#[test]
#[ignore = "needs MAQUETTE_DATA"]
fn policy_losses_and_their_gradients_are_the_golden_ones() {
    let golden = vectors()["C_policy_losses"].clone();
    let [log_prob, log_old, advantage] = three_tokens();
    assert_near(&list(&advantage), &flat(&golden["adv"]), 0.0);
    assert_near(&list(&log_old), &flat(&golden["old_logp"]), 0.0);
    for (name, clip) in
        [("ppo_clip_0.2", Clip::default()), ("dapo_clip_higher_0.2_0.28", CLIP_HIGHER), ("dual_clip_c3", DUAL)]
    {
        assert_golden(&golden[name], |at| ppo_clip(at, &log_old, &advantage, &clip).per_token);
    }
    let upper_only = CispoClip::UpperOnly { most: 5.0 };
    for (name, clip) in [
        ("cispo_two_sided_0.8_1.2 (verl, SkyRL)", TWO_SIDED),
        ("cispo_upper_only_cap5 (TRL epsilon_high is the cap itself)", upper_only),
    ] {
        assert_golden(&golden[name], |at| cispo(at, &log_old, &advantage, clip).per_token);
    }

    let decoupled = &golden["decoupled_ppo_cap5"];
    let log_mu = Tensor::from_slice(&flat(&decoupled["behave_logp"]));
    let weight = truncated_importance(&log_old, &log_mu, 5.0);
    assert_near(&list(&weight), &flat(&decoupled["w"]), EXACT);
    assert_golden(decoupled, |at| ppo_clip(at, &log_old, &advantage, &Clip::default()).per_token * &weight);

    let narrow = Clip { low: 3e-4, high: 4e-4, dual: None };
    let wide = Clip { low: 0.9, high: 9.0, dual: None };
    let of_sequence = |at: &Tensor, clip: &Clip| {
        gspo(at, &log_old, &Tensor::from_slice(&[1.0; 3]), &[0; 3], 1, clip).per_token.mean(Kind::Double)
    };
    let expected = [&golden["gspo"]["loss"], &golden["gspo"]["seq_ratio"]].map(|number| number.as_f64().unwrap());
    let ours = [&narrow, &wide].map(|clip| of_sequence(&log_prob, clip).double_value(&[]));
    assert_near(&[ours[0], -ours[1]], &expected, EXACT);
    assert_eq!(gradient(&log_prob, |at| of_sequence(at, &narrow)), [0.0; 3]);
}

#[test]
#[ignore = "needs MAQUETTE_DATA"]
fn aggregates_are_the_golden_ones() {
    let golden = vectors()["D_aggregation"].clone();
    let mask = golden["mask"].as_array().unwrap();
    let (mut sequence_of_token, mut losses) = (Vec::new(), Vec::new());
    for (sequence, (row, of_row)) in mask.iter().zip(golden["loss"].as_array().unwrap()).enumerate() {
        for (_, loss) in flat(row).into_iter().zip(flat(of_row)).filter(|(sampled, _)| *sampled == 1.0) {
            sequence_of_token.push(sequence);
            losses.push(loss);
        }
    }
    for (name, aggregation) in [
        ("token_mean(DAPO)", Aggregation::TokenMean),
        ("seq_mean_token_mean(GRPO,GSPO)", Aggregation::SeqMeanTokenMean),
        ("seq_mean_token_sum", Aggregation::SeqMeanTokenSum),
        ("dr_grpo_constant_L(TRL)", Aggregation::DrGrpo { length: 3.0 }),
    ] {
        let weights = token_weights(aggregation, &sequence_of_token, 2);
        let ours: f64 = weights.iter().zip(&losses).map(|(weight, loss)| weight * loss).sum();
        assert_near(&[ours], &[golden[name].as_f64().unwrap()], EXACT);
    }
}

#[test]
#[ignore = "needs MAQUETTE_DATA"]
fn kl_estimators_are_the_golden_ones_in_value_and_gradient() {
    let golden = vectors()["E_kl"].clone();
    let [theta, reference] = ["theta", "ref"].map(|name| Tensor::from_slice(&flat(&golden[name])));
    let [log_prob, log_ref] = [&theta, &reference].map(|logits| logits.log_softmax(-1, Kind::Double));
    assert_near(&list(&log_prob.exp()), &flat(&golden["p"]), EXACT);
    for (estimator, value, slope) in [
        (KlEstimator::K1, "E[k1]", "E[grad k1]"),
        (KlEstimator::K2, "E[k2]", "E[grad k2]"),
        (KlEstimator::K3, "E[k3]", "E[grad k3]"),
        (KlEstimator::RatioK3, "E[k3]", "E[grad (r*k3)] r=pi/pi_old on-policy"),
    ] {
        let ours = sum(&(kl(estimator, &log_prob, &log_prob, &log_ref) * log_prob.exp()));
        assert_near(&[ours], &[golden[value].as_f64().unwrap()], EXACT);
        assert_near(&expected_kl_gradient(&theta, &theta, &reference, estimator), &flat(&golden[slope]), EXACT);
    }
}

#[test]
#[ignore = "needs MAQUETTE_DATA"]
fn expected_policy_gradients_are_the_golden_ones() {
    use maquette_train::advantage::{GrpoNorm, dr_grpo, grpo, rloo};
    let all = vectors();
    let golden = &all["F_exact_policy_gradient"];
    let theta = Tensor::from_slice(&flat(&all["E_kl"]["theta"]));
    let rewards = flat(&golden["reward"]);
    let group = golden["G"].as_u64().unwrap() as u32;
    let ours = |advantage: fn(&[f64]) -> Vec<f64>| {
        expected_policy_gradient(&theta, one_token, &rewards, group, advantage, Aggregation::SeqMeanTokenSum)
    };
    assert_near(&ours(rloo), &flat(&golden["E[rloo]"]), EXACT);
    assert_near(&ours(rloo), &flat(&golden["grad_J"]), EXACT);
    assert_near(&ours(dr_grpo), &flat(&golden["E[dr_grpo]"]), EXACT);
    assert_near(&ours(|rewards| grpo(rewards, GrpoNorm::default())), &flat(&golden["E[grpo_std]"]), EXACT);
}

#[test]
fn bounds_of_the_ratio_give_the_known_sums_of_other_trainers() {
    let [log_prob, log_old, advantage] = three_tokens();
    let clipped = |clip: &Clip| ppo_clip(&log_prob, &log_old, &advantage, clip);
    assert_near(&[sum(&clipped(&Clip::default()).per_token), sum(&clipped(&DUAL).per_token)], &[40.5, 12.5], EXACT);
    assert_near(&[clipped(&Clip::default()).clipped_share, clipped(&DUAL).clipped_share], &[0.0, 1.0 / 3.0], EXACT);
    let two_sided = cispo(&log_prob, &log_old, &advantage, TWO_SIDED);
    assert_near(&[sum(&two_sided.per_token), two_sided.clipped_share], &[-2.993_073_809_180_623, 2.0 / 3.0], EXACT);

    // A good token may become 1.28 times as likely under clip-higher, 1.2 times without; a bad one that became likelier is
    // never let off.
    let ratio = Tensor::from_slice(&[1.25, 1.25, 0.7]).log();
    let (zeros, signs) = (ratio.zeros_like(), Tensor::from_slice(&[1.0, -1.0, -1.0]));
    let slopes = |clip: &Clip| gradient(&ratio, |at| ppo_clip(at, &zeros, &signs, clip).per_token.sum(Kind::Double));
    assert_near(&slopes(&Clip::default()), &[0.0, 1.25, 0.0], EXACT);
    assert_near(&slopes(&CLIP_HIGHER), &[-1.25, 1.25, 0.0], EXACT);
}

#[test]
fn ratios_beyond_every_bound_give_finite_losses_and_gradients() {
    let log_prob = Tensor::from_slice(&[-1.0_f32, -200.0, -0.5]);
    let log_old = Tensor::from_slice(&[-200.0_f32, -1.0, -0.5]);
    let advantage = Tensor::from_slice(&[-1.0_f32, 1.0, 1.0]);
    for clip in [Clip::default(), DUAL] {
        let loss = |at: &Tensor| ppo_clip(at, &log_old, &advantage, &clip).per_token.sum(Kind::Float);
        assert!(loss(&log_prob).double_value(&[]).is_finite());
        assert!(gradient(&log_prob, loss).iter().all(|slope| slope.is_finite()));
    }
    let penalty = |at: &Tensor| kl(KlEstimator::RatioK3, at, &log_old, &log_old).sum(Kind::Float);
    assert!(gradient(&log_prob, penalty).iter().all(|slope| slope.is_finite()));
}

#[test]
fn log_probabilities_are_of_the_allowed_tokens_at_the_temperature() {
    let logits = Tensor::from_slice(&[0.0, 9.0, LN_2, 1.0, 1.0, 1.0]).reshape([2, 3]);
    let allowed = Tensor::from_slice(&[true, false, true, false, true, true]).reshape([2, 3]);
    let tokens = Tensor::from_slice(&[2_i64, 1]);
    let ours = |temperature| list(&masked_log_probs(&logits, &allowed, temperature, &tokens).exp());
    // At temperature ½ the odds of 2 to 1 are 4 to 1.
    assert_near(&[ours(1.0), ours(0.5)].concat(), &[2.0 / 3.0, 0.5, 0.8, 0.5], EXACT);
    let refused = masked_log_probs(&logits, &allowed, 1.0, &Tensor::from_slice(&[1_i64, 0]));
    assert_eq!(list(&refused), [f64::NEG_INFINITY; 2]);

    let forced = Tensor::from_slice(&[true, false, false, false, true, true]).reshape([2, 3]);
    assert_near(&list(&masked_entropy(&logits, &forced, 1.0)), &[0.0, LN_2], EXACT);
    // (2/3)·ln(3/2) + (1/3)·ln 3 = ln 3 − (2/3)·ln 2.
    let skewed = Tensor::from(3.0_f64).log().double_value(&[]) - 2.0 / 3.0 * LN_2;
    assert_near(&list(&masked_entropy(&logits, &allowed, 1.0)), &[skewed, LN_2], EXACT);
}

#[test]
fn the_value_loss_takes_the_worse_of_value_and_held_value() {
    let values = Tensor::from_slice(&[1.0, 1.0, 2.0]);
    let old = Tensor::from_slice(&[0.5, 2.0, 2.1]);
    let returns = Tensor::from_slice(&[0.0, 0.0, 3.0]);
    assert_near(&list(&value_loss(&values, &old, &returns, None)), &[0.5, 0.5, 0.5], EXACT);
    assert_near(&list(&value_loss(&values, &old, &returns, Some(0.2))), &[0.5, 1.62, 0.5], EXACT);
}

#[test]
fn aggregates_are_those_of_the_whole_batch() {
    let losses = [1.0, 2.0, 3.0, 4.0];
    let aggregate = |aggregation| -> f64 {
        token_weights(aggregation, &[0, 0, 0, 1], 2).iter().zip(losses).map(|(weight, loss)| weight * loss).sum()
    };
    let ours = [
        Aggregation::TokenMean,
        Aggregation::SeqMeanTokenMean,
        Aggregation::SeqMeanTokenSum,
        Aggregation::DrGrpo { length: 3.0 },
    ]
    .map(aggregate);
    assert_near(&ours, &[2.5, 3.0, 5.0, 5.0 / 3.0], EXACT);
    assert!(token_weights(Aggregation::SeqMeanTokenMean, &[], 2).is_empty());
}

#[test]
fn a_loss_of_no_token_is_nothing() {
    let none = Tensor::from_slice::<f64>(&[]);
    let loss = ppo_clip(&none, &none, &none, &Clip::default());
    assert_eq!((loss.per_token.numel(), loss.clipped_share), (0, 0.0));
    assert_eq!(sum(&reinforce(&none, &none)), 0.0);
}

#[test]
fn names_are_those_of_a_run_file() {
    #[derive(serde::Deserialize)]
    struct Run {
        aggregation: Aggregation,
        clip: Clip,
        cispo: CispoClip,
        kl: KlEstimator,
    }
    let text = "aggregation = { dr_grpo = { length = 512 } }\nclip = { high = 0.28 }\n\
                cispo = { upper_only = { most = 5.0 } }\nkl = \"ratio_k3\"";
    let run: Run = toml::from_str(text).unwrap();
    assert_eq!((run.aggregation, run.clip), (Aggregation::DrGrpo { length: 512.0 }, CLIP_HIGHER));
    assert_eq!((run.cispo, run.kl), (CispoClip::UpperOnly { most: 5.0 }, KlEstimator::RatioK3));
    assert!(toml::from_str::<Run>(&text.replace("high", "hihg")).is_err());
}
