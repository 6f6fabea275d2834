//! What layers have changed, read from what overlayfs has written into them.

use crate::file_error::{At, FileError};
use crate::walk::{Found, enter, walk};
use rustix::fd::BorrowedFd;
use rustix::fs::{FileType, readlinkat};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// As in a view.
    pub path: PathBuf,
    pub kind: ChangeKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeKind {
    /// Made, replaced, or given another mode or owner.
    Written {
        size_bytes: u64,
        /// Permissions, with setuid, setgid and sticky.
        mode: u32,
    },
    Removed,
    /// Where it replaces one, nothing that the other held is left.
    Directory {
        replaces: bool,
    },
    Link {
        target: PathBuf,
    },
    /// A pipe or a socket.
    Special,
}

/// Of one layer's directory, sorted by path: so many at most, and how many there are.
pub(crate) fn changes(upper: BorrowedFd<'_>, opaque: &str, at_most: usize) -> Result<(Vec<Change>, u64), FileError> {
    let mut changes = Vec::new();
    let mut total = 0;
    walk(upper, &mut |found: &Found<'_>| {
        total += 1;
        if changes.len() < at_most {
            changes.push(Change { path: found.path.to_path_buf(), kind: kind(found, opaque)? });
        }
        Ok(())
    })?;
    Ok((changes, total))
}

fn kind(found: &Found<'_>, opaque: &str) -> Result<ChangeKind, FileError> {
    Ok(match found.kind() {
        _ if found.is_whiteout() => ChangeKind::Removed,
        FileType::RegularFile => {
            ChangeKind::Written { size_bytes: found.stat.st_size.unsigned_abs(), mode: found.stat.st_mode & 0o7777 }
        }
        FileType::Directory => ChangeKind::Directory { replaces: is_opaque(found, opaque)? },
        FileType::Symlink => {
            let target = readlinkat(found.directory, found.name, Vec::new()).at(found.path)?;
            ChangeKind::Link { target: PathBuf::from(OsString::from_vec(target.into_bytes())) }
        }
        _ => ChangeKind::Special,
    })
}

/// Whether this directory hides what lower layers have below it.
pub(crate) fn is_opaque(found: &Found<'_>, opaque: &str) -> Result<bool, FileError> {
    let directory = enter(found.directory, found.name).at(found.path)?;
    let mut value = [0_u8; 2];
    match rustix::fs::fgetxattr(&directory, opaque, &mut value[..]) {
        Ok(length) => Ok(value[..length] == *b"y"),
        Err(rustix::io::Errno::NODATA | rustix::io::Errno::OPNOTSUPP) => Ok(false),
        Err(error) => Err(error).at(found.path),
    }
}

/// What two layers have changed together.
pub(crate) fn fold(older: Vec<Change>, newer: Vec<Change>) -> Vec<Change> {
    let mut all: BTreeMap<PathBuf, ChangeKind> = older.into_iter().map(|change| (change.path, change.kind)).collect();
    for Change { path, kind } in newer {
        let kind = match (kind, all.get(&path)) {
            // What is in the older one's stays beside it.
            (ChangeKind::Directory { replaces: false }, Some(ChangeKind::Directory { replaces })) => {
                ChangeKind::Directory { replaces: *replaces }
            }
            (kind @ ChangeKind::Directory { replaces: false }, _) => kind,
            (kind, _) => {
                let below: Vec<PathBuf> =
                    all.keys().filter(|other| other.starts_with(&path) && **other != path).cloned().collect();
                below.iter().for_each(|path| drop(all.remove(path)));
                kind
            }
        };
        all.insert(path, kind);
    }
    all.into_iter().map(|(path, kind)| Change { path, kind }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(list: &[(&str, ChangeKind)]) -> Vec<Change> {
        list.iter().map(|(path, kind)| Change { path: path.into(), kind: kind.clone() }).collect()
    }

    #[test]
    fn what_is_removed_or_replaced_takes_along_what_was_below() {
        use ChangeKind::{Directory, Removed, Written};
        let file = Written { size_bytes: 1, mode: 0o644 };
        let merged = Directory { replaces: false };
        let older =
            changes(&[("a", merged.clone()), ("a/b", merged.clone()), ("a/b/c", file.clone()), ("ab", file.clone())]);
        let removed = fold(older.clone(), changes(&[("a", Removed)]));
        assert_eq!(removed, changes(&[("a", Removed), ("ab", file.clone())]));
        let made_again = fold(removed, changes(&[("a", Directory { replaces: true }), ("a/x", file.clone())]));
        let expected = [("a", Directory { replaces: true }), ("a/x", file.clone()), ("ab", file.clone())];
        assert_eq!(made_again, changes(&expected));
        let touched = fold(made_again, changes(&[("a", merged), ("a/y", file.clone())]));
        assert_eq!(touched[0].kind, Directory { replaces: true });
        assert_eq!(touched.len(), 4);
    }
}
