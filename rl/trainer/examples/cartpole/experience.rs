//! What carts went through, as columns to learn from.

use super::agent::{Agent, tensor};
use super::physics::{End, State};
use maquette_train::advantage::{Gae, gae};
use maquette_train::tokens::Token;
use tch::{Kind, TchError, Tensor};

pub(crate) const GAMMA: f64 = 0.99;
const LAMBDA: f64 = 0.95;

/// One step of one cart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    pub(crate) state: State,
    pub(crate) action: Token,
    /// Of the action, by the weights that drew it.
    pub(crate) log_prob: f64,
    /// Of the state, by the same weights.
    pub(crate) value: f64,
    /// Where it led to, also where the episode ends there.
    pub(crate) next: State,
    pub(crate) end: Option<End>,
}

/// All steps, `[n]`, in the order of the carts and of time; Float where nothing else is said.
pub(crate) struct Experience {
    /// `[n, 4]`.
    pub(crate) states: Tensor,
    /// Int64.
    pub(crate) actions: Tensor,
    pub(crate) log_probs: Tensor,
    pub(crate) values: Tensor,
    pub(crate) returns: Tensor,
    pub(crate) advantages: Vec<f64>,
}

impl Experience {
    /// `ways`: the steps of each cart. What follows a fall is worth nothing; what follows a way that only stops, because
    /// time is up or the next update comes, is worth what the agent says.
    pub(crate) fn of(ways: &[Vec<Step>], agent: &Agent) -> Result<Self, TchError> {
        let _guard = tch::no_grad_guard();
        let episodes = || ways.iter().flat_map(|way| way.split_inclusive(|step| step.end.is_some()));
        let last_steps: Vec<&Step> = episodes().filter_map(|steps| steps.last()).collect();
        let after = Vec::<f64>::try_from(agent.values(&tensor(last_steps.iter().map(|step| step.next))))?;
        let (mut advantages, mut returns) = (Vec::new(), Vec::new());
        for (steps, (last, after)) in episodes().zip(last_steps.iter().zip(after)) {
            let values: Vec<f64> = steps.iter().map(|step| step.value).collect();
            let last_value = if last.end == Some(End::Fallen) { 0.0 } else { after };
            let rewards = vec![1.0; steps.len()];
            let estimated = gae(&rewards, &values, &vec![true; steps.len()], last_value, GAMMA, LAMBDA);
            let Gae { advantages: of_steps, returns: to_reach } = estimated;
            advantages.extend(of_steps);
            returns.extend(to_reach);
        }
        let steps = || ways.iter().flatten();
        Ok(Self {
            states: tensor(steps().map(|step| step.state)),
            actions: Tensor::from_slice(&steps().map(|step| i64::from(step.action)).collect::<Vec<_>>()),
            log_probs: column(&steps().map(|step| step.log_prob).collect::<Vec<_>>()),
            values: column(&steps().map(|step| step.value).collect::<Vec<_>>()),
            returns: column(&returns),
            advantages,
        })
    }
}

pub(crate) fn column(numbers: &[f64]) -> Tensor {
    Tensor::from_slice(numbers).to_kind(Kind::Float)
}
