//! Sessions in files, one append-only file each, so that they outlive the server's process. Nothing is synced: what was
//! written survives the end of the process, not a loss of power.

mod export;
mod file;
mod lines;

use crate::{Code, DomainError, panics, token::token};
use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read as _, Seek as _, Write as _},
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::{
    task::spawn_blocking,
    time::{Instant, sleep},
};

pub(crate) use export::{Export, read_export, write_export};
pub(crate) use file::SessionFile;
pub(crate) use lines::{Header, Held, Leg, Line, Origin, VERSION, hex};

/// Holds the instance id, and is locked as long as a server uses the folder.
const INSTANCE: &str = "instance";
const INSTANCE_DIGITS: usize = 32;
/// A server that ends lets its calls end first.
const LOCK_WITHIN: Duration = Duration::from_secs(15);
const LOCK_EVERY: Duration = Duration::from_millis(50);

/// A folder with `instance`, a `.journal` for each session, and the `.damaged` ones that could not be played again.
pub(crate) struct Journal {
    folder: PathBuf,
    instance_id: String,
    _lock: File,
}

impl Journal {
    /// Waits for another server to leave the folder, and makes it where there is none.
    pub(crate) async fn open(folder: PathBuf) -> Result<Self, DomainError> {
        let begin = Instant::now();
        loop {
            let tried = folder.clone();
            match blocking(move || locked(&tried)).await? {
                Some((instance_id, lock)) => return Ok(Self { folder, instance_id, _lock: lock }),
                None if begin.elapsed() < LOCK_WITHIN => sleep(LOCK_EVERY).await,
                None => {
                    let message = format!("another server keeps its sessions in {}", folder.display());
                    return Err(DomainError::new(Code::Unavailable, "JOURNAL_IN_USE", message));
                }
            }
        }
    }

    /// The same for every server that uses the folder.
    pub(crate) fn instance_id(&self) -> &str {
        &self.instance_id
    }

    /// Begins files with these lines, by session id; all of them or none.
    pub(crate) async fn begin(&self, sessions: Vec<(String, Vec<Line>)>) -> Result<Vec<SessionFile>, DomainError> {
        let folder = self.folder.clone();
        blocking(move || {
            let mut begun = Vec::with_capacity(sessions.len());
            for (id, lines) in &sessions {
                match SessionFile::create(&folder, id, lines) {
                    Ok(file) => begun.push(file),
                    Err(error) => {
                        begun.iter().for_each(SessionFile::remove);
                        return Err(error);
                    }
                }
            }
            Ok(begun)
        })
        .await
    }

    /// The sessions' files, sorted. Removes those that were never begun whole.
    pub(crate) async fn files(&self) -> Result<Vec<PathBuf>, DomainError> {
        let folder = self.folder.clone();
        blocking(move || {
            let mut files = Vec::new();
            for entry in fs::read_dir(folder)? {
                let path = entry?.path();
                match path.extension().and_then(|ending| ending.to_str()) {
                    Some(file::ENDING) => files.push(path),
                    Some(file::ENDING_UNTIL_BEGUN) => fs::remove_file(path)?,
                    _ => {}
                }
            }
            files.sort();
            Ok(files)
        })
        .await
    }

    /// Keeps a file that cannot be played again from being read at the next start.
    pub(crate) async fn set_aside(&self, path: PathBuf) -> Result<(), DomainError> {
        blocking(move || fs::rename(&path, path.with_extension(file::ENDING_OF_DAMAGED))).await
    }

    /// Removes the files of sessions that nobody uses any more, some time.
    pub(crate) fn discard(&self, ids: &[String]) {
        let paths: Vec<PathBuf> = ids.iter().map(|id| file::path(&self.folder, id)).collect();
        spawn_blocking(move || paths.iter().for_each(|path| file::remove(path)));
    }
}

/// The instance id and the lock, or nothing where another server holds it.
fn locked(folder: &Path) -> io::Result<Option<(String, File)>> {
    fs::create_dir_all(folder)?;
    let path = folder.join(INSTANCE);
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    let mut id = String::new();
    file.read_to_string(&mut id)?;
    if id.len() != INSTANCE_DIGITS {
        id = token().map_err(io::Error::other)?;
        file.rewind()?;
        file.set_len(0)?;
        file.write_all(id.as_bytes())?;
    }
    Ok(Some((id, file)))
}

/// Runs `work` apart from the I/O runtime.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> Result<T, DomainError> {
    let done = spawn_blocking(work).await.map_err(panics::lost)?;
    done.map_err(|error| DomainError::new(Code::Unavailable, "JOURNAL_FAILED", format!("the journal: {error}")))
}
