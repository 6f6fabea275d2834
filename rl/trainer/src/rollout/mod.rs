//! Episodes played by a policy: many at once, token by token, in environments that are served over `maquette.v1`.

pub mod conversation;
mod decoder;
mod demonstration;
mod engine;
mod environment;
mod episodes;
mod in_flight;
mod outcome;
mod play;
mod refill;
mod report;

pub use demonstration::Played;
pub use engine::{Engine, EngineConfig, EngineError, GroupRequest, Policy};
pub use environment::{Environments, ToolChoice};
pub use outcome::{Failure, outcome_of};
pub use report::{Failures, RolloutReport};
