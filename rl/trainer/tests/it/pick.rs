//! Pick the digit that the prompt names: the smallest domain that can be learnt. A random pick is right one time in four.

use crate::guess::{Answer, now};
use maquette_train::{rollout::Environments, run::config::RunConfig};
use rl_protocol::{
    Body, Budget, Code, Content, Description, Domain, DomainError, End, EndReason, Episode, ObserveOptions, OpenSpec,
    Opening, Outcome, ProfileInfo, Reward, StepOutcome, Subject, TaskInfo, ToolCall, ToolResult, ToolSpec,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// Tasks `pick/{seed}-{index}`; the digit is half the index, modulo 4. The split `train` lists two of them.
pub(crate) struct Pick;

impl Domain for Pick {
    fn describe<'s, 'f>(&'s self) -> Answer<'f, Description>
    where
        's: 'f,
    {
        now(Ok(Description {
            domain: "pick".into(),
            description: "Digits.".into(),
            tools: vec![ToolSpec {
                name: "pick".into(),
                description: "Picks a digit and ends the episode.".into(),
                arguments_schema: json!({
                    "type": "object",
                    "properties": { "digit": { "enum": [0, 1, 2, 3] } },
                    "required": ["digit"],
                    "additionalProperties": false,
                }),
                read_only: false,
                group: String::new(),
            }],
            splits: vec!["train".into()],
            profiles: vec![ProfileInfo { id: "pick/1".into(), description: "right or wrong".into(), hash: vec![1] }],
            ..Description::default()
        }))
    }

    fn tasks<'s, 'n, 'f>(&'s self, _: Option<&'n str>) -> Answer<'f, Vec<TaskInfo>>
    where
        's: 'f,
        'n: 'f,
    {
        let task = |index: u64| TaskInfo {
            id: format!("pick/0-{index}"),
            split: "train".into(),
            prompt: prompt(index),
            profile: "pick/1".into(),
        };
        now(Ok(vec![task(0), task(2)]))
    }

    fn open<'s, 'f>(&'s self, spec: OpenSpec) -> Answer<'f, Vec<Box<dyn Episode>>>
    where
        's: 'f,
    {
        let Some(index) = spec.task_id.rsplit_once('-').and_then(|(_, index)| index.parse().ok()) else {
            let message = format!("no task {:?}", spec.task_id);
            return now(Err(DomainError::new(Code::NotFound, "TASK_NOT_FOUND", message)));
        };
        let episode = |_| -> Box<dyn Episode> { Box::new(Picking::new(index)) };
        now(Ok((0..spec.count).map(episode).collect()))
    }

    fn score<'s, 'p, 'f>(&'s self, _: Subject, _: Option<&'p str>) -> Answer<'f, Reward>
    where
        's: 'f,
        'p: 'f,
    {
        now(Err(DomainError::new(Code::FailedPrecondition, "EPISODES_ONLY", "no artifacts are scored")))
    }

    fn ready<'s, 'f>(&'s self) -> Answer<'f, ()>
    where
        's: 'f,
    {
        now(Ok(()))
    }
}

fn digit(index: u64) -> u64 {
    index / 2 % 4
}

fn prompt(index: u64) -> String {
    format!("Pick {} now", digit(index))
}

#[derive(Clone)]
struct Picking {
    opening: Opening,
    digit: u64,
    picked: Option<u64>,
}

impl Picking {
    fn new(index: u64) -> Self {
        let observation =
            vec![Content { name: "task".into(), mime: "text/plain".into(), body: Body::Text(prompt(index)) }];
        let budget = Budget { calls_left: 1, left: Vec::new() };
        let opening = Opening { observation, state_hash: vec![0], budget, tool_groups: Vec::new() };
        Self { opening, digit: digit(index), picked: None }
    }

    fn reward(&self) -> Reward {
        Reward {
            outcome: Outcome::Value(if self.picked == Some(self.digit) { 1.0 } else { 0.0 }),
            gates: Vec::new(),
            components: Vec::new(),
            factors: Vec::new(),
            profile_id: "pick/1".into(),
            profile_hash: vec![1],
            attempt: 1,
            scored_state_hash: vec![1],
        }
    }

    fn stepped(&mut self, calls: &[ToolCall]) -> StepOutcome {
        for call in calls {
            let arguments: Value = serde_json::from_str(&call.arguments_json).unwrap_or_default();
            self.picked = self.picked.or(arguments["digit"].as_u64());
        }
        let end = self.picked.map(|_| End { terminated: true, truncated: false, reason: EndReason::Submitted });
        StepOutcome {
            results: calls.iter().map(|_| ToolResult { ok: true, json: json!({}), contents: Vec::new() }).collect(),
            reward: end.map(|_| self.reward()),
            end,
            state_hash: vec![1],
            budget: Budget { calls_left: u32::from(end.is_none()), left: Vec::new() },
        }
    }
}

impl Episode for Picking {
    fn opening(&self) -> &Opening {
        &self.opening
    }

    fn step<'s, 'f>(&'s mut self, calls: Vec<ToolCall>) -> Answer<'f, StepOutcome>
    where
        's: 'f,
    {
        now(Ok(self.stepped(&calls)))
    }

    fn fork<'s, 'f>(&'s mut self) -> Answer<'f, Box<dyn Episode>>
    where
        's: 'f,
    {
        let fork: Box<dyn Episode> = Box::new(self.clone());
        now(Ok(fork))
    }

    fn observe<'s, 'w, 'f>(&'s mut self, _: &'w [String], _: ObserveOptions) -> Answer<'f, Vec<Content>>
    where
        's: 'f,
        'w: 'f,
    {
        now(Ok(Vec::new()))
    }

    fn score<'s, 'p, 'f>(&'s mut self, _: Option<&'p str>) -> Answer<'f, Reward>
    where
        's: 'f,
        'p: 'f,
    {
        now(Ok(self.reward()))
    }
}

pub(crate) fn environments() -> Environments {
    let mut environments = Environments::new().unwrap();
    environments.add(Arc::new(Pick)).unwrap();
    environments
}

/// A run that learns this within seconds; `more` is TOML that goes behind its first section.
pub(crate) fn config(more: &str) -> RunConfig {
    let text = format!(
        r#"
[run]
name = "pick"
steps = 400
{more}

[server]
address = "in this process"

[[tasks]]
name = "digits"
domain = "pick"
ids = "pick/{{seed}}-{{index}}"
count = 8

[policy]
hidden_size = 32
intermediate_size = 64
num_hidden_layers = 1
num_attention_heads = 4
num_key_value_heads = 2

[rollout]
groups = 4
members = 8
slots = 16
context = 64
turns_max = 2
call_tokens_max = 24

[optimizer]
learning_rate = 5e-3

[evaluation]
every = 0
episodes = 8

[checkpoint]
every = 0
"#
    );
    toml::from_str(&text).unwrap()
}
