//! First weights: a function of seed, name and shape alone, so that a run can be repeated from its seed.

use super::ModelConfig;
use super::parameters::VALUE_HEAD;
use crate::sampling::uniform;
use std::f64::consts::TAU;
use tch::Tensor;

/// Stream 0 is the sampling of tokens.
const STREAM: u64 = 1;

/// Norms 1, biases and the value head 0, weights normal with variance 1 / columns (LeCun), so that attention tells
/// tokens apart from the first step on at any width; 0.02, as GPT-2 has it, is that at a width of 2,500. Projections back
/// into the residual stream are divided by √(2 · layers), so that its variance does not grow with depth.
/// Double, on the CPU.
pub(super) fn initial(config: &ModelConfig, name: &str, shape: &[i64], seed: u64) -> Tensor {
    let options = tch::kind::DOUBLE_CPU;
    if name.ends_with("norm.weight") {
        Tensor::ones(shape, options)
    } else if name.ends_with(".bias") || name == VALUE_HEAD {
        Tensor::zeros(shape, options)
    } else {
        let columns = shape.last().copied().unwrap_or(1) as f64;
        let back = name.ends_with("o_proj.weight") || name.ends_with("down_proj.weight");
        let summands = if back { 2.0 * config.num_hidden_layers as f64 } else { 1.0 };
        normal(name, shape, seed) / (columns * summands).sqrt()
    }
}

/// Box and Muller: two uniform numbers make two normal ones. The name is in the counter, so that adding a parameter
/// changes no other.
fn normal(name: &str, shape: &[i64], seed: u64) -> Tensor {
    let [a, b, c, d, e, f, g, h, ..] = *blake3::hash(name.as_bytes()).as_bytes();
    let parameter = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
    let count = shape.iter().product::<i64>();
    let pairs = count.unsigned_abs().div_ceil(2);
    let draw = |which: u64| {
        let numbers: Vec<f64> = (0..pairs).map(|pair| uniform(seed, STREAM, parameter, 2 * pair + which)).collect();
        Tensor::from_slice(&numbers)
    };
    let (radius, angle) = (((1.0_f64 - draw(0)).log() * -2.0).sqrt(), draw(1) * TAU);
    let both = Tensor::cat(&[&radius * angle.cos(), &radius * angle.sin()], 0);
    both.narrow(0, 0, count).view(shape)
}
