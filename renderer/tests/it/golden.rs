//! The goldens of assets/goldens hold, and a golden that is not whole fails with an error of its own.

use crate::golden_scenes;
use renderer::golden::{GoldenError, Piece, Tolerance, Versions, bless, bless_command, check, names};
use renderer::{AdapterChoice, BEVY_VERSION, Renderer};
use scene_document::gltf;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use tempfile::TempDir;

static RENDERER: LazyLock<Renderer> = LazyLock::new(|| Renderer::new(AdapterChoice::Auto));

/// One for all tests: starting it is the dearest part.
pub(crate) fn renderer() -> &'static Renderer {
    &RENDERER
}

pub(crate) fn goldens() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/goldens")
}

const PICTURES: [(Piece, &str); 3] = [(Piece::Beauty, "png"), (Piece::Ids, "ids.png"), (Piece::Depth, "depth.png")];

/// A folder with a copy of one golden, to be spoilt.
pub(crate) fn copy_of(name: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    for ending in ["glb", "json"].into_iter().chain(PICTURES.map(|(_, ending)| ending)) {
        let file = format!("{name}.{ending}");
        std::fs::copy(goldens().join(&file), folder.path().join(&file))
            .unwrap_or_else(|error| panic!("{file}: {error}"));
    }
    folder
}

/// Puts another value into a sidecar.
pub(crate) fn set(folder: &Path, name: &str, member: &str, value: impl Into<serde_json::Value>) {
    let path = folder.join(format!("{name}.json"));
    let mut sidecar: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    sidecar[member] = value.into();
    std::fs::write(&path, serde_json::to_vec(&sidecar).unwrap()).unwrap();
}

/// Without a picture drawn.
fn refused(folder: &Path, name: &str) -> GoldenError {
    match check(renderer(), folder, name) {
        Err(error) => error,
        Ok(_) => panic!("golden {name} was compared"),
    }
}

#[test]
fn goldens_are_what_the_generator_makes() {
    let made = golden_scenes::all();
    let expected: Vec<&str> = made.iter().map(|golden| golden.name).collect();
    assert!(expected.len() >= 12);
    assert_eq!(names(&goldens()).unwrap(), expected);
    for golden in &made {
        let bytes = std::fs::read(goldens().join(format!("{}.glb", golden.name))).unwrap();
        let same = bytes == gltf::write_glb(&golden.scene).unwrap();
        assert!(same, "{} differs: run the example golden_scenes, then bless it", golden.name);
    }
}

#[test]
fn a_golden_without_one_of_its_files_is_missing_that_file() {
    let others = PICTURES.into_iter().chain([(Piece::Scene, "glb"), (Piece::Sidecar, "json")]);
    for (expected, ending) in others {
        let folder = copy_of("studio");
        let gone = folder.path().join(format!("studio.{ending}"));
        std::fs::remove_file(&gone).unwrap();
        assert_eq!(names(folder.path()).unwrap(), ["studio"]);
        assert_eq!(refused(folder.path(), "studio"), GoldenError::Missing { piece: expected, path: gone });
    }
}

#[test]
fn a_scene_alone_was_never_blessed() {
    let folder = TempDir::new().unwrap();
    for file in ["studio.glb", "studio.png"] {
        std::fs::copy(goldens().join(file), folder.path().join(file)).unwrap();
        let error = refused(folder.path(), "studio");
        assert_eq!(error, GoldenError::NeverBlessed { folder: folder.path().into(), name: "studio".into() });
        let command = format!("never blessed: {}", bless_command(folder.path(), "studio"));
        assert_eq!(error.to_string(), command);
    }
}

#[test]
fn a_single_file_without_a_scene_is_still_a_golden_that_fails() {
    for ending in ["json", "ids.png", "depth.png"] {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join(format!("left-over.{ending}")), "").unwrap();
        assert_eq!(names(folder.path()).unwrap(), ["left-over"], "{ending}");
        let error = refused(folder.path(), "left-over");
        assert!(matches!(error, GoldenError::Missing { piece: Piece::Scene, .. }), "{error}");
    }
}

#[test]
fn a_texture_beside_a_scene_is_no_golden() {
    let folder = copy_of("studio");
    for texture in ["wood.png", "wood.normal.png", "wood.jpg", "studio.bin"] {
        std::fs::write(folder.path().join(texture), "").unwrap();
    }
    assert_eq!(names(folder.path()).unwrap(), ["studio"]);
}

/// A pipe would be waited for, and this device has no end.
#[cfg(unix)]
#[test]
fn what_is_not_a_file_is_not_opened() {
    for ending in ["glb", "json", "png", "ids.png", "depth.png"] {
        let folder = copy_of("studio");
        let path = folder.path().join(format!("studio.{ending}"));
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        let error = refused(folder.path(), "studio");
        assert!(matches!(&error, GoldenError::Io { path: at, .. } if *at == path), "{error}");
    }
}

#[test]
fn a_folder_without_goldens_is_not_a_check_that_passed() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join(".studio.png.7"), "hidden").unwrap();
    std::fs::write(folder.path().join("notes.txt"), "no golden").unwrap();
    assert_eq!(names(folder.path()), Err(GoldenError::NoGoldens { folder: folder.path().into() }));
    assert!(matches!(names(&folder.path().join("nowhere")), Err(GoldenError::Io { .. })));
}

#[test]
fn a_picture_that_cannot_be_decoded_is_undecodable() {
    for (_, ending) in PICTURES {
        let folder = copy_of("studio");
        let path = folder.path().join(format!("studio.{ending}"));
        let whole = std::fs::read(&path).unwrap();
        for broken in [b"not a picture".as_slice(), &whole[..whole.len() / 2], &[]] {
            std::fs::write(&path, broken).unwrap();
            let error = refused(folder.path(), "studio");
            assert!(matches!(&error, GoldenError::Undecodable { path: at, .. } if *at == path), "{error}");
        }
    }
}

#[test]
fn a_picture_of_another_size_is_of_the_wrong_size() {
    for (_, ending) in PICTURES {
        let folder = copy_of("studio");
        let path = folder.path().join(format!("studio.{ending}"));
        std::fs::copy(goldens().join(format!("tower.{ending}")), &path).unwrap();
        let (given, wanted) = ((128, 192), (256, 192));
        assert_eq!(refused(folder.path(), "studio"), GoldenError::WrongSize { path, given, wanted });
    }
}

#[test]
fn a_picture_of_more_than_64_kib_is_too_large() {
    for (_, ending) in PICTURES {
        let folder = copy_of("studio");
        let path = folder.path().join(format!("studio.{ending}"));
        std::fs::write(&path, vec![0; 65_537]).unwrap();
        let error = GoldenError::TooLarge { path, bytes: 65_537, allowed: 65_536 };
        assert_eq!(refused(folder.path(), "studio"), error);
    }
}

#[test]
fn another_picture_of_the_same_size_is_not_the_blessed_one() {
    for (_, ending) in PICTURES {
        let folder = copy_of("studio");
        let path = folder.path().join(format!("studio.{ending}"));
        std::fs::copy(goldens().join(format!("shapes.{ending}")), &path).unwrap();
        let error = refused(folder.path(), "studio");
        assert!(matches!(&error, GoldenError::PictureChanged { path: at, .. } if *at == path), "{error}");
    }
}

#[test]
fn another_scene_file_is_not_the_blessed_one() {
    let folder = copy_of("studio");
    let path = folder.path().join("studio.glb");
    std::fs::copy(goldens().join("shapes.glb"), &path).unwrap();
    let compared = check(renderer(), folder.path(), "studio").unwrap();
    assert!(!compared.passed && compared.scene_changed && compared.colours_differing > 0);

    // Also where the picture did not change.
    std::fs::copy(goldens().join("studio.glb"), &path).unwrap();
    assert!(check(renderer(), folder.path(), "studio").unwrap().passed);
    set(folder.path(), "studio", "scene_blake3", blake3::hash(b"another").to_hex().as_str());
    let compared = check(renderer(), folder.path(), "studio").unwrap();
    assert!(!compared.passed && compared.scene_changed && compared.flip_mean < 0.01);

    let broken = b"glTF and no more";
    std::fs::write(&path, broken).unwrap();
    set(folder.path(), "studio", "scene_blake3", blake3::hash(broken).to_hex().as_str());
    assert!(matches!(refused(folder.path(), "studio"), GoldenError::BadScene { .. }));

    std::fs::File::create(&path).unwrap().set_len((64 << 20) + 1).unwrap();
    let (bytes, allowed) = ((64 << 20) + 1, 64 << 20);
    assert_eq!(refused(folder.path(), "studio"), GoldenError::TooLarge { path, bytes, allowed });
}

#[test]
fn a_name_with_two_scenes_is_refused() {
    let folder = copy_of("studio");
    std::fs::write(folder.path().join("studio.gltf"), "{}").unwrap();
    let path = folder.path().join("studio.glb");
    assert_eq!(refused(folder.path(), "studio"), GoldenError::TwoScenes { path });
}

#[test]
fn names_stay_in_their_folder() {
    for given in ["", "../studio", "a/b", "a.b", "ä", "/etc/passwd"] {
        assert_eq!(refused(&goldens(), given), GoldenError::BadName { given: given.into() });
    }
}

#[test]
fn a_sidecar_that_says_the_impossible_is_refused() {
    let undecodable = |member: &str, value: serde_json::Value| {
        let folder = copy_of("studio");
        set(folder.path(), "studio", member, value);
        let error = refused(folder.path(), "studio");
        assert!(matches!(error, GoldenError::Undecodable { .. }), "{member}: {error}");
    };
    undecodable("width", 0.into());
    undecodable("height", 5000.into());
    undecodable("tolerance", "large".into());
    undecodable("unknown", 1.into());

    let folder = copy_of("shapes");
    set(folder.path(), "shapes", "camera", "nobody");
    let found = vec![String::from("camera")];
    let error = refused(folder.path(), "shapes");
    assert!(error.to_string().contains("it has camera."), "{error}");
    assert_eq!(error, GoldenError::NoCamera { camera: "nobody".into(), found });
}

#[test]
fn a_tolerance_that_nothing_or_everything_meets_is_refused() {
    for member in ["flip_mean", "flip_p99", "ids_share", "depth_share", "depth_relative"] {
        for given in [-0.001, 1.0, 1e300] {
            let folder = copy_of("studio");
            let mut tolerance = serde_json::to_value(Tolerance::default()).unwrap();
            tolerance[member] = given.into();
            set(folder.path(), "studio", "tolerance", tolerance);
            let path = folder.path().join("studio.json");
            let text = format!("{}: tolerance.{member} is {given:?}; allowed: 0 or more", path.display());
            let error = refused(folder.path(), "studio");
            assert!(error.to_string().starts_with(&text), "{error}");
            assert_eq!(error, GoldenError::BadTolerance { path, member, given });
            // It would be kept.
            assert_eq!(bless(renderer(), folder.path(), "studio", "new", None), Err(error));
        }
    }
}

#[test]
fn versions_are_those_of_the_lock_file() {
    let lock = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock")).unwrap();
    let Versions { maquette, bevy, wgpu } = Versions::current();
    assert_eq!(bevy, BEVY_VERSION);
    for (name, version) in [("bevy", bevy), ("wgpu", wgpu), ("renderer", maquette)] {
        let entry = format!("name = \"{name}\"\nversion = \"{version}\"\n");
        assert!(lock.contains(&entry), "Cargo.lock has another version of {name} than {version}");
    }
}
