//! The view that a command draws through.

use crate::size::Size;
use anyhow::{Result, bail};
use scene_document::{Baked, NodeId, Scene, View};

/// Names that an unknown camera is answered with.
const OFFERED: usize = 3;

/// Where a picture is taken from, and the name of the camera's node; `None`: a three-quarter view of everything, since
/// the file has no camera.
pub(crate) struct Aim {
    pub(crate) view: View,
    pub(crate) camera: Option<String>,
}

/// Through the first camera whose node has the name `asked`; else the file's active camera, else its first one, else a
/// view of everything.
pub(crate) fn aim(scene: &Scene, baked: &Baked, asked: Option<&str>, size: Size) -> Result<Aim> {
    let name_of = |node: NodeId| scene.node(node).map(|node| node.name.clone()).unwrap_or_default();
    let Some(asked) = asked else {
        let (view, node) = baked.view(size.width, size.height);
        return Ok(Aim { view, camera: node.map(name_of) });
    };
    let names: Vec<String> = baked.cameras.iter().map(|camera| name_of(camera.node)).collect();
    match names.iter().zip(&baked.cameras).find(|(name, _)| *name == asked) {
        Some((name, camera)) => Ok(Aim { view: camera.view(size.width, size.height), camera: Some(name.clone()) }),
        None if names.is_empty() => bail!("no camera named {asked:?}: the file has no camera"),
        None => bail!("no camera named {asked:?}; the nearest names are {}", nearest(asked, names).join(", ")),
    }
}

/// Best first; ties keep their order.
fn nearest(asked: &str, mut names: Vec<String>) -> Vec<String> {
    let likeness = |name: &str| strsim::jaro_winkler(&asked.to_lowercase(), &name.to_lowercase());
    names.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)));
    names.truncate(OFFERED);
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_cameras_are_answered_with_the_likeliest_names() {
        let names = ["side", "Front", "top", "frontal"].map(str::to_owned).to_vec();
        assert_eq!(nearest("fornt", names), ["Front", "frontal", "top"]);
    }

    #[test]
    fn a_file_without_a_camera_is_seen_as_a_whole_and_says_so() {
        let (scene, baked) = (Scene::default(), Baked::default());
        let size = Size { width: 8, height: 6 };
        let seen = aim(&scene, &baked, None, size).unwrap();
        assert_eq!((seen.view.width, seen.view.height, seen.camera), (8, 6, None));
        let error = aim(&scene, &baked, Some("main"), size).err().unwrap();
        assert!(error.to_string().contains("has no camera"), "{error}");
    }
}
