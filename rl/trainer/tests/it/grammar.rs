//! Tool calls under a grammar.

mod narrowing;
mod refusals;
mod schema_check;
mod vocabulary;
mod walks;

use maquette_train::grammar::{GrammarError, ToolGrammar};
use maquette_train::tokens::Token;
use rl_protocol::ToolSpec;
use schema_check::satisfies;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use vocabulary::Pieces;

pub(crate) fn tool(name: &str, arguments_schema: Value) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: String::new(),
        arguments_schema,
        read_only: false,
        group: String::new(),
    }
}

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % count as u64) as usize
    }
}

/// All tokens of a call by a policy that takes any that it may, and those of them that were chosen.
pub(crate) fn written(grammar: &ToolGrammar, walk: u64) -> (Vec<Token>, Vec<Token>) {
    let mut dice = Dice(walk);
    let mut call = grammar.start().unwrap();
    let (mut tokens, mut chosen) = (call.forced().unwrap(), Vec::new());
    while !call.is_finished() {
        let allowed: Vec<Token> = call.allowed().unwrap().iter().collect();
        assert!(allowed.len() > 1, "`{}` goes on in one way only, which is forced", call.text());
        let token = allowed[dice.below(allowed.len())];
        call.accept(token).unwrap();
        tokens.push(token);
        chosen.push(token);
        tokens.extend(call.forced().unwrap());
    }
    (tokens, chosen)
}

/// Name and arguments of a call, which is compact JSON and satisfies the schema of its tool.
pub(crate) fn checked(tools: &[ToolSpec], text: &str) -> (String, Value) {
    let call: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let (name, arguments) = (call["name"].as_str().unwrap(), &call["arguments"]);
    assert_eq!(text, format!(r#"{{"name":{},"arguments":{arguments}}}"#, call["name"]), "is not compact");
    let schema = &tools.iter().find(|tool| tool.name == name).unwrap().arguments_schema;
    assert!(satisfies(schema, arguments, schema), "{text} is not valid");
    (name.to_owned(), arguments.clone())
}

/// Over single bytes, of one tool `t`.
fn grammar_of(schema: Value, narrowed: Option<Value>) -> Result<ToolGrammar, GrammarError> {
    let narrowed: BTreeMap<String, Value> = narrowed.map(|by| ("t".to_owned(), by)).into_iter().collect();
    ToolGrammar::new(&[tool("t", schema)], &narrowed, Arc::new(Pieces::bytes()))
}

/// Every text that the arguments of the one tool can have.
fn all_arguments(grammar: &ToolGrammar) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut todo = vec![grammar.start().unwrap()];
    while let Some(mut call) = todo.pop() {
        call.forced().unwrap();
        if call.is_finished() {
            let text = call.text();
            let arguments = text.strip_prefix(r#"{"name":"t","arguments":"#).and_then(|rest| rest.strip_suffix('}'));
            found.insert(arguments.unwrap().to_owned());
            continue;
        }
        for token in call.allowed().unwrap().iter() {
            let mut next = call.clone();
            next.accept(token).unwrap();
            todo.push(next);
        }
    }
    found
}

/// Every text that a member `v` can have.
fn all_values(schema: Value, narrowed: Option<Value>) -> BTreeSet<String> {
    let schema = serde_json::json!({"type": "object", "properties": {"v": schema}, "required": ["v"]});
    let narrowed = narrowed.map(|by| serde_json::json!({"properties": {"v": by}}));
    let all = all_arguments(&grammar_of(schema, narrowed).unwrap_or_else(|error| panic!("{error}")));
    let value = |text: &String| text.strip_prefix(r#"{"v":"#)?.strip_suffix('}').map(str::to_owned);
    all.iter().map(|text| value(text).unwrap()).collect()
}

fn set(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}
