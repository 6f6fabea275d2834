//! System calls that no library wraps. All `unsafe` of the crate is here.
#![allow(unsafe_code)]

use rustix::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use rustix::process::Pid;
use rustix::thread::{UnshareFlags, unshare_unsafe};
use std::ffi::CString;
use std::io;
use std::mem::{MaybeUninit, size_of, zeroed};
use std::ptr;

/// `struct clone_args` of clone3(2).
#[repr(C, align(8))]
#[derive(Default)]
struct CloneArgs {
    flags: u64,
    pidfd: u64,
    child_tid: u64,
    parent_tid: u64,
    exit_signal: u64,
    stack: u64,
    stack_size: u64,
    tls: u64,
    set_tid: u64,
    set_tid_size: u64,
    cgroup: u64,
}

const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

/// The two sides of a clone.
pub(crate) enum Cloned {
    Child,
    Parent { pid: Pid, pidfd: OwnedFd },
}

/// clone3(2) as fork does it: the child goes on with a copy of everything. `namespaces` are CLONE_NEW* flags.
///
/// Only for a process of one thread: a lock that another thread holds would stay locked in the child.
pub(crate) fn clone(namespaces: u64, cgroup: Option<BorrowedFd<'_>>) -> io::Result<Cloned> {
    let mut pidfd: RawFd = -1;
    let mut args = CloneArgs {
        flags: namespaces | libc::CLONE_PIDFD as u64,
        pidfd: ptr::from_mut(&mut pidfd) as u64,
        exit_signal: libc::SIGCHLD as u64,
        ..CloneArgs::default()
    };
    if let Some(cgroup) = cgroup {
        args.flags |= CLONE_INTO_CGROUP;
        args.cgroup = cgroup.as_raw_fd() as u64;
    }
    // SAFETY: the arguments live through the call, and without CLONE_VM the child has memory of its own.
    let pid = unsafe { libc::syscall(libc::SYS_clone3, ptr::from_ref(&args), size_of::<CloneArgs>()) };
    match pid {
        0 => Ok(Cloned::Child),
        pid if pid > 0 => {
            // SAFETY: the kernel has just opened it for us.
            let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
            let pid = Pid::from_raw(pid as i32).ok_or_else(|| io::Error::from_raw_os_error(libc::EINVAL))?;
            Ok(Cloned::Parent { pid, pidfd })
        }
        _ => Err(io::Error::last_os_error()),
    }
}

/// Installs a seccomp filter in this thread and gives the descriptor by which its notifications are read.
pub(crate) fn listen_to_system_calls(program: &[libc::sock_filter]) -> io::Result<OwnedFd> {
    let flags = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    let program = libc::sock_fprog { len: program.len() as u16, filter: program.as_ptr().cast_mut() };
    // SAFETY: the kernel copies the program, and does not write to it.
    let fd = unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, ptr::from_ref(&program)) };
    // SAFETY: the kernel has just opened it for us.
    if fd < 0 { Err(io::Error::last_os_error()) } else { Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) }) }
}

const NOTIF_RECV: u64 = 0xc050_2100;
const NOTIF_SEND: u64 = 0xc018_2101;

/// A system call that waits for an answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Notification {
    pub(crate) id: u64,
    /// In the reader's namespace of process ids.
    pub(crate) pid: u32,
    pub(crate) number: i64,
    pub(crate) arguments: [u64; 6],
}

/// What to do with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Continue,
    /// Refused with this errno.
    Errno(i32),
}

/// `None` where the caller has gone before it was read.
pub(crate) fn receive_notification(listener: BorrowedFd<'_>) -> io::Result<Option<Notification>> {
    // SAFETY: all zeros are a value of it, and what the kernel asks for.
    let mut notification: libc::seccomp_notif = unsafe { zeroed() };
    // SAFETY: the kernel fills the struct, whose size is part of the request's number.
    let done = unsafe { libc::ioctl(listener.as_raw_fd(), NOTIF_RECV as _, ptr::from_mut(&mut notification)) };
    if done == 0 {
        let libc::seccomp_notif { id, pid, data, .. } = notification;
        return Ok(Some(Notification { id, pid, number: i64::from(data.nr), arguments: data.args }));
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        Some(libc::ENOENT | libc::EINTR | libc::EAGAIN) => Ok(None),
        _ => Err(error),
    }
}

/// Answers it. One whose caller has gone needs no answer.
pub(crate) fn answer_notification(listener: BorrowedFd<'_>, id: u64, answer: Answer) -> io::Result<()> {
    let (error, flags) = match answer {
        Answer::Continue => (0, libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32),
        Answer::Errno(errno) => (-errno, 0),
    };
    let mut response = libc::seccomp_notif_resp { id, val: 0, error, flags };
    // SAFETY: the kernel reads the struct, whose size is part of the request's number.
    let done = unsafe { libc::ioctl(listener.as_raw_fd(), NOTIF_SEND as _, ptr::from_mut(&mut response)) };
    let error = io::Error::last_os_error();
    if done == 0 || error.raw_os_error() == Some(libc::ENOENT) { Ok(()) } else { Err(error) }
}

/// Bytes of another process's memory, as many as can be read at once.
pub(crate) fn read_memory(pid: u32, address: u64, into: &mut [u8]) -> io::Result<usize> {
    let local = libc::iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
    let remote = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: into.len() };
    // SAFETY: the kernel checks the other process's addresses, and ours are a slice's.
    let read = unsafe { libc::process_vm_readv(pid as i32, &local, 1, &remote, 1, 0) };
    if read < 0 { Err(io::Error::last_os_error()) } else { Ok(read as usize) }
}

/// Processor time of children that were waited for: user, system; in microseconds.
pub(crate) fn children_cpu_us() -> (u64, u64) {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the kernel fills the struct, and zeros are a value of it where it does not.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr());
        usage.assume_init()
    };
    let us = |time: libc::timeval| time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64;
    (us(usage.ru_utime), us(usage.ru_stime))
}

/// A descriptor that becomes readable when a child ends; the signal itself is blocked.
pub(crate) fn children_signal() -> io::Result<OwnedFd> {
    // SAFETY: the set is initialised by sigemptyset before it is used.
    unsafe {
        let mut set = MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), libc::SIGCHLD);
        libc::sigprocmask(libc::SIG_BLOCK, set.as_ptr(), ptr::null_mut());
        let fd = libc::signalfd(-1, set.as_ptr(), libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
        if fd < 0 { Err(io::Error::last_os_error()) } else { Ok(OwnedFd::from_raw_fd(fd)) }
    }
}

/// No signal is blocked, and those that Rust's runtime ignores do what they do in any program.
pub(crate) fn signals_as_usual() {
    // SAFETY: the set is initialised by sigemptyset before it is used.
    unsafe {
        let mut set = MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, set.as_ptr(), ptr::null_mut());
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}

/// New namespaces for this process, which has one thread.
pub(crate) fn unshare(namespaces: UnshareFlags) -> io::Result<()> {
    // SAFETY: without UnshareFlags::FILES descriptors stay those of the whole process.
    Ok(unsafe { unshare_unsafe(namespaces) }?)
}

/// Puts the current directory in the place of the root directory, below which the old one is mounted then.
pub(crate) fn pivot_root_here() -> io::Result<()> {
    // SAFETY: both are strings that end with a zero.
    let done = unsafe { libc::syscall(libc::SYS_pivot_root, c".".as_ptr(), c".".as_ptr()) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Closes all descriptors from `first` on.
fn close_from(first: RawFd) -> io::Result<()> {
    // SAFETY: in a child that neither returns nor drops anything, nobody uses what it owned.
    let done = unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, 0) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Gives these descriptors the numbers from 0 on, kept over exec, and closes all others.
pub(crate) fn keep_only(fds: &[BorrowedFd<'_>]) -> io::Result<()> {
    let first = fds.iter().map(|fd| fd.as_raw_fd() + 1).max().unwrap_or(0).max(fds.len() as RawFd);
    for (index, fd) in fds.iter().enumerate() {
        // SAFETY: numbers from `first` on are none of the given ones, and nobody else uses them in a child.
        if unsafe { libc::dup2(fd.as_raw_fd(), first + index as RawFd) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    for index in 0..fds.len() as RawFd {
        // SAFETY: as above; what had that number was copied.
        if unsafe { libc::dup2(first + index, index) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    close_from(fds.len() as RawFd)
}

/// The descriptor of this number, which is open.
pub(crate) fn borrowed(number: RawFd) -> BorrowedFd<'static> {
    // SAFETY: the caller has just given it that number by `keep_only`, and never closes it.
    unsafe { BorrowedFd::borrow_raw(number) }
}

/// Gives a descriptor another number, by which it is closed where another program is executed.
pub(crate) fn move_to(from: RawFd, to: RawFd) -> io::Result<()> {
    // SAFETY: in a child before exec nobody owns either number.
    let done = unsafe { libc::dup3(from, to, libc::O_CLOEXEC) };
    if done < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: as above.
    unsafe { libc::close(from) };
    Ok(())
}

/// Comes back only where it fails.
pub(crate) fn execute(program: &CString, arguments: &[CString], environment: &[CString]) -> io::Error {
    let pointers = |texts: &[CString]| -> Vec<*const libc::c_char> {
        texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect()
    };
    let (arguments, environment) = (pointers(arguments), pointers(environment));
    // SAFETY: both arrays end with a null pointer, and the strings outlive the call.
    unsafe { libc::execve(program.as_ptr(), arguments.as_ptr(), environment.as_ptr()) };
    io::Error::last_os_error()
}

/// Ends the process without running anything of it.
pub(crate) fn exit_now(code: i32) -> ! {
    // SAFETY: it does not return, and touches no memory.
    unsafe { libc::_exit(code) }
}

/// Brings the loopback interface of this network namespace up.
pub(crate) fn loopback_up() -> io::Result<()> {
    // SAFETY: the request is zeroed, and its name ends with a zero; the descriptor is closed by its owner.
    unsafe {
        let socket = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        if socket < 0 {
            return Err(io::Error::last_os_error());
        }
        let socket = OwnedFd::from_raw_fd(socket);
        let mut request: libc::ifreq = zeroed();
        request.ifr_name[0] = b'l' as libc::c_char;
        request.ifr_name[1] = b'o' as libc::c_char;
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        let done = libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, ptr::from_mut(&mut request));
        if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

/// An attempt of the self-test: the errno with which the kernel refuses a system call, or what it returns.
pub(crate) fn attempt(number: i64, arguments: [u64; 5]) -> Result<i64, i32> {
    let [a, b, c, d, e] = arguments;
    // SAFETY: the callers give numbers and null pointers only, which no system call here can write through.
    let given = unsafe { libc::syscall(number, a, b, c, d, e) };
    if given < 0 { Err(io::Error::last_os_error().raw_os_error().unwrap_or(0)) } else { Ok(given) }
}
