//! Trees as files: tar, the same bytes for the same files.

use crate::edit::Edit;
use crate::file_error::FileError;
use crate::view::{EntryKind, View};
use std::io::{Cursor, Read, Write};
use std::path::{Component, Path};
use tar::{Archive, Builder, EntryType, Header};

/// What a tree has, without what programs leave behind in `tmp`.
const DIRECTORIES: [&str; 2] = ["work", "home"];
const FILE_BYTES_MAX: u64 = 1 << 30;

/// Files, directories and links of `work` and `home`, sorted, without owners and times.
///
/// # Errors
/// `TooMany` entries, files that cannot be read, and those of `to`.
pub fn export(view: &View, to: impl Write, at_most_entries: usize) -> Result<(), FileError> {
    let mut archive = Builder::new(to);
    for directory in DIRECTORIES {
        for entry in view.walk(directory, at_most_entries)? {
            let failed = |source| FileError::Io { path: entry.path.clone(), source };
            let mut header = Header::new_gnu();
            header.set_mode(entry.mode & 0o777);
            header.set_mtime(0);
            header.set_size(0);
            match &entry.kind {
                EntryKind::File => {
                    let path = entry.path.to_str().ok_or_else(|| unwritable(&entry.path))?;
                    let bytes = view.read(path, FILE_BYTES_MAX)?;
                    header.set_entry_type(EntryType::Regular);
                    header.set_size(bytes.len() as u64);
                    archive.append_data(&mut header, &entry.path, Cursor::new(bytes)).map_err(failed)?;
                }
                EntryKind::Directory => {
                    header.set_entry_type(EntryType::Directory);
                    archive.append_data(&mut header, &entry.path, Cursor::new([])).map_err(failed)?;
                }
                EntryKind::Link { target } => {
                    header.set_entry_type(EntryType::Symlink);
                    archive.append_link(&mut header, &entry.path, target).map_err(failed)?;
                }
                EntryKind::Special => {}
            }
        }
    }
    archive.finish().map_err(|source| FileError::Io { path: "archive".into(), source })
}

fn unwritable(path: &Path) -> FileError {
    FileError::BadPath { path: path.to_path_buf(), why: "it is not UTF-8" }
}

/// What [`export`] wrote, or anybody's tar of `work` and `home`.
///
/// # Errors
/// `BadArchive` for what is cut or leads out, `TooMany` and `TooLarge` for more than is allowed in all.
pub fn import(edit: &Edit, from: impl Read, at_most_bytes: u64, at_most_entries: usize) -> Result<(), FileError> {
    let damaged = |error: std::io::Error| FileError::BadArchive(error.to_string());
    let mut left = at_most_bytes;
    // Headers and padding are counted too: an archive of nothing has an end as well.
    let mut archive = Archive::new(from.take(at_most_bytes.saturating_add(1024 * (at_most_entries as u64 + 2))));
    for (count, entry) in archive.entries().map_err(damaged)?.enumerate() {
        let mut entry = entry.map_err(damaged)?;
        let path = entry.path().map_err(damaged)?.into_owned();
        if count == at_most_entries {
            return Err(FileError::TooMany { path, allowed: at_most_entries });
        }
        let text = inside(&path)?;
        let mode = entry.header().mode().map_err(damaged)?;
        match entry.header().entry_type() {
            EntryType::Directory => edit.directory(text)?,
            EntryType::Regular | EntryType::Continuous => {
                let size_bytes = entry.size();
                if size_bytes > left {
                    return Err(FileError::TooLarge { path, size_bytes, allowed_bytes: left });
                }
                left -= size_bytes;
                let mut bytes = Vec::new();
                entry.read_to_end(&mut bytes).map_err(damaged)?;
                if bytes.len() as u64 != size_bytes {
                    return Err(FileError::BadArchive(format!("{path:?} is cut")));
                }
                edit.write(text, &bytes, mode)?;
            }
            EntryType::Symlink => {
                let target = entry.link_name().map_err(damaged)?;
                let target = target.as_deref().and_then(Path::to_str);
                edit.link(text, target.ok_or_else(|| FileError::BadArchive(format!("{path:?} points nowhere")))?)?;
            }
            kind => return Err(FileError::BadArchive(format!("{path:?} is a {kind:?}, which no tree has"))),
        }
    }
    Ok(())
}

/// Below one of the directories.
fn inside(path: &Path) -> Result<&str, FileError> {
    let bad = |why| FileError::BadPath { path: path.to_path_buf(), why };
    let mut components = path.components();
    let first = components.next().ok_or_else(|| bad("it is empty"))?;
    if !DIRECTORIES.iter().any(|name| first == Component::Normal(name.as_ref())) {
        return Err(bad("it does not begin with work or home"));
    }
    if components.any(|component| !matches!(component, Component::Normal(_))) {
        return Err(bad("it leads upwards"));
    }
    path.to_str().ok_or_else(|| bad("it is not UTF-8"))
}
