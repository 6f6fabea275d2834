//! Files of a tree, written from outside a sandbox. They belong to the sandbox's user.

use crate::file_error::{At, FileError};
use crate::view::{View, regular};
use crate::walk::{enter, names};
use crate::wire::Owner;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{
    AtFlags, FileType, Gid, Mode, OFlags, Uid, chownat, fchmod, fchown, fstat, mkdirat, statat, symlinkat, unlinkat,
};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::ops::Deref;
use std::path::Path;

const DIRECTORY_MODE: u32 = 0o755;
const DEPTH_MAX: usize = 256;

/// Also a [`View`] of what is there.
pub struct Edit {
    view: View,
    owner: Owner,
}

impl Deref for Edit {
    type Target = View;

    fn deref(&self) -> &View {
        &self.view
    }
}

impl Edit {
    pub(crate) fn new(root: OwnedFd, owner: Owner) -> Self {
        Self { view: View::new(root), owner }
    }

    /// Replaces a file, or makes it with the directories it needs. `mode` is of permissions alone.
    pub fn write(&self, path: &str, bytes: &[u8], mode: u32) -> Result<(), FileError> {
        if let Some((parent, _)) = path.rsplit_once('/') {
            self.directory(parent)?;
        }
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::NONBLOCK | OFlags::NOCTTY;
        let mode = Mode::from_raw_mode(mode & 0o777);
        let fd = self.view.open(path, flags, mode)?;
        regular(path, fstat(&fd).at(path)?.st_mode)?;
        rustix::fs::ftruncate(&fd, 0).at(path)?;
        let (uid, gid) = self.ids();
        fchown(&fd, Some(uid), Some(gid)).at(path)?;
        fchmod(&fd, mode).at(path)?;
        let written = File::from(fd).write_all(bytes);
        written.map_err(|source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => FileError::Full { path: path.into() },
            _ => FileError::Io { path: path.into(), source },
        })
    }

    /// Makes a directory, and those that it needs.
    pub fn directory(&self, path: &str) -> Result<(), FileError> {
        let ends = path.char_indices().filter(|(_, character)| *character == '/').map(|(end, _)| end);
        for end in ends.chain([path.len()]) {
            let (parent, name) = match path[..end].rsplit_once('/') {
                Some((parent, name)) => (parent, name),
                None => (".", &path[..end]),
            };
            if name.is_empty() || name == "." || name == ".." {
                continue;
            }
            let parent = self.view.open(parent, OFlags::PATH | OFlags::DIRECTORY, Mode::empty())?;
            match mkdirat(&parent, name, Mode::from_raw_mode(DIRECTORY_MODE)) {
                Ok(()) => {
                    let (uid, gid) = self.ids();
                    chownat(&parent, name, Some(uid), Some(gid), AtFlags::SYMLINK_NOFOLLOW).at(path)?;
                }
                // It may be a link to one; what it is shows where it is used.
                Err(rustix::io::Errno::EXIST) => {}
                Err(error) => return Err(error).at(path),
            }
        }
        self.view.open(path, OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).map(drop)
    }

    /// A link, which may point anywhere: it is followed inside only.
    pub fn link(&self, path: &str, target: &str) -> Result<(), FileError> {
        let (parent, name) = self.place(path)?;
        symlinkat(target, &parent, name).at(path)?;
        let (uid, gid) = self.ids();
        chownat(&parent, name, Some(uid), Some(gid), AtFlags::SYMLINK_NOFOLLOW).at(path)
    }

    /// A file, a link, or a directory with all that is in it.
    pub fn remove(&self, path: &str) -> Result<(), FileError> {
        let (parent, name) = self.place(path)?;
        remove_all(parent.as_fd(), OsStr::new(name), Path::new(path), 0)
    }

    fn place<'p>(&self, path: &'p str) -> Result<(OwnedFd, &'p str), FileError> {
        let (parent, name) = path.rsplit_once('/').unwrap_or((".", path));
        if name.is_empty() || name == "." || name == ".." {
            return Err(FileError::BadPath { path: path.into(), why: "it ends in no name" });
        }
        Ok((self.view.open(parent, OFlags::PATH | OFlags::DIRECTORY, Mode::empty())?, name))
    }

    fn ids(&self) -> (Uid, Gid) {
        (Uid::from_raw(self.owner.uid), Gid::from_raw(self.owner.gid))
    }
}

pub(crate) fn remove_all(directory: BorrowedFd<'_>, name: &OsStr, path: &Path, depth: usize) -> Result<(), FileError> {
    if depth > DEPTH_MAX {
        return Err(FileError::TooDeep { path: path.to_path_buf(), allowed: DEPTH_MAX });
    }
    let stat = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).at(path)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
        return unlinkat(directory, name, AtFlags::empty()).at(path);
    }
    let inner = enter(directory, name).at(path)?;
    for name in names(inner.as_fd(), path)? {
        remove_all(inner.as_fd(), &name, &path.join(&name), depth + 1)?;
    }
    unlinkat(directory, name, AtFlags::REMOVEDIR).at(path)
}
