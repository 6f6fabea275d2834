//! One episode as the policy plays it: what it has read and written, and the call that it is writing.

use super::engine::{EngineError, GroupRequest, Policy};
use crate::{
    grammar::{CallMatcher, ToolGrammar},
    sampling::{greedy, sample, uniform},
    token_set::TokenSet,
    tokens::{Token, Tokenizer},
    trajectory::{Outcome, Step, Trajectory},
};
use std::time::Instant;

/// Stream of the counter-based numbers that tokens are drawn by.
const TOKENS: u64 = 0;
/// Numbers of one group are apart from those of every other.
const MEMBERS: u64 = 1 << 20;

/// In tokens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) context: usize,
    pub(super) call: usize,
}

pub(super) enum Next {
    /// The policy has to choose a token.
    Choice,
    /// A call is written.
    Call(String),
    CallTooLong,
    ContextFull,
}

pub(super) struct Play {
    /// Place among the requests.
    pub(super) group: usize,
    pub(super) member: u32,
    tokens: Vec<Token>,
    sampled: Vec<Step>,
    /// How many of the tokens the cache holds.
    fed: usize,
    /// Where the call that is being written begins.
    call_from: usize,
    /// Calls that were played.
    turns: u32,
    matcher: CallMatcher,
    choice: Option<TokenSet>,
    begun: Instant,
}

impl Play {
    pub(super) fn new(
        group: usize,
        member: u32,
        tokens: Vec<Token>,
        grammar: &ToolGrammar,
    ) -> Result<Self, EngineError> {
        Ok(Self {
            group,
            member,
            call_from: tokens.len(),
            tokens,
            sampled: Vec::new(),
            fed: 0,
            turns: 0,
            matcher: grammar.start()?,
            choice: None,
            begun: Instant::now(),
        })
    }

    /// Those that the model has not seen.
    pub(super) fn pending(&self) -> &[Token] {
        &self.tokens[self.fed..]
    }

    pub(super) fn feed(&mut self, count: usize) {
        self.fed += count;
    }

    pub(super) fn turns(&self) -> u32 {
        self.turns
    }

    pub(super) fn has_chosen(&self) -> bool {
        !self.sampled.is_empty()
    }

    pub(super) fn token_count(&self) -> usize {
        self.tokens.len()
    }

    /// Writes what needs no choice.
    pub(super) fn advance(&mut self, tokenizer: &dyn Tokenizer, limits: Limits) -> Result<Next, EngineError> {
        let forced = self.matcher.forced()?;
        self.tokens.extend(forced);
        let is_finished = self.matcher.is_finished();
        let written = self.tokens.len() - self.call_from;
        if written > limits.call || (written == limits.call && !is_finished) {
            return Ok(Next::CallTooLong);
        }
        if is_finished {
            return Ok(Next::Call(tokenizer.decode(&self.tokens[self.call_from..])));
        }
        if self.tokens.len() >= limits.context {
            return Ok(Next::ContextFull);
        }
        self.choice = Some(self.matcher.allowed()?);
        Ok(Next::Choice)
    }

    /// Chooses by the logits after the last token. Which number it draws by depends on the policy's seed, group, member
    /// and place alone.
    pub(super) fn choose(
        &mut self,
        logits: &[f32],
        request: &GroupRequest,
        policy: &Policy,
        temperature: f64,
    ) -> Result<(), EngineError> {
        let Some(allowed) = self.choice.take() else { return Ok(()) };
        let place = self.tokens.len();
        let (token, log_mu) = if policy.greedy {
            let token = greedy(logits, &allowed);
            // Of weights that are no numbers nothing is the likeliest.
            (token, if logits[token as usize].is_finite() { 0.0 } else { f64::NAN })
        } else {
            let episode = request.group.wrapping_mul(MEMBERS).wrapping_add(self.member.into());
            let drawn = sample(logits, &allowed, temperature, uniform(policy.seed, TOKENS, episode, place as u64));
            (drawn.token, drawn.log_prob)
        };
        if !log_mu.is_finite() {
            return Err(EngineError::NotFinite { version: policy.version });
        }
        self.matcher.accept(token)?;
        self.tokens.push(token);
        self.sampled.push(Step { place: place as u32, log_mu, allowed, turn: self.turns });
        Ok(())
    }

    /// The call was played.
    pub(super) fn played(&mut self) {
        self.turns += 1;
    }

    /// Reads the result of a call and begins the next one.
    pub(super) fn read(&mut self, result: Vec<Token>, grammar: &ToolGrammar) -> Result<(), EngineError> {
        self.tokens.extend(result);
        self.call_from = self.tokens.len();
        self.matcher = grammar.start()?;
        Ok(())
    }

    pub(super) fn into_trajectory(
        mut self,
        request: &GroupRequest,
        policy: &Policy,
        temperature: f64,
        limits: Limits,
        outcome: Outcome,
    ) -> Trajectory {
        // Beyond the context is only what was forced or read, and nothing after it was sampled.
        self.tokens.truncate(limits.context);
        Trajectory {
            domain: request.domain.clone(),
            task_id: request.task_id.clone(),
            group: request.group,
            member: self.member,
            tokens: self.tokens,
            sampled: self.sampled,
            temperature,
            policy_version: policy.version,
            outcome,
            turns: self.turns,
            wall_secs: self.begun.elapsed().as_secs_f64(),
        }
    }
}
