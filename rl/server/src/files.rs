//! Files that commands are given and make: what is read is plain and of bounded size, what is written is whole or not
//! there.

use anyhow::{Context, Result, bail, ensure};
use scene_document::gltf::{self, Import};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// No file is read past this.
const MAX_BYTES: u64 = 64 << 20;
/// What file systems take.
const NAME_MAX_BYTES: usize = 255;
/// By which files in formats of other programs are known.
const FOREIGN_ENDINGS: [&str; 17] = [
    "3ds", "3mf", "abc", "blend", "c4d", "dae", "fbx", "ma", "max", "mb", "obj", "ply", "stl", "usd", "usda", "usdc",
    "usdz",
];

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
            if let Some(ending) = path.extension().filter(|ending| is_foreign(ending)) {
                bail!("only .glb and .gltf are read; export the .{} as glTF first", ending.display());
            }
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

fn is_foreign(ending: &OsStr) -> bool {
    FOREIGN_ENDINGS.iter().any(|foreign| ending.eq_ignore_ascii_case(foreign))
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
        let part = part(path)?;
        let renamed = std::fs::write(&part, bytes).and_then(|()| std::fs::rename(&part, path));
        if renamed.is_err() {
            let _ = std::fs::remove_file(&part);
        }
        Ok(renamed?)
    };
    written().with_context(|| format!("cannot write {}", path.display()))
}

/// For those who work long on what they will `write`: fails where that would. Makes the folder where it is missing.
pub(crate) fn make_writable(path: &Path) -> Result<()> {
    let made = || -> Result<()> {
        let part = part(path)?;
        std::fs::write(&part, b"")?;
        Ok(std::fs::remove_file(&part)?)
    };
    made().with_context(|| format!("cannot write {}", path.display()))
}

/// Beside `path`, in a folder that is there now: where its bytes are gathered. Not named for it, whose name may be as
/// long as names can be.
fn part(path: &Path) -> Result<PathBuf> {
    let name_bytes = path.file_name().context("the path names no file")?.len();
    ensure!(name_bytes <= NAME_MAX_BYTES, "its name has {name_bytes} bytes; at most {NAME_MAX_BYTES} are allowed");
    if std::fs::symlink_metadata(path).is_ok_and(|there| !there.is_file()) {
        bail!("it is there and no plain file");
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        make_folder(folder)?;
    }
    Ok(path.with_file_name(format!(".maquette.{}.part", std::process::id())))
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
    fn names_may_be_as_long_as_file_systems_take_them() {
        let folder = tempfile::tempdir().unwrap();
        let longest = folder.path().join("n".repeat(255));
        make_writable(&longest).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left");
        write(&longest, b"whole").unwrap();
        let error = make_writable(&folder.path().join("n".repeat(256))).unwrap_err();
        assert!(format!("{error:#}").contains("its name has 256 bytes; at most 255 are allowed"), "{error:#}");
    }

    #[test]
    fn what_cannot_be_written_is_known_before() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, b"kept").unwrap();
        make_writable(&file).unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"kept");
        for (path, expected) in [
            (folder.path().to_owned(), "no plain file"),
            (file.join("out.png"), "is a file, not a folder"),
            (folder.path().join(".."), "names no file"),
        ] {
            let error = format!("{:#}", make_writable(&path).unwrap_err());
            assert!(error.contains(expected) && error.contains("cannot write"), "{error}");
        }
        make_writable(&folder.path().join("a/b/out.png")).unwrap();
        assert!(folder.path().join("a/b").is_dir());
    }

    #[test]
    fn formats_of_other_programs_are_to_be_exported_first() {
        let folder = tempfile::tempdir().unwrap();
        let open = |name: &str| {
            std::fs::write(folder.path().join(name), b"v 0 0 0").unwrap();
            SceneFile::open(&folder.path().join(name)).err().map(|error| format!("{error:#}"))
        };
        for name in ["chair.obj", "chair.FBX", "chair.blend"] {
            let error = open(name).unwrap();
            assert!(error.contains(name) && error.contains(".glb and .gltf are read; export the"), "{error}");
        }
        assert_eq!([open("chair.glb"), open("chair.gltf"), open("chair")], [None, None, None]);
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
