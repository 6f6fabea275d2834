//! A golden is made for a reason, holds, remembers what it replaced, and is whole or not there.

use crate::golden::{copy_of, goldens, renderer, set};
use crate::golden_scenes;
use renderer::golden::{Blessed, GoldenError, Piece, Sidecar, Tolerance, bless, check};
use scene_document::gltf;
use std::collections::BTreeMap;
use std::path::Path;
use tempfile::TempDir;

/// A folder with the scene file of a golden and nothing else.
fn scene_alone(name: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let file = format!("{name}.glb");
    std::fs::copy(goldens().join(&file), folder.path().join(&file)).unwrap();
    folder
}

/// Every file, also hidden ones.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    entries.map(|path| (name(&path), std::fs::read(&path).unwrap())).collect()
}

#[test]
fn a_golden_is_not_blessed_without_a_reason() {
    let folder = scene_alone("studio");
    for reason in ["", "  \n"] {
        let refused = bless(renderer(), folder.path(), "studio", reason, None);
        assert_eq!(refused, Err(GoldenError::NoReason));
    }
    assert_eq!(files(folder.path()).len(), 1);
}

#[test]
fn a_golden_without_a_scene_cannot_be_blessed() {
    let folder = TempDir::new().unwrap();
    let refused = bless(renderer(), folder.path(), "studio", "new", None);
    assert!(matches!(refused, Err(GoldenError::Missing { piece: Piece::Scene, .. })));
    assert!(files(folder.path()).is_empty());
}

#[test]
fn what_was_blessed_passes_and_the_next_remembers_it() {
    let folder = scene_alone("studio");
    let first = bless(renderer(), folder.path(), "studio", " a first look ", Some((96, 64))).unwrap();
    assert_eq!((first.files.len(), first.replaced), (5, None));
    assert!(first.files.iter().all(|file| file.is_file()), "{:?}", first.files);
    let first = first.sidecar;
    assert_eq!((first.width, first.height, first.camera.as_deref()), (96, 64, None));
    assert_eq!((first.reason.as_str(), first.previous.as_deref()), ("a first look", None));
    assert_eq!((first.tolerance, first.white_cd_m2), (Tolerance::default(), 100.0));
    assert!((first.ev100 - 6.38).abs() < 0.01);
    let compared = check(renderer(), folder.path(), "studio").unwrap();
    assert!(compared.passed && compared.colours_differing == 0 && compared.moved.is_empty());
    assert_eq!(compared.sidecar, first);

    let tolerance = serde_json::to_value(Tolerance { flip_mean: 0.02, ..Tolerance::default() }).unwrap();
    set(folder.path(), "studio", "tolerance", tolerance);
    std::fs::copy(goldens().join("shapes.glb"), folder.path().join("studio.glb")).unwrap();
    let Blessed { sidecar: second, replaced, .. } =
        bless(renderer(), folder.path(), "studio", "another scene", None).unwrap();
    let replaced = replaced.unwrap();
    assert!(replaced.scene_changed && replaced.colours_differing > 0 && replaced.flip_mean > 0.0);
    assert_eq!(replaced.sidecar.reason, "a first look");
    assert_eq!(second.previous.as_ref(), Some(&first.images.beauty));
    assert_eq!((second.width, second.height, second.camera.as_deref()), (96, 64, Some("camera")));
    assert_eq!(second.tolerance.flip_mean, 0.02);
    assert_ne!(second.images, first.images);
    assert!(check(renderer(), folder.path(), "studio").unwrap().passed);
    assert_eq!(files(folder.path()).len(), 5);
    let written: Sidecar = serde_json::from_slice(&files(folder.path())["studio.json"]).unwrap();
    assert_eq!(written, second);
}

#[test]
fn the_size_is_that_of_the_cameras_aspect_ratio_where_none_is_given() {
    for (name, size) in [("tower", (128, 192)), ("colonnade", (256, 128)), ("isometric", (256, 192))] {
        let folder = scene_alone(name);
        let Blessed { sidecar, .. } = bless(renderer(), folder.path(), name, "new", None).unwrap();
        assert_eq!((sidecar.width, sidecar.height), size);
        assert_eq!(sidecar.camera.as_deref(), Some("camera"));
    }
}

#[test]
fn a_golden_that_did_not_change_keeps_its_reason_and_what_it_replaced() {
    let folder = scene_alone("studio");
    let again = |reason: &str| bless(renderer(), folder.path(), "studio", reason, None);
    bless(renderer(), folder.path(), "studio", "new", Some((64, 48))).unwrap();
    std::fs::copy(goldens().join("shapes.glb"), folder.path().join("studio.glb")).unwrap();
    let second = again("shapes now").unwrap();
    let before = files(folder.path());
    assert_eq!(again("for nothing"), Err(GoldenError::Unchanged));
    assert!(files(folder.path()) == before);

    // A picture that was lost is drawn anew, and the one before it is still known.
    std::fs::remove_file(folder.path().join("studio.png")).unwrap();
    let restored = again("the picture was lost").unwrap();
    assert_eq!((restored.sidecar.previous, restored.replaced), (second.sidecar.previous, None));
    assert!(files(folder.path())["studio.png"] == before["studio.png"]);
}

#[test]
fn a_blessing_that_fails_leaves_the_golden_as_it_was() {
    let folder = copy_of("room");
    let before = files(folder.path());
    let too_large = bless(renderer(), folder.path(), "room", "larger", Some((1024, 768)));
    assert!(matches!(too_large, Err(GoldenError::TooLarge { allowed: 65_536, .. })), "{too_large:?}");
    assert!(bless(renderer(), folder.path(), "room", "nothing", Some((0, 0))).is_err());
    assert!(files(folder.path()) == before);
}

#[test]
fn buffers_are_read_from_beside_a_gltf_and_from_nowhere_else() {
    let parent = TempDir::new().unwrap();
    let folder = parent.path().join("goldens");
    std::fs::create_dir(&folder).unwrap();
    let studio = golden_scenes::all().into_iter().find(|golden| golden.name == "studio").unwrap();
    let (mut json, buffer) = gltf::write_gltf(&studio.scene).unwrap();
    std::fs::write(parent.path().join("studio.bin"), &buffer).unwrap();
    let mut write = |uri: &str| {
        json["buffers"][0]["uri"] = uri.into();
        std::fs::write(folder.join("studio.gltf"), serde_json::to_vec(&json).unwrap()).unwrap();
    };
    write("../studio.bin");
    let outside = bless(renderer(), &folder, "studio", "new", Some((64, 48)));
    assert!(matches!(outside, Err(GoldenError::BadScene { .. })), "{outside:?}");

    write("studio.bin");
    std::fs::write(folder.join("studio.bin"), &buffer).unwrap();
    bless(renderer(), &folder, "studio", "new", Some((64, 48))).unwrap();
    assert!(check(renderer(), &folder, "studio").unwrap().passed);
}
