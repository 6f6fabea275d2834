//! cgroup v1: a hierarchy for each controller. Kills are by cgroup v2, where it is mounted beside.

use super::files::{field, number_where_it_is, write, write_where_it_is};
use super::{CgroupError, CgroupLimits, CgroupUsage, PERIOD_US};
use std::path::{Path, PathBuf};

/// Directories of one group. Controllers may share a hierarchy, and with it the directory.
pub(super) struct Group {
    pub(super) memory: PathBuf,
    pub(super) pids: PathBuf,
    pub(super) cpu: PathBuf,
}

impl Group {
    pub(super) fn below(&self, name: &str) -> Self {
        Self { memory: self.memory.join(name), pids: self.pids.join(name), cpu: self.cpu.join(name) }
    }

    /// Each once.
    pub(super) fn directories(&self) -> Vec<&Path> {
        let mut all = vec![self.memory.as_path(), self.pids.as_path(), self.cpu.as_path()];
        all.sort();
        all.dedup();
        all
    }

    /// Children's memory counts for their parent.
    pub(super) fn prepare(&self) -> Result<(), CgroupError> {
        write_where_it_is(&self.memory.join("memory.use_hierarchy"), "1")
    }

    pub(super) fn limit(&self, limits: &CgroupLimits) -> Result<(), CgroupError> {
        let bytes = limits.memory_bytes.to_string();
        write(&self.memory.join("memory.limit_in_bytes"), &bytes)?;
        // Memory and swap together, so it comes second: it may not be the lower one.
        write_where_it_is(&self.memory.join("memory.memsw.limit_in_bytes"), &bytes)?;
        write(&self.pids.join("pids.max"), &limits.pids.to_string())?;
        write(&self.cpu.join("cpu.cfs_period_us"), &PERIOD_US.to_string())?;
        write(&self.cpu.join("cpu.cfs_quota_us"), &limits.quota_us().to_string())
    }

    pub(super) fn usage(&self) -> Result<CgroupUsage, CgroupError> {
        let pids_peak = number_where_it_is(&self.pids.join("pids.peak"))?;
        Ok(CgroupUsage {
            memory_peak_bytes: number_where_it_is(&self.memory.join("memory.max_usage_in_bytes"))?,
            memory_kills: field(&self.memory.join("memory.oom_control"), "oom_kill")?,
            pids_peak: pids_peak.and_then(|peak| u32::try_from(peak).ok()),
            pids_hits: field(&self.pids.join("pids.events"), "max")?,
            // In nanoseconds.
            throttled_us: field(&self.cpu.join("cpu.stat"), "throttled_time")? / 1000,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// All controllers in one directory, with these files.
    fn group(files: &[(&str, &str)]) -> (tempfile::TempDir, Group) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let [memory, pids, cpu] = [(); 3].map(|()| folder.path().to_path_buf());
        (folder, Group { memory, pids, cpu })
    }

    const USED: [(&str, &str); 5] = [
        ("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n"),
        ("memory.max_usage_in_bytes", "67108864\n"),
        ("pids.events", "max 58\n"),
        ("pids.peak", "32\n"),
        ("cpu.stat", "nr_periods 30\nnr_throttled 29\nthrottled_time 1417000999\nnr_bursts 0\nburst_time 0\n"),
    ];

    #[test]
    fn what_was_used_is_read() {
        let (_folder, group) = group(&USED);
        let expected = CgroupUsage {
            memory_peak_bytes: Some(67_108_864),
            memory_kills: 3,
            pids_peak: Some(32),
            pids_hits: 58,
            throttled_us: 1_417_000,
        };
        assert_eq!(group.usage().unwrap(), expected);
    }

    #[test]
    fn older_kernels_have_no_peak_of_processes() {
        let (_folder, group) = group(&USED.map(|(name, text)| (name.trim_end_matches(".peak"), text)));
        assert_eq!(group.usage().unwrap().pids_peak, None);
    }

    #[test]
    fn kills_that_are_not_counted_are_an_error_and_not_none() {
        let mut files = USED;
        files[0].1 = "oom_kill_disable 0\nunder_oom 0\n";
        let told = group(&files).1.usage().unwrap_err().to_string();
        assert!(told.contains("memory.oom_control"), "{told}");
    }

    #[test]
    fn limits_are_written_and_one_that_cannot_be_is_an_error() {
        let limits = CgroupLimits { memory_bytes: 64 << 20, pids: 32, cpus: 1.5 };
        let mut files =
            [("memory.limit_in_bytes", ""), ("pids.max", ""), ("cpu.cfs_period_us", ""), ("cpu.cfs_quota_us", "")];
        let (folder, without_swap) = group(&files);
        without_swap.limit(&limits).unwrap();
        let written = files.map(|(name, _)| fs::read_to_string(folder.path().join(name)).unwrap());
        assert_eq!(written, ["67108864", "32", "100000", "150000"]);
        assert!(!folder.path().join("memory.memsw.limit_in_bytes").exists());

        files[1].0 = "no.pids";
        let told = group(&files).1.limit(&limits).unwrap_err().to_string();
        assert!(told.contains("pids.max") && told.contains("\"32\""), "{told}");
    }

    #[test]
    fn controllers_that_share_a_hierarchy_share_the_directory() {
        let group = Group { memory: "/memory".into(), pids: "/cpu,pids".into(), cpu: "/cpu,pids".into() };
        assert_eq!(group.below("x").directories(), [Path::new("/cpu,pids/x"), Path::new("/memory/x")]);
    }
}
