//! Two small networks of their own: which way to push, and what a state is worth.

use super::physics::State;
use maquette_train::sampling::uniform;
use std::collections::BTreeMap;
use std::f64::consts::{SQRT_2, TAU};
use tch::{Kind, Tensor};

const STREAM: u64 = 1;
const WIDTH: i64 = 64;

pub(crate) struct Agent {
    pub(crate) parameters: BTreeMap<String, Tensor>,
    actor: [Layer; 3],
    critic: [Layer; 3],
}

struct Layer {
    /// `[out, in]`.
    weight: Tensor,
    bias: Tensor,
}

impl Agent {
    /// Orthogonal weights and no biases, a function of the seed. A head of 0.01 makes both pushes as likely at first.
    pub(crate) fn new(seed: u64) -> Self {
        let network = |number: u64, outputs: i64, head: f64| {
            let layer = |index: u64, out, input, gain| Layer {
                weight: orthogonal(out, input, gain, seed, 3 * number + index).set_requires_grad(true),
                bias: Tensor::zeros([out], tch::kind::FLOAT_CPU).set_requires_grad(true),
            };
            [layer(0, WIDTH, 4, SQRT_2), layer(1, WIDTH, WIDTH, SQRT_2), layer(2, outputs, WIDTH, head)]
        };
        let (actor, critic) = (network(0, 2, 0.01), network(1, 1, 1.0));
        let parameters = [("actor", &actor), ("critic", &critic)].into_iter().flat_map(|(name, layers)| {
            layers.iter().enumerate().flat_map(move |(index, layer)| {
                [("weight", &layer.weight), ("bias", &layer.bias)]
                    .map(|(part, tensor)| (format!("{name}.{index}.{part}"), tensor.shallow_clone()))
            })
        });
        Self { parameters: parameters.collect(), actor, critic }
    }

    /// Of left and right, `[n, 2]`, for states `[n, 4]`.
    pub(crate) fn logits(&self, states: &Tensor) -> Tensor {
        forward(&self.actor, states)
    }

    /// `[n]`, for states `[n, 4]`.
    pub(crate) fn values(&self, states: &Tensor) -> Tensor {
        forward(&self.critic, states).squeeze_dim(-1)
    }
}

/// `[n, 4]`.
pub(crate) fn tensor(states: impl Iterator<Item = State>) -> Tensor {
    Tensor::from_slice(&states.flatten().collect::<Vec<f64>>()).to_kind(Kind::Float).reshape([-1, 4])
}

fn forward([first, second, head]: &[Layer; 3], states: &Tensor) -> Tensor {
    let linear = |layer: &Layer, input: &Tensor| input.linear(&layer.weight, Some(&layer.bias));
    linear(head, &linear(second, &linear(first, states).tanh()).tanh())
}

/// The shorter side's vectors are orthogonal and `gain` long (Saxe et al., arXiv 1312.6120). The signs make the
/// decomposition unique, and its rotation one of all with the same chance.
fn orthogonal(out: i64, input: i64, gain: f64, seed: u64, parameter: u64) -> Tensor {
    let (long, short) = (out.max(input), out.min(input));
    let (q, r) = Tensor::linalg_qr(&normal(long * short, seed, parameter).reshape([long, short]), "reduced");
    let q = q * r.diagonal(0, 0, 1).sign();
    let weight = if out < input { q.tr() } else { q };
    (weight * gain).to_kind(Kind::Float).contiguous()
}

/// By Box and Muller: `[count]`, Double.
fn normal(count: i64, seed: u64, parameter: u64) -> Tensor {
    let draw = |which: u64| {
        let places = 0..count.unsigned_abs();
        let numbers: Vec<f64> = places.map(|place| uniform(seed, STREAM, parameter, 2 * place + which)).collect();
        Tensor::from_slice(&numbers)
    };
    ((1.0_f64 - draw(0)).log() * -2.0).sqrt() * (draw(1) * TAU).cos()
}
