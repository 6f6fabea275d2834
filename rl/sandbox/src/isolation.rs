//! How well this machine isolates: tried, not assumed.

use crate::command::Command;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::report::{Event, ExecReport, Level, Limits};
use crate::wire::{Barrier, Probe};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Of an engine, for as long as it lives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Isolation {
    pub level: Level,
    pub barriers: Vec<Barrier>,
    pub missing: Vec<Missing>,
}

/// What the machine lacks, and what would help.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    pub what: String,
    pub fix: String,
}

const MEMORY_BYTES: u64 = 64 << 20;
const PIDS: u32 = 16;
const CPU: Duration = Duration::from_secs(5);
/// A processor's time that a sleeping command may have for itself.
const WALL: Duration = Duration::from_millis(50);
/// For one probe, on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(20);

impl Isolation {
    /// In one line: what is missing, and what to do.
    #[must_use]
    pub fn advice(&self) -> String {
        let missing = self.missing.iter().map(|missing| format!("{}: {}", missing.what, missing.fix));
        let broken = self.barriers.iter().filter(|barrier| !barrier.holds);
        let broken = broken.map(|barrier| format!("{} does not hold: {}", barrier.name, barrier.how));
        missing.chain(broken).collect::<Vec<_>>().join("; ")
    }

    /// What an engine is that cannot start a sandbox at all.
    pub(crate) fn none(what: &str, error: &str) -> Self {
        let fix = match what {
            _ if what.contains("uid_map") || what.contains("CLONE_NEWUSER") || what.contains("clone3") => {
                "allow user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, or an \
                 AppArmor profile with `userns`), or run as root"
            }
            _ => "run as root outside of containers that mask /proc, on Linux 6.8 or newer",
        };
        let what = format!("{what} ({error})");
        Self { level: Level::None, barriers: Vec::new(), missing: vec![Missing { what, fix: fix.to_owned() }] }
    }
}

/// Runs the probes. The level is what `engine` was started for, if all barriers hold.
pub(crate) fn prove(engine: &Engine, aimed: Level, mut missing: Vec<Missing>) -> Result<Isolation, EngineError> {
    let limits = Limits { wall: PATIENCE, cpu: CPU, memory_bytes: MEMORY_BYTES, pids: PIDS, ..Limits::default() };
    let try_it = |probe: Probe, limits: &Limits| -> Result<ExecReport, EngineError> {
        let tree = engine.tree()?;
        Ok(engine.run_or_probe(&tree, &Command::new(["probe"]), limits, Some(probe))?.0)
    };
    let inside = try_it(Probe::Barriers, &limits)?;
    let told = inside.stdout.text();
    let mut barriers: Vec<Barrier> = told.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let add = |barriers: &mut Vec<Barrier>, name: &str, holds: bool, how: String| {
        barriers.push(Barrier { name: name.to_owned(), holds, how });
    };
    add(&mut barriers, "probe", inside.exit.is_success(), format!("{:?} {}", inside.exit, inside.stderr.text().trim()));
    let is_told = inside.events.iter().any(|event| matches!(event, Event::Syscall { name, .. } if name == "bpf"));
    add(&mut barriers, "reports of system calls", is_told, format!("{} events", inside.events.len()));

    let asleep = try_it(Probe::Sleep, &Limits { wall: WALL, ..limits.clone() })?;
    let is_cut = asleep.events.contains(&Event::WallTimeout);
    add(&mut barriers, "time", is_cut, format!("ended after {} ms", asleep.wall_us / 1000));

    if aimed == Level::Full {
        let hungry = try_it(Probe::Memory { bytes: 4 * MEMORY_BYTES as usize }, &limits)?;
        let is_killed = hungry.events.iter().any(|event| matches!(event, Event::MemoryLimit { .. }));
        let peak = hungry.memory_peak_bytes.unwrap_or_default() >> 20;
        add(&mut barriers, "memory", is_killed, format!("{:?} at {peak} MiB of {}", hungry.exit, MEMORY_BYTES >> 20));
        let many = try_it(Probe::Processes { count: 4 * PIDS as usize }, &limits)?;
        let is_limited = many.events.iter().any(|event| matches!(event, Event::PidsLimit { .. }));
        add(&mut barriers, "processes and threads", is_limited, format!("{} of {PIDS}", many.stdout.text().trim()));
    }
    let broken = barriers.iter().filter(|barrier| !barrier.holds).map(|barrier| Missing {
        what: format!("{}: {}", barrier.name, barrier.how),
        fix: "run on a machine whose kernel is not changed by a container, and report this".to_owned(),
    });
    missing.extend(broken);
    let level = if barriers.iter().all(|barrier| barrier.holds) { aimed } else { Level::None };
    Ok(Isolation { level, barriers, missing })
}
