//! A folder for a page and its pictures. What is there already is replaced only beside a page of ours.

use crate::html;
use anyhow::{Result, bail};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

const PAGE: &str = "index.html";
/// Of a page, with its mark among them.
const HEAD_BYTES: u64 = 1024;

/// The path of the folder's page; `pictures` are the names of all other files that will be written there.
///
/// # Errors
/// One of these files is there, and the page is not there or not ours.
pub(crate) fn page_in(folder: &Path, pictures: &[String]) -> Result<PathBuf> {
    let page = folder.join(PAGE);
    if is_ours(&page) {
        return Ok(page);
    }
    let mut files = std::iter::once(page.clone()).chain(pictures.iter().map(|name| folder.join(name)));
    match files.find(|path| path.symlink_metadata().is_ok()) {
        Some(there) => bail!("{} is there already and not by maquette; choose another folder", there.display()),
        None => Ok(page),
    }
}

fn is_ours(page: &Path) -> bool {
    let head = || -> std::io::Result<Vec<u8>> {
        let mut head = Vec::new();
        File::open(page)?.take(HEAD_BYTES).read_to_end(&mut head)?;
        Ok(head)
    };
    // A pipe is not opened: that alone would wait for its other end.
    page.is_file() && head().is_ok_and(|head| html::is_ours(&head))
}

#[cfg(test)]
mod tests {
    use super::*;
    use maud::html;

    #[test]
    fn only_what_stands_beside_a_page_of_ours_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (path, pictures) = (folder.path(), ["normal.png".to_owned()]);
        let refusal = |pictures: &[String]| page_in(path, pictures).err().map(|error| error.to_string());
        assert_eq!(refusal(&pictures), None, "an empty folder");
        assert_eq!(page_in(&path.join("absent"), &pictures).unwrap(), path.join("absent/index.html"));

        std::fs::write(path.join("normal.png"), b"a texture").unwrap();
        assert!(refusal(&pictures).unwrap().contains("normal.png is there already"));
        assert_eq!(refusal(&[]), None, "a picture that is not written");
        std::fs::write(path.join("index.html"), b"<!DOCTYPE html><title>mine</title>").unwrap();
        assert!(refusal(&[]).unwrap().contains("index.html is there already"));

        let long = "x".repeat(1 << 20);
        let ours = html::page(&long, &html! {}, "");
        std::fs::write(path.join("index.html"), ours).unwrap();
        assert_eq!(refusal(&pictures), None, "a page of ours");
    }
}
