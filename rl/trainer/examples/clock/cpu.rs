//! Processor time of this process.

use anyhow::Context;

/// Of /proc, on Linux.
const TICKS_A_SECOND: f64 = 100.0;

/// Of all threads, those that ended included; user and system.
pub(crate) fn cpu_secs() -> anyhow::Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").context("/proc/self/stat")?;
    // The program's name stands in parentheses and may hold spaces.
    let (_, fields) = stat.rsplit_once(')').context("/proc/self/stat names no program")?;
    let mut ticks = 0.0;
    for field in fields.split_whitespace().skip(11).take(2) {
        ticks += field.parse::<f64>().context("/proc/self/stat")?;
    }
    Ok(ticks / TICKS_A_SECOND)
}
