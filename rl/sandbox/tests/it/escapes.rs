//! Ways out. Nothing here does harm where it succeeds: files are opened for writing and not written to.

use crate::harness::{engine, has_system_call, limits, printed, python, run, run_in};
use sandbox::Command;

#[test]
fn no_file_of_the_host_or_the_kernel_is_open() {
    let script = r#"
import os
def tried(path, flags=os.O_RDONLY):
    try: os.close(os.open(path, flags)); print('OPEN', path)
    except OSError: pass
for path in ['/etc/shadow', '/root', '/var/lib', '/run', '/sys/kernel', '/home/user/../../root', '/proc/1/environ', '/proc/1/mem', '/proc/1/maps', '/proc/1/root/etc', '/proc/1/cwd/etc',
             '/proc/1/ns/mnt', '/proc/1/fd/0', '/proc/self/root/etc/shadow', '/var/run/docker.sock', '/dev/kmsg', '/dev/mem', '/dev/kvm', '/dev/vda', '/dev/fuse', '/dev/net/tun', '/dev/tty']:
    tried(path)
for path in ['/proc/sys/kernel/core_pattern', '/proc/sys/kernel/modprobe', '/proc/sys/vm/overcommit_memory', '/proc/sys/user/max_user_namespaces', '/proc/sysrq-trigger', '/proc/self/uid_map',
             '/proc/irq', '/usr/bin/python3', '/etc/passwd', '/etc/ld.so.cache', '/dev/shm/../null/x', '/proc/sys/kernel/ns_last_pid', '/proc/self/attr/current']:
    tried(path, os.O_WRONLY)
for path in ['/x', '/usr/x', '/etc/x', '/dev/x', '/proc/x', '/home/x', '/var/x', '/box/x']:
    tried(path, os.O_WRONLY | os.O_CREAT)
for path in ['/proc/keys', '/proc/kcore', '/proc/timer_list', '/proc/kmsg']:
    try: data = open(path, 'rb').read(1); print('DATA', path) if data else None
    except OSError: pass
for path in ['/dev/null', '/work', '/usr']:
    try: os.mknod('/work/node', 0o600 | 0o020000, os.makedev(1, 3)); print('NODE')
    except OSError: pass
    try: os.chown('/work', 0, 0); print('CHOWN')
    except OSError: pass
    try: os.link('/usr/bin/python3', '/work/hard'); print('HARD LINK')
    except OSError: pass
    try: os.setuid(0); print('ROOT')
    except OSError: pass
"#;
    let report = run(&python(script));
    assert_eq!((report.stdout.text(), report.stderr.text()), (String::new(), String::new()));
    assert!(report.exit.is_success());
}

#[test]
fn rights_are_none_and_do_not_come_back() {
    let script = "grep -E '^(Uid|Gid|Groups|Cap|NoNewPrivs|Seccomp:)' /proc/self/status | tr -s '\\t ' ' '";
    let (told, tree) = printed(&engine().tree().unwrap(), script);
    let none = "0000000000000000";
    let capabilities =
        ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"].map(|name| format!("{name}: {none}\n")).concat();
    let ids = "Uid: 1000 1000 1000 1000\nGid: 1000 1000 1000 1000\nGroups: \n";
    assert_eq!(told.replace("Groups:\n", "Groups: \n"), format!("{ids}{capabilities}NoNewPrivs: 1\nSeccomp: 2\n"));
    // Neither a setuid program of the host's nor one of its own makes it root.
    let script = "cp /usr/bin/id id; chmod 6755 id; ./id -u; su -c id root 2>&1 </dev/null | head -1; mount 2>/dev/null | grep -c nosuid";
    let (report, _) = run_in(&tree, &Command::shell(script), &limits());
    let told = report.stdout.text();
    assert!(told.starts_with("1000\n") && !told.contains("uid=0"), "{told}");
}

#[test]
fn user_namespaces_cannot_be_made_even_where_the_filter_is_evaded() {
    let (told, _) =
        printed(&engine().tree().unwrap(), "cat /proc/sys/user/max_user_namespaces; unshare -U true || echo refused");
    assert_eq!(told, "0\nrefused\n");
}

#[test]
fn processes_of_others_are_not_seen_and_not_reached() {
    let script = "import os\n\
                  pids = sorted(int(p) for p in os.listdir('/proc') if p.isdigit())\n\
                  print(len(pids), pids[0])\n\
                  try: os.kill(1, 9)\n\
                  except PermissionError: print('refused')\n\
                  try: os.kill(-1, 0)\n\
                  except (PermissionError, ProcessLookupError): print('nobody')\n\
                  print(open('/proc/self/cgroup').read().count('maquette'))";
    let report = run(&python(script));
    assert!(report.stdout.text().starts_with("2 1\nrefused\n"), "{} {}", report.stdout.text(), report.stderr.text());
    let report = run(&python("import ctypes; print(ctypes.CDLL(None).ptrace(16, 1, 0, 0))"));
    assert!(report.stdout.text() == "-1\n" && has_system_call(&report, "ptrace"));
}

#[test]
fn a_tree_is_not_reached_from_another() {
    let engine = engine();
    let (_, one) = printed(&engine.tree().unwrap(), "echo secret > secret; chmod 600 secret");
    let (_, other) = printed(&engine.tree().unwrap(), "ls -la");
    assert!(engine.view(&other).unwrap().stat("work/secret").is_err());
    assert_ne!(format!("{one:?}"), format!("{other:?}"));
}
