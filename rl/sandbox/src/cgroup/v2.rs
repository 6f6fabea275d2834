//! cgroup v2: one hierarchy, in which a group either has members or hands controllers on.

use super::files::{PROCS, field, io_at, number_where_it_is, put, read, write, write_where_it_is};
use super::{CgroupError, CgroupLimits, CgroupUsage, PERIOD_US};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const CONTROLLERS: [&str; 3] = ["memory", "pids", "cpu"];
const CONTROL: &str = "cgroup.subtree_control";
/// Where the members of a group go that hands controllers on. It belongs to no engine, and stays: in it they run, and
/// what is started after them.
const SUPERVISOR: &str = "maquette.supervisor";
/// In which members that start others are all moved, or never.
const ROUNDS: u32 = 10;

/// A group that may hand the controllers on: this process's own, out of which the members are moved into a child; or
/// its parent, where an engine has done so before.
///
/// # Errors
/// Where the group has not all controllers, or is not delegated to this process. Then all is as it was.
pub(super) fn delegated(own: &Path) -> Result<PathBuf, CgroupError> {
    if own.file_name().is_some_and(|name| name == SUPERVISOR)
        && let Some(parent) = own.parent()
        && hands_on(parent)?
    {
        return Ok(parent.to_path_buf());
    }
    let missing = lacking(&read(&own.join("cgroup.controllers"))?);
    if !missing.is_empty() {
        return Err(CgroupError::NoController(format!("{} in {}", missing.join(", "), own.display())));
    }
    if hands_on(own)? {
        return Ok(own.to_path_buf());
    }
    // The root of the hierarchy may have both.
    if own.join("cgroup.type").exists() {
        let supervisor = own.join(SUPERVISOR);
        match fs::create_dir(&supervisor) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => made.map_err(io_at("making", &supervisor))?,
        }
        if let Err(error) = move_members(own, &supervisor).and_then(|()| enable(own)) {
            undo(own, &supervisor);
            return Err(error);
        }
    } else {
        enable(own)?;
    }
    Ok(own.to_path_buf())
}

fn undo(own: &Path, supervisor: &Path) {
    let back = move_members(supervisor, own);
    let removed = fs::remove_dir(supervisor).map_err(io_at("removing", supervisor));
    if let Err(error) = removed.and(back) {
        tracing::warn!(%error, "a control group stays");
    }
}

/// Some may start others meanwhile. Those that are left hinder what needs the group to be empty, which tells of them.
fn move_members(from: &Path, to: &Path) -> Result<(), CgroupError> {
    let (from, to) = (from.join(PROCS), to.join(PROCS));
    for _ in 0..ROUNDS {
        let members = read(&from)?;
        if members.is_empty() {
            break;
        }
        for pid in members.lines() {
            match put(&to, pid) {
                // It has ended.
                Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {}
                moved => moved.map_err(io_at("moving a process to", &to))?,
            }
        }
    }
    Ok(())
}

fn hands_on(directory: &Path) -> Result<bool, CgroupError> {
    Ok(lacking(&read(&directory.join(CONTROL))?).is_empty())
}

fn lacking(controllers: &str) -> Vec<&'static str> {
    let is_there = |name: &str| controllers.split_whitespace().any(|found| found == name);
    CONTROLLERS.into_iter().filter(|name| !is_there(name)).collect()
}

/// Hands the controllers on to the groups in `directory`.
pub(super) fn enable(directory: &Path) -> Result<(), CgroupError> {
    write(&directory.join(CONTROL), &CONTROLLERS.map(|name| format!("+{name}")).join(" "))
}

pub(super) fn limit(directory: &Path, limits: &CgroupLimits) -> Result<(), CgroupError> {
    write(&directory.join("memory.max"), &limits.memory_bytes.to_string())?;
    write_where_it_is(&directory.join("memory.swap.max"), "0")?;
    write(&directory.join("memory.oom.group"), "1")?;
    write(&directory.join("pids.max"), &limits.pids.to_string())?;
    write(&directory.join("cpu.max"), &format!("{} {PERIOD_US}", limits.quota_us()))
}

pub(super) fn usage(directory: &Path) -> Result<CgroupUsage, CgroupError> {
    let pids_peak = number_where_it_is(&directory.join("pids.peak"))?;
    Ok(CgroupUsage {
        memory_peak_bytes: number_where_it_is(&directory.join("memory.peak"))?,
        memory_kills: field(&directory.join("memory.events"), "oom_kill")?,
        pids_peak: pids_peak.and_then(|peak| u32::try_from(peak).ok()),
        pids_hits: field(&directory.join("pids.events"), "max")?,
        throttled_us: field(&directory.join("cpu.stat"), "throttled_usec")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    #[test]
    fn what_was_used_is_read() {
        let events = "low 0\nhigh 0\nmax 18\noom 4\noom_kill 3\noom_group_kill 1\n";
        let cpu = "usage_usec 1570000\nuser_usec 1500000\nsystem_usec 70000\nnr_periods 31\nnr_throttled 30\n\
                   throttled_usec 1530000\nnr_bursts 0\nburst_usec 0\n";
        let folder = group(&[("memory.events", events), ("pids.events", "max 43\n"), ("cpu.stat", cpu)]);
        let expected = CgroupUsage {
            memory_peak_bytes: None,
            memory_kills: 3,
            pids_peak: None,
            pids_hits: 43,
            throttled_us: 1_530_000,
        };
        assert_eq!(usage(folder.path()).unwrap(), expected);
    }

    #[test]
    fn limits_are_written_with_and_without_swap() {
        let limits = CgroupLimits { memory_bytes: 64 << 20, pids: 32, cpus: 0.5 };
        let needed = [("memory.max", ""), ("memory.oom.group", ""), ("pids.max", ""), ("cpu.max", "")];
        let folder = group(&needed);
        limit(folder.path(), &limits).unwrap();
        let written = needed.map(|(name, _)| fs::read_to_string(folder.path().join(name)).unwrap());
        assert_eq!(written, ["67108864", "1", "32", "50000 100000"]);
        fs::write(folder.path().join("memory.swap.max"), "").unwrap();
        limit(folder.path(), &limits).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("memory.swap.max")).unwrap(), "0");
        assert!(limit(group(&needed[1..]).path(), &limits).is_err());
    }

    #[test]
    fn a_controller_that_the_group_has_not_is_named() {
        let folder = group(&[("cgroup.controllers", "memory pids io\n"), (CONTROL, "")]);
        let told = delegated(folder.path()).unwrap_err().to_string();
        assert!(told.contains("no controller for cpu in"), "{told}");
        assert!(!folder.path().join(SUPERVISOR).exists());
    }

    #[test]
    fn a_group_that_hands_on_already_is_left_as_it_is() {
        let all = "cpuset cpu io memory pids\n";
        let folder = group(&[("cgroup.controllers", all), (CONTROL, all), ("cgroup.type", "domain\n")]);
        assert_eq!(delegated(folder.path()).unwrap(), folder.path());
        let supervisor = folder.path().join(SUPERVISOR);
        assert!(!supervisor.exists());
        // An engine that is started by one who was moved.
        fs::create_dir(&supervisor).unwrap();
        assert_eq!(delegated(&supervisor).unwrap(), folder.path());
    }

    #[test]
    fn a_group_that_cannot_be_emptied_is_as_it_was() {
        let files = [("cgroup.controllers", "cpu memory pids\n"), (CONTROL, ""), ("cgroup.type", ""), (PROCS, "1\n")];
        let folder = group(&files);
        // A directory that is no control group takes no members.
        assert!(delegated(folder.path()).unwrap_err().to_string().contains("moving a process"));
        assert!(!folder.path().join(SUPERVISOR).exists());
        assert_eq!(fs::read_to_string(folder.path().join(CONTROL)).unwrap(), "");
    }
}
