use crate::harness::{engine, limits, python, run_in, run_with};
use sandbox::{Command, Event, Exit, Limits};
use std::time::Duration;

/// Of this machine, while other tests run.
const KILL_US: u64 = 500_000;

fn short(wall_ms: u64) -> Limits {
    Limits { wall: Duration::from_millis(wall_ms), ..limits() }
}

#[test]
fn whoever_takes_too_long_is_ended_whatever_signals_it_minds() {
    for script in [
        "sleep 100",
        "trap '' TERM INT HUP; while :; do sleep 1; done",
        "kill -STOP 0; sleep 100",
        "sleep 100 & sleep 100 & wait",
    ] {
        let report = run_with(&Command::shell(script), &short(300));
        assert_eq!(report.exit, Exit::Killed, "{script}");
        assert!(report.events.contains(&Event::WallTimeout), "{script}: {:?}", report.events);
        assert!(report.kill_us.unwrap() < KILL_US, "{script}: {:?}", report.kill_us);
        assert!(report.wall_us < 1_500_000, "{script}: {}", report.wall_us);
    }
}

#[test]
fn a_fork_bomb_ends_at_its_limit() {
    let bombs = [
        Command::new(["/bin/bash", "-c", "bomb() { bomb | bomb & }; bomb; wait"]),
        python("import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass"),
        python(
            "import threading, time\nwhile True:\n    try:\n        threading.Thread(target=time.sleep, args=(100,)).start()\n    except RuntimeError:\n        pass",
        ),
    ];
    for bomb in bombs {
        let report = run_with(&bomb, &Limits { pids: 32, ..short(500) });
        let is_told = report.events.iter().any(|event| matches!(event, Event::PidsLimit { hits } if *hits > 0));
        assert!(is_told, "{:?} {:?} {}", bomb.argv, report.events, report.stderr.text());
        assert!(report.kill_us.is_none_or(|us| us < KILL_US), "{:?}", report.kill_us);
    }
}

#[test]
fn memory_of_any_kind_is_limited_and_told() {
    let anonymous = "b = bytearray(1 << 30)";
    let files = "open('/dev/shm/a', 'wb').write(bytes(40 << 20)); open('/tmp/a', 'wb').write(bytes(100 << 20))";
    let anonymous_files = "import os\nfd = os.memfd_create('m')\nwhile True: os.write(fd, bytes(1 << 20))";
    let children = "import os\nfor _ in range(8):\n    if os.fork() == 0: b = bytearray(30 << 20); import time; time.sleep(100)\nfor _ in range(8): os.wait()";
    for script in [anonymous, files, anonymous_files, children] {
        let report = run_with(&python(script), &Limits { memory_bytes: 64 << 20, ..short(10_000) });
        let is_told = report.events.iter().any(|event| matches!(event, Event::MemoryLimit { kills } if *kills > 0));
        assert!(is_told, "{script}: {:?} {:?} {}", report.exit, report.events, report.stderr.text());
        assert!(report.memory_peak_bytes.unwrap() <= 64 << 20, "{script}: {:?}", report.memory_peak_bytes);
        assert!(!report.exit.is_success() && report.wall_us < 8_000_000, "{script}: {:?}", report.exit);
    }
}

#[test]
fn processor_time_is_limited_in_share_and_in_sum() {
    let burn = "while True: pass";
    let report = run_with(&python(burn), &Limits { cpus: 0.25, ..short(1000) });
    assert!(report.events.contains(&Event::WallTimeout) && report.throttled_us > 100_000, "{report:?}");
    let report = run_with(&python(burn), &Limits { cpu: Duration::from_secs(1), ..limits() });
    assert!(report.events.contains(&Event::CpuLimit), "{:?} {:?}", report.exit, report.events);
}

#[test]
fn output_is_cut_and_a_flood_ends() {
    for script in ["yes", "yes >&2", "yes & yes >&2", "cat /dev/zero", "cat /dev/urandom"] {
        let report =
            run_with(&Command::shell(script), &Limits { output_bytes: 1 << 20, output_kept_bytes: 4096, ..limits() });
        let is_told = report.events.iter().any(|event| matches!(event, Event::OutputCut { bytes } if *bytes > 1 << 20));
        assert!(is_told && report.exit == Exit::Killed, "{script}: {:?} {:?}", report.exit, report.events);
        assert!(report.stdout.head.len() + report.stdout.tail.len() <= 4096, "{script}");
        assert!(report.wall_us < 5_000_000);
    }
}

#[test]
fn a_disk_is_full_at_its_limit_and_can_be_emptied() {
    let engine = engine();
    let small = Limits { disk_bytes: 8 << 20, inodes: 1000, ..limits() };
    let tree = engine.tree().unwrap();
    let (report, tree) = run_in(&tree, &Command::shell("cat /dev/zero > zeros; stat -c %s zeros"), &small);
    assert!(report.events.contains(&Event::DiskFull { bytes: true, inodes: false }), "{:?}", report.events);
    assert!(report.disk_used_bytes <= 8 << 20);
    let (report, tree) = run_in(&tree, &Command::shell("rm zeros"), &small);
    assert!(report.exit.is_success(), "{}", report.stderr.text());
    let (report, _) = run_in(&tree, &Command::shell("head -c 6000000 /dev/zero > more"), &small);
    assert!(report.exit.is_success(), "{}", report.stderr.text());

    let many = python("for name in range(5000): open(str(name), 'w')");
    let (report, _) = run_in(&engine.tree().unwrap(), &many, &small);
    assert!(report.events.contains(&Event::DiskFull { bytes: false, inodes: true }), "{:?}", report.events);
    let sparse = python("open('s', 'wb').truncate(1 << 40)");
    assert!(!run_in(&engine.tree().unwrap(), &sparse, &small).0.exit.is_success());
    let (report, tree) = run_in(&engine.tree().unwrap(), &Command::shell("truncate -s 7M s"), &small);
    assert!(report.exit.is_success() && report.disk_used_bytes < 1 << 20);
    assert_eq!(engine.view(&tree).unwrap().stat("work/s").unwrap().size_bytes, 7 << 20);
}
