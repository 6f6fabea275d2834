use crate::harness::{has_system_call, python, run};

/// Name, number on x86_64, arguments that do no harm if it is let through.
const FORBIDDEN: &[(&str, u32, &str)] = &[
    ("ptrace", 101, "16, 1, 0, 0"),
    ("process_vm_readv", 310, "1, 0, 0, 0, 0, 0"),
    ("process_vm_writev", 311, "1, 0, 0, 0, 0, 0"),
    ("bpf", 321, "0, 0, 0"),
    ("io_uring_setup", 425, "1, 0"),
    ("userfaultfd", 323, "1"),
    ("perf_event_open", 298, "0, 0, -1, -1, 0"),
    ("keyctl", 250, "0, -3, 0"),
    ("add_key", 248, "0, 0, 0, 0, 0"),
    ("request_key", 249, "0, 0, 0, 0"),
    ("open_by_handle_at", 304, "-1, 0, 0"),
    ("kexec_load", 246, "0, 0, 0, 0"),
    ("init_module", 175, "0, 0, 0"),
    ("finit_module", 313, "-1, 0, 0"),
    ("delete_module", 176, "0, 0"),
    ("setns", 308, "-1, 0"),
    ("mount", 165, "0, 0, 0, 0, 0"),
    ("umount2", 166, "0, 0"),
    ("pivot_root", 155, "0, 0"),
    ("chroot", 161, "0"),
    ("fsopen", 430, "0, 0"),
    ("fsmount", 432, "-1, 0, 0"),
    ("move_mount", 429, "-1, 0, -1, 0, 0"),
    ("open_tree", 428, "-1, 0, 0"),
    ("mount_setattr", 442, "-1, 0, 0, 0, 0"),
    ("swapon", 167, "0, 0"),
    ("acct", 163, "0"),
    ("syslog", 103, "10, 0, 0"),
    ("sethostname", 170, "0, 0"),
    ("settimeofday", 164, "0, 0"),
    ("iopl", 172, "0"),
    ("kcmp", 312, "1, 1, 0, 0, 0"),
    ("pidfd_getfd", 438, "-1, 0, 0"),
    ("unshare", 272, "0x10000000"),
    ("unshare", 272, "0x00020000"),
    ("clone", 56, "0x10000011, 0, 0, 0, 0"),
    ("personality", 135, "0x0008"),
    ("seccomp", 317, "1, 8, 0"),
    ("ioctl", 16, "0, 0x5412, 0"),
];

#[test]
fn every_forbidden_system_call_is_refused_and_told() {
    let calls: String =
        FORBIDDEN.iter().map(|(name, number, arguments)| format!("call('{name}', {number}, {arguments})\n")).collect();
    let script = format!(
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n\
         def call(name, *arguments):\n    given = libc.syscall(*[ctypes.c_long(a) for a in arguments])\n    \
         print(name, given, ctypes.get_errno())\n{calls}\
         print('clone3', libc.syscall(435, 0, 0), ctypes.get_errno())"
    );
    let report = run(&python(&script));
    let mut expected: String = FORBIDDEN.iter().map(|(name, ..)| format!("{name} -1 1\n")).collect();
    // So that libraries use clone, whose flags can be read.
    expected.push_str("clone3 -1 38\n");
    assert_eq!(report.stdout.text(), expected, "{}", report.stderr.text());
    for (name, ..) in FORBIDDEN {
        assert!(has_system_call(&report, name), "{name} is not told: {:?}", report.events);
    }
}

/// Of Linux.
const SIGSYS: i32 = 31;

#[test]
fn calls_of_another_architecture_end_the_process() {
    // getpid of i386 by int 0x80, and of x32.
    let script = r#"
import ctypes, mmap, os, signal
def run(code):
    pid = os.fork()
    if pid == 0:
        page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC); page.write(code)
        ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(page)))(); os._exit(0)
    return os.WTERMSIG(os.waitpid(pid, 0)[1])
print(run(b'\xb8\x14\x00\x00\x00\xcd\x80\xc3'), run(b'\xb8\x27\x00\x00\x40\x0f\x05\xc3'))
"#;
    let report = run(&python(script));
    assert_eq!(report.stdout.text(), format!("{0} {0}\n", SIGSYS), "{}", report.stderr.text());
}

#[test]
fn threads_processes_and_what_interpreters_need_are_allowed() {
    let script = "import threading, subprocess, multiprocessing, time, os\n\
                  thread = threading.Thread(target=lambda: None); thread.start(); thread.join()\n\
                  print(subprocess.run(['echo', 'a'], capture_output=True, text=True).stdout, end='')\n\
                  with multiprocessing.Pool(2) as pool: print(pool.map(abs, [-1, -2]), flush=True)\n\
                  pid, fd = os.forkpty()\n\
                  if pid == 0: print(os.isatty(0), flush=True); os._exit(0)\n\
                  print(os.read(fd, 100).decode().strip())";
    let report = run(&python(script));
    assert_eq!(report.stdout.text(), "a\n[1, 2]\nTrue\n", "{}", report.stderr.text());
    assert_eq!(report.events, []);
}
