//! Goes through directories in order, by descriptors, so that no link leads out.

use crate::file_error::{At, FileError};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, openat, statat};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// Whoever makes more gets an error; descriptors of all directories on the way are open.
const DEPTH_MAX: usize = 256;

/// One entry on the way.
pub(crate) struct Found<'a> {
    pub(crate) directory: BorrowedFd<'a>,
    pub(crate) name: &'a OsStr,
    /// Below where the walk began.
    pub(crate) path: &'a Path,
    pub(crate) stat: &'a Stat,
}

impl Found<'_> {
    pub(crate) fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.stat.st_mode)
    }

    /// That overlayfs hides what lower layers have here.
    pub(crate) fn is_whiteout(&self) -> bool {
        self.kind() == FileType::CharacterDevice && self.stat.st_rdev == 0
    }
}

/// Visits all entries, each directory before what is in it, sorted by the bytes of their names.
pub(crate) fn walk(
    root: BorrowedFd<'_>,
    visit: &mut dyn FnMut(&Found<'_>) -> Result<(), FileError>,
) -> Result<(), FileError> {
    below(root, Path::new(""), 0, visit)
}

fn below(
    directory: BorrowedFd<'_>,
    at: &Path,
    depth: usize,
    visit: &mut dyn FnMut(&Found<'_>) -> Result<(), FileError>,
) -> Result<(), FileError> {
    if depth > DEPTH_MAX {
        return Err(FileError::TooDeep { path: at.to_path_buf(), allowed: DEPTH_MAX });
    }
    for name in names(directory, at)? {
        let path: PathBuf = at.join(&name);
        let stat = statat(directory, &name, AtFlags::SYMLINK_NOFOLLOW).at(&path)?;
        let found = Found { directory, name: &name, path: &path, stat: &stat };
        visit(&found)?;
        if found.kind() == FileType::Directory {
            below(enter(directory, &name).at(&path)?.as_fd(), &path, depth + 1, visit)?;
        }
    }
    Ok(())
}

pub(crate) fn enter(directory: BorrowedFd<'_>, name: &OsStr) -> Result<OwnedFd, rustix::io::Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(directory, name, flags, Mode::empty())
}

/// In a directory, sorted.
pub(crate) fn names(directory: BorrowedFd<'_>, at: &Path) -> Result<Vec<OsString>, FileError> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory).at(at)? {
        let name = entry.at(at)?.file_name().to_bytes().to_vec();
        if name != b"." && name != b".." {
            names.push(OsString::from_vec(name));
        }
    }
    names.sort();
    Ok(names)
}
