//! One command: its sandbox is made, watched and taken apart.

use super::Engine;
use super::layers::filled;
use crate::cgroup::CgroupLimits;
use crate::command::Command;
use crate::error::EngineError;
use crate::report::{Event, ExecReport, Limits};
use crate::run::{self, Ends};
use crate::tree::Tree;
use crate::wire::{MESSAGE_BYTES_MAX, Probe, Request, Start, Step};
use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use rustix::fs::{MemfdFlags, Mode, OFlags, SeekFrom, fcntl_setfl, memfd_create};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::pipe::{PipeFlags, pipe_with};
use std::io;

impl Engine {
    pub(crate) fn run_or_probe(
        &self,
        tree: &Tree,
        command: &Command,
        limits: &Limits,
        probe: Option<Probe>,
    ) -> Result<(ExecReport, Tree), EngineError> {
        let start = self.start_of(tree, command, limits, probe)?;
        let (tree, layer) = self.room(tree, limits)?;
        let overlay = self.overlay(&tree, Some(&layer))?;
        let cgroup = match &self.cgroups {
            Some(cgroups) => Some(cgroups.create(&CgroupLimits {
                memory_bytes: limits.memory_bytes,
                pids: limits.pids,
                cpus: limits.cpus,
            })?),
            None => None,
        };
        let stdin = memfd_create("stdin", MemfdFlags::CLOEXEC).step("memfd_create")?;
        write_all(&stdin, &command.stdin).step("standard input")?;
        let stdin = reopened(&stdin).step("standard input")?;
        let (stdout, theirs_out) = pipe_with(PipeFlags::CLOEXEC).step("a pipe")?;
        let (stderr, theirs_err) = pipe_with(PipeFlags::CLOEXEC).step("a pipe")?;
        for end in [&stdout, &stderr] {
            fcntl_setfl(end, OFlags::NONBLOCK).step("O_NONBLOCK")?;
        }
        let (status, theirs_status) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).step("socketpair")?;
        let mut fds =
            vec![overlay.as_fd(), stdin.as_fd(), theirs_out.as_fd(), theirs_err.as_fd(), theirs_status.as_fd()];
        if let Some(cgroup) = &cgroup {
            fds.extend(cgroup.directory());
            fds.extend(cgroup.procs());
        }
        let has_cgroup_directory = cgroup.as_ref().is_some_and(|cgroup| cgroup.directory().is_some());
        let start = Start { has_cgroup_directory, ..start };
        let (_, mut answer) = self.spawners.ask(&Request::Start(Box::new(start)), &fds)?;
        let pidfd = answer.pop().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData)).step("a pidfd")?;
        drop(fds);
        drop((overlay, stdin, theirs_out, theirs_err, theirs_status));

        let seen = run::watch(Ends { pidfd, stdout, stderr, status }, cgroup.as_ref(), limits)?;
        let usage = cgroup.as_ref().map(|cgroup| cgroup.usage()).transpose()?;
        let mut events = seen.events;
        if let Some(usage) = &usage {
            events.extend((usage.memory_kills > 0).then_some(Event::MemoryLimit { kills: usage.memory_kills }));
            events.extend((usage.pids_hits > 0).then_some(Event::PidsLimit { hits: usage.pids_hits }));
        }
        let (layer, full) = filled(layer)?;
        events.extend(full);
        let (changes, changes_total) = self.told(&layer)?;
        events.sort();
        events.dedup();
        let report = ExecReport {
            exit: seen.exit,
            events,
            stdout: seen.stdout,
            stderr: seen.stderr,
            wall_us: seen.wall.as_micros() as u64,
            cpu_user_us: seen.cpu_user_us,
            cpu_system_us: seen.cpu_system_us,
            memory_peak_bytes: usage.as_ref().and_then(|usage| usage.memory_peak_bytes),
            pids_peak: usage.as_ref().and_then(|usage| usage.pids_peak),
            throttled_us: usage.as_ref().map_or(0, |usage| usage.throttled_us),
            disk_used_bytes: layer.used_bytes,
            changes,
            changes_total,
            leftover_processes: seen.leftover_processes,
            kill_us: seen.kill.map(|kill| kill.as_micros() as u64),
            level: self.isolation.level,
        };
        Ok((report, self.pushed(&tree, layer)?))
    }
    fn start_of(
        &self,
        tree: &Tree,
        command: &Command,
        limits: &Limits,
        probe: Option<Probe>,
    ) -> Result<Start, EngineError> {
        let env: Vec<String> = command.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let given_bytes = command.argv.iter().chain(&env).map(String::len).sum();
        // In JSON a byte may take six.
        let allowed_bytes = MESSAGE_BYTES_MAX / 6 - 4096;
        if given_bytes > allowed_bytes {
            return Err(EngineError::CommandTooLong { given_bytes, allowed_bytes });
        }
        Ok(Start {
            argv: command.argv.clone(),
            env,
            cwd: command.cwd.clone(),
            first_id: tree.first_id,
            cpu_secs: limits.cpu.as_secs() + u64::from(limits.cpu.subsec_nanos() > 0),
            file_bytes: limits.disk_bytes,
            without_cgroup: self.cgroups.is_none().then_some((u64::from(limits.pids), limits.memory_bytes)),
            probe,
            has_cgroup_directory: false,
        })
    }
}

fn write_all(fd: &OwnedFd, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = rustix::io::write(fd, bytes)?;
        bytes = &bytes[written..];
    }
    rustix::fs::seek(fd, SeekFrom::Start(0))?;
    Ok(())
}

/// For reading only.
fn reopened(fd: &OwnedFd) -> io::Result<OwnedFd> {
    let path = format!("/proc/self/fd/{}", fd.as_raw_fd());
    Ok(rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?)
}
