//! The root directory that all sandboxes of a spawner see: toolchains of the host, read-only, and nothing else of it.

use crate::sys;
use crate::wire::{Failure, Mount, Privilege, Step};
use rustix::fd::OwnedFd;
use rustix::fs::{CWD, Mode, OFlags};
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, mount, mount_change, mount_remount,
    move_mount, open_tree, unmount,
};
use rustix::thread::UnshareFlags;
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

/// Where it is built: any directory that exists everywhere. What is mounted there is seen by this process alone.
const PLACE: &str = "/tmp";
/// Directories of the host that are there always; a link stays one.
const SYSTEM: [&str; 6] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"];
/// What programs need of /etc: compilers are links there, and libraries are found by the cache.
const ETC: [&str; 2] = ["/etc/alternatives", "/etc/ld.so.cache"];
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];
/// Empty directories, each to be covered in every sandbox.
const COVERED: [&str; 7] = ["box", "work", "home/user", "tmp", "proc", "dev/pts", "dev/shm"];
const OPTIONS: &std::ffi::CStr = c"size=16m,nr_inodes=4k,mode=755";

/// Files of /etc, the same in every sandbox.
const FILES: [(&str, &str); 6] = [
    (
        "passwd",
        "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/home/user:/bin/bash\n\
         nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
    ),
    ("group", "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n"),
    ("hosts", "127.0.0.1 localhost sandbox\n::1 localhost\n"),
    ("nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n"),
    ("resolv.conf", ""),
    ("hostname", "sandbox\n"),
];

/// Moves this process into namespaces of its own, with nothing but the new root.
pub(super) fn enter(privilege: Privilege, mounts: &[Mount]) -> Result<(), Failure> {
    if let Privilege::User { uid, gid } = privilege {
        sys::unshare(UnshareFlags::NEWUSER).step("unshare(CLONE_NEWUSER)")?;
        fs::write("/proc/self/setgroups", "deny").step("/proc/self/setgroups")?;
        fs::write("/proc/self/uid_map", format!("0 {uid} 1")).step("/proc/self/uid_map")?;
        fs::write("/proc/self/gid_map", format!("0 {gid} 1")).step("/proc/self/gid_map")?;
    }
    sys::unshare(UnshareFlags::NEWNS).step("unshare(CLONE_NEWNS)")?;
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private).step("making mounts private")?;

    // All sources are taken before the place covers any of them.
    let mut sources = Vec::new();
    let system = SYSTEM.iter().chain(&ETC).map(|path| ((*path).to_owned(), (*path).to_owned()));
    for (host, inside) in system.chain(mounts.iter().map(|mount| (mount.host.clone(), mount.inside.clone()))) {
        let is_given = !SYSTEM.contains(&host.as_str()) && !ETC.contains(&host.as_str());
        match fs::symlink_metadata(&host) {
            Ok(found) if found.is_symlink() && !is_given => {
                sources.push((Source::Link(fs::read_link(&host).step(host.as_str())?), inside));
            }
            Ok(found) => sources.push((Source::Tree { tree: tree(&host)?, is_file: found.is_file() }, inside)),
            Err(error) if error.kind() == io::ErrorKind::NotFound && !is_given => {}
            Err(error) => return Err(error).step(host),
        }
    }
    let devices = DEVICES.map(|name| (name, tree(&format!("/dev/{name}"))));
    let proc = tree("/proc")?;

    mount("root", PLACE, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, OPTIONS).step("a tmpfs on /tmp")?;
    for name in COVERED {
        directory(name)?;
    }
    fs::create_dir_all(inside("etc")).step("/etc")?;
    for (name, text) in FILES {
        fs::write(inside("etc").join(name), text).step(name)?;
    }
    for (name, device) in devices {
        let path = inside("dev").join(name);
        fs::write(&path, "").step(name)?;
        attach(&device?, &path)?;
    }
    for (name, target) in [
        ("dev/fd", "/proc/self/fd"),
        ("dev/stdin", "/proc/self/fd/0"),
        ("dev/stdout", "/proc/self/fd/1"),
        ("dev/stderr", "/proc/self/fd/2"),
        ("dev/ptmx", "pts/ptmx"),
        ("etc/mtab", "/proc/self/mounts"),
    ] {
        symlink(target, inside(name)).step(name)?;
    }
    directory("var")?;
    symlink("/tmp", inside("var/tmp")).step("/var/tmp")?;
    for (source, path) in sources {
        let path = inside(path.trim_start_matches('/'));
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).step(parent.display().to_string())?;
        }
        match source {
            Source::Link(target) => symlink(target, &path).step(path.display().to_string())?,
            Source::Tree { tree, is_file } => {
                let made = if is_file { fs::write(&path, "") } else { fs::create_dir_all(&path) };
                made.step(path.display().to_string())?;
                attach(&tree, &path)?;
                // Nothing inside has a right to write there either; this is the second lock.
                let read_only = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
                mount_remount(&path, read_only, c"").step(format!("{} read-only", path.display()))?;
            }
        }
    }
    attach(&proc, &inside("proc"))?;
    let read_only = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
    mount_remount(PLACE, read_only, c"").step("the root read-only")?;

    rustix::process::chdir(PLACE).step(PLACE)?;
    sys::pivot_root_here().step("pivot_root")?;
    unmount(".", UnmountFlags::DETACH).step("letting go of the old root")?;
    rustix::process::chdir("/").step("/")
}

enum Source {
    Link(std::path::PathBuf),
    Tree { tree: OwnedFd, is_file: bool },
}

fn inside(path: &str) -> std::path::PathBuf {
    Path::new(PLACE).join(path)
}

/// All of what is mounted there: in a user namespace parts of it cannot be left out.
fn tree(path: &str) -> Result<OwnedFd, Failure> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
    open_tree(CWD, path, flags).step(path)
}

fn attach(tree: &OwnedFd, at: &Path) -> Result<(), Failure> {
    move_mount(tree, "", CWD, at, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH).step(format!("mounting {}", at.display()))
}

fn directory(name: &str) -> Result<(), Failure> {
    let path = inside(name);
    fs::create_dir_all(&path).step(name)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).step(name)
}

/// A network namespace with nothing but a loopback interface.
pub(super) fn network() -> Result<OwnedFd, Failure> {
    sys::unshare(UnshareFlags::NEWNET).step("unshare(CLONE_NEWNET)")?;
    sys::loopback_up().step("the loopback interface")?;
    // Connections that were closed do not keep their ports from the next sandbox of this network.
    fs::write("/proc/sys/net/ipv4/tcp_max_tw_buckets", "0").step("tcp_max_tw_buckets")?;
    rustix::fs::open("/proc/self/ns/net", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).step("/proc/self/ns/net")
}
