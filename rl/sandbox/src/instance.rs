//! Who made which control groups: a file that an engine holds locked while it lives, and what it names is cleared away by
//! the next one when it has died. Nothing else outlives an engine: mounts and namespaces are held by descriptors.

use rustix::fs::{FlockOperation, flock};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

const PREFIX: &str = "maquette-";
/// Of a file that names directories.
const BYTES_MAX: u64 = 64 << 10;
static NEXT: AtomicU32 = AtomicU32::new(0);

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
        let folder = folder()?;
        loop {
            let (pid, count) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
            let name = format!("{PREFIX}{pid}-{count}");
            let path = folder.join(&name);
            match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
                Ok(file) => {
                    flock(&file, FlockOperation::NonBlockingLockExclusive)?;
                    return Ok(Self { name, path, file });
                }
                // Of one that had the same number before it died.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// To be cleared away when this instance has died. Written before it is made.
    pub(crate) fn owns(&self, directory: &Path) -> io::Result<()> {
        (&self.file).write_all(format!("{}\n", directory.display()).as_bytes())
    }

    /// Directories of instances that have died, each to be removed by `clear`; where it is, the instance is forgotten.
    pub(crate) fn bury(clear: impl Fn(&Path) -> io::Result<()>) -> io::Result<()> {
        let mut paths: Vec<PathBuf> = fs::read_dir(folder()?)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            let Ok(mut file) = File::open(&path) else { continue };
            if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
                continue;
            }
            let mut text = String::new();
            Read::by_ref(&mut file).take(BYTES_MAX).read_to_string(&mut text)?;
            // A line that was not finished names a directory that was not made.
            let whole = text.rfind('\n').map_or("", |end| &text[..end]);
            let results: Vec<io::Result<()>> = whole.lines().map(|line| clear(Path::new(line))).collect();
            match results.into_iter().find_map(Result::err) {
                None => fs::remove_file(&path)?,
                Some(error) => tracing::warn!(path = %path.display(), %error, "what a dead engine left stays"),
            }
        }
        Ok(())
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // Without it the next engine finds nothing to clear away.
        let _ = fs::remove_file(&self.path);
    }
}

/// Root's, or one of the user's own that nobody else can write.
fn folder() -> io::Result<PathBuf> {
    let uid = rustix::process::geteuid().as_raw();
    let folder = match (uid, std::env::var_os("XDG_RUNTIME_DIR")) {
        (0, _) => PathBuf::from("/run/maquette"),
        (_, Some(runtime)) if Path::new(&runtime).is_dir() => Path::new(&runtime).join("maquette"),
        _ => std::env::temp_dir().join(format!("{PREFIX}{uid}")),
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
