//! Where the pictures of several files go.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// One PNG per file in `folder`, named for it; where names meet, the later ones are numbered: `box.png`, `box-2.png`.
pub(super) fn places(files: &[PathBuf], folder: &Path) -> Vec<PathBuf> {
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
        assert_eq!(places(&files, Path::new("out")), expected.map(PathBuf::from));
    }
}
