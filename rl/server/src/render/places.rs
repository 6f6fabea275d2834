//! Where the pictures go.

use crate::files::make_writable;
use anyhow::{Result, ensure};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// One path a file, at which its picture can be written: `out`, where that is the contact sheet or the PNG of one file,
/// else one in the folder `out`.
///
/// # Errors
/// A picture could not be written.
pub(super) fn places(files: &[PathBuf], out: &Path, is_sheet: bool) -> Result<Vec<PathBuf>> {
    let is_folder = out.is_dir();
    ensure!(!(is_sheet && is_folder), "{} is a folder; --sheet makes one file", out.display());
    let places = if is_sheet || (files.len() == 1 && !is_folder) {
        // The scene itself, given twice by mistake, is no PNG.
        let is_png = out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"));
        ensure!(is_png, "{} does not end in .png; pictures are PNGs", out.display());
        vec![out.to_owned(); files.len()]
    } else {
        ensure!(is_folder || !out.exists(), "{} is no folder", out.display());
        in_folder(files, out)
    };
    places.iter().try_for_each(|place| make_writable(place))?;
    Ok(places)
}

/// One PNG per file in `folder`, named for it; where names meet, the later ones are numbered: `box.png`, `box-2.png`.
fn in_folder(files: &[PathBuf], folder: &Path) -> Vec<PathBuf> {
    let mut taken = BTreeSet::new();
    let free = |file: &PathBuf| {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let numbered = (2..).map(|number| format!("{stem}-{number}"));
        // Some file systems take no notice of letter case.
        let name = std::iter::once(stem.clone()).chain(numbered).find(|name| taken.insert(name.to_lowercase()));
        folder.join(format!("{}.png", name.unwrap_or(stem)))
    };
    files.iter().map(free).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_files_share_a_picture() {
        let files = ["a/box.glb", "b/box.gltf", "box-2.glb", "c/Box.glb", "lamp.v2.glb"].map(PathBuf::from);
        let expected = ["out/box.png", "out/box-2.png", "out/box-2-2.png", "out/Box-3.png", "out/lamp.v2.png"];
        assert_eq!(in_folder(&files, Path::new("out")), expected.map(PathBuf::from));
    }
}
