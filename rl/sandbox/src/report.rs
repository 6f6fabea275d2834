//! What is known of a command after it ran.

use crate::changes::Change;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What a sandbox may use. Sizes of memory and disk are of the whole sandbox, processor time of each process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    pub wall: Duration,
    /// Rounded up to seconds; SIGXCPU, then SIGKILL.
    pub cpu: Duration,
    pub memory_bytes: u64,
    pub pids: u32,
    /// Processors' worth of time, 1.0 for one.
    pub cpus: f64,
    /// Of all that the tree's layers hold, with what the command adds.
    pub disk_bytes: u64,
    pub inodes: u64,
    /// Output beyond that ends the command.
    pub output_bytes: u64,
    /// Of each stream, half from its head and half from its tail.
    pub output_kept_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall: Duration::from_secs(30),
            cpu: Duration::from_secs(60),
            memory_bytes: 1 << 30,
            pids: 128,
            cpus: 1.0,
            disk_bytes: 256 << 20,
            inodes: 50_000,
            output_bytes: 8 << 20,
            output_kept_bytes: 64 << 10,
        }
    }
}

/// How much isolation was proven when the engine started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Nothing that a sandbox needs.
    None,
    /// Of an ordinary user: all namespaces and filters; memory, processes and processor time by rlimits only.
    Rootless,
    /// With control groups, and users that are none of the host's.
    Full,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exit {
    Code(i32),
    Signal(i32),
    /// The sandbox was ended before the command was: by a limit, or by the kernel for lack of memory.
    Killed,
    /// The program could not be executed.
    NotStarted {
        what: String,
        errno: i32,
    },
}

impl Exit {
    #[must_use]
    pub fn is_success(&self) -> bool {
        *self == Self::Code(0)
    }
}

/// Something worth knowing beside the exit. A report holds each kind once, but for networks and system calls, which
/// come once for each destination and name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// The kernel killed processes, so many, because the sandbox had no memory left.
    MemoryLimit {
        kills: u64,
    },
    /// Processes or threads that were refused.
    PidsLimit {
        hits: u64,
    },
    WallTimeout,
    CpuLimit,
    DiskFull {
        bytes: bool,
        inodes: bool,
    },
    /// Of all streams; what follows was not read.
    OutputCut {
        bytes: u64,
    },
    /// Refused: nothing but the loopback interface is there.
    Network {
        destination: String,
        port: u16,
        count: u64,
    },
    /// Refused.
    Syscall {
        name: String,
        count: u64,
    },
    /// Still there when the command ended, and killed then.
    LeftoverProcesses {
        count: u32,
    },
}

/// A stream's bytes, without its middle where there were too many.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    pub head: Vec<u8>,
    /// Empty where the head is everything.
    pub tail: Vec<u8>,
    pub total_bytes: u64,
}

impl Output {
    /// As text: bytes that are no UTF-8 replaced, and a line that tells what is missing in the middle.
    #[must_use]
    pub fn text(&self) -> String {
        let kept = (self.head.len() + self.tail.len()) as u64;
        let head = String::from_utf8_lossy(&self.head);
        if self.total_bytes <= kept {
            return format!("{head}{}", String::from_utf8_lossy(&self.tail));
        }
        let missing = self.total_bytes - kept;
        format!("{head}\n[… {missing} bytes left out …]\n{}", String::from_utf8_lossy(&self.tail))
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct ExecReport {
    pub exit: Exit,
    /// Ordered, without repetition.
    pub events: Vec<Event>,
    pub stdout: Output,
    pub stderr: Output,
    pub wall_us: u64,
    pub cpu_user_us: u64,
    pub cpu_system_us: u64,
    /// Where control groups tell.
    pub memory_peak_bytes: Option<u64>,
    pub pids_peak: Option<u32>,
    pub throttled_us: u64,
    /// Of the layer that the command wrote.
    pub disk_used_bytes: u64,
    /// What it has written, in the order of the paths: the first thousand, and how many there are.
    pub changes: Vec<Change>,
    pub changes_total: u64,
    pub leftover_processes: u32,
    /// From the decision to end the sandbox until its last process was gone.
    pub kill_us: Option<u64>,
    pub level: Level,
}
