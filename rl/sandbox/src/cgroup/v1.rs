//! cgroup v1: a hierarchy for each controller. Kills are by cgroup v2, where it is mounted beside.

use super::{
    CgroupError, CgroupLimits, CgroupUsage, PERIOD_US, field, number_where_it_is, read, write, write_where_it_is,
};
use std::path::{Path, PathBuf};

/// Children's memory counts for their parent.
pub(super) fn prepare(memory: &Path) -> Result<(), CgroupError> {
    write_where_it_is(&memory.join("memory.use_hierarchy"), "1")
}

/// `directories` are memory, pids, cpu.
pub(super) fn limit(directories: &[PathBuf], limits: &CgroupLimits) -> Result<(), CgroupError> {
    let [memory, pids, cpu, ..] = directories else {
        return Err(CgroupError::NoController("memory, pids, cpu".into()));
    };
    let bytes = limits.memory_bytes.to_string();
    write(&memory.join("memory.limit_in_bytes"), &bytes)?;
    write_where_it_is(&memory.join("memory.memsw.limit_in_bytes"), &bytes)?;
    write(&pids.join("pids.max"), limits.pids.to_string())?;
    let quota = (limits.cpus * PERIOD_US as f64).max(1000.0) as u64;
    write(&cpu.join("cpu.cfs_period_us"), PERIOD_US.to_string())?;
    write(&cpu.join("cpu.cfs_quota_us"), quota.to_string())
}

pub(super) fn usage(directories: &[PathBuf]) -> Result<CgroupUsage, CgroupError> {
    let [memory, pids, cpu, ..] = directories else {
        return Err(CgroupError::NoController("memory, pids, cpu".into()));
    };
    let kills = read(&memory.join("memory.oom_control"))?;
    let hits = read(&pids.join("pids.events"))?;
    let throttled = read(&cpu.join("cpu.stat"))?;
    let pids_peak = number_where_it_is(&pids.join("pids.peak"))?;
    Ok(CgroupUsage {
        memory_peak_bytes: number_where_it_is(&memory.join("memory.max_usage_in_bytes"))?,
        memory_kills: field(&kills, "oom_kill ").unwrap_or(0),
        pids_peak: pids_peak.and_then(|peak| u32::try_from(peak).ok()),
        pids_hits: field(&hits, "max ").unwrap_or(0),
        // In nanoseconds.
        throttled_us: field(&throttled, "throttled_time ").unwrap_or(0) / 1000,
    })
}
