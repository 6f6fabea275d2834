//! Calls that solve a task, as the policy would have written them.

use crate::grammar::spelling::spelling;
use crate::grammar::{CallMatcher, GrammarError, ToolGrammar};
use crate::rollout::conversation::{self, ResultView};
use crate::token_set::TokenSet;
use crate::tokens::{Token, Tokenizer};
use crate::trajectory::{Outcome, Step, Trajectory};
use rl_protocol::{ToolCall, ToolResult};
use serde::Deserialize;
use serde_json::Value;

/// A line of what `maquette tasks generate … --json --solutions` prints; other members are not read.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Solution {
    pub id: String,
    pub solution: Vec<SolutionCall>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct SolutionCall {
    pub name: String,
    pub arguments: Value,
}

impl From<&SolutionCall> for ToolCall {
    fn from(call: &SolutionCall) -> Self {
        Self { name: call.name.clone(), arguments_json: spelling(&call.arguments) }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum DemonstrationError {
    #[error("after {written:?} the policy can write no token that goes on with {rest:?}")]
    NotWritable { written: String, rest: String },
    #[error(transparent)]
    Grammar(#[from] GrammarError),
}

/// Where a demonstration comes from.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    pub domain: &'a str,
    pub task_id: &'a str,
    pub prompt: &'a str,
    pub reward: f64,
}

/// The tokens of an episode in which the policy wrote `calls` and read `results`. A place is `sampled` where the grammar
/// left a choice; there the longest token that fits is taken. log μ is 0: nobody drew it.
///
/// # Errors
/// A call that the grammar, narrowed as it may be, or the vocabulary cannot spell.
pub fn demonstration(
    tokenizer: &dyn Tokenizer,
    grammar: &ToolGrammar,
    view: ResultView,
    origin: Origin,
    calls: &[SolutionCall],
    results: &[ToolResult],
) -> Result<Trajectory, DemonstrationError> {
    let mut tokens = conversation::task(tokenizer, origin.prompt);
    let mut sampled = Vec::new();
    for (turn, (call, result)) in calls.iter().zip(results).enumerate() {
        // As it was played: `0.0` as `0`, which is the only way that the grammar has.
        let ToolCall { name, arguments_json } = call.into();
        let text = format!("{{\"name\":{},\"arguments\":{arguments_json}}}", Value::from(name));
        let mut writing = Writing { tokenizer, matcher: grammar.start()?, text: &text, written: 0 };
        while let Some((token, allowed)) = writing.advance()? {
            if let Some(allowed) = allowed {
                sampled.push(Step { place: tokens.len() as u32, log_mu: 0.0, allowed, turn: turn as u32 });
            }
            tokens.extend(token);
        }
        if turn + 1 < calls.len().min(results.len()) {
            tokens.extend(conversation::result(tokenizer, result, view));
        }
    }
    Ok(Trajectory {
        domain: origin.domain.into(),
        task_id: origin.task_id.into(),
        group: 0,
        member: 0,
        tokens,
        sampled,
        temperature: 1.0,
        policy_version: 0,
        outcome: Outcome::Scored { reward: origin.reward, components: Vec::new() },
        turns: results.len() as u32,
        wall_secs: 0.0,
    })
}

struct Writing<'a> {
    tokenizer: &'a dyn Tokenizer,
    matcher: CallMatcher,
    text: &'a str,
    /// Bytes of `text`.
    written: usize,
}

type Written = (Vec<Token>, Option<TokenSet>);

impl Writing<'_> {
    /// What comes next: tokens that are forced, or one that was chosen and what it was chosen from.
    fn advance(&mut self) -> Result<Option<Written>, DemonstrationError> {
        if self.matcher.is_finished() {
            return if self.rest().is_empty() { Ok(None) } else { Err(self.stuck()) };
        }
        let forced = self.matcher.forced()?;
        if !forced.is_empty() {
            for &token in &forced {
                self.spell(token)?;
            }
            return Ok(Some((forced, None)));
        }
        let allowed = self.matcher.allowed()?;
        let token = self.fitting(&allowed).ok_or_else(|| self.stuck())?;
        self.spell(token)?;
        self.matcher.accept(token)?;
        Ok(Some((vec![token], Some(allowed))))
    }

    fn rest(&self) -> &[u8] {
        self.text.as_bytes().get(self.written..).unwrap_or_default()
    }

    /// The end where nothing is left to write.
    fn fitting(&self, allowed: &TokenSet) -> Option<Token> {
        let rest = self.rest();
        if rest.is_empty() {
            return allowed.contains(self.tokenizer.end()).then(|| self.tokenizer.end());
        }
        let spelled = |token: &Token| self.tokenizer.bytes_of(*token);
        let fits = |token: &Token| !spelled(token).is_empty() && rest.starts_with(spelled(token));
        allowed.iter().filter(fits).max_by_key(|token| spelled(token).len())
    }

    fn spell(&mut self, token: Token) -> Result<(), DemonstrationError> {
        let spelled = self.tokenizer.bytes_of(token);
        if !self.rest().starts_with(spelled) {
            return Err(self.stuck());
        }
        self.written += spelled.len();
        Ok(())
    }

    fn stuck(&self) -> DemonstrationError {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let written = text(self.text.as_bytes().get(..self.written).unwrap_or_default());
        DemonstrationError::NotWritable { written, rest: text(self.rest()) }
    }
}
