//! Runs commands that nobody trusts, on Linux: isolated, limited, observed, and undone by dropping a value.
//!
//! [`Engine::run`] takes a [`Tree`] of files and a [`Command`], and gives a report and another tree. A tree is an
//! immutable stack of layers, so a snapshot is a clone and a rollback is an earlier value. `spawner_main` is the process
//! that an engine starts to mount and clone for it.

mod archive;
mod cgroup;
mod changes;
mod command;
mod edit;
mod engine;
mod error;
mod file_error;
mod instance;
mod isolation;
mod merge;
mod notices;
mod probe;
mod report;
mod run;
mod spawner;
mod spawners;
mod sys;
mod syscalls;
mod tree;
mod view;
mod walk;
mod wire;

pub use archive::{export, import};
pub use changes::{Change, ChangeKind};
pub use command::Command;
pub use edit::Edit;
pub use engine::{Engine, EngineConfig};
pub use error::EngineError;
pub use file_error::FileError;
pub use isolation::{Isolation, Missing};
pub use report::{Event, ExecReport, Exit, Level, Limits, Output};
pub use spawner::spawner_main;
pub use tree::Tree;
pub use view::{Entry, EntryKind, View};
pub use wire::{Barrier, Mount};
