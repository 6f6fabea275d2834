//! cgroup v2: one hierarchy, in which a group either has members or hands controllers on.

use super::{
    CgroupError, CgroupLimits, CgroupUsage, PERIOD_US, PROCS, field, io_at, number_where_it_is, read, write,
    write_where_it_is,
};
use crate::instance::Instance;
use std::fs;
use std::path::{Path, PathBuf};

const CONTROLLERS: [&str; 3] = ["memory", "pids", "cpu"];
const CONTROL: &str = "cgroup.subtree_control";

/// A group that may hand the controllers on: this process's own, out of which its members are moved into a child.
pub(super) fn delegated(own: &Path, instance: &Instance) -> Result<PathBuf, CgroupError> {
    let available = read(&own.join("cgroup.controllers"))?;
    let missing = CONTROLLERS.iter().find(|name| !available.split_whitespace().any(|found| found == **name));
    if let Some(name) = missing {
        return Err(CgroupError::NoController((*name).to_owned()));
    }
    let enabled = read(&own.join(CONTROL))?;
    if CONTROLLERS.iter().all(|name| enabled.split_whitespace().any(|found| found == *name)) {
        return Ok(own.to_path_buf());
    }
    // The root of the hierarchy may have both.
    if own.join("cgroup.type").exists() {
        let supervisor = own.join(format!("{}-supervisor", instance.name));
        instance.owns(&supervisor).map_err(io_at(&supervisor))?;
        fs::create_dir(&supervisor).map_err(io_at(&supervisor))?;
        for pid in read(&own.join(PROCS))?.lines() {
            write(&supervisor.join(PROCS), pid)?;
        }
    }
    enable(own)?;
    Ok(own.to_path_buf())
}

/// Hands the controllers on to the groups in `directory`.
pub(super) fn enable(directory: &Path) -> Result<(), CgroupError> {
    write(&directory.join(CONTROL), CONTROLLERS.map(|name| format!("+{name}")).join(" "))
}

pub(super) fn limit(directory: &Path, limits: &CgroupLimits) -> Result<(), CgroupError> {
    write(&directory.join("memory.max"), limits.memory_bytes.to_string())?;
    write_where_it_is(&directory.join("memory.swap.max"), "0")?;
    write(&directory.join("memory.oom.group"), "1")?;
    write(&directory.join("pids.max"), limits.pids.to_string())?;
    let quota = (limits.cpus * PERIOD_US as f64).max(1000.0) as u64;
    write(&directory.join("cpu.max"), format!("{quota} {PERIOD_US}"))
}

pub(super) fn usage(directory: &Path) -> Result<CgroupUsage, CgroupError> {
    let kills = read(&directory.join("memory.events"))?;
    let hits = read(&directory.join("pids.events"))?;
    let throttled = read(&directory.join("cpu.stat"))?;
    let pids_peak = number_where_it_is(&directory.join("pids.peak"))?;
    Ok(CgroupUsage {
        memory_peak_bytes: number_where_it_is(&directory.join("memory.peak"))?,
        memory_kills: field(&kills, "oom_kill ").unwrap_or(0),
        pids_peak: pids_peak.and_then(|peak| u32::try_from(peak).ok()),
        pids_hits: field(&hits, "max ").unwrap_or(0),
        throttled_us: field(&throttled, "throttled_usec ").unwrap_or(0),
    })
}
