//! Who made which control groups: a file that an engine holds locked while it lives, and what it names is cleared away
//! by the next one when it has died. Nothing else outlives an engine: mounts and namespaces are held by descriptors.

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

const PREFIX: &str = "maquette-";
/// Of a file that names directories.
const BYTES_MAX: u64 = 64 << 10;

#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) name: String,
    path: PathBuf,
    file: File,
}

impl Instance {
    /// # Errors
    /// The folder cannot be made, or belongs to somebody else.
    pub(crate) fn new() -> io::Result<Self> {
        Self::new_in(&folder()?)
    }

    fn new_in(folder: &Path) -> io::Result<Self> {
        loop {
            let name = format!("{PREFIX}{}-{}", std::process::id(), chance()?);
            let path = folder.join(&name);
            let file = match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                opened => opened?,
            };
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) if file.metadata()?.nlink() > 0 => return Ok(Self { name, path, file }),
                // Before it was locked, one that buries took it for a dead one's.
                Ok(()) | Err(Errno::WOULDBLOCK) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// To be cleared away when this instance has died. Written before it is made.
    pub(crate) fn owns(&self, directory: &Path) -> io::Result<()> {
        (&self.file).write_all(format!("{}\n", directory.display()).as_bytes())
    }

    /// Directories of instances that have died, each to be removed by `clear`; when all of them are, the instance is
    /// forgotten. What cannot be cleared is told and left to the next time.
    pub(crate) fn bury(clear: impl Fn(&Path) -> io::Result<()>) -> io::Result<()> {
        bury_in(&folder()?, clear)
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // What could not be removed is left to the next engine, which must find it named.
        let is_gone = |named: String| named.lines().all(|directory| !Path::new(directory).exists());
        if fs::read_to_string(&self.path).is_ok_and(is_gone) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn bury_in(folder: &Path, clear: impl Fn(&Path) -> io::Result<()>) -> io::Result<()> {
    let entries = fs::read_dir(folder)?.flatten();
    let is_ours = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(PREFIX);
    let mut paths: Vec<PathBuf> = entries.filter(is_ours).map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if let Err(error) = bury_one(&path, &clear) {
            tracing::warn!(path = %path.display(), %error, "what a dead engine left stays");
        }
    }
    Ok(())
}

fn bury_one(path: &Path, clear: &impl Fn(&Path) -> io::Result<()>) -> io::Result<()> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened?,
    };
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        // It lives, or somebody else is at it.
        Err(Errno::WOULDBLOCK) => return Ok(()),
        locked => locked?,
    }
    let mut text = String::new();
    (&file).take(BYTES_MAX).read_to_string(&mut text)?;
    // A line that was not finished names a directory that was not made.
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    // One that stays is no reason to leave the others.
    let cleared: Vec<io::Result<()>> = whole.lines().map(|line| clear(Path::new(line))).collect();
    cleared.into_iter().collect::<io::Result<()>>()?;
    fs::remove_file(path)
}

/// Eight digits that no other engine has: not one of a namespace with the same process ids, nor one that died before
/// its process id came again.
fn chance() -> io::Result<String> {
    let uuid = fs::read_to_string("/proc/sys/kernel/random/uuid")?;
    Ok(uuid.chars().take(8).collect())
}

/// Root's, or one of the user's own that nobody else can write.
fn folder() -> io::Result<PathBuf> {
    let uid = rustix::process::geteuid().as_raw();
    let folder = match (uid, std::env::var_os("XDG_RUNTIME_DIR")) {
        (0, _) => PathBuf::from("/run/maquette"),
        (_, Some(runtime)) if Path::new(&runtime).is_dir() => Path::new(&runtime).join("maquette"),
        // Not where the environment says: the next engine must look there too.
        _ => PathBuf::from(format!("/tmp/{PREFIX}{uid}")),
    };
    match DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let found = fs::symlink_metadata(&folder)?;
    if !found.is_dir() || found.uid() != uid || found.mode() & 0o022 != 0 {
        let message = format!("{} belongs to somebody else, or others may write to it", folder.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::ffi::OsString;

    fn names(folder: &Path) -> Vec<OsString> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    }

    /// What is cleared.
    fn buried(folder: &Path) -> Vec<PathBuf> {
        let cleared = RefCell::new(Vec::new());
        bury_in(folder, |path| {
            cleared.borrow_mut().push(path.to_path_buf());
            Ok(())
        })
        .unwrap();
        cleared.into_inner()
    }

    #[test]
    fn two_of_one_process_are_two_and_nobody_clears_what_they_own() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (Instance::new_in(folder.path()).unwrap(), Instance::new_in(folder.path()).unwrap());
        assert_ne!(one.name, other.name);
        one.owns(&folder.path().join("never-made")).unwrap();
        assert!(buried(folder.path()).is_empty());
        assert_eq!(names(folder.path()).len(), 2);
        drop((one, other));
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn what_a_dead_one_named_is_cleared_once_but_not_what_it_had_begun_to_name() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("maquette-1-dead"), "/a\n/b c\n/unfini").unwrap();
        assert_eq!(buried(folder.path()), [Path::new("/a"), Path::new("/b c")]);
        assert!(names(folder.path()).is_empty());
        assert!(buried(folder.path()).is_empty());
    }

    #[test]
    fn what_cannot_be_cleared_is_tried_again_and_keeps_nobody_from_clearing_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("maquette-0-directory")).unwrap();
        fs::write(folder.path().join("maquette-1-bytes"), b"\xff\n").unwrap();
        fs::write(folder.path().join("maquette-2-dead"), "/busy\n/a\n").unwrap();
        fs::write(folder.path().join("of-others"), "/theirs\n").unwrap();
        let cleared = RefCell::new(Vec::new());
        bury_in(folder.path(), |path| {
            cleared.borrow_mut().push(path.to_path_buf());
            if path == Path::new("/busy") { Err(io::ErrorKind::ResourceBusy.into()) } else { Ok(()) }
        })
        .unwrap();
        assert_eq!(cleared.into_inner(), [Path::new("/busy"), Path::new("/a")]);
        assert_eq!(buried(folder.path()), [Path::new("/busy"), Path::new("/a")]);
        assert!(folder.path().join("of-others").exists() && !folder.path().join("maquette-2-dead").exists());
    }

    #[test]
    fn one_that_ends_and_leaves_a_directory_is_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let left = folder.path().join("left");
        fs::create_dir(&left).unwrap();
        let instance = Instance::new_in(folder.path()).unwrap();
        instance.owns(&left).unwrap();
        drop(instance);
        assert_eq!(buried(folder.path()), [left]);
    }
}
