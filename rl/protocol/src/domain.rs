//! `trait Domain`: what a domain author writes, and what `RemoteDomain` is for a domain in another process.

use crate::{DomainError, Reward};
use async_trait::async_trait;

/// What a domain offers. Pure data; the same for the life of the process.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Description {
    pub domain: String,
    pub description: String,
    pub tools: Vec<ToolSpec>,
    /// Every task is in one of them.
    pub splits: Vec<String>,
    pub profiles: Vec<ProfileInfo>,
    pub limits: Vec<Limit>,
    /// Those that an episode may ask for.
    pub tool_groups: Vec<ToolGroup>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments.
    pub arguments_schema: serde_json::Value,
    pub read_only: bool,
    /// Empty for a tool of every episode; else one of `Description.tool_groups`.
    pub group: String,
}

/// Tools that only an episode that asked for them may call: each tool that a model is told of costs it context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolGroup {
    pub name: String,
    /// What its tools are for.
    pub description: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileInfo {
    pub id: String,
    pub description: String,
    /// Of everything that the numbers depend on.
    pub hash: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    pub name: String,
    pub value: f64,
    pub unit: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskInfo {
    /// `domain/…`
    pub id: String,
    pub split: String,
    pub prompt: String,
    pub profile: String,
}

/// `count` siblings from one prepared state.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OpenSpec {
    pub task_id: String,
    pub count: u32,
    /// Of everything that is drawn at random: the same task, seed and calls give the same bytes. Siblings share it, and
    /// with it what is hidden from them.
    pub seed: u64,
    /// `None` for the task's own.
    pub profile: Option<String>,
    /// Whose tools may be called beside those of every episode and those that the task needs.
    pub tool_groups: Vec<String>,
}

/// Serialised as a line of a call log: `{"name": …, "arguments": {…}}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ToolCall {
    pub name: String,
    /// The arguments as the model wrote them; need not be valid JSON.
    pub arguments_json: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    pub ok: bool,
    /// The reply; when not `ok` it holds `"error": {code, message, pointer, given, allowed, nearest}`: a code such as
    /// `NOT_FOUND`, a JSON pointer into the arguments (empty for the whole), what was given there (null for nothing),
    /// what would have been accepted, and the likeliest valid words, best first.
    pub json: serde_json::Value,
    /// What the reply shows beside, e.g. a picture. A domain bounds it: the reply to one step of 64 calls has 64 MiB at
    /// most, all of it, and the last one of every session is kept.
    pub contents: Vec<Content>,
}

/// What is left; each value counts down.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Budget {
    pub calls_left: u32,
    /// What else the domain counts, e.g. `triangles`.
    pub left: Vec<Limit>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    Submitted,
    CallLimit,
}

/// Exactly one of `terminated` (the task is over) and `truncated` (it was cut short).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    pub terminated: bool,
    pub truncated: bool,
    pub reason: EndReason,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    pub name: String,
    pub mime: String,
    pub body: Body,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    Text(String),
    Data(Vec<u8>),
}

/// For observations that tell what has happened, such as `history`; the others do not heed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ObserveOptions {
    /// Only what is new since this revision; `None` for everything.
    pub since_revision: Option<u64>,
    /// Of the text, four bytes each; 0 for the domain's default.
    pub max_tokens: u32,
}

/// Where an episode stands before its first step; for a fork, where it was forked, with the observation of its task.
#[derive(Debug, Clone, PartialEq)]
pub struct Opening {
    pub observation: Vec<Content>,
    pub state_hash: Vec<u8>,
    pub budget: Budget,
    /// Whose tools the episode offers beside those of every episode: those asked for, and those that its task needs.
    pub tool_groups: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct StepOutcome {
    /// One per call, in order.
    pub results: Vec<ToolResult>,
    /// Present when the episode ended with this step.
    pub reward: Option<Reward>,
    /// Comes with `reward`.
    pub end: Option<End>,
    /// Of what would be scored now: equal where that is equal, different where it differs. Of any length but zero.
    pub state_hash: Vec<u8>,
    pub budget: Budget,
}

/// Something made elsewhere, to be scored without a session.
#[derive(Debug, Clone, PartialEq)]
pub enum Subject {
    Artifact { task_id: Option<String>, mime: String, data: Vec<u8> },
    CallLog { task_id: String, seed: u64, calls: Vec<ToolCall>, tool_groups: Vec<String> },
}

/// A domain. Methods may be called at any time and concurrently; CPU work of more than a millisecond runs through
/// [`crate::compute`], for a reward through [`crate::compute_scoring`], so that the I/O runtime is never blocked.
///
/// An unknown task, split or profile is `NotFound` with the request field (`task_id`, `split`, `profile`) and the
/// nearest known names; an unknown tool group is `InvalidArgument` with the field `tool_groups` and the same.
/// [`Code::Internal`](crate::Code::Internal), like a panic, is a fault of the domain's own: it ends the episode it came
/// from and nothing else. The rules of `rl-conformance` check what a domain promises here.
#[async_trait]
pub trait Domain: Send + Sync + 'static {
    async fn describe(&self) -> Result<Description, DomainError>;
    /// All tasks of a split (`None`: of every split), ordered by id; ids begin with the domain's name and a slash.
    async fn tasks(&self, split: Option<&str>) -> Result<Vec<TaskInfo>, DomainError>;
    /// `spec.count` (≥ 1) equal episodes that do not affect each other.
    async fn open(&self, spec: OpenSpec) -> Result<Vec<Box<dyn Episode>>, DomainError>;
    /// A pure function of subject, task and profile (`None`: the task's own). A call log scores as the episode would
    /// that played it. Given up (dropped) when nobody waits for it any more.
    async fn score(&self, subject: Subject, profile: Option<&str>) -> Result<Reward, DomainError>;
    /// Whether everything the domain needs is usable right now.
    async fn ready(&self) -> Result<(), DomainError>;
}

/// One episode: Open → Running → Ended. After the end `step` answers `FailedPrecondition`; `observe` and `score` still
/// work. Calls come one at a time; each runs to its end, even when the client that asked has gone.
#[async_trait]
pub trait Episode: Send + 'static {
    fn opening(&self) -> &Opening;
    /// Plays the calls in order; how they are grouped into steps changes nothing, and no calls at all is legal and
    /// changes nothing. A bad call (unknown tool, malformed JSON, unknown or mistyped argument, a call after the end
    /// within the step) is a refused result that changes nothing but the budget, never an `Err`. An `Err` has changed
    /// nothing: unless it is `Internal`, the same step may be tried again. Its reason is not `DEADLINE_EXCEEDED`, by
    /// which a server says that the step still runs.
    async fn step(&mut self, calls: Vec<ToolCall>) -> Result<StepOutcome, DomainError>;
    /// Another episode that stands where this one does: the same calls give the same bytes, and neither affects the
    /// other. O(1) in the size of the state: a server forks for every snapshot. `FailedPrecondition` after the end.
    async fn fork(&mut self) -> Result<Box<dyn Episode>, DomainError>;
    /// The wanted observations in order, nothing for nothing. Unknown names are `InvalidArgument`, and so is a revision
    /// that was not reached yet (field `since_revision`) or too little room for anything (`max_tokens`); one that cannot
    /// be made now is `FailedPrecondition`, `Unavailable`, `ResourceExhausted` or `DeadlineExceeded`. A server asks for
    /// one name at a time, so that it costs only itself.
    async fn observe(&mut self, want: &[String], options: ObserveOptions) -> Result<Vec<Content>, DomainError>;
    /// Scores the state as it stands. Pure.
    async fn score(&mut self, profile: Option<&str>) -> Result<Reward, DomainError>;
}
