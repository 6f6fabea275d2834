//! One command from its first process to its last.

use crate::cgroup::Cgroup;
use crate::notices::Notices;
use crate::report::{Event, Exit, Limits, Output};
use crate::sys;
use crate::wire::{self, Failure, Status, Step};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::process::{Signal, pidfd_send_signal};
use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

/// How often the control group is asked whether the kernel has killed anything in it.
const MEMORY_TICK: Duration = Duration::from_millis(100);
/// For processes that were killed to be gone.
const GONE_WITHIN: Duration = Duration::from_secs(10);
const CHUNK: usize = 64 << 10;
/// Its place among what is waited for.
const LISTENER: usize = 4;

/// Our ends of a sandbox.
pub(crate) struct Ends {
    pub(crate) pidfd: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
    pub(crate) status: OwnedFd,
}

/// What was seen of it.
pub(crate) struct Seen {
    pub(crate) exit: Exit,
    pub(crate) events: Vec<Event>,
    pub(crate) stdout: Output,
    pub(crate) stderr: Output,
    pub(crate) wall: Duration,
    pub(crate) cpu_user_us: u64,
    pub(crate) cpu_system_us: u64,
    pub(crate) leftover_processes: u32,
    pub(crate) kill: Option<Duration>,
}

/// Reads, answers and waits until all of its processes have gone.
pub(crate) fn watch(ends: Ends, cgroup: Option<&Cgroup>, limits: &Limits) -> Result<Seen, Failure> {
    let begin = Instant::now();
    let mut stdout = Stream::new(ends.stdout, limits.output_kept_bytes);
    let mut stderr = Stream::new(ends.stderr, limits.output_kept_bytes);
    let mut listener: Option<OwnedFd> = None;
    let mut status = Some(ends.status);
    let (mut not_started, mut ended, mut ended_at) = (None, None, None);
    let mut notices = Notices::default();
    let mut events = Vec::new();
    let mut killed: Option<Instant> = None;
    let mut next_tick = begin + MEMORY_TICK;
    loop {
        let now = Instant::now();
        let read = stdout.total_bytes + stderr.total_bytes;
        let reason = if now >= begin + limits.wall {
            Some(Event::WallTimeout)
        } else if read > limits.output_bytes {
            Some(Event::OutputCut { bytes: read })
        } else {
            None
        };
        let is_out_of_memory = now >= next_tick && {
            next_tick = now + MEMORY_TICK;
            cgroup.is_some_and(|cgroup| cgroup.usage().is_ok_and(|usage| usage.memory_kills > 0))
        };
        match killed {
            None if reason.is_some() || is_out_of_memory => {
                events.extend(reason);
                kill(&ends.pidfd, cgroup)?;
                killed = Some(now);
            }
            Some(at) if now >= at + GONE_WITHIN => {
                return Err(Failure { what: "killed processes".into(), source: io::ErrorKind::TimedOut.into() });
            }
            _ => {}
        }
        let until = match killed {
            Some(at) => at + GONE_WITHIN,
            None if cgroup.is_some() => next_tick.min(begin + limits.wall),
            None => begin + limits.wall,
        };
        let ready = wait(&ends.pidfd, [&stdout.fd, &stderr.fd, &status, &listener], until)?;
        let [gone, out, err, told, asked] = ready.map(|ready| !ready.is_empty());
        if out {
            stdout.read();
        }
        if err {
            stderr.read();
        }
        if told && let Some(socket) = &status {
            match wire::receive::<Status>(socket.as_fd()) {
                Ok(Some((Status::Listening, fds))) => listener = fds.into_iter().next(),
                Ok(Some((Status::NotStarted { what, errno }, _))) => not_started = Some((what, errno)),
                Ok(Some((end @ Status::Ended { .. }, _))) => {
                    ended_at = Some(Instant::now());
                    ended = Some(end);
                }
                Ok(None) | Err(_) => status = None,
            }
        }
        if asked && !ready[LISTENER].contains(PollFlags::IN) {
            // All who could ask have gone. To be told so again and again would keep others from the processor.
            listener = None;
        }
        if asked && let Some(fd) = &listener {
            match sys::receive_notification(fd.as_fd()) {
                Ok(Some(notification)) => {
                    let answer = notices.answer(&notification);
                    sys::answer_notification(fd.as_fd(), notification.id, answer).step("answering a system call")?;
                }
                Ok(None) => {}
                Err(_) => listener = None,
            }
        }
        if gone && !told && !out && !err {
            break;
        }
    }
    let gone_at = Instant::now();
    events.extend(notices.events());
    let (mut leftover_processes, mut cpu_user_us, mut cpu_system_us) = (0, 0, 0);
    let mut exit = Exit::Killed;
    if let Some(Status::Ended { code, signal, leftover_processes: left, cpu_user_us: user, cpu_system_us: system }) =
        ended
    {
        (leftover_processes, cpu_user_us, cpu_system_us) = (left, user, system);
        exit = match (code, signal) {
            (Some(code), _) => Exit::Code(code),
            (None, Some(signal)) => Exit::Signal(signal),
            (None, None) => Exit::Killed,
        };
    }
    if let Some((what, errno)) = not_started {
        exit = Exit::NotStarted { what, errno };
    }
    if leftover_processes > 0 {
        events.push(Event::LeftoverProcesses { count: leftover_processes });
    }
    let cpu = Duration::from_micros(cpu_user_us + cpu_system_us);
    if exit == Exit::Signal(libc::SIGXCPU) || (exit == Exit::Signal(libc::SIGKILL) && cpu >= limits.cpu) {
        events.push(Event::CpuLimit);
    }
    Ok(Seen {
        exit,
        events,
        stdout: stdout.output(),
        stderr: stderr.output(),
        wall: ended_at.unwrap_or(gone_at) - begin,
        cpu_user_us,
        cpu_system_us,
        leftover_processes,
        kill: killed.map(|at| gone_at - at),
    })
}

/// The end of pid 1 is the end of all processes of its namespace.
fn kill(pidfd: &OwnedFd, cgroup: Option<&Cgroup>) -> Result<(), Failure> {
    match pidfd_send_signal(pidfd, Signal::KILL) {
        // It has ended by itself.
        Ok(()) | Err(rustix::io::Errno::SRCH) => {}
        Err(error) => return Err(error).step("killing a sandbox"),
    }
    match cgroup.map(Cgroup::kill) {
        Some(Err(error)) => Err(io::Error::other(error)).step("killing a control group"),
        _ => Ok(()),
    }
}

/// What the descriptors have to say, the pidfd first.
fn wait(pidfd: &OwnedFd, others: [&Option<OwnedFd>; 4], until: Instant) -> Result<[PollFlags; 5], Failure> {
    let left = until.saturating_duration_since(Instant::now());
    // Rounded up, so that at the end of it the time has come.
    let left = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
    let fds: Vec<(usize, BorrowedFd<'_>)> = [Some(pidfd.as_fd())]
        .into_iter()
        .chain(others.into_iter().map(|fd| fd.as_ref().map(AsFd::as_fd)))
        .enumerate()
        .filter_map(|(index, fd)| Some((index, fd?)))
        .collect();
    let mut waiting: Vec<PollFd<'_>> = fds.iter().map(|(_, fd)| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
    match poll(&mut waiting, Some(&left)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(error).step("poll"),
    }
    let mut ready = [PollFlags::empty(); 5];
    for ((index, _), waited) in fds.iter().zip(&waiting) {
        ready[*index] = waited.revents();
    }
    Ok(ready)
}

/// A pipe that is read until all who write to it have gone; its head and tail are kept.
struct Stream {
    fd: Option<OwnedFd>,
    half: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total_bytes: u64,
}

impl Stream {
    fn new(fd: OwnedFd, kept: usize) -> Self {
        Self { fd: Some(fd), half: kept / 2, head: Vec::new(), tail: VecDeque::new(), total_bytes: 0 }
    }

    fn read(&mut self) {
        let Some(fd) = &self.fd else { return };
        let mut chunk = [0_u8; CHUNK];
        match rustix::io::read(fd, &mut chunk) {
            Ok(0) => self.fd = None,
            Ok(count) => self.keep(&chunk[..count]),
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
            Err(_) => self.fd = None,
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.total_bytes += bytes.len() as u64;
        let (head, tail) = bytes.split_at(bytes.len().min(self.half - self.head.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(&tail[tail.len().saturating_sub(self.half)..]);
        let surplus = self.tail.len().saturating_sub(self.half);
        self.tail.drain(..surplus);
    }

    fn output(self) -> Output {
        let Self { mut head, tail, total_bytes, .. } = self;
        let mut tail = Vec::from(tail);
        if (head.len() + tail.len()) as u64 == total_bytes {
            head.append(&mut tail);
        }
        Output { head, tail, total_bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(chunks: &[&[u8]]) -> Output {
        let (fd, _) = rustix::pipe::pipe().unwrap();
        let mut stream = Stream::new(fd, 8);
        chunks.iter().for_each(|chunk| stream.keep(chunk));
        stream.output()
    }

    #[test]
    fn head_and_tail_of_a_stream_are_kept() {
        let whole = Output { head: b"abcdefgh".to_vec(), tail: vec![], total_bytes: 8 };
        assert_eq!(kept(&[b"abc", b"def", b"gh"]), whole);
        let cut = Output { head: b"abcd".to_vec(), tail: b"wxyz".to_vec(), total_bytes: 26 };
        assert_eq!(kept(&[b"abcdefghijklmnopqrstuvwxyz"]), cut);
        assert_eq!(kept(&[b"abcdefghijkl", b"mnopqrstuv", b"wxyz"]), cut);
        assert_eq!(cut.text(), "abcd\n[… 18 bytes left out …]\nwxyz");
    }
}
