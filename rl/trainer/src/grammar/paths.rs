//! Which tokens lead on through an automaton of bytes.

use super::automaton::Automaton;
use super::trie::{NodeId, ROOT, Trie};
use crate::tokens::{Token, Tokenizer};
use regex_automata::util::primitives::StateID;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// A token and where it leads.
pub(super) type Step = (Token, StateID);

pub(super) struct Paths {
    automaton: Automaton,
    trie: Trie,
    tokenizer: Arc<dyn Tokenizer>,
    /// States from which the vocabulary can spell the rest of a word; None if all are.
    open: Option<HashSet<StateID>>,
}

impl Paths {
    pub(super) fn new(automaton: Automaton, tokenizer: Arc<dyn Tokenizer>) -> Self {
        let trie = Trie::new(&*tokenizer);
        let mut paths = Self { automaton, trie, tokenizer, open: None };
        if !paths.trie.spells_anything() {
            paths.open = Some(paths.finishable());
        }
        paths
    }

    pub(super) fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    pub(super) fn tokenizer(&self) -> &dyn Tokenizer {
        &*self.tokenizer
    }

    /// Tokens after which a word can be finished, and where they lead. One token alone is forced.
    ///
    /// As long as the next byte is no choice, tokens of that stretch are no choice either: of them the longest is
    /// offered. All tokens that end beyond the stretch are.
    pub(super) fn after(&self, state: StateID) -> Vec<Step> {
        let is_open = |(_, next): &Step| self.open.as_ref().is_none_or(|open| open.contains(next));
        let (within, mut steps) = self.steps(state);
        steps.retain(is_open);
        steps.extend(within.into_iter().rfind(is_open));
        steps
    }

    /// Some call that begins with `head` can be spelled.
    pub(super) fn can_begin(&self, head: &[u8]) -> bool {
        let mut seen = HashSet::new();
        let mut todo = vec![(self.automaton.start(), head)];
        while let Some((state, rest)) = todo.pop() {
            for (token, next) in self.after(state) {
                let bytes = self.tokenizer.bytes_of(token);
                if bytes.starts_with(rest) {
                    return true;
                }
                if let Some(rest) = rest.strip_prefix(bytes).filter(|rest| seen.insert((next, rest.len()))) {
                    todo.push((next, rest));
                }
            }
        }
        false
    }

    /// Tokens that end within the stretch of bytes that are no choice, ascending in length, and those that end beyond.
    fn steps(&self, state: StateID) -> (Vec<Step>, Vec<Step>) {
        let (mut node, mut end) = (ROOT, state);
        let mut within = Vec::new();
        while let Some((byte, next)) = self.automaton.only_step(end) {
            let Some(child) = self.trie.child(node, byte) else { return (within, Vec::new()) };
            (node, end) = (child, next);
            within.extend(self.trie.token(node).map(|token| (token, end)));
        }
        (within, self.beyond(node, end))
    }

    fn beyond(&self, node: NodeId, state: StateID) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut todo = vec![(node, state)];
        while let Some((node, state)) = todo.pop() {
            for (byte, child) in self.trie.children(node) {
                if let Some(next) = self.automaton.next(state, *byte) {
                    steps.extend(self.trie.token(*child).map(|token| (token, next)));
                    todo.push((*child, next));
                }
            }
        }
        steps
    }

    /// Backwards from the ends of words, over all that can be reached.
    fn finishable(&self) -> HashSet<StateID> {
        let start = self.automaton.start();
        let (mut seen, mut todo, mut ends) = (HashSet::from([start]), vec![start], Vec::new());
        let mut before: HashMap<StateID, Vec<StateID>> = HashMap::new();
        while let Some(state) = todo.pop() {
            if self.automaton.is_complete(state) {
                ends.push(state);
            }
            let (within, beyond) = self.steps(state);
            let nexts: BTreeSet<StateID> = within.into_iter().chain(beyond).map(|(_, next)| next).collect();
            todo.extend(nexts.iter().filter(|next| seen.insert(**next)));
            nexts.iter().for_each(|next| before.entry(*next).or_default().push(state));
        }
        let mut open = HashSet::new();
        while let Some(state) = ends.pop() {
            if open.insert(state) {
                ends.extend(before.get(&state).into_iter().flatten());
            }
        }
        open
    }
}
