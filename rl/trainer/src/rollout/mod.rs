//! Episodes played by a policy: many at once, token by token, in environments that are served over `maquette.v1`.

pub mod conversation;
mod decoder;
mod engine;
mod environment;
mod episodes;
mod in_flight;
mod outcome;
mod play;
mod played;
mod refill;
mod report;

pub use engine::{Engine, EngineConfig, EngineError, GroupRequest, Policy};
pub use environment::{Environments, ToolChoice};
pub use outcome::{Failure, outcome_of};
pub use played::Played;
pub use report::{Failures, RolloutReport};
