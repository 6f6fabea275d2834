//! What an engine and its spawners say to each other: datagrams of JSON with descriptors attached.

use rustix::cmsg_space;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::{IoSlice, IoSliceMut};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io;
use std::mem::MaybeUninit;

/// The kernel's own limit of descriptors in a datagram (SCM_MAX_FD).
pub(crate) const FDS_MAX: usize = 253;
/// Of a datagram, in bytes.
pub(crate) const MESSAGE_BYTES_MAX: usize = 192 * 1024;

/// A place of the host that sandboxes see, read-only, where it is on the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mount {
    pub host: String,
    pub inside: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Privilege {
    /// Root: users of sandboxes are none of the host's.
    Root,
    /// In a user namespace of its own: the user of sandboxes is the engine's.
    User { uid: u32, gid: u32 },
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Request {
    /// The first one: makes the root directory of all sandboxes.
    Prepare { privilege: Privilege, mounts: Vec<Mount> },
    /// A layer; answered with the descriptor of its top directory.
    Layer { size_bytes: u64, inodes: u64, owner: Owner },
    /// The layers' files, merged; comes with the layers, oldest first, and is answered with the merged directory. The
    /// last one takes what is written, where anything may be.
    Overlay { writable: bool },
    /// A sandbox; comes with the descriptors of [`Attached`] and is answered with a pidfd of its first process.
    Start(Box<Start>),
}

/// Ids of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Owner {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Start {
    pub(crate) argv: Vec<String>,
    pub(crate) env: Vec<String>,
    pub(crate) cwd: String,
    /// First id of the block that is mapped to 0 inside.
    pub(crate) first_id: u32,
    pub(crate) cpu_secs: u64,
    pub(crate) file_bytes: u64,
    /// Where there is no control group: processes of the user, and addresses of each.
    pub(crate) without_cgroup: Option<(u64, u64)>,
    /// Tries this instead of running a command.
    pub(crate) probe: Option<Probe>,
    /// Whether a directory of cgroup v2 is among the descriptors, before the files of cgroup v1.
    pub(crate) has_cgroup_directory: bool,
}

/// What the self-test tries from inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Probe {
    Barriers,
    /// Writes to this much memory.
    Memory {
        bytes: usize,
    },
    /// Starts so many threads.
    Processes {
        count: usize,
    },
    /// Lives on.
    Sleep,
}

/// One thing that a sandbox must keep out, as it was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Barrier {
    pub name: String,
    pub holds: bool,
    /// What was tried, and what came of it.
    pub how: String,
}

/// Descriptors that come with [`Request::Start`], in this order; then the cgroup's.
pub(crate) struct Attached;
impl Attached {
    pub(crate) const FILES: usize = 0;
    pub(crate) const STDIN: usize = 1;
    pub(crate) const STDOUT: usize = 2;
    pub(crate) const STDERR: usize = 3;
    pub(crate) const STATUS: usize = 4;
    pub(crate) const CGROUP: usize = 5;
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Reply {
    Done,
    Started { pid: u32 },
    Failed { what: String, errno: i32 },
}

/// What a sandbox itself tells the engine.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Status {
    /// Comes with the descriptor of notifications.
    Listening,
    NotStarted {
        what: String,
        errno: i32,
    },
    Ended {
        code: Option<i32>,
        signal: Option<i32>,
        leftover_processes: u32,
        cpu_user_us: u64,
        cpu_system_us: u64,
    },
}

/// A step that failed, and how.
#[derive(Debug, thiserror::Error)]
#[error("{what}: {source}")]
pub(crate) struct Failure {
    pub(crate) what: String,
    pub(crate) source: io::Error,
}

impl Failure {
    pub(crate) fn errno(&self) -> i32 {
        self.source.raw_os_error().unwrap_or(0)
    }
}

/// Names the step that an error comes from.
pub(crate) trait Step<T> {
    fn step(self, what: impl Into<String>) -> Result<T, Failure>;
}

impl<T, E: Into<io::Error>> Step<T> for Result<T, E> {
    fn step(self, what: impl Into<String>) -> Result<T, Failure> {
        self.map_err(|source| Failure { what: what.into(), source: source.into() })
    }
}

pub(crate) fn send(socket: impl AsFd, message: &impl Serialize, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
    let bytes = serde_json::to_vec(message)?;
    if bytes.len() > MESSAGE_BYTES_MAX || fds.len() > FDS_MAX {
        return Err(io::Error::from_raw_os_error(libc::E2BIG));
    }
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(FDS_MAX))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(fds)) {
        return Err(io::Error::from_raw_os_error(libc::E2BIG));
    }
    loop {
        match rustix::net::sendmsg(&socket, &[IoSlice::new(&bytes)], &mut ancillary, SendFlags::NOSIGNAL) {
            Ok(_) => return Ok(()),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// `None` when the other side has gone.
pub(crate) fn receive<M: DeserializeOwned>(socket: impl AsFd) -> io::Result<Option<(M, Vec<OwnedFd>)>> {
    let mut bytes = vec![0_u8; MESSAGE_BYTES_MAX];
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(FDS_MAX))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let received = loop {
        let into = &mut [IoSliceMut::new(&mut bytes)];
        match rustix::net::recvmsg(&socket, into, &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
            Ok(received) => break received.bytes,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    };
    if received == 0 {
        return Ok(None);
    }
    let mut fds = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            fds.extend(rights);
        }
    }
    Ok(Some((serde_json::from_slice(&bytes[..received])?, fds)))
}
