//! The end of control groups: their members are killed, their directories removed.

use super::files::{KILL, PROCS, put};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

/// A group stays busy for a moment after its last process has ended.
const TRIES: u32 = 200;
const BETWEEN_TRIES: Duration = Duration::from_micros(100);
/// Processes that are held by descriptors at once.
const HELD: usize = 64;

/// Kills the members, and those that they start meanwhile.
pub(super) fn kill(directory: &Path) -> io::Result<()> {
    for _ in 0..TRIES {
        if !kill_once(directory)? {
            break;
        }
        sleep(BETWEEN_TRIES);
    }
    Ok(())
}

/// Removes a group and those in it. Who is in them is killed before.
pub(super) fn remove(directory: &Path) -> io::Result<()> {
    for left in (0..TRIES).rev() {
        match fs::remove_dir(directory) {
            Ok(()) => break,
            Err(error) if error.kind() == io::ErrorKind::NotFound => break,
            Err(error) if error.kind() != io::ErrorKind::ResourceBusy || left == 0 => return Err(error),
            Err(_) => {}
        }
        for child in children(directory)? {
            remove(&child)?;
        }
        kill_once(directory)?;
        sleep(BETWEEN_TRIES);
    }
    Ok(())
}

fn children(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let directories = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    Ok(directories.map(|entry| entry.path()).collect())
}

/// Whether there may be members that this has not reached.
fn kill_once(directory: &Path) -> io::Result<bool> {
    match put(&directory.join(KILL), "1") {
        // The kernel minds those that are being started.
        Ok(()) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => kill_one_by_one(&directory.join(PROCS)),
        Err(error) => Err(error),
    }
}

/// Whether there were any. Between reading and killing a process id may become that of another process: so each process
/// is held by a descriptor, and is killed only if its id is in the group after that.
fn kill_one_by_one(procs: &Path) -> io::Result<bool> {
    let found = members(procs)?;
    for some in found.chunks(HELD) {
        let mut held = Vec::new();
        for pid in some {
            match pidfd_open(*pid, PidfdFlags::empty()) {
                Ok(pidfd) => held.push((*pid, pidfd)),
                Err(Errno::SRCH) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let still = members(procs)?;
        for (_, pidfd) in held.iter().filter(|(pid, _)| still.contains(pid)) {
            match pidfd_send_signal(pidfd, Signal::KILL) {
                Ok(()) | Err(Errno::SRCH) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(!found.is_empty())
}

/// Those of other namespaces of process ids are 0 there, and cannot be killed from here.
fn members(procs: &Path) -> io::Result<Vec<Pid>> {
    let text = match fs::read_to_string(procs) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        text => text?,
    };
    Ok(text.lines().filter_map(|line| Pid::from_raw(line.parse::<i32>().ok().filter(|pid| *pid > 0)?)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_removed_and_has_no_members() {
        let folder = tempfile::tempdir().unwrap();
        let gone = folder.path().join("gone");
        remove(&gone).unwrap();
        kill(&gone).unwrap();
    }

    #[test]
    fn directories_that_are_no_control_groups_stay() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "of somebody").unwrap();
        assert!(remove(folder.path()).is_err());
        assert!(folder.path().join("file").exists());
    }

    #[test]
    fn only_processes_of_this_namespace_are_members() {
        let folder = tempfile::tempdir().unwrap();
        let procs = folder.path().join(PROCS);
        fs::write(&procs, "0\n17\n-1\nx\n4\n").unwrap();
        let expected: Vec<Pid> = [17, 4].into_iter().filter_map(Pid::from_raw).collect();
        assert_eq!(members(&procs).unwrap(), expected);
    }
}
