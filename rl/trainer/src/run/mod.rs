//! A run: what it is, what it keeps, and what it shows.

mod checkpoint;
pub mod config;
pub mod curve;
mod evaluate;
mod folder;
mod interrupt;
mod line;
mod overrides;
mod progress;
mod report;
mod server;
mod session;
mod setup;
mod warm_start;

pub use checkpoint::{Checkpoint, CheckpointError, State};
pub use evaluate::{EvaluationLine, SampleLine, SourceScore, evaluate, evaluate_run, random_baseline};
pub use folder::RunFolder;
pub use interrupt::{INTERRUPTED, Interrupt};
pub use line::{Line, LineError, read_lines};
pub use progress::Progress;
pub use report::{ReportError, report};
pub use server::{Served, ServerError};
pub use session::{RunError, Session};
pub use setup::{Setup, SetupError, Vocabulary, connect};
pub use warm_start::WarmStartError;
