//! The files of a tree, read from outside a sandbox as they are inside.

use crate::file_error::{At, FileError};
use crate::walk::{Found, names, walk};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{FileType, Mode, OFlags, ResolveFlags, fstat, openat2, readlinkat};
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// All layers of a tree as one directory. Paths are relative to it and begin with `work`, `home` or `tmp`; links mean what
/// they mean inside, so that none leads to a file of the host.
pub struct View {
    root: OwnedFd,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Below the view.
    pub path: PathBuf,
    pub kind: EntryKind,
    pub size_bytes: u64,
    /// Permissions, with setuid, setgid and sticky.
    pub mode: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Directory,
    Link {
        target: PathBuf,
    },
    /// A pipe or a socket: nothing that is read.
    Special,
}

impl View {
    pub(crate) fn new(root: OwnedFd) -> Self {
        Self { root }
    }

    /// A regular file, whole.
    pub fn read(&self, path: &str, at_most_bytes: u64) -> Result<Vec<u8>, FileError> {
        // Without waiting for somebody who writes to a pipe.
        let fd = self.open(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY, Mode::empty())?;
        let stat = fstat(&fd).at(path)?;
        regular(path, stat.st_mode)?;
        let size_bytes = stat.st_size.unsigned_abs();
        if size_bytes > at_most_bytes {
            return Err(FileError::TooLarge { path: path.into(), size_bytes, allowed_bytes: at_most_bytes });
        }
        let mut bytes = Vec::new();
        let read = File::from(fd).take(at_most_bytes).read_to_end(&mut bytes);
        read.map_err(|source| FileError::Io { path: path.into(), source })?;
        Ok(bytes)
    }

    /// Of the entry itself, where it is a link.
    pub fn stat(&self, path: &str) -> Result<Entry, FileError> {
        let fd = self.open(path, OFlags::PATH | OFlags::NOFOLLOW, Mode::empty())?;
        let stat = fstat(&fd).at(path)?;
        let link = || readlinkat(&fd, "", Vec::new());
        entry(path.into(), stat.st_mode, stat.st_size, link)
    }

    /// What is in a directory, sorted by the bytes of the names.
    pub fn list(&self, path: &str) -> Result<Vec<Entry>, FileError> {
        let fd = self.open(path, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())?;
        names(fd.as_fd(), Path::new(path))?
            .into_iter()
            .map(|name| {
                let stat = rustix::fs::statat(&fd, &name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW).at(&name)?;
                let link = || readlinkat(&fd, &name, Vec::new());
                entry(Path::new(path).join(&name), stat.st_mode, stat.st_size, link)
            })
            .collect()
    }

    /// All that is below a directory, each directory before what is in it.
    pub fn walk(&self, path: &str, at_most_entries: usize) -> Result<Vec<Entry>, FileError> {
        let fd = self.open(path, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())?;
        let mut entries = Vec::new();
        walk(fd.as_fd(), &mut |found: &Found<'_>| {
            if entries.len() == at_most_entries {
                return Err(FileError::TooMany { path: path.into(), allowed: at_most_entries });
            }
            let link = || readlinkat(found.directory, found.name, Vec::new());
            entries.push(entry(Path::new(path).join(found.path), found.stat.st_mode, found.stat.st_size, link)?);
            Ok(())
        })?;
        Ok(entries)
    }

    /// As a program inside would open it, if `/` were the view.
    pub(crate) fn open(&self, path: &str, flags: OFlags, mode: Mode) -> Result<OwnedFd, FileError> {
        let bad = |why| FileError::BadPath { path: path.into(), why };
        if path.is_empty() {
            return Err(bad("it is empty"));
        }
        if path.starts_with('/') {
            return Err(bad("it begins with a slash; paths are relative, as work/main.py"));
        }
        if path.contains('\0') {
            return Err(bad("it holds a NUL"));
        }
        let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
        openat2(&self.root, path, flags | OFlags::CLOEXEC, mode, resolve).at(path)
    }
}

pub(crate) fn regular(path: &str, mode: u32) -> Result<(), FileError> {
    let kind = match FileType::from_raw_mode(mode) {
        FileType::RegularFile => return Ok(()),
        FileType::Directory => "a directory",
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        _ => "a device",
    };
    Err(FileError::NotAFile { path: path.into(), kind })
}

fn entry(
    path: PathBuf,
    mode: u32,
    size: i64,
    link: impl FnOnce() -> Result<std::ffi::CString, rustix::io::Errno>,
) -> Result<Entry, FileError> {
    let kind = match FileType::from_raw_mode(mode) {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Directory,
        FileType::Symlink => {
            EntryKind::Link { target: PathBuf::from(OsString::from_vec(link().at(&path)?.into_bytes())) }
        }
        _ => EntryKind::Special,
    };
    Ok(Entry { path, kind, size_bytes: size.unsigned_abs(), mode: mode & 0o7777 })
}
