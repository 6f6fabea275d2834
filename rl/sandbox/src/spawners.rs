//! The engine's side of its spawners: started, asked, and started anew where one is lost.

use crate::wire::{self, Failure, Mount, Privilege, Reply, Request, Step};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::net::sockopt::{Timeout, set_socket_send_buffer_size, set_socket_timeout};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use std::io;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

/// For an answer: a mount or a clone takes milliseconds at most.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

pub(crate) struct Spawners {
    /// Program and arguments.
    command: Vec<String>,
    privilege: Privilege,
    mounts: Vec<Mount>,
    processes: Vec<Mutex<Option<Process>>>,
    next: AtomicUsize,
}

struct Process {
    child: Child,
    socket: OwnedFd,
}

impl Drop for Process {
    fn drop(&mut self) {
        // One that stands still does not see its socket close.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Spawners {
    pub(crate) fn start(
        command: Vec<String>,
        count: usize,
        privilege: Privilege,
        mounts: Vec<Mount>,
    ) -> Result<Self, Failure> {
        let processes = (0..count.max(1)).map(|_| Mutex::new(None)).collect();
        let spawners = Self { command, privilege, mounts, processes, next: AtomicUsize::new(0) };
        for process in &spawners.processes {
            *locked(process) = Some(spawners.process()?);
        }
        Ok(spawners)
    }

    /// Asks whichever is free.
    pub(crate) fn ask(&self, request: &Request, fds: &[BorrowedFd<'_>]) -> Result<(Reply, Vec<OwnedFd>), Failure> {
        let mut process = self.free();
        let asked = match process.take() {
            Some(running) => running,
            None => self.process()?,
        };
        match asked.ask(request, fds) {
            // What it says may still come; then it would answer the wrong question.
            Err(failure) => Err(failure),
            Ok(answer) => {
                *process = Some(asked);
                match answer {
                    (Reply::Failed { what, errno }, _) => {
                        Err(Failure { what, source: io::Error::from_raw_os_error(errno) })
                    }
                    answer => Ok(answer),
                }
            }
        }
    }

    /// The first that nobody asks right now, because it has what it needs at hand; else the next in turn.
    fn free(&self) -> MutexGuard<'_, Option<Process>> {
        for process in &self.processes {
            match process.try_lock() {
                Ok(process) => return process,
                Err(TryLockError::Poisoned(process)) => return process.into_inner(),
                Err(TryLockError::WouldBlock) => {}
            }
        }
        locked(&self.processes[self.next.fetch_add(1, Ordering::Relaxed) % self.processes.len()])
    }

    fn process(&self) -> Result<Process, Failure> {
        let Some((program, arguments)) = self.command.split_first() else {
            return Err(Failure { what: "no spawner".into(), source: io::ErrorKind::InvalidInput.into() });
        };
        let (socket, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).step("socketpair")?;
        for end in [&socket, &theirs] {
            set_socket_send_buffer_size(end, wire::MESSAGE_BYTES_MAX).step("SO_SNDBUF")?;
        }
        for timeout in [Timeout::Recv, Timeout::Send] {
            set_socket_timeout(&socket, timeout, Some(ANSWER_WITHIN)).step("a timeout")?;
        }
        #[expect(clippy::disallowed_methods, reason = "this is the sandbox")]
        let mut command = Command::new(program);
        command.args(arguments).env_clear().current_dir("/").stdin(Stdio::from(theirs)).stdout(Stdio::null());
        let child = command.spawn().step(format!("starting {program}"))?;
        let process = Process { child, socket };
        let prepare = Request::Prepare { privilege: self.privilege, mounts: self.mounts.clone() };
        match process.ask(&prepare, &[])? {
            (Reply::Failed { what, errno }, _) => Err(Failure { what, source: io::Error::from_raw_os_error(errno) }),
            _ => Ok(process),
        }
    }

    /// Of all that run.
    pub(crate) fn pids(&self) -> Vec<u32> {
        self.processes.iter().filter_map(|process| Some(locked(process).as_ref()?.child.id())).collect()
    }
}

impl Process {
    fn ask(&self, request: &Request, fds: &[BorrowedFd<'_>]) -> Result<(Reply, Vec<OwnedFd>), Failure> {
        wire::send(self.socket.as_fd(), request, fds).step("asking a spawner")?;
        let answer = wire::receive(self.socket.as_fd()).step("a spawner's answer")?;
        answer.ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof)).step("a spawner has gone")
    }
}

/// What a panic left is a process that is whole, or none.
fn locked(process: &Mutex<Option<Process>>) -> MutexGuard<'_, Option<Process>> {
    process.lock().unwrap_or_else(PoisonError::into_inner)
}
