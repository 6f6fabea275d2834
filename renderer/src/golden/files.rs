//! The files of a golden: their names, bounded reading, and writing that replaces nothing before all is written.

use super::GoldenError;
use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// One of a golden's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    Scene,
    Sidecar,
    Beauty,
    Ids,
    Depth,
}

impl Piece {
    const fn ending(self) -> &'static str {
        match self {
            Self::Scene => ".glb",
            Self::Sidecar => ".json",
            Self::Beauty => ".png",
            Self::Ids => ".ids.png",
            Self::Depth => ".depth.png",
        }
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scene => "scene",
            Self::Sidecar => "sidecar",
            Self::Beauty => "beauty picture",
            Self::Ids => "id picture",
            Self::Depth => "depth picture",
        })
    }
}

const TEXT_SCENE_ENDING: &str = ".gltf";
/// Those that only a golden's files have. A mere `.png` may be a texture that a `.gltf` names.
const ENDINGS: [&str; 5] =
    [Piece::Scene.ending(), TEXT_SCENE_ENDING, Piece::Sidecar.ending(), Piece::Ids.ending(), Piece::Depth.ending()];

/// The goldens of a folder, sorted: whatever has a scene, a sidecar, an id or a depth picture there, so that what is
/// left of a golden is checked, and fails, like a whole one. Hidden files do not count.
///
/// # Errors
/// `Io`; `NoGoldens`: a check of nothing is not a check that passed.
pub fn names(folder: &Path) -> Result<Vec<String>, GoldenError> {
    let entries = std::fs::read_dir(folder).map_err(|error| io(folder, &error))?;
    let mut names = BTreeSet::new();
    for entry in entries {
        let file = entry.map_err(|error| io(folder, &error))?.file_name().to_string_lossy().into_owned();
        let name = ENDINGS.iter().find_map(|ending| file.strip_suffix(ending));
        names.extend(name.filter(|name| !name.starts_with('.')).map(str::to_owned));
    }
    if names.is_empty() {
        return Err(GoldenError::NoGoldens { folder: folder.into() });
    }
    Ok(names.into_iter().collect())
}

/// Where the pieces of one golden are.
pub(super) struct Files<'a> {
    folder: &'a Path,
    name: &'a str,
}

impl<'a> Files<'a> {
    pub(super) fn new(folder: &'a Path, name: &'a str) -> Result<Self, GoldenError> {
        let allowed = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
        if name.is_empty() || !name.chars().all(allowed) {
            return Err(GoldenError::BadName { given: name.into() });
        }
        Ok(Self { folder, name })
    }

    pub(super) fn path(&self, piece: Piece) -> PathBuf {
        self.folder.join(format!("{}{}", self.name, piece.ending()))
    }

    /// Of the one scene file that exists.
    pub(super) fn scene(&self) -> Result<PathBuf, GoldenError> {
        let binary = self.path(Piece::Scene);
        let text = self.folder.join(format!("{}{TEXT_SCENE_ENDING}", self.name));
        match (binary.exists(), text.exists()) {
            (true, true) => Err(GoldenError::TwoScenes { path: binary }),
            (true, false) => Ok(binary),
            (false, true) => Ok(text),
            (false, false) => Err(GoldenError::Missing { piece: Piece::Scene, path: binary }),
        }
    }

    /// Also where only a part of a golden is left.
    ///
    /// # Errors
    /// `NeverBlessed`.
    pub(super) fn were_blessed(&self) -> Result<(), GoldenError> {
        if [Piece::Sidecar, Piece::Ids, Piece::Depth].into_iter().any(|piece| self.path(piece).exists()) {
            return Ok(());
        }
        Err(GoldenError::NeverBlessed { folder: self.folder.into(), name: self.name.into() })
    }
}

/// The whole file, which has at most `allowed` bytes.
pub(super) fn read(piece: Piece, path: &Path, allowed: u64) -> Result<Vec<u8>, GoldenError> {
    let failed = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => GoldenError::Missing { piece, path: path.into() },
        _ => io(path, &error),
    };
    let metadata = std::fs::metadata(path).map_err(failed)?;
    // To open a pipe is to wait for its other end.
    if !metadata.is_file() {
        return Err(GoldenError::Io { path: path.into(), what: "it is not a regular file".into() });
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(allowed + 1).read_to_end(&mut bytes)).map_err(failed)?;
    let found = metadata.len().max(bytes.len() as u64);
    if found > allowed {
        return Err(GoldenError::TooLarge { path: path.into(), bytes: found, allowed });
    }
    Ok(bytes)
}

/// Nothing is replaced unless everything was written. Where a replacement fails, or the machine stops between two, some
/// files are new and others old; the sidecar comes last, so its digests tell.
pub(super) fn replace(files: &[(PathBuf, Vec<u8>)]) -> Result<(), GoldenError> {
    let done = files
        .iter()
        .try_for_each(|(path, bytes)| std::fs::write(temporary(path), bytes).map_err(|error| io(path, &error)))
        .and_then(|()| {
            files
                .iter()
                .try_for_each(|(path, _)| std::fs::rename(temporary(path), path).map_err(|error| io(path, &error)))
        });
    if done.is_err() {
        for (path, _) in files {
            // It may not be there; what went wrong is in `done`.
            drop(std::fs::remove_file(temporary(path)));
        }
    }
    done
}

/// Beside `path`, hidden, and of this process alone.
fn temporary(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}", std::process::id()))
}

pub(super) fn io(path: &Path, error: &std::io::Error) -> GoldenError {
    GoldenError::Io { path: path.into(), what: error.to_string() }
}
