//! Solutions as the policy would have written them.

use crate::small;
use maquette_train::{
    grammar::ToolGrammar,
    model::{CausalLm, ModelConfig},
    optimizer::{AdamW, AdamWConfig},
    rollout::conversation::ResultView,
    tokens::Tokenizer,
    train::{DemonstrationError, Origin, SftConfig, Solution, demonstration, sft_step},
    trajectory::Trajectory,
    word_pieces::WordPieces,
};
use rl_protocol::{ToolResult, ToolSpec};
use serde_json::json;
use std::{collections::BTreeMap, sync::Arc};
use tch::{Device, Kind};

const VIEW: ResultView = ResultView { shows_results: false, tokens_max: 16 };

fn tools() -> Vec<ToolSpec> {
    let tool = |name: &str, properties: serde_json::Value, required: &[&str]| ToolSpec {
        name: name.into(),
        description: String::new(),
        arguments_schema: json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }),
        read_only: false,
        group: String::new(),
    };
    vec![tool("pick", json!({ "digit": { "enum": [0, 1, 2, 3] } }), &["digit"]), tool("submit", json!({}), &[])]
}

struct Written {
    tokenizer: Arc<dyn Tokenizer>,
    grammar: ToolGrammar,
}

fn policy() -> Written {
    let (tools, narrowed) = (tools(), BTreeMap::new());
    let tokenizer: Arc<dyn Tokenizer> = Arc::new(WordPieces::for_tools(&tools, &narrowed, &[]));
    let grammar = ToolGrammar::new(&tools, &narrowed, Arc::clone(&tokenizer)).unwrap();
    Written { tokenizer, grammar }
}

fn demonstrated(told: &Written, line: &str) -> Result<Trajectory, DemonstrationError> {
    let solution: Solution = serde_json::from_str(line).unwrap();
    let ok = ToolResult { ok: true, json: json!({}), contents: Vec::new() };
    let results = vec![ok; solution.solution.len()];
    let about = Origin { domain: "pick", task_id: &solution.id, prompt: "Pick.", reward: 1.0 };
    demonstration(&*told.tokenizer, &told.grammar, VIEW, about, &solution.solution, &results)
}

const LINE: &str = r#"{"id": "pick/0-4", "prompt": "Pick.", "solution": [
    {"name": "pick", "arguments": {"digit": 2}}, {"name": "submit", "arguments": {}}]}"#;

#[test]
fn a_solution_is_spelled_as_calls_and_results() {
    let told = policy();
    let trajectory = demonstrated(&told, LINE).unwrap();
    let text = told.tokenizer.decode(&trajectory.tokens);
    assert_eq!(text, r#"Pick.{"name":"pick","arguments":{"digit":2}}ok{"name":"submit","arguments":{}}"#);
    assert_eq!(trajectory.tokens.last(), Some(&told.tokenizer.end()));
    for step in &trajectory.sampled {
        assert!(step.allowed.count() > 1 && step.allowed.contains(trajectory.tokens[step.place as usize]));
    }
    // Which tool, which digit, which tool.
    let turns: Vec<u32> = trajectory.sampled.iter().map(|step| step.turn).collect();
    assert_eq!(turns, [0, 0, 1]);
}

#[test]
fn whole_numbers_are_spelled_as_a_policy_writes_them() {
    let written = LINE.replace("\"digit\": 2", "\"digit\": 2.0");
    let told = policy();
    assert_eq!(demonstrated(&told, &written).unwrap().tokens, demonstrated(&told, LINE).unwrap().tokens);
}

#[test]
fn what_the_grammar_cannot_spell_is_no_demonstration() {
    let wrong = LINE.replace("\"digit\": 2", "\"digit\": 7");
    let told = demonstrated(&policy(), &wrong).err().unwrap().to_string();
    assert!(told.contains("7}}"), "{told}");
}

#[test]
fn supervised_steps_learn_a_solution() {
    let told = policy();
    let trajectory = demonstrated(&told, LINE).unwrap();
    let config = ModelConfig {
        vocab_size: told.tokenizer.vocab_size() as i64,
        hidden_size: 16,
        intermediate_size: 32,
        num_hidden_layers: 1,
        num_attention_heads: 2,
        tie_word_embeddings: false,
        ..small::config()
    };
    let model = CausalLm::new(&config, false, 1, Device::Cpu, Kind::Float).unwrap();
    let mut optimizer = AdamW::new(AdamWConfig::default());
    let sft = SftConfig { max_grad_norm: 1.0, micro_batch_tokens: 256 };
    let steps: Vec<_> = (0..60).map(|_| sft_step(&model, &mut optimizer, &[&trajectory], 1e-2, sft).unwrap()).collect();
    let (first, last) = (steps[0], steps[59]);
    assert!(first.loss > 0.5 && last.loss < 0.1, "{first:?} {last:?}");
    assert!(last.accuracy == 1.0 && last.tokens == 3, "{last:?}");
}
