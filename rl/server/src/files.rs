//! Files that commands are given and make: what is read is plain and of bounded size, what is written is whole or not
//! there.

use anyhow::{Context, Result, bail, ensure};
use scene_document::gltf::{self, Import};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// No file is read past this.
const MAX_BYTES: u64 = 64 << 20;

/// A .glb or .gltf file, and the folder that its relative URIs start from.
pub(crate) struct SceneFile {
    path: PathBuf,
    pub(crate) bytes: Vec<u8>,
    folder: PathBuf,
}

impl SceneFile {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let opened = || -> Result<Self> {
            let folder = path.canonicalize()?.parent().unwrap_or(Path::new("/")).to_owned();
            Ok(Self { path: path.to_owned(), bytes: read(path)?, folder })
        };
        opened().with_context(|| format!("cannot read {}", path.display()))
    }

    /// A file named by a relative URI, inside the folder even where links lead.
    pub(crate) fn beside(&self, uri: &str) -> Option<Vec<u8>> {
        let path = self.folder.join(uri).canonicalize().ok()?;
        // A pipe is not opened: that alone would wait for its other end.
        (path.starts_with(&self.folder) && path.is_file()).then(|| read(&path).ok()).flatten()
    }

    /// The scene, also where the file has faults that leave it readable.
    pub(crate) fn import(&self) -> Result<Import> {
        gltf::read(&self.bytes, &|uri| self.beside(uri), &gltf::Limits::default())
            .with_context(|| format!("cannot read {}", self.path.display()))
    }
}

/// A plain file of at most `MAX_BYTES`; a pipe or a device could last for ever.
fn read(path: &Path) -> Result<Vec<u8>> {
    let metadata = std::fs::metadata(path)?;
    ensure!(metadata.is_file(), "not a plain file");
    ensure!(metadata.len() <= MAX_BYTES, "{} bytes; at most {MAX_BYTES} are read", metadata.len());
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Makes a folder, and those above it, where they are missing.
pub(crate) fn make_folder(path: &Path) -> Result<()> {
    if let Some(there) = path.ancestors().find(|path| path.exists()).filter(|there| !there.is_dir()) {
        bail!("{} is a file, not a folder", there.display());
    }
    std::fs::create_dir_all(path).with_context(|| format!("cannot make the folder {}", path.display()))
}

/// Makes the folder where it is missing, then the file: whoever looks sees all of it, or what was there before. Only a
/// plain file is replaced: a device, a pipe or a link would be lost.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let written = || -> Result<()> {
        if std::fs::symlink_metadata(path).is_ok_and(|there| !there.is_file()) {
            bail!("it is there and no plain file");
        }
        let name = path.file_name().context("the path names no file")?.to_string_lossy();
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            make_folder(folder)?;
        }
        let part = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
        let renamed = std::fs::write(&part, bytes).and_then(|()| std::fs::rename(&part, path));
        if renamed.is_err() {
            let _ = std::fs::remove_file(&part);
        }
        Ok(renamed?)
    };
    written().with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_files_are_whole_and_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b.png");
        write(&path, b"first").unwrap();
        write(&path, b"second").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"second");
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        let error = write(&folder.path().join("a"), b"a folder is there").unwrap_err();
        assert!(error.to_string().contains("cannot write"), "{error}");
        let error = write(&path.join("c/d.png"), b"a file is there").unwrap_err();
        assert!(format!("{error:#}").contains("b.png is a file, not a folder"), "{error:#}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_no_plain_file_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        std::fs::write(&target, b"kept").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for path in [&link, &socket] {
            let error = write(path, b"new").unwrap_err();
            assert!(format!("{error:#}").contains("no plain file"), "{error:#}");
        }
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::read(&target).unwrap(), b"kept");
    }

    #[test]
    fn nothing_outside_the_folder_is_read() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("secret"), b"s").unwrap();
        let inner = folder.path().join("inner");
        write(&inner.join("scene.gltf"), b"{}").unwrap();
        write(&inner.join("scene.bin"), b"b").unwrap();
        std::os::unix::fs::symlink(folder.path().join("secret"), inner.join("link")).unwrap();
        let file = SceneFile::open(&inner.join("scene.gltf")).unwrap();
        assert_eq!(file.beside("scene.bin"), Some(b"b".to_vec()));
        for uri in ["../secret", "link", "/etc/hostname", "absent"] {
            assert_eq!(file.beside(uri), None, "{uri}");
        }
    }
}
