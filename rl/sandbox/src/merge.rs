//! Several layers as one that shows the same.

use crate::changes::is_opaque;
use crate::edit::remove_all;
use crate::file_error::{At, FileError};
use crate::walk::{Found, enter, names, walk};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{
    AtFlags, FileType, Gid, Mode, OFlags, Timespec, Timestamps, Uid, XattrFlags, chmodat, chownat, ftruncate, linkat,
    mkdirat, mknodat, openat, readlinkat, statat, symlinkat, unlinkat, utimensat,
};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is all zeros of this length is a hole.
const CHUNK: usize = 64 << 10;

/// Writes the layers' directories, oldest first, over each other into an empty one, with what they hide of `base`, the
/// files of the layers below. Names of one file
/// stay so, as far as they are of one layer; holes stay holes.
pub(crate) fn merge(
    layers: &[BorrowedFd<'_>],
    base: BorrowedFd<'_>,
    into: BorrowedFd<'_>,
    opaque: &str,
) -> Result<(), FileError> {
    for layer in layers {
        let mut linked = BTreeMap::new();
        walk(*layer, &mut |found: &Found<'_>| put(found, into, opaque, &mut linked))?;
    }
    prune(into, Some(base), Path::new(""), opaque)?;
    // A directory's time changes when something is put into it, so times come last.
    for layer in layers {
        walk(*layer, &mut |found: &Found<'_>| {
            if found.kind() != FileType::Directory {
                return Ok(());
            }
            // A newer layer may have removed it, or put something else there.
            match parent(into, found.path) {
                Ok(parent) if enter(parent.as_fd(), found.name).is_ok() => times(parent.as_fd(), found),
                Ok(_) | Err(FileError::NotFound { .. } | FileError::NotADirectory { .. }) => Ok(()),
                Err(error) => Err(error),
            }
        })?;
    }
    Ok(())
}

/// Takes away what hides nothing: overlayfs shows it where a directory has none below it. `base` is the directory at the
/// same place in the layers below.
fn prune(into: BorrowedFd<'_>, base: Option<BorrowedFd<'_>>, at: &Path, opaque: &str) -> Result<(), FileError> {
    for name in names(into, at)? {
        let path = at.join(&name);
        let stat = statat(into, &name, AtFlags::SYMLINK_NOFOLLOW).at(&path)?;
        let found = Found { directory: into, name: &name, path: &path, stat: &stat };
        if found.is_whiteout() {
            let below = base.map(|base| statat(base, &name, AtFlags::SYMLINK_NOFOLLOW));
            if !matches!(below, Some(Ok(_))) {
                unlinkat(into, &name, AtFlags::empty()).at(&path)?;
            }
        } else if found.kind() == FileType::Directory {
            let hides = is_opaque(&found, opaque)?;
            let below = base.filter(|_| !hides).and_then(|base| enter(base, &name).ok());
            prune(enter(into, &name).at(&path)?.as_fd(), below.as_ref().map(AsFd::as_fd), &path, opaque)?;
        }
    }
    Ok(())
}

/// `linked` has the first name of each file of the layer that has several, by its number.
fn put(
    found: &Found<'_>,
    into: BorrowedFd<'_>,
    opaque: &str,
    linked: &mut BTreeMap<u64, PathBuf>,
) -> Result<(), FileError> {
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
        FileType::RegularFile => match linked.get(&found.stat.st_ino) {
            Some(first) => return linkat(into, first, parent, name, AtFlags::empty()).at(path),
            None => {
                copy(found, parent)?;
                if found.stat.st_nlink > 1 {
                    linked.insert(found.stat.st_ino, path.to_path_buf());
                }
            }
        },
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
    times(parent, found)
}

fn copy(found: &Found<'_>, parent: BorrowedFd<'_>) -> Result<(), FileError> {
    let flags = OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let from = openat(found.directory, found.name, flags | OFlags::RDONLY, Mode::empty()).at(found.path)?;
    let make = flags | OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
    let to = openat(parent, found.name, make, Mode::from_raw_mode(0o600)).at(found.path)?;
    attributes(&from, &to).at(found.path)?;
    let mut chunk = [0_u8; CHUNK];
    let mut place = 0;
    loop {
        let read = rustix::io::read(&from, &mut chunk).at(found.path)?;
        if read == 0 {
            return ftruncate(&to, place).at(found.path);
        }
        let mut rest = &chunk[..read];
        let mut at = place;
        while rest.iter().any(|byte| *byte != 0) {
            let written = rustix::io::pwrite(&to, rest, at).at(found.path)?;
            at += written as u64;
            rest = &rest[written..];
        }
        place += read as u64;
    }
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

fn times(parent: BorrowedFd<'_>, found: &Found<'_>) -> Result<(), FileError> {
    let time = |secs: i64, nanos: u64| Timespec { tv_sec: secs, tv_nsec: nanos as i64 };
    let times = Timestamps {
        last_access: time(found.stat.st_atime, found.stat.st_atime_nsec),
        last_modification: time(found.stat.st_mtime, found.stat.st_mtime_nsec),
    };
    utimensat(parent, found.name, &times, AtFlags::SYMLINK_NOFOLLOW).at(found.path)
}

/// Of a path below `into`, whose directories are all there.
fn parent(into: BorrowedFd<'_>, path: &Path) -> Result<OwnedFd, FileError> {
    let mut directory = rustix::io::fcntl_dupfd_cloexec(into, 0).at(path)?;
    for name in path.parent().into_iter().flat_map(Path::components) {
        directory = enter(directory.as_fd(), name.as_os_str()).at(path)?;
    }
    Ok(directory)
}
