//! The first process of a sandbox: makes its mounts, starts the command, waits for it, and is the end of all others.

use super::command;
use crate::sys::{self, Cloned};
use crate::wire::{self, Attached, Failure, Privilege, Start, Status, Step};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::CWD;
use rustix::mount::{MountFlags, MoveMountFlags, mount, mount_bind, mount_remount, move_mount};
use rustix::process::{DumpableBehavior, Pid, Signal, WaitOptions, WaitStatus};
use rustix::thread::{Gid, Uid};
use std::ffi::CStr;
use std::fs;
use std::path::Path;

/// What cannot be told otherwise.
const BROKEN: i32 = 125;
/// Directories of a tree, and where a sandbox has them. The tree itself stays where it is: to take the mount away would
/// wait for all processors.
const PLACES: [(&str, &str); 3] = [("/box/work", "/work"), ("/box/home/user", "/home/user"), ("/box/tmp", "/tmp")];
/// Of the kernel's own, where they are.
const HIDDEN: [&str; 5] = ["/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/sysrq-trigger", "/proc/kmsg"];
const READ_ONLY: [&str; 4] = ["/proc/sys", "/proc/bus", "/proc/fs", "/proc/irq"];

/// In a child that has just been cloned, with descriptors as [`Attached`] says.
pub(super) fn run(start: &Start, files: &[OwnedFd], wait: &OwnedFd, privilege: Privilege) -> ! {
    let status = files[Attached::STATUS].as_fd();
    let started = begin(start, files, wait, privilege);
    let code = match started {
        Ok(command) => supervise(command, status).map_or(BROKEN, |()| 0),
        Err(failure) => {
            let errno = failure.errno();
            // Where the engine has gone, nobody needs to know.
            let _ = wire::send(status, &Status::NotStarted { what: failure.what, errno }, &[]);
            BROKEN
        }
    };
    sys::exit_now(code)
}

/// The command's process.
fn begin(start: &Start, files: &[OwnedFd], wait: &OwnedFd, privilege: Privilege) -> Result<Pid, Failure> {
    let mut word = [0_u8];
    if rustix::io::read(wait, &mut word).step("the word to go")? == 0 {
        sys::exit_now(BROKEN);
    }
    if privilege == Privilege::Root {
        rustix::thread::set_thread_res_gid(Gid::ROOT, Gid::ROOT, Gid::ROOT).step("setresgid(0)")?;
        rustix::thread::set_thread_res_uid(Uid::ROOT, Uid::ROOT, Uid::ROOT).step("setresuid(0)")?;
    }
    // A change of ids takes it back.
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).step("PR_SET_PDEATHSIG")?;
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable).step("PR_SET_DUMPABLE")?;
    rustix::system::sethostname(b"sandbox").step("sethostname")?;
    mounts(&files[Attached::FILES])?;
    match sys::clone(0, None).step("the command's process")? {
        Cloned::Child => command::run(start, files, privilege),
        Cloned::Parent { pid, .. } => Ok(pid),
    }
}

fn mounts(tree: &OwnedFd) -> Result<(), Failure> {
    move_mount(tree, "", CWD, "/box", MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH).step("the tree on /box")?;
    for (from, to) in PLACES {
        mount_bind(from, to).step(to)?;
    }
    let quiet = MountFlags::NOSUID | MountFlags::NODEV;
    let fresh =
        |what: &str, at: &str, flags: MountFlags, options: &CStr| mount(what, at, what, flags, options).step(at);
    fresh("tmpfs", "/dev/shm", quiet | MountFlags::NOEXEC, c"size=64m,nr_inodes=1k,mode=1777")?;
    let terminals = MountFlags::NOSUID | MountFlags::NOEXEC;
    fresh("devpts", "/dev/pts", terminals, c"newinstance,ptmxmode=0666,mode=0620")?;
    fresh("proc", "/proc", quiet | MountFlags::NOEXEC, c"")?;
    // For all that is below: a sandbox makes no user namespaces, and with them no others.
    fs::write("/proc/sys/user/max_user_namespaces", "0").step("max_user_namespaces")?;
    for path in HIDDEN.into_iter().filter(|path| Path::new(path).exists()) {
        mount_bind("/dev/null", path).step(path)?;
    }
    for path in READ_ONLY.into_iter().filter(|path| Path::new(path).exists()) {
        mount_bind(path, path).step(path)?;
        mount_remount(path, quiet | MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOEXEC, c"").step(path)?;
    }
    Ok(())
}

/// Reaps until the command has ended, and tells how. What runs then ends with this process; so does everything when the
/// engine's end of `status` closes.
fn supervise(command: Pid, status: BorrowedFd<'_>) -> Result<(), Failure> {
    sys::keep_only(&[status]).step("close_range")?;
    let status = sys::borrowed(0);
    let children = sys::children_signal().step("signalfd")?;
    loop {
        let mut waiting = [PollFd::new(&children, PollFlags::IN), PollFd::new(&status, PollFlags::empty())];
        match poll(&mut waiting, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error).step("poll"),
        }
        if waiting[1].revents().intersects(PollFlags::HUP | PollFlags::ERR) {
            return Ok(());
        }
        let mut signals = [0_u8; 1024];
        // How many there are does not matter.
        let _ = rustix::io::read(&children, &mut signals);
        while let Ok(Some((pid, ended))) = rustix::process::wait(WaitOptions::NOHANG) {
            if pid == command {
                return wire::send(status, &report(ended), &[]).step("the report");
            }
        }
    }
}

fn report(ended: WaitStatus) -> Status {
    let (cpu_user_us, cpu_system_us) = sys::children_cpu_us();
    Status::Ended {
        code: ended.exit_status(),
        signal: ended.terminating_signal(),
        leftover_processes: others(),
        cpu_user_us,
        cpu_system_us,
    }
}

/// Processes of this namespace beside this one that run or sleep.
fn others() -> u32 {
    let Ok(entries) = fs::read_dir("/proc") else { return 0 };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let pids = names.filter(|name| name != "1" && name.bytes().all(|byte| byte.is_ascii_digit()));
    let runs = |pid: &String| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
    };
    pids.filter(runs).count() as u32
}
