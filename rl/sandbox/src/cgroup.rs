//! Limits of memory, processes and processor time for all that a sandbox starts, and what it has used.

mod files;
mod hierarchy;
mod removal;
mod v1;
mod v2;

use crate::instance::Instance;
use crate::isolation::Missing;
use files::{KILL, PROCS, io_at, open};
use hierarchy::Hierarchies;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::OFlags;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) struct CgroupLimits {
    pub(crate) memory_bytes: u64,
    pub(crate) pids: u32,
    /// Processors' worth of time.
    pub(crate) cpus: f64,
}

/// Period of processor time that limits are shares of, in microseconds.
const PERIOD_US: u64 = 100_000;

impl CgroupLimits {
    /// Of a period. The kernel takes no less than a millisecond.
    fn quota_us(&self) -> u64 {
        (self.cpus * PERIOD_US as f64).max(1000.0) as u64
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CgroupUsage {
    pub(crate) memory_peak_bytes: Option<u64>,
    pub(crate) memory_kills: u64,
    pub(crate) pids_peak: Option<u32>,
    pub(crate) pids_hits: u64,
    pub(crate) throttled_us: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum CgroupError {
    #[error("control groups: no controller for {0}")]
    NoController(String),
    #[error("control groups: {tried} {path}: {source}")]
    Io { tried: String, path: PathBuf, source: io::Error },
    #[error("control groups: {path} holds {text:?}")]
    Unexpected { path: PathBuf, text: String },
}

impl CgroupError {
    pub(crate) fn missing(&self) -> Missing {
        Missing {
            what: self.to_string(),
            fix: "run as root, or let systemd delegate memory, pids and cpu \
                  (`systemd-run --user --scope -p Delegate=yes`)"
                .to_owned(),
        }
    }
}

/// Directories of one group.
enum Groups {
    /// Where v2 is mounted beside, it is there for kills.
    V1 {
        v1: v1::Group,
        v2: Option<PathBuf>,
    },
    V2(PathBuf),
}

impl Groups {
    /// Those that this process is in, so that limits of these hold for sandboxes too; with v2 alone, those that it may
    /// make groups in.
    fn of_this_process() -> Result<Self, CgroupError> {
        let Hierarchies { mut v1, v2 } = Hierarchies::of_this_process()?;
        match (v1.remove("memory"), v1.remove("pids"), v1.remove("cpu"), v2) {
            (Some(memory), Some(pids), Some(cpu), v2) => Ok(Self::V1 { v1: v1::Group { memory, pids, cpu }, v2 }),
            (_, _, _, Some(own)) => Ok(Self::V2(v2::delegated(&own)?)),
            (memory, pids, cpu, None) => {
                let found = [("memory", memory), ("pids", pids), ("cpu", cpu)];
                let missing: Vec<&str> =
                    found.iter().filter(|(_, path)| path.is_none()).map(|(name, _)| *name).collect();
                Err(CgroupError::NoController(missing.join(", ")))
            }
        }
    }

    fn below(&self, name: &str) -> Self {
        match self {
            Self::V1 { v1, v2 } => Self::V1 { v1: v1.below(name), v2: v2.as_ref().map(|v2| v2.join(name)) },
            Self::V2(v2) => Self::V2(v2.join(name)),
        }
    }

    /// Each once. That of v2 comes first, where all of a group are killed at once.
    fn directories(&self) -> Vec<&Path> {
        match self {
            Self::V1 { v1, v2 } => v2.iter().map(PathBuf::as_path).chain(v1.directories()).collect(),
            Self::V2(v2) => vec![v2.as_path()],
        }
    }

    /// To have groups with limits below it.
    fn prepare(&mut self) -> Result<(), CgroupError> {
        match self {
            Self::V1 { v1, v2 } => {
                // Kernels before 5.14 cannot kill a group.
                *v2 = v2.take().filter(|v2| v2.join(KILL).exists());
                v1.prepare()
            }
            Self::V2(v2) => v2::enable(v2),
        }
    }

    fn limit(&self, limits: &CgroupLimits) -> Result<(), CgroupError> {
        match self {
            Self::V1 { v1, .. } => v1.limit(limits),
            Self::V2(v2) => v2::limit(v2, limits),
        }
    }

    /// What a process enters by: the directory of v2, and files of v1.
    fn entrances(&self) -> Result<(Option<OwnedFd>, Vec<OwnedFd>), CgroupError> {
        let (directory, v1) = match self {
            Self::V1 { v1, v2 } => (v2.as_deref(), v1.directories()),
            Self::V2(v2) => (Some(v2.as_path()), Vec::new()),
        };
        let directory = directory.map(|path| open(path, OFlags::DIRECTORY)).transpose()?;
        let procs = v1.iter().map(|path| open(&path.join(PROCS), OFlags::WRONLY));
        Ok((directory, procs.collect::<Result<Vec<_>, _>>()?))
    }
}

/// Groups that have been made; dropped, their members are killed and they are removed.
struct Made {
    groups: Groups,
    directories: Vec<PathBuf>,
}

impl Made {
    /// What is there already is somebody else's, and an error.
    fn new(groups: Groups) -> Result<Self, CgroupError> {
        let mut made = Self { groups, directories: Vec::new() };
        for directory in made.groups.directories() {
            fs::create_dir(directory).map_err(io_at("making", directory))?;
            made.directories.push(directory.to_path_buf());
        }
        Ok(made)
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for directory in &self.directories {
            if let Err(error) = removal::remove(directory) {
                tracing::warn!(path = %directory.display(), %error, "a control group stays");
            }
        }
    }
}

/// The parents of all groups of one engine.
pub(crate) struct Cgroups {
    made: Made,
    next: AtomicU64,
}

impl Cgroups {
    /// Makes the parents, and clears away what dead engines have left: last, so that one who cannot see control groups
    /// does not take theirs for cleared.
    pub(crate) fn open(instance: &Instance) -> Result<Self, CgroupError> {
        let groups = Groups::of_this_process()?.below(&instance.name);
        for directory in groups.directories() {
            instance.owns(directory).map_err(io_at("noting", directory))?;
        }
        let mut made = Made::new(groups)?;
        made.groups.prepare()?;
        Instance::bury(removal::remove).map_err(io_at("clearing away", Path::new("what dead engines left")))?;
        Ok(Self { made, next: AtomicU64::new(0) })
    }

    /// # Errors
    /// Where a limit cannot be set; then nothing stays.
    pub(crate) fn create(&self, limits: &CgroupLimits) -> Result<Cgroup, CgroupError> {
        let name = self.next.fetch_add(1, Ordering::Relaxed).to_string();
        let made = Made::new(self.made.groups.below(&name))?;
        made.groups.limit(limits)?;
        let (directory, procs) = made.groups.entrances()?;
        Ok(Cgroup { made, directory, procs })
    }
}

/// Of one sandbox. Its end is that of all who are in it.
pub(crate) struct Cgroup {
    made: Made,
    directory: Option<OwnedFd>,
    procs: Vec<OwnedFd>,
}

impl Cgroup {
    /// Of cgroup v2, to be cloned into.
    pub(crate) fn directory(&self) -> Option<BorrowedFd<'_>> {
        self.directory.as_ref().map(AsFd::as_fd)
    }

    /// Files of cgroup v1 that take the process id of a member.
    pub(crate) fn procs(&self) -> Vec<BorrowedFd<'_>> {
        self.procs.iter().map(AsFd::as_fd).collect()
    }

    pub(crate) fn usage(&self) -> Result<CgroupUsage, CgroupError> {
        match &self.made.groups {
            Groups::V1 { v1, .. } => v1.usage(),
            Groups::V2(v2) => v2::usage(v2),
        }
    }

    /// Kills all who are in it. The last of them may still be going when this returns.
    pub(crate) fn kill(&self) -> Result<(), CgroupError> {
        let directory = match &self.made.groups {
            Groups::V1 { v2: Some(v2), .. } | Groups::V2(v2) => v2,
            Groups::V1 { v1, v2: None } => &v1.pids,
        };
        removal::kill(directory).map_err(io_at("killing those in", directory))
    }
}
