//! Which system calls a sandboxed command may make: all but those named here, as a seccomp filter.
//!
//! Enforced are namespaces, ids and capabilities; the filter takes what they leave, and reports. What is refused by a
//! notification is told to the engine; clone3 is refused without, because its flags cannot be read by a filter and libc
//! then uses clone.

use libc::sock_filter;

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
compile_error!("the sandbox knows the system calls of Linux on x86_64 only");

/// Descriptor by which a command's process tells its status until exec: messages over it are not asked about. It is the
/// first that a command's limit of open files does not let it have.
pub(crate) const STATUS_FD: i32 = OPEN_FILES as i32;
pub(crate) const OPEN_FILES: u64 = 1000;

/// Refused whatever their arguments are.
const REFUSED: &[(&str, i64)] = &[
    ("ptrace", libc::SYS_ptrace),
    ("process_vm_readv", libc::SYS_process_vm_readv),
    ("process_vm_writev", libc::SYS_process_vm_writev),
    ("process_madvise", libc::SYS_process_madvise),
    ("pidfd_getfd", libc::SYS_pidfd_getfd),
    ("kcmp", libc::SYS_kcmp),
    ("bpf", libc::SYS_bpf),
    ("io_uring_setup", libc::SYS_io_uring_setup),
    ("io_uring_enter", libc::SYS_io_uring_enter),
    ("io_uring_register", libc::SYS_io_uring_register),
    ("userfaultfd", libc::SYS_userfaultfd),
    ("perf_event_open", libc::SYS_perf_event_open),
    ("keyctl", libc::SYS_keyctl),
    ("add_key", libc::SYS_add_key),
    ("request_key", libc::SYS_request_key),
    ("open_by_handle_at", libc::SYS_open_by_handle_at),
    ("kexec_load", libc::SYS_kexec_load),
    ("kexec_file_load", libc::SYS_kexec_file_load),
    ("init_module", libc::SYS_init_module),
    ("finit_module", libc::SYS_finit_module),
    ("delete_module", libc::SYS_delete_module),
    ("setns", libc::SYS_setns),
    ("mount", libc::SYS_mount),
    ("umount2", libc::SYS_umount2),
    ("pivot_root", libc::SYS_pivot_root),
    ("chroot", libc::SYS_chroot),
    ("fsopen", libc::SYS_fsopen),
    ("fspick", libc::SYS_fspick),
    ("fsconfig", libc::SYS_fsconfig),
    ("fsmount", libc::SYS_fsmount),
    ("move_mount", libc::SYS_move_mount),
    ("open_tree", libc::SYS_open_tree),
    ("mount_setattr", libc::SYS_mount_setattr),
    ("reboot", libc::SYS_reboot),
    ("swapon", libc::SYS_swapon),
    ("swapoff", libc::SYS_swapoff),
    ("acct", libc::SYS_acct),
    ("quotactl", libc::SYS_quotactl),
    ("quotactl_fd", libc::SYS_quotactl_fd),
    ("syslog", libc::SYS_syslog),
    ("sethostname", libc::SYS_sethostname),
    ("setdomainname", libc::SYS_setdomainname),
    ("settimeofday", libc::SYS_settimeofday),
    ("clock_settime", libc::SYS_clock_settime),
    ("iopl", libc::SYS_iopl),
    ("ioperm", libc::SYS_ioperm),
    ("fanotify_init", libc::SYS_fanotify_init),
    ("lookup_dcookie", libc::SYS_lookup_dcookie),
    ("uselib", libc::SYS_uselib),
    ("vhangup", libc::SYS_vhangup),
    ("nfsservctl", libc::SYS_nfsservctl),
    ("modify_ldt", libc::SYS_modify_ldt),
];

/// Asked about, because what they mean stands in the caller's memory.
const ASKED: &[(&str, i64)] = &[("connect", libc::SYS_connect)];

/// CLONE_NEW*, with CLONE_NEWTIME, which unshare takes and clone reads as part of the exit signal.
const NEW_NAMESPACES: u32 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as u32;
const CLONE_NEWTIME: u32 = 0x80;
const FAMILIES: [u32; 4] = [libc::AF_UNIX as u32, libc::AF_INET as u32, libc::AF_INET6 as u32, libc::AF_NETLINK as u32];
const PERSONALITY_ASKED: u32 = 0xffff_ffff;
/// What Python's and C's programs set: Linux itself, and without randomised addresses.
const PERSONALITIES: [u32; 3] = [0, libc::ADDR_NO_RANDOMIZE as u32, PERSONALITY_ASKED];
const TERMINAL_INPUT: [u32; 2] = [libc::TIOCSTI as u32, libc::TIOCLINUX as u32];

const ARCH_OFFSET: u32 = 4;
const NUMBER_OFFSET: u32 = 0;
const AUDIT_ARCH_X86_64: u32 = 0xc000_003e;
const X32_BIT: u32 = 0x4000_0000;

const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
const NOTIFY: u32 = libc::SECCOMP_RET_USER_NOTIF;
const KILL: u32 = libc::SECCOMP_RET_KILL_PROCESS;

const fn errno(errno: i32) -> u32 {
    libc::SECCOMP_RET_ERRNO | errno as u32
}

/// Where the low half of an argument lies.
const fn argument(index: u32) -> u32 {
    16 + 8 * index
}

fn load(offset: u32) -> sock_filter {
    sock_filter { code: (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16, jt: 0, jf: 0, k: offset }
}

fn give(answer: u32) -> sock_filter {
    sock_filter { code: (libc::BPF_RET | libc::BPF_K) as u16, jt: 0, jf: 0, k: answer }
}

fn jump(test: u32, value: u32, if_true: u8, if_false: u8) -> sock_filter {
    sock_filter { code: (libc::BPF_JMP | test | libc::BPF_K) as u16, jt: if_true, jf: if_false, k: value }
}

/// `hit` where the argument is one of `values`, else `miss`.
fn by_value(index: u32, values: &[u32], hit: u32, miss: u32) -> Vec<sock_filter> {
    let mut body = vec![load(argument(index))];
    let count = values.len() as u8;
    body.extend(values.iter().zip((0..count).rev()).map(|(value, left)| jump(libc::BPF_JEQ, *value, left + 1, 0)));
    body.extend([give(miss), give(hit)]);
    body
}

/// `answer` where the argument has one of these bits.
fn when_any_bit(index: u32, bits: u32, answer: u32) -> Vec<sock_filter> {
    vec![load(argument(index)), jump(libc::BPF_JSET, bits, 1, 0), give(ALLOW), give(answer)]
}

/// What is done with a system call of this number; all others are allowed.
type Rule = (i64, Vec<sock_filter>);

/// The filter, for [`crate::sys::listen_to_system_calls`].
pub(crate) fn filter() -> Vec<sock_filter> {
    let mut rules: Vec<Rule> = REFUSED.iter().chain(ASKED).map(|(_, number)| (*number, vec![give(NOTIFY)])).collect();
    rules.extend([
        (libc::SYS_clone3, vec![give(errno(libc::ENOSYS))]),
        (libc::SYS_clone, when_any_bit(0, NEW_NAMESPACES, NOTIFY)),
        (libc::SYS_unshare, when_any_bit(0, NEW_NAMESPACES | CLONE_NEWTIME, NOTIFY)),
        (libc::SYS_socket, by_value(0, &FAMILIES, ALLOW, NOTIFY)),
        (libc::SYS_socketpair, by_value(0, &FAMILIES, ALLOW, NOTIFY)),
        (libc::SYS_personality, by_value(0, &PERSONALITIES, ALLOW, NOTIFY)),
        (libc::SYS_ioctl, by_value(1, &TERMINAL_INPUT, NOTIFY, ALLOW)),
        (libc::SYS_seccomp, when_any_bit(1, libc::SECCOMP_FILTER_FLAG_NEW_LISTENER as u32, NOTIFY)),
        // Without an address it goes where the socket is connected to. An address whose low half is 0 is not likely.
        (libc::SYS_sendto, by_value(4, &[0], ALLOW, NOTIFY)),
        (libc::SYS_sendmsg, by_value(0, &[STATUS_FD as u32], ALLOW, NOTIFY)),
        (libc::SYS_sendmmsg, vec![give(NOTIFY)]),
    ]);
    rules.sort_by_key(|(number, _)| *number);
    let mut program = vec![
        load(ARCH_OFFSET),
        jump(libc::BPF_JEQ, AUDIT_ARCH_X86_64, 1, 0),
        give(KILL),
        load(NUMBER_OFFSET),
        jump(libc::BPF_JGE, X32_BIT, 0, 1),
        give(KILL),
    ];
    program.extend(search(&rules));
    program
}

/// Finds the rule by halves: the kernel runs the filter once for every system call there is when it is installed.
fn search(rules: &[Rule]) -> Vec<sock_filter> {
    match rules {
        [] => vec![give(ALLOW)],
        [(number, body)] => {
            let mut program = vec![jump(libc::BPF_JEQ, *number as u32, 0, body.len() as u8)];
            program.extend_from_slice(body);
            program.push(give(ALLOW));
            program
        }
        rules => {
            let (below, above) = rules.split_at(rules.len() / 2);
            let (first, below) = (above.first().map_or(0, |(number, _)| *number), search(below));
            let mut program = vec![jump(libc::BPF_JGE, first as u32, below.len() as u8, 0)];
            program.extend(below);
            program.extend(search(above));
            program
        }
    }
}

/// Of a system call that is refused or asked about.
pub(crate) fn name(number: i64) -> &'static str {
    const BY_ARGUMENTS: &[(&str, i64)] = &[
        ("clone", libc::SYS_clone),
        ("unshare", libc::SYS_unshare),
        ("socket", libc::SYS_socket),
        ("socketpair", libc::SYS_socketpair),
        ("personality", libc::SYS_personality),
        ("ioctl", libc::SYS_ioctl),
        ("seccomp", libc::SYS_seccomp),
        ("sendto", libc::SYS_sendto),
        ("sendmsg", libc::SYS_sendmsg),
        ("sendmmsg", libc::SYS_sendmmsg),
    ];
    let mut known = REFUSED.iter().chain(ASKED).chain(BY_ARGUMENTS);
    known.find(|(_, of)| *of == number).map_or("unknown", |(name, _)| name)
}
