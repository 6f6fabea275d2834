//! Guess a number: the smallest domain with turns, served on a free port, and what may go wrong with an environment.

use rl_protocol::{
    Budget, Code, Component, Content, Description, Domain, DomainError, End, EndReason, Episode, FailureClass,
    ObserveOptions, OpenSpec, Opening, Outcome, ProfileInfo, Reward, ServeConfig, StepOutcome, Subject, TaskInfo,
    ToolCall, ToolResult, ToolSpec, Unscorable, serve,
};
use serde_json::{Value, json};
use std::{
    future::{pending, ready},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};
use tokio::{
    net::TcpListener,
    runtime::{Builder, Runtime},
};

const CALLS_MAX: u32 = 8;
/// Of a state in which the number was not found.
pub(crate) const UNFOUND: f64 = 0.1;

/// What the trait's methods give.
pub(crate) type Answer<'f, T> = Pin<Box<dyn Future<Output = Result<T, DomainError>> + Send + 'f>>;

pub(crate) fn now<'f, T: Send + 'f>(answer: Result<T, DomainError>) -> Answer<'f, T> {
    Box::pin(ready(answer))
}

/// Tools `guess {value}` and `say {text}`; the number is the seed's last digit. Task `guess/number`, and those that go
/// wrong: `guess/hangs` never answers a step, `guess/mute` ends with an absence that is the policy's, `guess/unscored`
/// with one that is not.
#[derive(Default)]
pub(crate) struct Guess {
    is_faulty: bool,
    /// Siblings.
    opened: AtomicU32,
}

impl Guess {
    /// Of ten siblings that are opened, one fails at its first step.
    pub(crate) fn faulty() -> Self {
        Self { is_faulty: true, ..Self::default() }
    }
}

/// A server that ends with the value.
pub(crate) struct Server {
    pub(crate) uri: String,
    _runtime: Runtime,
}

impl Server {
    pub(crate) fn start(domain: impl Domain) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let uri = format!("http://{}", listener.local_addr().unwrap());
        runtime.spawn(serve(listener, vec![Arc::new(domain)], ServeConfig::default(), pending()));
        Self { uri, _runtime: runtime }
    }
}

impl Domain for Guess {
    fn describe<'s, 'f>(&'s self) -> Answer<'f, Description>
    where
        's: 'f,
    {
        let tool = |name: &str, properties: Value| ToolSpec {
            name: name.into(),
            description: "a tool".into(),
            arguments_schema: json!({
                "type": "object",
                "required": properties.as_object().unwrap().keys().collect::<Vec<_>>(),
                "properties": properties,
                "additionalProperties": false,
            }),
            read_only: false,
            group: String::new(),
        };
        let description = Description {
            domain: "guess".into(),
            description: "A number from 0 to 9.".into(),
            tools: vec![
                tool("guess", json!({ "value": { "type": "integer", "minimum": 0, "maximum": 9 } })),
                tool("say", json!({ "text": { "type": "string", "minLength": 20, "maxLength": 60 } })),
            ],
            splits: vec!["train".into()],
            profiles: vec![ProfileInfo { id: "guess/1".into(), description: "soon is good".into(), hash: vec![1] }],
            ..Description::default()
        };
        now(Ok(description))
    }

    fn tasks<'s, 'n, 'f>(&'s self, _: Option<&'n str>) -> Answer<'f, Vec<TaskInfo>>
    where
        's: 'f,
        'n: 'f,
    {
        let task = |name: &str| TaskInfo {
            id: format!("guess/{name}"),
            split: "train".into(),
            prompt: "Guess a number.".into(),
            profile: "guess/1".into(),
        };
        now(Ok(["hangs", "mute", "number", "unscored"].into_iter().map(task).collect()))
    }

    fn open<'s, 'f>(&'s self, spec: OpenSpec) -> Answer<'f, Vec<Box<dyn Episode>>>
    where
        's: 'f,
    {
        let task = match spec.task_id.as_str() {
            "guess/number" => Task::Number,
            "guess/hangs" => Task::Hangs,
            "guess/mute" => Task::Mute,
            "guess/unscored" => Task::Unscored,
            other => {
                let error = DomainError::new(Code::NotFound, "TASK_NOT_FOUND", format!("no task {other:?}"));
                return now(Err(error));
            }
        };
        let episode = |_| -> Box<dyn Episode> {
            let is_sibling = spec.count > 1;
            let fails = is_sibling && self.opened.fetch_add(1, Ordering::SeqCst) % 10 == 3 && self.is_faulty;
            Box::new(Guessing::new(task, spec.seed, fails))
        };
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

#[derive(Clone, Copy, PartialEq)]
enum Task {
    Number,
    Hangs,
    Mute,
    Unscored,
}

#[derive(Clone)]
struct Guessing {
    opening: Opening,
    task: Task,
    number: u64,
    calls: u32,
    is_found: bool,
    fails: bool,
}

impl Guessing {
    fn new(task: Task, seed: u64, fails: bool) -> Self {
        let opening = Opening {
            observation: Vec::new(),
            state_hash: vec![0],
            budget: Budget { calls_left: CALLS_MAX, left: Vec::new() },
            tool_groups: Vec::new(),
        };
        Self { opening, task, number: seed % 10, calls: 0, is_found: false, fails }
    }

    fn is_over(&self) -> bool {
        self.is_found || self.calls == CALLS_MAX
    }

    fn called(&mut self, call: &ToolCall) -> ToolResult {
        let arguments: Value = serde_json::from_str(&call.arguments_json).unwrap_or_default();
        self.calls += u32::from(!self.is_over());
        let json = match (call.name.as_str(), arguments["value"].as_u64(), arguments["text"].as_str()) {
            ("guess", Some(value), None) => {
                self.is_found = value == self.number;
                json!({ "answer": if value < self.number { "higher" } else { "not higher" } })
            }
            ("say", None, Some(text)) => json!({ "heard": text.chars().count() }),
            _ => json!({ "error": { "code": "INVALID_ARGUMENT", "message": "no such call" } }),
        };
        ToolResult { ok: json.get("error").is_none(), json, contents: Vec::new() }
    }

    fn reward(&self) -> Reward {
        let value = if self.is_found { 1.0 - 0.1 * f64::from(self.calls - 1) } else { UNFOUND };
        let component = Component {
            name: "found".into(),
            value,
            weight: 1.0,
            uncertainty: 0.0,
            evidence: Vec::new(),
            truncated: false,
            thresholds: Vec::new(),
        };
        let absent = |class: FailureClass| {
            let (code, message) = ("ABSENT".into(), "as planned".into());
            Reward::unscorable("guess/1", Unscorable { class, code, message, retryable: true })
        };
        match self.task {
            Task::Mute => absent(FailureClass::Policy),
            Task::Unscored => absent(FailureClass::Verifier),
            Task::Number | Task::Hangs => Reward {
                outcome: Outcome::Value(value),
                components: vec![component],
                profile_hash: vec![1],
                scored_state_hash: vec![1],
                ..absent(FailureClass::Policy)
            },
        }
    }

    fn stepped(&mut self, calls: &[ToolCall]) -> StepOutcome {
        let results = calls.iter().map(|call| self.called(call)).collect();
        let end = self.is_over().then_some(End {
            terminated: self.is_found,
            truncated: !self.is_found,
            reason: if self.is_found { EndReason::Submitted } else { EndReason::CallLimit },
        });
        StepOutcome {
            results,
            reward: end.map(|_| self.reward()),
            end,
            state_hash: vec![u8::from(self.is_found), self.calls as u8],
            budget: Budget { calls_left: CALLS_MAX - self.calls, left: Vec::new() },
        }
    }
}

impl Episode for Guessing {
    fn opening(&self) -> &Opening {
        &self.opening
    }

    fn step<'s, 'f>(&'s mut self, calls: Vec<ToolCall>) -> Answer<'f, StepOutcome>
    where
        's: 'f,
    {
        Box::pin(async move {
            if self.task == Task::Hangs {
                pending::<()>().await;
            }
            if self.fails {
                return Err(DomainError::new(Code::Internal, "INJECTED", "as planned"));
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
