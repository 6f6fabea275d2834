//! Several layers as one that shows the same.

use crate::changes::is_opaque;
use crate::edit::remove_all;
use crate::file_error::{At, FileError};
use crate::walk::{Found, enter, walk};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{
    AtFlags, FileType, Gid, Mode, OFlags, Stat, Timespec, Timestamps, Uid, XattrFlags, chmodat, chownat, mkdirat,
    mknodat, openat, readlinkat, statat, symlinkat, utimensat,
};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::path::Path;

/// Writes the layers' directories, oldest first, over each other into an empty one, with what they hide of those below.
/// Hard links become files of their own.
pub(crate) fn merge(layers: &[BorrowedFd<'_>], into: BorrowedFd<'_>, opaque: &str) -> Result<(), FileError> {
    for layer in layers {
        walk(*layer, &mut |found: &Found<'_>| put(found, into, opaque))?;
    }
    // A directory's time changes when something is put into it, so times come last.
    for layer in layers {
        walk(*layer, &mut |found: &Found<'_>| {
            if found.kind() == FileType::Directory && !found.is_whiteout() {
                times(into, found.path, found.stat)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn put(found: &Found<'_>, into: BorrowedFd<'_>, opaque: &str) -> Result<(), FileError> {
    let path = found.path;
    let parent = parent(into, path)?;
    let (parent, name) = (parent.as_fd(), found.name);
    let there = match statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Some(FileType::from_raw_mode(stat.st_mode)),
        Err(Errno::NOENT) => None,
        Err(error) => return Err(error).at(path),
    };
    let kind = found.kind();
    let hides = kind == FileType::Directory && is_opaque(found, opaque)?;
    let stays = kind == FileType::Directory && there == Some(FileType::Directory) && !hides;
    if there.is_some() && !stays {
        remove_all(parent, name, path, 0)?;
    }
    let mode = Mode::from_raw_mode(found.stat.st_mode & 0o7777);
    match kind {
        _ if found.is_whiteout() => return mknodat(parent, name, FileType::CharacterDevice, Mode::empty(), 0).at(path),
        FileType::Directory if stays => {}
        FileType::Directory => mkdirat(parent, name, mode).at(path)?,
        FileType::Symlink => {
            let target = readlinkat(found.directory, name, Vec::new()).at(path)?;
            symlinkat(target, parent, name).at(path)?;
        }
        FileType::RegularFile => copy(found, parent)?,
        kind => mknodat(parent, name, kind, mode, found.stat.st_rdev).at(path)?,
    }
    let (uid, gid) = (Uid::from_raw(found.stat.st_uid), Gid::from_raw(found.stat.st_gid));
    chownat(parent, name, Some(uid), Some(gid), AtFlags::SYMLINK_NOFOLLOW).at(path)?;
    if kind != FileType::Symlink {
        // A change of owner takes setuid away, and umask took what it does.
        chmodat(parent, name, mode, AtFlags::empty()).at(path)?;
    }
    if hides {
        let directory = enter(parent, name).at(path)?;
        rustix::fs::fsetxattr(&directory, opaque, b"y", XattrFlags::empty()).at(path)?;
    }
    times(into, path, found.stat)
}

fn copy(found: &Found<'_>, parent: BorrowedFd<'_>) -> Result<(), FileError> {
    let flags = OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let from = openat(found.directory, found.name, flags | OFlags::RDONLY, Mode::empty()).at(found.path)?;
    let make = flags | OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
    let to = openat(parent, found.name, make, Mode::from_raw_mode(0o600)).at(found.path)?;
    attributes(&from, &to).at(found.path)?;
    io::copy(&mut File::from(from), &mut File::from(to))
        .map_err(|source| FileError::Io { path: found.path.to_path_buf(), source })?;
    Ok(())
}

/// Extended ones, of the user; those of overlayfs are not.
fn attributes(from: &OwnedFd, to: &OwnedFd) -> Result<(), Errno> {
    let mut names = [0_u8; 4096];
    let length = match rustix::fs::flistxattr(from, &mut names[..]) {
        Ok(length) => length,
        Err(Errno::OPNOTSUPP) => 0,
        Err(error) => return Err(error),
    };
    for name in names[..length].split(|byte| *byte == 0) {
        if name.starts_with(b"user.") && !name.starts_with(b"user.overlay.") {
            let mut value = [0_u8; 65_536];
            let length = rustix::fs::fgetxattr(from, name, &mut value[..])?;
            rustix::fs::fsetxattr(to, name, &value[..length], XattrFlags::empty())?;
        }
    }
    Ok(())
}

fn times(into: BorrowedFd<'_>, path: &Path, stat: &Stat) -> Result<(), FileError> {
    let parent = parent(into, path)?;
    let name = path.file_name().unwrap_or_default();
    let time = |secs: i64, nanos: u64| Timespec { tv_sec: secs, tv_nsec: nanos as i64 };
    let times = Timestamps {
        last_access: time(stat.st_atime, stat.st_atime_nsec),
        last_modification: time(stat.st_mtime, stat.st_mtime_nsec),
    };
    match utimensat(&parent, name, &times, AtFlags::SYMLINK_NOFOLLOW) {
        // A newer layer has removed it.
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error).at(path),
    }
}

/// Of a path below `into`, whose directories are all there.
fn parent(into: BorrowedFd<'_>, path: &Path) -> Result<OwnedFd, FileError> {
    let mut directory = rustix::io::fcntl_dupfd_cloexec(into, 0).at(path)?;
    for name in path.parent().into_iter().flat_map(Path::components) {
        directory = enter(directory.as_fd(), name.as_os_str()).at(path)?;
    }
    Ok(directory)
}
