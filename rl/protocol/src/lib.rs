//! The protocol `maquette.v1`: wire, plain values, `trait Domain`, sessions, `serve` and `RemoteDomain`.
//! Knows nothing of any domain. Generated types do not leave this crate.

mod call_log;
mod compute;
mod convert;
mod domain;
mod error;
mod journal;
mod panics;
mod remote;
mod reward;
mod serve;
mod sessions;
mod token;
mod transport;
mod wire;

pub use call_log::LogError;
pub use compute::{compute, compute_scoring};
pub use domain::{
    Body, Budget, Content, Description, Domain, End, EndReason, Episode, Limit, ObserveOptions, OpenSpec, Opening,
    ProfileInfo, StepOutcome, Subject, TaskInfo, ToolCall, ToolGroup, ToolResult, ToolSpec,
};
pub use error::{Code, DomainError};
pub use remote::{RemoteDomain, RemoteEpisode, connect};
pub use reward::{Component, Evidence, Factor, FailureClass, Gate, Outcome, Reward, Unscorable};
pub use serve::{ServeConfig, ServeError, Service, serve};
