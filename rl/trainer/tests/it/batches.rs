//! Trajectories as tensors: how a batch is split changes nothing.

use crate::small;
use maquette_train::{
    loss::{Aggregation, Clip},
    model::{CausalLm, ModelConfig},
    optimizer::{AdamW, AdamWConfig},
    sampling::uniform,
    token_set::TokenSet,
    train::{BatchError, Sample, StepConfig, micro_batches, policy_step},
    trajectory::{Outcome, Step, Trajectory},
};
use tch::{Device, Kind, Tensor};

const VOCAB_SIZE: i64 = 40;

fn model() -> CausalLm {
    let config = ModelConfig {
        vocab_size: VOCAB_SIZE,
        hidden_size: 16,
        num_attention_heads: 2,
        num_key_value_heads: 1,
        tie_word_embeddings: false,
        ..small::config()
    };
    CausalLm::new(&config, false, 3, Device::Cpu, Kind::Double).unwrap()
}

/// Of a length that depends on `index`; every third token from the fourth on was sampled, out of its neighbours.
fn trajectory(index: u64) -> Trajectory {
    let length = 9 + 5 * (index % 4) as usize;
    let draw = |place: usize| (uniform(1, 9, index, place as u64) * VOCAB_SIZE as f64) as u32;
    let tokens: Vec<u32> = (0..length).map(draw).collect();
    let step = |place: usize| Step {
        place: place as u32,
        log_mu: -1.0 - 0.1 * uniform(2, 9, index, place as u64),
        allowed: TokenSet::of(
            VOCAB_SIZE as usize,
            [tokens[place], (tokens[place] + 1) % VOCAB_SIZE as u32, (tokens[place] + 7) % VOCAB_SIZE as u32],
        ),
        turn: 0,
    };
    let sampled = (3..length).step_by(3).map(step).collect();
    Trajectory {
        domain: "d".into(),
        task_id: format!("d/{index}"),
        group: index / 2,
        member: (index % 2) as u32,
        tokens,
        sampled,
        temperature: 0.7,
        policy_version: 0,
        outcome: Outcome::Scored { reward: 0.5, components: Vec::new() },
        turns: 1,
        wall_secs: 0.0,
    }
}

fn samples(trajectories: &[Trajectory]) -> Vec<Sample<'_>> {
    let advantage = |index: usize| if index.is_multiple_of(2) { 1.0 + index as f64 } else { -0.5 };
    let pairs = trajectories.iter().enumerate();
    pairs.map(|(index, trajectory)| Sample { trajectory, advantage: advantage(index) }).collect()
}

fn config(micro_batch_tokens: usize, aggregation: Aggregation) -> StepConfig {
    StepConfig {
        clip: Clip::default(),
        aggregation,
        entropy_coefficient: 0.01,
        max_grad_norm: 1e9,
        epochs: 1,
        minibatches: 1,
        micro_batch_tokens,
    }
}

/// Gradients of one update, whose learning rate is 0.
fn gradients(trajectories: &[Trajectory], config: &StepConfig) -> Vec<Tensor> {
    let model = model();
    let mut optimizer = AdamW::new(AdamWConfig::default());
    let metrics = policy_step(&model, &mut optimizer, &samples(trajectories), None, 0.0, config).unwrap();
    assert_eq!(metrics.tokens as usize, trajectories.iter().map(|one| one.sampled.len()).sum::<usize>());
    model.parameters().values().map(|parameter| parameter.grad().copy()).collect()
}

#[test]
fn the_gradient_does_not_depend_on_the_split() {
    let trajectories: Vec<Trajectory> = (0..8).map(trajectory).collect();
    for aggregation in [
        Aggregation::TokenMean,
        Aggregation::SeqMeanTokenMean,
        Aggregation::SeqMeanTokenSum,
        Aggregation::DrGrpo { length: 12.0 },
    ] {
        let whole = gradients(&trajectories, &config(10_000, aggregation));
        assert!(whole.iter().any(|gradient| gradient.abs().max().double_value(&[]) > 1e-6));
        for tokens in [1, 24, 50, 100] {
            let parts = gradients(&trajectories, &config(tokens, aggregation));
            for (part, whole) in parts.iter().zip(&whole) {
                let difference = (part - whole).abs().max().double_value(&[]);
                let scale = whole.abs().max().double_value(&[]).max(1e-9);
                assert!(difference / scale < 1e-9, "{aggregation:?}, {tokens} tokens: {}", difference / scale);
            }
        }
    }
}

#[test]
fn rows_are_packed_from_the_longest_and_hold_what_was_sampled() {
    let trajectories: Vec<Trajectory> = (0..4).map(trajectory).collect();
    let parts =
        micro_batches(&samples(&trajectories), Aggregation::TokenMean, VOCAB_SIZE, 40, Device::Cpu, Kind::Double)
            .unwrap();
    // The last sampled token of a row is never read: 9, 14, 19, 24 tokens leave 6, 12, 18, 21.
    let shapes: Vec<Vec<i64>> = parts.iter().map(|part| part.ids.size()).collect();
    assert_eq!(shapes, [vec![1, 21], vec![2, 18], vec![1, 6]]);
    let weights: f64 = parts.iter().map(|part| part.weights.sum(Kind::Double).double_value(&[])).sum();
    assert!((weights - 1.0).abs() < 1e-12);
    let first = &parts[0];
    let places = Vec::<i64>::try_from(&first.places).unwrap();
    assert_eq!(places, [2, 5, 8, 11, 14, 17, 20]);
    let expected: Vec<i64> =
        places.iter().map(|place| i64::from(trajectories[3].tokens[*place as usize + 1])).collect();
    assert_eq!(Vec::<i64>::try_from(&first.tokens).unwrap(), expected);
    assert_eq!(first.allowed.sum(Kind::Int64).int64_value(&[]), 3 * 7);
}

#[test]
fn what_does_not_fit_is_refused() {
    let batch = |trajectories: &[Trajectory]| {
        micro_batches(&samples(trajectories), Aggregation::TokenMean, VOCAB_SIZE, 40, Device::Cpu, Kind::Double)
    };
    let mut hotter = trajectory(1);
    hotter.temperature = 1.0;
    assert!(matches!(batch(&[trajectory(0), hotter]), Err(BatchError::Temperatures(..))));
    let mut beyond = trajectory(0);
    beyond.sampled[0].place = 99;
    assert!(matches!(batch(&[beyond]), Err(BatchError::Place { place: 99, .. })));
    let mut foreign = trajectory(0);
    foreign.tokens[0] = VOCAB_SIZE as u32;
    assert!(matches!(batch(&[foreign]), Err(BatchError::Token { .. })));
    assert!(batch(&[]).unwrap().is_empty());
}
