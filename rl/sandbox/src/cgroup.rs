//! Limits of memory, processes and processor time for all that a sandbox starts, and what it has used.

mod hierarchy;
mod v1;
mod v2;

use crate::instance::Instance;
use crate::isolation::Missing;
use hierarchy::Hierarchies;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::Duration;

pub(crate) struct CgroupLimits {
    pub(crate) memory_bytes: u64,
    pub(crate) pids: u32,
    /// Processors' worth of time.
    pub(crate) cpus: f64,
}

#[derive(Debug, Default)]
pub(crate) struct CgroupUsage {
    pub(crate) memory_peak_bytes: Option<u64>,
    pub(crate) memory_kills: u64,
    pub(crate) pids_peak: Option<u32>,
    pub(crate) pids_hits: u64,
    pub(crate) throttled_us: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum CgroupError {
    #[error("control groups: no {0} controller")]
    NoController(String),
    #[error("control groups: {path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("control groups: {path} holds {text:?}")]
    Unexpected { path: PathBuf, text: String },
}

impl CgroupError {
    pub(crate) fn missing(&self) -> Missing {
        Missing {
            what: self.to_string(),
            fix: "run as root, or let systemd delegate memory, pids and cpu (`systemd-run --user --scope -p Delegate=yes`)"
                .to_owned(),
        }
    }
}

/// Period of processor time that limits are shares of, in microseconds.
const PERIOD_US: u64 = 100_000;
/// A group stays busy for a moment after its last process was waited for.
const TRIES: u32 = 200;
const BETWEEN_TRIES: Duration = Duration::from_micros(100);
const PROCS: &str = "cgroup.procs";
const KILL: &str = "cgroup.kill";

enum Backend {
    /// Directories of the controllers memory, pids, cpu; and of cgroup v2, where it is there beside them, for kills.
    V1 {
        memory: PathBuf,
        pids: PathBuf,
        cpu: PathBuf,
        v2: Option<PathBuf>,
    },
    V2(PathBuf),
}

/// The parents of all groups of one engine.
pub(crate) struct Cgroups {
    backend: Backend,
    next: AtomicU64,
}

impl Cgroups {
    /// Clears away what dead engines have left, then makes the parents. They lie in this process's own groups, so that
    /// limits of these hold for sandboxes too.
    pub(crate) fn open(instance: &Instance) -> Result<Self, CgroupError> {
        let buried = Instance::bury(|directory| remove(directory, true));
        buried.map_err(|source| CgroupError::Io { path: "dead engines".into(), source })?;
        let found = Hierarchies::of_this_process()?;
        let make = |directory: &Path| -> Result<PathBuf, CgroupError> {
            let path = directory.join(&instance.name);
            instance.owns(&path).map_err(io_at(&path))?;
            // Two controllers may share a hierarchy, and with it the directory.
            made(fs::create_dir(&path)).map_err(io_at(&path))?;
            Ok(path)
        };
        let v1 = |name: &str| found.v1.get(name);
        let backend = match (v1("memory"), v1("pids"), v1("cpu"), &found.v2) {
            (Some(memory), Some(pids), Some(cpu), unified) => {
                let v2 = unified.as_deref().map(make).transpose()?.filter(|path| path.join(KILL).exists());
                let (memory, pids) = (make(memory)?, make(pids)?);
                let cpu = make(cpu)?;
                v1::prepare(&memory)?;
                Backend::V1 { memory, pids, cpu, v2 }
            }
            (_, _, _, Some(unified)) => {
                let parent = v2::delegated(unified, instance)?;
                let path = make(&parent)?;
                v2::enable(&path)?;
                Backend::V2(path)
            }
            _ => return Err(CgroupError::NoController("memory".into())),
        };
        Ok(Self { backend, next: AtomicU64::new(0) })
    }

    pub(crate) fn create(&self, limits: &CgroupLimits) -> Result<Cgroup, CgroupError> {
        let name = self.next.fetch_add(1, Ordering::Relaxed).to_string();
        // What is made so far is removed where the next step fails.
        let mut cgroup = Cgroup { directories: Vec::new(), v2: None, procs: Vec::new(), is_v2: false };
        match &self.backend {
            Backend::V1 { memory, pids, cpu, v2 } => {
                for parent in [memory, pids, cpu] {
                    let directory = cgroup.make(parent.join(&name))?;
                    cgroup.procs.push(open(&directory.join(PROCS), rustix::fs::OFlags::WRONLY)?);
                }
                v1::limit(&cgroup.directories, limits)?;
                if let Some(parent) = v2 {
                    let directory = cgroup.make(parent.join(&name))?;
                    cgroup.v2 = Some(open(&directory, rustix::fs::OFlags::DIRECTORY)?);
                }
            }
            Backend::V2(parent) => {
                cgroup.is_v2 = true;
                let directory = cgroup.make(parent.join(&name))?;
                v2::limit(&directory, limits)?;
                cgroup.v2 = Some(open(&directory, rustix::fs::OFlags::DIRECTORY)?);
            }
        }
        Ok(cgroup)
    }
}

impl Drop for Cgroups {
    fn drop(&mut self) {
        let directories: Vec<&PathBuf> = match &self.backend {
            Backend::V1 { memory, pids, cpu, v2 } => [memory, pids, cpu].into_iter().chain(v2).collect(),
            Backend::V2(directory) => vec![directory],
        };
        for directory in directories {
            if let Err(error) = remove(directory, true) {
                tracing::warn!(path = %directory.display(), %error, "a control group stays");
            }
        }
    }
}

/// Of one sandbox; removed on drop, when no process is in it any more.
pub(crate) struct Cgroup {
    /// memory, pids, cpu of v1; then that of v2.
    directories: Vec<PathBuf>,
    v2: Option<OwnedFd>,
    procs: Vec<OwnedFd>,
    is_v2: bool,
}

impl Cgroup {
    fn make(&mut self, path: PathBuf) -> Result<PathBuf, CgroupError> {
        made(fs::create_dir(&path)).map_err(io_at(&path))?;
        self.directories.push(path.clone());
        Ok(path)
    }

    /// Of cgroup v2, to be cloned into.
    pub(crate) fn directory(&self) -> Option<BorrowedFd<'_>> {
        self.v2.as_ref().map(AsFd::as_fd)
    }

    /// Files of cgroup v1 that take the process id of a member.
    pub(crate) fn procs(&self) -> Vec<BorrowedFd<'_>> {
        self.procs.iter().map(AsFd::as_fd).collect()
    }

    pub(crate) fn usage(&self) -> Result<CgroupUsage, CgroupError> {
        match &self.directories[..] {
            [directory] if self.is_v2 => v2::usage(directory),
            directories => v1::usage(directories),
        }
    }

    /// Kills who is in it, where cgroup v2 can; elsewhere the end of the first process is the end of all.
    pub(crate) fn kill(&self) -> Result<(), CgroupError> {
        match (&self.v2, self.directories.last()) {
            (Some(_), Some(directory)) => write(&directory.join(KILL), "1"),
            _ => Ok(()),
        }
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        for directory in &self.directories {
            if let Err(error) = remove(directory, false) {
                tracing::warn!(path = %directory.display(), %error, "a control group stays");
            }
        }
    }
}

/// Removes a group and those in it; with `kill`, who is in them is killed before.
fn remove(directory: &Path, kill: bool) -> io::Result<()> {
    let Ok(entries) = fs::read_dir(directory) else { return Ok(()) };
    for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        remove(&entry.path(), kill)?;
    }
    for left in (0..TRIES).rev() {
        if kill {
            kill_members(directory)?;
        }
        match fs::remove_dir(directory) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) if error.kind() != io::ErrorKind::ResourceBusy || left == 0 => return Err(error),
            Err(_) => sleep(BETWEEN_TRIES),
        }
    }
    Ok(())
}

/// Those that are in the group now: a process id that was read long ago may be somebody else's.
fn kill_members(directory: &Path) -> io::Result<()> {
    if directory.join(KILL).exists() {
        return fs::write(directory.join(KILL), "1");
    }
    let members = fs::read_to_string(directory.join(PROCS)).unwrap_or_default();
    let pids = members.lines().filter_map(|line| rustix::process::Pid::from_raw(line.parse().ok()?));
    for pid in pids {
        match rustix::process::kill_process(pid, rustix::process::Signal::KILL) {
            Ok(()) | Err(rustix::io::Errno::SRCH) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// What is there already is as good.
fn made(result: io::Result<()>) -> io::Result<()> {
    result.or_else(|error| if error.kind() == io::ErrorKind::AlreadyExists { Ok(()) } else { Err(error) })
}

fn io_at(path: &Path) -> impl FnOnce(io::Error) -> CgroupError {
    let path = path.to_path_buf();
    move |source| CgroupError::Io { path, source }
}

fn open(path: &Path, flags: rustix::fs::OFlags) -> Result<OwnedFd, CgroupError> {
    let opened = rustix::fs::open(path, flags | rustix::fs::OFlags::CLOEXEC, rustix::fs::Mode::empty());
    opened.map_err(|error| io_at(path)(error.into()))
}

fn write(path: &Path, value: impl AsRef<[u8]>) -> Result<(), CgroupError> {
    fs::write(path, value).map_err(io_at(path))
}

/// As [`write`], where the kernel has this file.
fn write_where_it_is(path: &Path, value: impl AsRef<[u8]>) -> Result<(), CgroupError> {
    match fs::write(path, value) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(io_at(path)(source)),
        _ => Ok(()),
    }
}

fn read(path: &Path) -> Result<String, CgroupError> {
    fs::read_to_string(path).map_err(io_at(path))
}

/// A file that is one number; `None` where the kernel has no such file.
fn number_where_it_is(path: &Path) -> Result<Option<u64>, CgroupError> {
    match fs::read_to_string(path) {
        Ok(text) => {
            let number = text.trim().parse().ok();
            number.map(Some).ok_or_else(|| CgroupError::Unexpected { path: path.to_path_buf(), text })
        }
        Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(io_at(path)(source)),
    }
}

/// `key value` lines.
fn field(text: &str, key: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(key)?.trim().parse().ok())
}
