//! Tool calls under a grammar: at each place a policy is offered the tokens that keep its call valid JSON for one of
//! its tools, and no others.
//!
//! The schemas of the arguments become a regular expression over bytes and that an automaton; what may come next is
//! what its state leaves of the vocabulary. Calls are finite, so that no stack is needed.

mod automaton;
pub mod decimal;
mod error;
mod literals;
pub mod narrow;
mod nearest;
mod paths;
pub mod pattern;
pub mod schema;
pub mod spelling;
mod trie;

pub use error::GrammarError;

use crate::token_set::TokenSet;
use crate::tokens::{Token, Tokenizer};
use automaton::Automaton;
use nearest::nearest;
use paths::Paths;
use regex_automata::util::primitives::StateID;
use rl_protocol::ToolSpec;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

/// What the tools may be called with, for a vocabulary; cheap to clone. Masks are found once for each state of the
/// automaton and then looked up.
#[derive(Clone)]
pub struct ToolGrammar(Arc<Grammar>);

struct Grammar {
    paths: Paths,
    moves: Mutex<HashMap<StateID, Arc<Moves>>>,
}

struct Moves {
    allowed: TokenSet,
    /// Where there is no choice.
    only: Option<Token>,
}

impl ToolGrammar {
    /// `tools`: those the policy may call; `narrowed`: by tool, what its arguments must meet beside its schema (see
    /// [`narrow::narrow`], and [`pattern::pattern`] for what is written). What the vocabulary has no spelling for is not
    /// offered; a tool that it cannot call at all is refused.
    pub fn new(
        tools: &[ToolSpec],
        narrowed: &BTreeMap<String, Value>,
        tokenizer: Arc<dyn Tokenizer>,
    ) -> Result<Self, GrammarError> {
        let names = || tools.iter().map(|tool| tool.name.as_str());
        if let Some(name) = narrowed.keys().find(|name| names().all(|tool| tool != name.as_str())) {
            let allowed = names().map(str::to_owned).collect();
            return Err(GrammarError::UnknownTool { name: name.clone(), allowed, nearest: nearest(name, names()) });
        }
        let mut calls = Vec::new();
        for tool in tools {
            let choice = match narrowed.get(&tool.name) {
                Some(by) => narrow::narrow(&tool.arguments_schema, by, &tool.name)?,
                None => schema::read(&tool.arguments_schema, &tool.name)?,
            };
            let arguments = pattern::pattern(&choice, &tool.name)?;
            calls.push(format!(r"{}{arguments}\}}", literals::literal(&head(tool))));
        }
        if calls.is_empty() {
            return Err(GrammarError::NoTools);
        }
        let automaton =
            Automaton::new(&format!("(?:{})", calls.join("|"))).map_err(|error| too_large(error, tools, &calls))?;
        let paths = Paths::new(automaton, tokenizer);
        if let Some(tool) = tools.iter().find(|tool| !paths.can_begin(head(tool).as_bytes())) {
            return Err(GrammarError::Unwritable { tool: tool.name.clone() });
        }
        Ok(Self(Arc::new(Grammar { paths, moves: Mutex::default() })))
    }

    /// Before the first token of a call.
    pub fn start(&self) -> Result<CallMatcher, GrammarError> {
        let state = self.0.paths.automaton().start();
        Ok(CallMatcher { grammar: Arc::clone(&self.0), state, text: Vec::new(), finished: false })
    }
}

/// How a call begins, up to its arguments.
fn head(tool: &ToolSpec) -> String {
    format!(r#"{{"name":{},"arguments":"#, Value::from(tool.name.as_str()))
}

/// Names the tools that are too large by themselves, or all.
fn too_large(error: GrammarError, tools: &[ToolSpec], calls: &[String]) -> GrammarError {
    let GrammarError::TooLarge { limit_mib, .. } = error else { return error };
    let alone = |call: &String| matches!(Automaton::new(call), Err(GrammarError::TooLarge { .. }));
    let mut guilty: Vec<String> =
        tools.iter().zip(calls).filter(|(_, call)| alone(call)).map(|(tool, _)| tool.name.clone()).collect();
    if guilty.is_empty() {
        guilty = tools.iter().map(|tool| tool.name.clone()).collect();
    }
    GrammarError::TooLarge { tools: guilty, limit_mib }
}

impl Grammar {
    fn moves(&self, state: StateID) -> Arc<Moves> {
        if let Some(moves) = self.moves.lock().unwrap_or_else(PoisonError::into_inner).get(&state) {
            return Arc::clone(moves);
        }
        let tokenizer = self.paths.tokenizer();
        let tokens: Vec<Token> = if self.paths.automaton().is_complete(state) {
            vec![tokenizer.end()]
        } else {
            self.paths.after(state).into_iter().map(|(token, _)| token).collect()
        };
        let only = tokens.first().copied().filter(|_| tokens.len() == 1);
        let moves = Arc::new(Moves { allowed: TokenSet::of(tokenizer.vocab_size(), tokens), only });
        self.moves.lock().unwrap_or_else(PoisonError::into_inner).insert(state, Arc::clone(&moves));
        moves
    }
}

/// One call that is being written, `{"name":"…","arguments":{…}}` and then the end token.
#[derive(Clone)]
pub struct CallMatcher {
    grammar: Arc<Grammar>,
    state: StateID,
    text: Vec<u8>,
    finished: bool,
}

impl CallMatcher {
    /// What must come next whatever the policy wants, perhaps nothing; it is accepted already. Names are spelled by the
    /// longest tokens.
    pub fn forced(&mut self) -> Result<Vec<Token>, GrammarError> {
        let mut tokens = Vec::new();
        while !self.finished
            && let Some(token) = self.grammar.moves(self.state).only
        {
            self.accept(token)?;
            tokens.push(token);
        }
        Ok(tokens)
    }

    /// What may come next: at least one token. One alone is forced. Each can be followed to the end of a call.
    pub fn allowed(&mut self) -> Result<TokenSet, GrammarError> {
        if self.finished {
            return Err(GrammarError::Finished { text: self.text() });
        }
        Ok(self.grammar.moves(self.state).allowed.clone())
    }

    /// Refuses what is not allowed, and then stays where it was.
    pub fn accept(&mut self, token: Token) -> Result<(), GrammarError> {
        if !self.allowed()?.contains(token) {
            return Err(GrammarError::NotAllowed { token, text: self.text() });
        }
        let tokenizer = self.grammar.paths.tokenizer();
        if token == tokenizer.end() {
            self.finished = true;
            return Ok(());
        }
        let bytes = tokenizer.bytes_of(token);
        let Some(state) = self.grammar.paths.automaton().next_all(self.state, bytes) else {
            return Err(GrammarError::NotAllowed { token, text: self.text() });
        };
        self.text.extend_from_slice(bytes);
        self.state = state;
        Ok(())
    }

    /// The end token was accepted.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// What is written so far.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.text).into_owned()
    }
}
