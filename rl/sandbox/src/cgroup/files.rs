//! Files of control groups: short texts, some of which a kernel may lack.

use super::CgroupError;
use rustix::fd::OwnedFd;
use rustix::fs::{Mode, OFlags};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

pub(super) const PROCS: &str = "cgroup.procs";
pub(super) const KILL: &str = "cgroup.kill";

pub(super) fn io_at(tried: &str, path: &Path) -> impl FnOnce(io::Error) -> CgroupError {
    move |source| CgroupError::Io { tried: tried.to_owned(), path: path.to_path_buf(), source }
}

pub(super) fn open(path: &Path, flags: OFlags) -> Result<OwnedFd, CgroupError> {
    let opened = rustix::fs::open(path, flags | OFlags::CLOEXEC, Mode::empty());
    opened.map_err(|error| io_at("opening", path)(error.into()))
}

pub(super) fn read(path: &Path) -> Result<String, CgroupError> {
    fs::read_to_string(path).map_err(io_at("reading", path))
}

/// Not `fs::write`: that asks for the file to be made, which the kernel refuses with EACCES where it lacks one.
pub(super) fn put(path: &Path, value: &str) -> io::Result<()> {
    OpenOptions::new().write(true).open(path)?.write_all(value.as_bytes())
}

pub(super) fn write(path: &Path, value: &str) -> Result<(), CgroupError> {
    put(path, value).map_err(|source| io_at(&format!("writing {value:?} to"), path)(source))
}

/// As [`write`], where the kernel has this file.
pub(super) fn write_where_it_is(path: &Path, value: &str) -> Result<(), CgroupError> {
    match write(path, value) {
        Err(CgroupError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(()),
        written => written,
    }
}

/// A file that is one number; `None` where the kernel has no such file.
pub(super) fn number_where_it_is(path: &Path) -> Result<Option<u64>, CgroupError> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        text => text.map_err(io_at("reading", path))?,
    };
    match text.trim().parse() {
        Ok(number) => Ok(Some(number)),
        Err(_) => Err(CgroupError::Unexpected { path: path.to_path_buf(), text }),
    }
}

/// Of a file of `key number` lines. That it lacks the key is an error: nothing that is not counted is taken for zero.
pub(super) fn field(path: &Path, key: &str) -> Result<u64, CgroupError> {
    let text = read(path)?;
    let found = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')?.trim().parse().ok());
    found.ok_or_else(|| CgroupError::Unexpected { path: path.to_path_buf(), text })
}
