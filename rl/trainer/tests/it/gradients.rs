//! Gradients of the losses: against differences, and in the cases where they are known.

use maquette_train::loss::{
    Aggregation, CispoClip, Clip, KlEstimator, PolicyLoss, cispo, gspo, kl, masked_entropy, masked_log_probs, ppo_clip,
    reinforce, token_weights, truncated_importance, value_loss,
};
use tch::{Kind, Reduction, Tensor};

use crate::derivatives::{central_differences, gradient};
use crate::numbers::{assert_near, assert_near_relative, list, numbers};

const TEMPERATURE: f64 = 0.7;
/// log ρ of each token: on both sides of every bound, and far enough from all of them for a difference.
const LOG_RATIOS: [f64; 8] = [-0.6, -0.1, 0.1, 0.3, 1.5, -0.3, 0.05, 0.6];
const SEQUENCE_OF_TOKEN: [usize; 8] = [0, 0, 0, 1, 1, 1, 1, 2];
const DUAL: Clip = Clip { low: 0.2, high: 0.28, dual: Some(3.0) };

/// Eight tokens of three sequences over a vocabulary of five.
struct Batch {
    logits: Tensor,
    allowed: Tensor,
    tokens: Tensor,
    log_old: Tensor,
    log_ref: Tensor,
    log_mu: Tensor,
    /// Equal within a sequence, of both signs.
    advantages: Tensor,
    weights: Tensor,
}

impl Batch {
    fn new(seed: u64) -> Self {
        let tokens: Vec<i64> = (0..8).map(|place| (3 * place + seed as i64) % 5).collect();
        let allowed: Vec<bool> = numbers(seed + 1000, 40)
            .into_iter()
            .enumerate()
            .map(|(entry, number)| number > -0.3 || tokens[entry / 5] == entry as i64 % 5)
            .collect();
        let sizes = numbers(seed + 2000, 3);
        let advantages = SEQUENCE_OF_TOKEN.map(|sequence| {
            let sign = if (sequence as u64 + seed).is_multiple_of(2) { 1.0 } else { -1.0 };
            sign * (0.2 + sizes[sequence].abs())
        });
        let logits = Tensor::from_slice(&numbers(seed, 40)).reshape([8, 5]) * 2.0;
        let allowed = Tensor::from_slice(&allowed).reshape([8, 5]);
        let tokens = Tensor::from_slice(&tokens);
        let log_prob = masked_log_probs(&logits, &allowed, TEMPERATURE, &tokens);
        let log_old = &log_prob - Tensor::from_slice(&LOG_RATIOS);
        Self {
            log_ref: &log_prob + Tensor::from_slice(&numbers(seed + 3000, 8)),
            log_mu: &log_old + Tensor::from_slice(&numbers(seed + 4000, 8)),
            weights: Tensor::from_slice(&token_weights(Aggregation::SeqMeanTokenMean, &SEQUENCE_OF_TOKEN, 3)),
            advantages: Tensor::from_slice(&advantages),
            logits,
            allowed,
            tokens,
            log_old,
        }
    }

    fn log_probs(&self, logits: &Tensor) -> Tensor {
        masked_log_probs(logits, &self.allowed, TEMPERATURE, &self.tokens)
    }

    fn gspo(&self, log_prob: &Tensor, log_old: &Tensor) -> PolicyLoss {
        gspo(log_prob, log_old, &self.advantages, &SEQUENCE_OF_TOKEN, 3, &DUAL)
    }

    fn total(&self, losses: Tensor) -> Tensor {
        (losses * &self.weights).sum(Kind::Double)
    }
}

type Loss = fn(&Batch, &Tensor) -> Tensor;

/// Losses of log-probabilities.
const LOSSES: [(&str, Loss); 9] = [
    ("reinforce", |batch, log_prob| reinforce(log_prob, &batch.advantages)),
    ("ppo", |batch, log_prob| ppo_clip(log_prob, &batch.log_old, &batch.advantages, &Clip::default()).per_token),
    ("dual clip", |batch, log_prob| ppo_clip(log_prob, &batch.log_old, &batch.advantages, &DUAL).per_token),
    ("decoupled", |batch, log_prob| {
        let weight = truncated_importance(&batch.log_old, &batch.log_mu, 1.5);
        ppo_clip(log_prob, &batch.log_old, &batch.advantages, &Clip::default()).per_token * weight
    }),
    ("gspo", |batch, log_prob| batch.gspo(log_prob, &batch.log_old).per_token),
    ("k1", |batch, log_prob| kl(KlEstimator::K1, log_prob, &batch.log_old, &batch.log_ref)),
    ("k2", |batch, log_prob| kl(KlEstimator::K2, log_prob, &batch.log_old, &batch.log_ref)),
    ("k3", |batch, log_prob| kl(KlEstimator::K3, log_prob, &batch.log_old, &batch.log_ref)),
    ("ρ·k3", |batch, log_prob| kl(KlEstimator::RatioK3, log_prob, &batch.log_old, &batch.log_ref)),
];

#[test]
fn gradients_of_all_losses_are_their_differences() {
    for seed in 0..5 {
        let batch = Batch::new(seed);
        for (name, loss) in LOSSES {
            println!("{name}");
            let total = |logits: &Tensor| batch.total(loss(&batch, &batch.log_probs(logits)));
            let differences = central_differences(&batch.logits, total);
            assert_near_relative(&gradient(&batch.logits, total), &differences, 1e-6);
        }
        let entropy = |logits: &Tensor| batch.total(masked_entropy(logits, &batch.allowed, TEMPERATURE));
        let differences = central_differences(&batch.logits, entropy);
        assert_near_relative(&gradient(&batch.logits, entropy), &differences, 1e-6);
    }
}

#[test]
fn the_gradient_of_cispo_is_its_difference_at_a_constant_ratio() {
    let batch = Batch::new(1);
    let log_prob = batch.log_probs(&batch.logits);
    for clip in [CispoClip::TwoSided { low: 0.2, high: 0.28 }, CispoClip::UpperOnly { most: 1.5 }] {
        let total = |shift: &Tensor| {
            let (log_prob, log_old) = (&log_prob + shift, &batch.log_old + shift);
            batch.total(cispo(&log_prob, &log_old, &batch.advantages, clip).per_token)
        };
        let still = batch.log_old.zeros_like();
        assert_near_relative(&gradient(&still, total), &central_differences(&still, total), 1e-6);
    }
}

#[test]
fn the_gradient_of_the_value_loss_is_its_difference() {
    let batch = Batch::new(2);
    for seed in 0..5 {
        let values = Tensor::from_slice(&numbers(seed, 8));
        // Within and beyond the clip of 0.2, and returns too far away for a tie.
        let old = &values - Tensor::from_slice(&[-0.5, -0.1, 0.1, 0.3, 0.25, -0.3, 0.05, 0.6]);
        let away =
            numbers(seed + 10, 8).into_iter().map(|number| number + 1.5_f64.copysign(number)).collect::<Vec<_>>();
        let returns = &values + Tensor::from_slice(&away);
        for clip in [None, Some(0.2)] {
            let total = |values: &Tensor| batch.total(value_loss(values, &old, &returns, clip));
            assert_near_relative(&gradient(&values, total), &central_differences(&values, total), 1e-6);
        }
    }
}

/// Gradient of a loss on eight sequences, trained in `parts` parts that share one table of logits.
fn gradient_in_parts(kind: Kind, weights: &[f64], lengths: [usize; 8], parts: usize) -> Vec<f64> {
    let count = lengths.iter().sum::<usize>();
    let of_kind = |numbers: &[f64]| Tensor::from_slice(numbers).to_kind(kind);
    let theta = of_kind(&numbers(3, 30)).reshape([6, 5]).set_requires_grad(true);
    let [contexts, tokens] = [(7, 6), (4, 5)]
        .map(|(step, size)| Tensor::from_slice(&(0..count as i64).map(|i| i * step % size).collect::<Vec<_>>()));
    let noise = of_kind(&numbers(4, count));
    let advantages = of_kind(&numbers(5, count));
    let weights = of_kind(weights);
    let everything = Tensor::from_slice(&vec![true; count * 5]).reshape([count as i64, 5]);
    let mut start = 0;
    for part in lengths.chunks(8 / parts) {
        let length = part.iter().sum::<usize>() as i64;
        let own = |all: &Tensor| all.narrow(0, start, length);
        let logits = theta.index_select(0, &own(&contexts));
        let log_prob = masked_log_probs(&logits, &own(&everything), 1.0, &own(&tokens));
        let log_old = log_prob.detach() + own(&noise);
        let policy = ppo_clip(&log_prob, &log_old, &own(&advantages), &Clip::default()).per_token;
        let losses = policy + kl(KlEstimator::RatioK3, &log_prob, &log_old, &log_old) * 0.1;
        (losses * own(&weights)).sum(kind).backward();
        start += length;
    }
    list(&theta.grad())
}

#[test]
fn gradients_add_up_to_the_batch_however_it_is_split() {
    let lengths = [1, 5, 2, 8, 3, 1, 4, 6];
    let sequence_of_token: Vec<usize> =
        lengths.iter().enumerate().flat_map(|(sequence, &length)| vec![sequence; length]).collect();
    for aggregation in [
        Aggregation::TokenMean,
        Aggregation::SeqMeanTokenMean,
        Aggregation::SeqMeanTokenSum,
        Aggregation::DrGrpo { length: 8.0 },
    ] {
        let weights = token_weights(aggregation, &sequence_of_token, 8);
        for (kind, tolerance) in [(Kind::Double, 1e-12), (Kind::Float, 1e-6)] {
            let whole = gradient_in_parts(kind, &weights, lengths, 1);
            for parts in [2, 4, 8] {
                assert_near_relative(&gradient_in_parts(kind, &weights, lengths, parts), &whole, tolerance);
            }
        }
    }
}

#[test]
fn means_of_parts_would_be_another_gradient() {
    let lengths = [1, 5, 2, 8, 3, 1, 4, 6];
    let whole = gradient_in_parts(Kind::Double, &[1.0 / 30.0; 30], lengths, 2);
    // Each half's own mean over its 16 and 14 tokens, halved.
    let halves: Vec<f64> = (0..30).map(|token| if token < 16 { 1.0 / 32.0 } else { 1.0 / 28.0 }).collect();
    let trap = gradient_in_parts(Kind::Double, &halves, lengths, 2);
    assert!(trap.iter().zip(&whole).any(|(a, b)| (a - b).abs() > 1e-4), "{trap:?}");
}

#[test]
fn logits_that_are_not_allowed_change_nothing_and_have_no_gradient() {
    let batch = Batch::new(3);
    let refused = batch.allowed.logical_not();
    let flags: Vec<bool> = list(&refused).into_iter().map(|flag| flag == 1.0).collect();
    assert!(flags.iter().filter(|flag| **flag).count() >= 5, "the mask must mask something");
    for extreme in [-1e30, 0.0, 1e30, f64::INFINITY] {
        let other = batch.logits.masked_fill(&refused, extreme);
        assert_eq!(list(&batch.log_probs(&other)), list(&batch.log_probs(&batch.logits)));
        let loss = |logits: &Tensor| {
            let entropy = masked_entropy(logits, &batch.allowed, TEMPERATURE);
            batch.total(reinforce(&batch.log_probs(logits), &batch.advantages) + entropy)
        };
        let slopes = gradient(&other, loss);
        assert_eq!(slopes, gradient(&batch.logits, loss));
        assert!(flags.iter().zip(&slopes).all(|(refused, slope)| !refused || *slope == 0.0), "{slopes:?}");
    }
}

#[test]
fn tokens_of_weight_0_have_no_gradient() {
    let batch = Batch::new(4);
    let weights = Tensor::from_slice(&[1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    for (name, loss) in LOSSES.into_iter().filter(|(name, _)| *name != "gspo") {
        let total = |logits: &Tensor| (loss(&batch, &batch.log_probs(logits)) * &weights).sum(Kind::Double);
        let slopes = gradient(&batch.logits, total);
        for masked in [1, 3, 4] {
            assert!(slopes[5 * masked..5 * masked + 5].iter().all(|slope| *slope == 0.0), "{name}: {slopes:?}");
        }
    }
}

#[test]
fn advantages_of_0_give_a_gradient_of_exactly_0() {
    let batch = Batch { advantages: Tensor::from_slice(&[0.0; 8]), ..Batch::new(5) };
    let held: [(&str, Loss); 2] = [
        ("cispo held on both sides", |batch, log_prob| {
            cispo(log_prob, &batch.log_old, &batch.advantages, CispoClip::TwoSided { low: 0.2, high: 0.2 }).per_token
        }),
        ("cispo held from above", |batch, log_prob| {
            cispo(log_prob, &batch.log_old, &batch.advantages, CispoClip::UpperOnly { most: 5.0 }).per_token
        }),
    ];
    // The first five are losses of advantages.
    for (name, loss) in LOSSES.into_iter().take(5).chain(held) {
        let slopes = gradient(&batch.logits, |logits| batch.total(loss(&batch, &batch.log_probs(logits))));
        assert!(slopes.iter().all(|slope| *slope == 0.0), "{name}: {slopes:?}");
    }
}

#[test]
fn on_policy_every_policy_loss_has_the_gradient_of_reinforce() {
    let batch = Batch::new(6);
    let log_old = batch.log_probs(&batch.logits);
    let of = |loss: &dyn Fn(&Tensor) -> Tensor| {
        gradient(&batch.logits, |logits| batch.total(loss(&batch.log_probs(logits))))
    };
    let truth = of(&|log_prob| reinforce(log_prob, &batch.advantages));
    for clip in [Clip::default(), DUAL] {
        let ours = of(&|log_prob| ppo_clip(log_prob, &log_old, &batch.advantages, &clip).per_token);
        assert_near_relative(&ours, &truth, 1e-14);
    }
    for clip in [CispoClip::TwoSided { low: 0.2, high: 0.2 }, CispoClip::UpperOnly { most: 5.0 }] {
        let ours = of(&|log_prob| cispo(log_prob, &log_old, &batch.advantages, clip).per_token);
        assert_near_relative(&ours, &truth, 1e-14);
    }
    assert_near_relative(&of(&|log_prob| batch.gspo(log_prob, &log_old).per_token), &truth, 1e-14);
}

#[test]
fn supervised_training_is_reinforce_with_an_advantage_of_1() {
    let batch = Batch::new(7);
    let everything = batch.allowed.ones_like();
    let weights = Tensor::from_slice(&token_weights(Aggregation::TokenMean, &SEQUENCE_OF_TOKEN, 3));
    let ours = |logits: &Tensor| {
        let log_prob = masked_log_probs(logits, &everything, 1.0, &batch.tokens);
        (reinforce(&log_prob, &weights.ones_like()) * &weights).sum(Kind::Double)
    };
    let cross_entropy =
        |logits: &Tensor| logits.cross_entropy_loss::<Tensor>(&batch.tokens, None, Reduction::Mean, -100, 0.0);
    let values = [ours(&batch.logits), cross_entropy(&batch.logits)].map(|loss| loss.double_value(&[]));
    assert_near(&values[..1], &values[1..], 1e-14);
    assert_near_relative(&gradient(&batch.logits, ours), &gradient(&batch.logits, cross_entropy), 1e-14);
}
