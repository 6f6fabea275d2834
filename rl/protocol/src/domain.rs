//! `trait Domain`: what a domain author writes, and what `RemoteDomain` is for a domain in another process.

use crate::{DomainError, Reward};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};

/// What a domain offers. Pure data; the same for the life of the process.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Description {
    pub domain: String,
    pub description: String,
    pub tools: Vec<ToolSpec>,
    pub splits: Vec<String>,
    pub profiles: Vec<ProfileInfo>,
    pub limits: Vec<Limit>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments.
    pub arguments_schema: serde_json::Value,
    pub read_only: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileInfo {
    pub id: String,
    pub description: String,
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
    pub id: String,
    pub split: String,
    pub prompt: String,
    pub profile: String,
}

/// `count` siblings from one prepared state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenSpec {
    pub task_id: String,
    pub count: u32,
    pub seed: u64,
    /// `None` for the task's own.
    pub profile: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    pub name: String,
    /// The arguments as the model wrote them; need not be valid JSON.
    #[serde(rename = "arguments")]
    pub arguments_json: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    pub ok: bool,
    /// The reply; when not `ok` it holds `"error": {code, message, pointer, given, allowed, nearest}`.
    pub json: serde_json::Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Budget {
    pub calls_left: u32,
    pub triangles_left: u64,
    pub nodes_left: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    Submitted,
    CallLimit,
    EnvError,
}

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

/// Where an episode stands before its first step.
#[derive(Debug, Clone, PartialEq)]
pub struct Opening {
    pub observation: Vec<Content>,
    pub state_hash: Vec<u8>,
    pub budget: Budget,
}

#[derive(Debug, Clone, PartialEq)]
pub struct StepOutcome {
    /// One per call, in order.
    pub results: Vec<ToolResult>,
    /// Present when the episode ended with this step.
    pub reward: Option<Reward>,
    pub end: Option<End>,
    pub state_hash: Vec<u8>,
    pub budget: Budget,
}

/// Something made elsewhere, to be scored without a session.
#[derive(Debug, Clone, PartialEq)]
pub enum Subject {
    Artifact { task_id: Option<String>, mime: String, data: Vec<u8> },
    CallLog { task_id: String, seed: u64, calls: Vec<ToolCall> },
}

/// A domain. Methods may be called at any time and concurrently; CPU work of more than a millisecond runs through
/// [`crate::compute`], so that the I/O runtime is never blocked.
#[async_trait]
pub trait Domain: Send + Sync + 'static {
    async fn describe(&self) -> Result<Description, DomainError>;
    /// All tasks of a split (`None`: of every split), ordered by id.
    async fn tasks(&self, split: Option<&str>) -> Result<Vec<TaskInfo>, DomainError>;
    /// `spec.count` (≥ 1) equal episodes.
    async fn open(&self, spec: OpenSpec) -> Result<Vec<Box<dyn Episode>>, DomainError>;
    /// A pure function of subject, task and profile (`None`: the task's own).
    async fn score(&self, subject: Subject, profile: Option<&str>) -> Result<Reward, DomainError>;
    /// Whether everything the domain needs is usable right now.
    async fn ready(&self) -> Result<(), DomainError>;
}

/// One episode: Open → Running → Ended. After the end `step` answers `FailedPrecondition`; `observe` and `score` still
/// work.
#[async_trait]
pub trait Episode: Send + 'static {
    fn opening(&self) -> &Opening;
    /// Plays the calls in order; a bad call is a result the model sees, never an `Err`.
    async fn step(&mut self, calls: Vec<ToolCall>) -> Result<StepOutcome, DomainError>;
    /// The wanted observations in order; unknown names are `InvalidArgument`.
    async fn observe(&mut self, want: &[String]) -> Result<Vec<Content>, DomainError>;
    /// Scores the state as it stands. Pure.
    async fn score(&mut self, profile: Option<&str>) -> Result<Reward, DomainError>;
}
