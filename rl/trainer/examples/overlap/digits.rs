//! Write the digit that the prompt names, eight times; each right one is an eighth of the reward. A step takes as long
//! as it is told to.

use maquette_train::rollout::Environments;
use rl_protocol::{
    Body, Budget, Code, Content, Description, Domain, DomainError, End, EndReason, Episode, ObserveOptions, OpenSpec,
    Opening, Outcome, ProfileInfo, Reward, StepOutcome, Subject, TaskInfo, ToolCall, ToolResult, ToolSpec,
};
use serde_json::{Value, json};
use std::{future::ready, pin::Pin, sync::Arc, time::Duration};
use tokio::time::sleep;

const COUNT: usize = 8;
const PROFILE: &str = "digits/1";

/// What the trait's methods give.
type Answer<'f, T> = Pin<Box<dyn Future<Output = Result<T, DomainError>> + Send + 'f>>;

fn now<'f, T: Send + 'f>(answer: Result<T, DomainError>) -> Answer<'f, T> {
    Box::pin(ready(answer))
}

/// Tasks `digits/{seed}-{index}`; the digit is half the index, modulo 4.
struct Digits {
    latency: Duration,
}

pub(crate) fn environments(latency: Duration) -> anyhow::Result<Environments> {
    let mut environments = Environments::new()?;
    environments.add(Arc::new(Digits { latency }))?;
    Ok(environments)
}

impl Domain for Digits {
    fn describe<'s, 'f>(&'s self) -> Answer<'f, Description>
    where
        's: 'f,
    {
        let digits =
            json!({ "type": "array", "items": { "enum": [0, 1, 2, 3] }, "minItems": COUNT, "maxItems": COUNT });
        now(Ok(Description {
            domain: "digits".into(),
            description: "Digits.".into(),
            tools: vec![ToolSpec {
                name: "write".into(),
                description: "Writes digits and ends the episode.".into(),
                arguments_schema: json!({
                    "type": "object",
                    "properties": { "digits": digits },
                    "required": ["digits"],
                    "additionalProperties": false,
                }),
                read_only: false,
                group: String::new(),
            }],
            splits: vec!["train".into()],
            profiles: vec![ProfileInfo {
                id: PROFILE.into(),
                description: "share of right ones".into(),
                hash: vec![1],
            }],
            ..Description::default()
        }))
    }

    fn tasks<'s, 'n, 'f>(&'s self, _: Option<&'n str>) -> Answer<'f, Vec<TaskInfo>>
    where
        's: 'f,
        'n: 'f,
    {
        now(Ok(Vec::new()))
    }

    fn open<'s, 'f>(&'s self, spec: OpenSpec) -> Answer<'f, Vec<Box<dyn Episode>>>
    where
        's: 'f,
    {
        let index = spec.task_id.rsplit_once('-').and_then(|(_, index)| index.parse::<u64>().ok());
        let Some(index) = index else {
            let message = format!("no task {:?}", spec.task_id);
            return now(Err(DomainError::new(Code::NotFound, "TASK_NOT_FOUND", message)));
        };
        let episode = |_| -> Box<dyn Episode> { Box::new(Writing::new(index / 2 % 4, self.latency)) };
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

#[derive(Clone)]
struct Writing {
    opening: Opening,
    digit: u64,
    latency: Duration,
    /// What was written, once it was.
    written: Option<Vec<u64>>,
}

impl Writing {
    fn new(digit: u64, latency: Duration) -> Self {
        let text = Body::Text(format!("Write {digit} now"));
        let opening = Opening {
            observation: vec![Content { name: "task".into(), mime: "text/plain".into(), body: text }],
            state_hash: vec![0],
            budget: Budget { calls_left: 1, left: Vec::new() },
            tool_groups: Vec::new(),
        };
        Self { opening, digit, latency, written: None }
    }

    fn reward(&self) -> Reward {
        let right = self.written.iter().flatten().filter(|&&written| written == self.digit).count();
        Reward {
            outcome: Outcome::Value(right as f64 / COUNT as f64),
            gates: Vec::new(),
            components: Vec::new(),
            factors: Vec::new(),
            profile_id: PROFILE.into(),
            profile_hash: vec![1],
            attempt: 1,
            scored_state_hash: vec![1],
        }
    }

    fn stepped(&mut self, calls: &[ToolCall]) -> StepOutcome {
        if self.written.is_none()
            && let Some(call) = calls.first()
        {
            let arguments: Value = serde_json::from_str(&call.arguments_json).unwrap_or_default();
            let digits = arguments["digits"].as_array().into_iter().flatten();
            self.written = Some(digits.filter_map(Value::as_u64).take(COUNT).collect());
        }
        let end =
            self.written.is_some().then_some(End { terminated: true, truncated: false, reason: EndReason::Submitted });
        StepOutcome {
            results: calls.iter().map(|_| ToolResult { ok: true, json: json!({}), contents: Vec::new() }).collect(),
            reward: end.map(|_| self.reward()),
            end,
            state_hash: vec![1],
            budget: Budget { calls_left: u32::from(end.is_none()), left: Vec::new() },
        }
    }
}

impl Episode for Writing {
    fn opening(&self) -> &Opening {
        &self.opening
    }

    fn step<'s, 'f>(&'s mut self, calls: Vec<ToolCall>) -> Answer<'f, StepOutcome>
    where
        's: 'f,
    {
        Box::pin(async move {
            // The shortest sleep is a millisecond.
            if !self.latency.is_zero() {
                sleep(self.latency).await;
            }
            Ok(self.stepped(&calls))
        })
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
