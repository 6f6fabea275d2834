//! PPO (Schulman et al., arXiv 1707.06347) with the trainer's own functions. The constants are CleanRL's, but for twice as
//! many carts and four times the learning rate: it learns faster, and stays up.

use super::agent::{Agent, tensor};
use super::experience::{Experience, Step, column};
use super::physics::CartPole;
use maquette_train::advantage::whiten;
use maquette_train::loss::{Clip, masked_entropy, masked_log_probs, ppo_clip, value_loss};
use maquette_train::optimizer::{AdamW, AdamWConfig, clip_grad_norm, zero_grad};
use maquette_train::sampling::{Sampled, sample, uniform};
use maquette_train::schedule::{Decay, Schedule};
use maquette_train::token_set::TokenSet;
use maquette_train::tokens::Token;
use tch::{Device, Kind, TchError, Tensor};

const CARTS: u64 = 8;
/// Of each cart between two updates.
const STEPS: u64 = 128;
const BATCH: u64 = CARTS * STEPS;
const EPOCHS: u64 = 4;
const MINIBATCHES: u64 = 4;
const LEARNING_RATE: f64 = 1e-3;
const VALUE_CLIP: f64 = 0.2;
const VALUE_COEFFICIENT: f64 = 0.5;
const ENTROPY_COEFFICIENT: f64 = 0.01;
const MOST_GRAD_NORM: f64 = 0.5;

/// Of `uniform`; 1 and 2 are weights and starts.
const ACTIONS: u64 = 0;
const ORDER: u64 = 3;

const RIGHT: Token = 1;

pub(crate) struct Learner {
    seed: u64,
    pub(crate) agent: Agent,
    optimizer: AdamW,
    schedule: Schedule,
    updates: u64,
    carts: Vec<CartPole>,
    /// Of all episodes that ended, in that order.
    pub(crate) returns: Vec<f64>,
}

impl Learner {
    /// Everything that it does is a function of the seed, on one thread. At most `most_steps` are taken.
    pub(crate) fn new(seed: u64, most_steps: u64) -> Self {
        let config = AdamWConfig { eps: 1e-5, weight_decay: 0.0, ..AdamWConfig::default() };
        let total_steps = most_steps / BATCH;
        Self {
            seed,
            agent: Agent::new(seed),
            optimizer: AdamW::new(config),
            schedule: Schedule {
                peak: LEARNING_RATE,
                warmup_steps: 0,
                decay: Decay::Linear,
                total_steps,
                floor_share: 0.0,
            },
            updates: 0,
            carts: (0..CARTS).map(|episode| CartPole::start(seed, episode)).collect(),
            returns: Vec::new(),
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.updates >= self.schedule.total_steps
    }

    /// Steps of carts so far.
    pub(crate) fn steps(&self) -> u64 {
        self.updates * BATCH
    }

    /// Mean return of the last `count` episodes, or of all where there are fewer.
    pub(crate) fn mean_return(&self, count: usize) -> f64 {
        let last = &self.returns[self.returns.len().saturating_sub(count)..];
        last.iter().sum::<f64>() / last.len().max(1) as f64
    }

    /// Plays on with every cart, and learns from it.
    pub(crate) fn update(&mut self) -> Result<(), TchError> {
        let ways = self.play()?;
        let experience = Experience::of(&ways, &self.agent)?;
        for epoch in 0..EPOCHS {
            let order = self.order(epoch);
            for places in order.chunks((BATCH / MINIBATCHES) as usize) {
                self.descend(&experience, places)?;
            }
        }
        self.updates += 1;
        Ok(())
    }

    /// The steps of each cart, all carts through the networks at once.
    fn play(&mut self) -> Result<Vec<Vec<Step>>, TchError> {
        let _guard = tch::no_grad_guard();
        let both = TokenSet::of(2, [0, RIGHT]);
        let mut ways = vec![Vec::new(); self.carts.len()];
        let first = self.updates * STEPS;
        for step in first..first + STEPS {
            let states = tensor(self.carts.iter().map(|cart| cart.state));
            let logits = Vec::<Vec<f32>>::try_from(self.agent.logits(&states))?;
            let values = Vec::<f64>::try_from(self.agent.values(&states))?;
            let carts = self.carts.iter_mut().zip(&mut ways).zip(logits.iter().zip(values));
            for (number, ((cart, way), (logits, value))) in (0..).zip(carts) {
                let draw = uniform(self.seed, ACTIONS, number, step);
                let Sampled { token: action, log_prob } = sample(logits, &both, 1.0, draw);
                let state = cart.state;
                let end = cart.push(action == RIGHT);
                way.push(Step { state, action, log_prob, value, next: cart.state, end });
                if end.is_some() {
                    self.returns.push(f64::from(cart.steps));
                    *cart = CartPole::start(self.seed, CARTS + self.returns.len() as u64);
                }
            }
        }
        Ok(ways)
    }

    /// All places of a batch, shuffled.
    fn order(&self, epoch: u64) -> Vec<i64> {
        let pass = self.updates * EPOCHS + epoch;
        let mut drawn: Vec<(f64, i64)> =
            (0..BATCH).map(|place| (uniform(self.seed, ORDER, pass, place), place.cast_signed())).collect();
        drawn.sort_by(|one, other| one.0.total_cmp(&other.0));
        drawn.into_iter().map(|(_, place)| place).collect()
    }

    /// One step of the optimizer on the steps at `places`.
    fn descend(&mut self, experience: &Experience, places: &[i64]) -> Result<(), TchError> {
        let index = Tensor::from_slice(places);
        let at_places = |column: &Tensor| column.index_select(0, &index);
        let advantages: Vec<f64> = places.iter().map(|&place| experience.advantages[place as usize]).collect();
        let states = at_places(&experience.states);
        let (logits, values) = (self.agent.logits(&states), self.agent.values(&states));

        let allowed = Tensor::ones([places.len() as i64, 2], (Kind::Bool, Device::Cpu));
        let log_prob = masked_log_probs(&logits, &allowed, 1.0, &at_places(&experience.actions));
        let log_old = at_places(&experience.log_probs);
        let policy = ppo_clip(&log_prob, &log_old, &column(&whiten(&advantages)), &Clip::default());
        let entropy = masked_entropy(&logits, &allowed, 1.0);
        let (old, returns) = (at_places(&experience.values), at_places(&experience.returns));
        let value = value_loss(&values, &old, &returns, Some(VALUE_CLIP));
        let loss = policy.per_token - entropy * ENTROPY_COEFFICIENT + value * VALUE_COEFFICIENT;

        let parameters = &self.agent.parameters;
        zero_grad(parameters);
        loss.mean(Kind::Float).f_backward()?;
        clip_grad_norm(parameters, MOST_GRAD_NORM);
        self.optimizer.step(parameters, self.schedule.at(self.updates));
        Ok(())
    }
}
