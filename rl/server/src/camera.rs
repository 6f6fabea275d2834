//! The view that a command draws through.

use crate::nearest::nearest;
use crate::size::Size;
use anyhow::{Result, bail};
use scene_document::{Baked, View};

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

#[cfg(test)]
mod tests {
    use super::*;

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
