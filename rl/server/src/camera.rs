//! The view that a command draws through.

use crate::size::Size;
use anyhow::{Result, bail};
use scene_document::{Baked, View};

/// Names that an unknown camera is answered with.
const OFFERED: usize = 3;
/// Longer names are cut before they are compared and told: comparing is quadratic, and the names are the file's.
const NAME_CHARS: usize = 64;

/// Where a picture is taken from, and the name of the camera's node; `None`: a three-quarter view of everything, since
/// the file has no camera.
pub(crate) struct Aim {
    pub(crate) view: View,
    pub(crate) camera: Option<String>,
}

/// Through the camera whose node has the name `asked`; else through the file's active camera, else its first one, else
/// a view of everything.
pub(crate) fn aim(baked: &Baked, asked: Option<&str>, size: Size) -> Result<Aim> {
    let Some(asked) = asked else {
        let (view, _) = baked.view(size.width, size.height);
        return Ok(Aim { view, camera: baked.camera().map(|camera| camera.name.clone()) });
    };
    match baked.camera_named(asked) {
        Some(camera) => Ok(Aim { view: camera.view(size.width, size.height), camera: Some(camera.name.clone()) }),
        None if baked.cameras.is_empty() => bail!("no camera named {asked:?}: the file has no camera"),
        None => {
            let names = baked.cameras.iter().map(|camera| camera.name.as_str());
            bail!("no camera named {asked:?}; the nearest names are {}", nearest(asked, names).join(", "))
        }
    }
}

/// Best first; ties keep their order.
fn nearest<'a>(asked: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let cut = |name: &str| name.chars().take(NAME_CHARS).collect::<String>();
    let asked = cut(asked).to_lowercase();
    let likeness = |name: &str| strsim::jaro_winkler(&asked, &name.to_lowercase());
    let mut ranked: Vec<(f64, String)> = names.map(cut).map(|name| (likeness(&name), name)).collect();
    ranked.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    ranked.into_iter().take(OFFERED).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_cameras_are_answered_with_the_likeliest_names() {
        let names = ["side", "Front", "top", "frontal"];
        assert_eq!(nearest("fornt", names.into_iter()), ["Front", "frontal", "top"]);
    }

    #[test]
    fn endless_names_are_neither_compared_nor_told_whole() {
        let long = "ü".repeat(1 << 20);
        let start = std::time::Instant::now();
        let told = nearest(&long, [long.as_str(); 100].into_iter());
        assert_eq!(told, ["ü".repeat(NAME_CHARS), "ü".repeat(NAME_CHARS), "ü".repeat(NAME_CHARS)]);
        assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    }

    #[test]
    fn a_file_without_a_camera_is_seen_as_a_whole_and_says_so() {
        let baked = Baked::default();
        let size = Size { width: 8, height: 6 };
        let seen = aim(&baked, None, size).unwrap();
        assert_eq!((seen.view.width, seen.view.height, seen.camera), (8, 6, None));
        let error = aim(&baked, Some("main"), size).err().unwrap();
        assert!(error.to_string().contains("has no camera"), "{error}");
    }
}
