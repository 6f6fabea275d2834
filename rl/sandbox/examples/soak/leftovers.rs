//! What sandboxes could leave behind: processes, control groups, mounts, descriptors.

use std::fs;
use std::path::{Path, PathBuf};

/// Directories of control groups that engines have made, wherever they are mounted.
pub(crate) fn groups() -> Vec<PathBuf> {
    fn below(directory: &Path, depth: usize, found: &mut Vec<PathBuf>) {
        let Ok(entries) = fs::read_dir(directory) else { return };
        for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            if entry.file_name().to_string_lossy().starts_with("maquette-") {
                found.push(entry.path());
            } else if depth < 6 {
                below(&entry.path(), depth + 1, found);
            }
        }
    }
    let mut found = Vec::new();
    below(Path::new("/sys/fs/cgroup"), 0, &mut found);
    found
}

/// Those of engines in one process.
pub(crate) fn groups_of(pid: u32) -> Vec<PathBuf> {
    let prefix = format!("maquette-{pid}-");
    let is_its = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix));
    groups().into_iter().filter(is_its).collect()
}

/// Of these processes, and of all that they lead to, those that still run.
pub(crate) fn descendants(of: &[u32]) -> Vec<u32> {
    let stat = |pid: u32| -> Option<(char, u32)> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let mut fields = text.rsplit_once(") ")?.1.split(' ');
        Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
    };
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids: Vec<u32> = entries.filter_map(|entry| entry.file_name().to_string_lossy().parse().ok()).collect();
    let runs = |pid: &u32| stat(*pid).is_some_and(|(state, _)| state != 'Z');
    let mut found: Vec<u32> = of.iter().copied().filter(runs).collect();
    loop {
        let leads = |pid: &u32| !found.contains(pid) && stat(*pid).is_some_and(|(_, parent)| found.contains(&parent));
        let more: Vec<u32> = pids.iter().copied().filter(leads).collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

pub(crate) fn mounts() -> usize {
    fs::read_to_string("/proc/self/mountinfo").unwrap_or_default().lines().count()
}

pub(crate) fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}
