//! Runs commands on trees of files, each in a sandbox of its own.

mod layers;
mod running;

use crate::cgroup::Cgroups;
use crate::changes::{self, Change};
use crate::command::Command;
use crate::edit::Edit;
use crate::error::EngineError;
use crate::file_error::FileError;
use crate::instance::Instance;
use crate::isolation::{self, Isolation, Missing};
use crate::report::{ExecReport, Level, Limits};
use crate::spawner::IDS;
use crate::spawner::overlay::UPPER;
use crate::spawners::Spawners;
use crate::tree::Tree;
use crate::view::View;
use crate::wire::{Failure, Mount, Owner, Privilege, Step};
use layers::{BASE_BYTES, BASE_INODES, sealed, upper};
use rustix::fd::AsFd;
use rustix::fs::{AtFlags, Gid, Mode, Uid, chownat, mkdirat};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::available_parallelism;

/// Ids below are the host's own.
const FIRST_ID: u32 = 100_000;
const BLOCKS: u32 = 1_000_000;

#[derive(Debug, Clone)]
pub struct EngineConfig {
    /// Program and arguments that end in [`crate::spawner_main`].
    pub spawner: Vec<String>,
    /// Below it the engine does not start.
    pub required: Level,
    /// Beside /usr and what belongs to it.
    pub mounts: Vec<Mount>,
    pub spawners: usize,
}

impl EngineConfig {
    #[must_use]
    pub fn new(spawner: Vec<String>) -> Self {
        let spawners = available_parallelism().map_or(1, usize::from);
        Self { spawner, required: Level::Full, mounts: Vec::new(), spawners }
    }
}

/// Everything that sandboxes need of the host. Its end is theirs.
pub struct Engine {
    spawners: Spawners,
    privilege: Privilege,
    cgroups: Option<Cgroups>,
    isolation: Isolation,
    next_block: AtomicU32,
    /// Held until the end, so that nobody clears away what is still used.
    _instance: Instance,
}

impl Engine {
    /// Starts spawners, tries every barrier, and clears away what engines that were killed have left. This process may
    /// then have as many open files as the system allows it: every layer of a tree is one.
    ///
    /// # Errors
    /// `Level` where the machine isolates less than `config.required`, with what is missing; `Failed` for what has
    /// nothing to do with isolation.
    pub fn start(config: EngineConfig) -> Result<Self, EngineError> {
        let EngineConfig { spawner, required, mounts, spawners } = config;
        let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        let privilege = if has_ids(uid) { Privilege::Root } else { Privilege::User { uid, gid } };
        open_as_many_files_as_allowed().step("RLIMIT_NOFILE")?;
        let instance = Instance::new().step("the lock of this engine")?;
        let refused = |isolation: Isolation| EngineError::Level {
            given: isolation.level,
            required,
            isolation: Box::new(isolation),
        };
        let mut missing = Vec::new();
        let cgroups = match Cgroups::open(&instance) {
            Ok(cgroups) => Some(cgroups),
            Err(error) => {
                missing.push(error.missing());
                None
            }
        };
        if privilege != Privilege::Root {
            missing.push(Missing {
                what: "users of its own".into(),
                fix: "run as root of the machine: sandboxes then run as users that it does not have".into(),
            });
        }
        // What one makes in its user namespace is nothing to another.
        let spawners = if privilege == Privilege::Root { spawners } else { 1 };
        let spawners = match Spawners::start(spawner, spawners, privilege, mounts) {
            Ok(spawners) => spawners,
            Err(failure)
                if failure.source.kind() == io::ErrorKind::NotFound && failure.what.starts_with("starting") =>
            {
                return Err(failure.into());
            }
            Err(Failure { what, source }) => {
                let mut isolation = Isolation::none(&what, &source.to_string());
                isolation.missing.extend(missing);
                return Err(refused(isolation));
            }
        };
        let aimed = if missing.is_empty() { Level::Full } else { Level::Rootless };
        let cgroups = cgroups.filter(|_| aimed == Level::Full);
        let isolation = Isolation { level: aimed, barriers: Vec::new(), missing: missing.clone() };
        if aimed < required {
            return Err(refused(isolation));
        }
        let next_block = AtomicU32::new(0);
        let mut engine = Self { spawners, privilege, cgroups, isolation, next_block, _instance: instance };
        engine.isolation = match isolation::prove(&engine, aimed, missing.clone()) {
            Ok(isolation) => isolation,
            Err(EngineError::Failed { what, source }) => {
                let mut isolation = Isolation::none(&what, &source.to_string());
                isolation.missing.extend(missing);
                isolation
            }
            Err(error) => return Err(error),
        };
        if engine.isolation.level < required || engine.isolation.level == Level::None {
            return Err(refused(engine.isolation.clone()));
        }
        Ok(engine)
    }

    #[must_use]
    pub fn isolation(&self) -> &Isolation {
        &self.isolation
    }

    /// Process ids of the spawners that run.
    #[must_use]
    pub fn spawner_pids(&self) -> Vec<u32> {
        self.spawners.pids()
    }

    /// Empty but for `work`, `home/user` and `tmp`. All that grows from it shares one user.
    pub fn tree(&self) -> Result<Tree, EngineError> {
        let (owner, first_id) = match self.privilege {
            Privilege::Root => {
                // A block comes again after a million trees; then it shares no namespace with whoever had it.
                let block = self.next_block.fetch_add(1, Ordering::Relaxed) % BLOCKS;
                let first = FIRST_ID + block * IDS;
                (Owner { uid: first + 1000, gid: first + 1000 }, first)
            }
            Privilege::User { uid, gid } => (Owner { uid, gid }, 0),
        };
        let layer = self.layer(BASE_BYTES, BASE_INODES, owner)?;
        let chown = self.privilege == Privilege::Root;
        for (name, mode) in [("work", 0o755), ("home", 0o755), ("home/user", 0o755), ("tmp", 0o1777)] {
            let path = format!("{UPPER}/{name}");
            mkdirat(&layer, &path, Mode::from_raw_mode(mode)).step(name)?;
            rustix::fs::chmodat(&layer, &path, Mode::from_raw_mode(mode), AtFlags::empty()).step(name)?;
            if chown {
                let (uid, gid) = (Uid::from_raw(owner.uid), Gid::from_raw(owner.gid));
                chownat(&layer, &path, Some(uid), Some(gid), AtFlags::SYMLINK_NOFOLLOW).step(name)?;
            }
        }
        Ok(Tree::new(sealed(layer)?, owner, first_id))
    }

    /// Runs a command; the tree that comes back holds what it wrote.
    ///
    /// # Errors
    /// What the machine fails at. What the command does is in the report.
    pub fn run(&self, tree: &Tree, command: &Command, limits: &Limits) -> Result<(ExecReport, Tree), EngineError> {
        self.run_or_probe(tree, command, limits, None)
    }

    /// The tree's files as they are, for reading.
    pub fn view(&self, tree: &Tree) -> Result<View, EngineError> {
        Ok(View::new(self.overlay(tree, None)?))
    }

    /// Writes into a tree what `write` does, all of it or, where it fails, nothing.
    pub fn edit<T>(
        &self,
        tree: &Tree,
        limits: &Limits,
        write: impl FnOnce(&Edit) -> Result<T, FileError>,
    ) -> Result<(T, Tree), EngineError> {
        let (tree, layer) = self.room(tree, limits)?;
        let edit = Edit::new(self.overlay(&tree, Some(&layer))?, tree.owner());
        let given = write(&edit)?;
        drop(edit);
        Ok((given, self.pushed(&tree, sealed(layer)?)?))
    }

    /// What has changed in `tree` since `earlier`, sorted by path; `None` where `tree` did not grow from it, or was
    /// flattened since.
    pub fn changes(&self, tree: &Tree, earlier: &Tree) -> Result<Option<Vec<Change>>, EngineError> {
        let Some(above) = tree.above(earlier) else { return Ok(None) };
        let mut all = Vec::new();
        for layer in above {
            let upper = upper(layer.directory.as_fd())?;
            all = changes::fold(all, changes::changes(upper.as_fd(), self.opaque(), usize::MAX)?.0);
        }
        Ok(Some(all))
    }
}

fn open_as_many_files_as_allowed() -> rustix::io::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit })
}

/// Whether this process is root, and may use the ids of all blocks: in a user namespace few are mapped.
fn has_ids(uid: u32) -> bool {
    let map = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let mut fields = map.split_whitespace().map(|field| field.parse::<u64>().unwrap_or(0));
    let (inside, _, count) = (fields.next(), fields.next(), fields.next().unwrap_or(0));
    uid == 0 && inside == Some(0) && count >= u64::from(FIRST_ID) + u64::from(BLOCKS) * u64::from(IDS)
}
