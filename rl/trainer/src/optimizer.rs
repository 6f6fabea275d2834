//! AdamW with a state that can be saved, and clipping of gradients.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tch::{Kind, Tensor};

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AdamWConfig {
    /// Share of the mean that a step keeps, in [0, 1).
    pub beta1: f64,
    /// Share of the mean square that a step keeps, in [0, 1).
    pub beta2: f64,
    /// Added to the root of the mean square.
    pub eps: f64,
    /// Share of a weight that is taken off in a step, times the learning rate. Norms and biases keep theirs.
    pub weight_decay: f64,
}

impl Default for AdamWConfig {
    fn default() -> Self {
        Self { beta1: 0.9, beta2: 0.999, eps: 1e-8, weight_decay: 0.01 }
    }
}

/// Decoupled weight decay (Loshchilov and Hutter, 2019), by PyTorch's formula: ε outside the root, after the bias
/// correction. Parameters of one dimension do not decay; those without a gradient are left alone.
pub struct AdamW {
    config: AdamWConfig,
    steps: u64,
    moments: BTreeMap<String, Moments>,
}

struct Moments {
    first: Tensor,
    second: Tensor,
}

#[derive(Debug, thiserror::Error)]
pub enum OptimizerError {
    #[error("the state of the optimizer has no {name}")]
    Missing { name: String },
    #[error("the state of the optimizer has {name}, which is of no parameter")]
    Unknown { name: String },
    #[error("the state of the optimizer has {name} as {given:?}, the parameter is {expected:?}")]
    WrongShape { name: String, given: Vec<i64>, expected: Vec<i64> },
    #[error(transparent)]
    Torch(#[from] tch::TchError),
}

const STEPS: &str = "steps";

impl AdamW {
    #[must_use]
    pub fn new(config: AdamWConfig) -> Self {
        Self { config, steps: 0, moments: BTreeMap::new() }
    }

    /// Steps taken so far.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Changes `parameters` in place by their gradients.
    pub fn step(&mut self, parameters: &BTreeMap<String, Tensor>, learning_rate: f64) {
        let _guard = tch::no_grad_guard();
        self.steps += 1;
        let AdamWConfig { beta1, beta2, eps, weight_decay } = self.config;
        let (rate, root) = (learning_rate / self.bias(beta1), self.bias(beta2).sqrt());
        for (name, parameter) in parameters {
            let gradient = parameter.grad();
            if !gradient.defined() {
                continue;
            }
            let Moments { first, second } = self
                .moments
                .entry(name.clone())
                .or_insert_with(|| Moments { first: parameter.zeros_like(), second: parameter.zeros_like() });
            let _ = first.lerp_(&gradient, 1.0 - beta1);
            let _ = second.lerp_(&gradient.square(), 1.0 - beta2);
            let mut parameter = parameter.shallow_clone();
            if parameter.dim() > 1 {
                let _ = parameter.g_mul_scalar_(1.0 - learning_rate * weight_decay);
            }
            let _ = parameter.addcdiv_(&(&*first * -rate), &(second.sqrt() / root + eps));
        }
    }

    /// 1 − βᵗ: the share of a mean that does not stand for its first value, 0.
    #[allow(clippy::disallowed_methods, reason = "weights are not scored, and a resumed run is on the same machine")]
    fn bias(&self, beta: f64) -> f64 {
        1.0 - beta.powf(self.steps as f64)
    }

    /// Copies: of every parameter that had a gradient `m.<name>` and `v.<name>`, and `steps`, `[1]`, Int64.
    #[must_use]
    pub fn state(&self) -> BTreeMap<String, Tensor> {
        let steps = Tensor::from_slice(&[self.steps.cast_signed()]);
        let moments = self.moments.iter().flat_map(|(name, moments)| {
            [(format!("m.{name}"), moments.first.copy()), (format!("v.{name}"), moments.second.copy())]
        });
        moments.chain([(STEPS.to_owned(), steps)]).collect()
    }

    /// Goes on from [`Self::state`]: the steps that follow are those of the optimizer that it is of, bit by bit.
    /// An error leaves everything as it was.
    pub fn restore(
        &mut self,
        mut state: BTreeMap<String, Tensor>,
        parameters: &BTreeMap<String, Tensor>,
    ) -> Result<(), OptimizerError> {
        let steps = state.remove(STEPS).ok_or_else(|| OptimizerError::Missing { name: STEPS.to_owned() })?;
        let steps = i64::try_from(steps)?.max(0).unsigned_abs();
        let mut moments = BTreeMap::new();
        for (name, parameter) in parameters {
            let [first, second] = [format!("m.{name}"), format!("v.{name}")].map(|key| (state.remove(&key), key));
            let (first, second) = match (first, second) {
                ((None, _), (None, _)) => continue,
                ((Some(first), m), (Some(second), v)) => {
                    (fitting(first, m, parameter)?, fitting(second, v, parameter)?)
                }
                ((None, name), _) | (_, (None, name)) => return Err(OptimizerError::Missing { name }),
            };
            moments.insert(name.clone(), Moments { first, second });
        }
        if let Some(name) = state.into_keys().next() {
            return Err(OptimizerError::Unknown { name });
        }
        (self.steps, self.moments) = (steps, moments);
        Ok(())
    }
}

/// A copy on the parameter's device and in its kind.
fn fitting(tensor: Tensor, name: String, parameter: &Tensor) -> Result<Tensor, OptimizerError> {
    let (given, expected) = (tensor.size(), parameter.size());
    if given != expected {
        return Err(OptimizerError::WrongShape { name, given, expected });
    }
    let _guard = tch::no_grad_guard();
    let mut copy = parameter.f_zeros_like()?;
    copy.f_copy_(&tensor)?;
    Ok(copy)
}

/// Scales all gradients so that their common Euclidean norm is at most `most`. → the norm before. A norm that is not
/// finite is answered as it is and leaves every gradient 0.
pub fn clip_grad_norm(parameters: &BTreeMap<String, Tensor>, most: f64) -> f64 {
    let _guard = tch::no_grad_guard();
    let gradients: Vec<Tensor> = parameters.values().map(Tensor::grad).filter(Tensor::defined).collect();
    if gradients.is_empty() {
        return 0.0;
    }
    let norms: Vec<Tensor> = gradients.iter().map(|gradient| gradient.norm().to_kind(Kind::Double)).collect();
    let norm = Tensor::stack(&norms, 0).norm().double_value(&[]);
    for mut gradient in gradients {
        if !norm.is_finite() {
            let _ = gradient.zero_();
        } else if norm > most {
            let _ = gradient.g_mul_scalar_(most / norm);
        }
    }
    norm
}

/// Gradients that exist become 0.
pub fn zero_grad(parameters: &BTreeMap<String, Tensor>) {
    for parameter in parameters.values() {
        parameter.shallow_clone().zero_grad();
    }
}
