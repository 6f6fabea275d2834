//! A finite set of words as a dense automaton over bytes.

use super::GrammarError;
use regex_automata::dfa::{Automaton as _, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::{primitives::StateID, start, syntax};
use regex_automata::{Anchored, MatchKind};
use std::error::Error;

const MIB: usize = 1 << 20;
const LIMIT_MIB: usize = 128;

pub(super) struct Automaton {
    dfa: dense::DFA<Vec<u32>>,
    start: StateID,
}

impl Automaton {
    /// `pattern` matches words of which none begins another.
    pub(super) fn new(pattern: &str) -> Result<Self, GrammarError> {
        let config = dense::Config::new()
            .start_kind(StartKind::Anchored)
            .match_kind(MatchKind::All)
            .accelerate(false)
            .dfa_size_limit(Some(LIMIT_MIB * MIB))
            .determinize_size_limit(Some(2 * LIMIT_MIB * MIB));
        let built = dense::Builder::new()
            .configure(config)
            .syntax(syntax::Config::new().nest_limit(1_000))
            .thompson(thompson::Config::new().nfa_size_limit(Some(LIMIT_MIB * MIB)))
            .build(pattern);
        let dfa = built.map_err(|error| {
            let source = error.source().and_then(|source| source.downcast_ref::<thompson::BuildError>());
            let of_words = source.is_some_and(|source| source.size_limit().is_some());
            if of_words || error.is_size_limit_exceeded() {
                return GrammarError::TooLarge { tools: Vec::new(), limit_mib: LIMIT_MIB };
            }
            let why = error.source().map_or_else(|| error.to_string(), |source| source.to_string());
            GrammarError::NoAutomaton { why }
        })?;
        let start = dfa
            .start_state(&start::Config::new().anchored(Anchored::Yes))
            .map_err(|error| GrammarError::NoAutomaton { why: error.to_string() })?;
        Ok(Self { dfa, start })
    }

    pub(super) fn start(&self) -> StateID {
        self.start
    }

    /// None where no word goes on with `byte`. The automaton tells of a match one byte late: in a match state a whole
    /// word has been overrun.
    pub(super) fn next(&self, state: StateID, byte: u8) -> Option<StateID> {
        let next = self.dfa.next_state(state, byte);
        let dead = self.dfa.is_dead_state(next) || self.dfa.is_quit_state(next) || self.dfa.is_match_state(next);
        (!dead).then_some(next)
    }

    pub(super) fn next_all(&self, state: StateID, bytes: &[u8]) -> Option<StateID> {
        bytes.iter().try_fold(state, |state, byte| self.next(state, *byte))
    }

    /// A whole word has been read.
    pub(super) fn is_complete(&self, state: StateID) -> bool {
        self.dfa.is_match_state(self.dfa.next_eoi_state(state))
    }

    /// The byte that all words go on with, and where it leads.
    pub(super) fn only_step(&self, state: StateID) -> Option<(u8, StateID)> {
        let mut steps = (0..=u8::MAX).filter_map(|byte| Some((byte, self.next(state, byte)?)));
        let only = steps.next()?;
        steps.next().is_none().then_some(only)
    }
}
