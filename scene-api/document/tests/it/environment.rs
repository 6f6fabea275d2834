//! Light from all around: edits, and EXT_lights_image_based there and back.

use crate::glb::{chunks, glb_of};
use crate::scenes::{cuboid, edited, named, table, with_mesh};
use scene_document::gltf::{Limits, Severity, check, read, write_glb, write_gltf};
use scene_document::{Changed, Edit, EditError, Environment, Image, Pattern, Recipe, Sampler, Scene, StateHash, apply};
use serde_json::{Value, json};
use std::f64::consts::PI;
use std::sync::Arc;

const NAME: &str = "EXT_lights_image_based";
const LIGHT: &str = "/extensions/EXT_lights_image_based/lights/0";

const DUSK: Environment = Environment { color: [1.0, 0.5, 0.2], luminance_cd_m2: 15.0 };

fn set(scene: &Scene, environment: Option<Environment>) -> Scene {
    edited(scene, Edit::SetEnvironment { environment }).scene
}

/// A box under an environment.
fn lit(environment: Environment) -> Scene {
    set(&with_mesh(&Scene::default(), named("box"), cuboid([1.0; 3])).0, Some(environment))
}

fn read_back(scene: &Scene) -> Scene {
    let glb = write_glb(scene).unwrap();
    let errors: Vec<_> = check(&glb, &|_| None).into_iter().filter(|issue| issue.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let import = read(&glb, &|_| None, &Limits::default()).unwrap();
    assert!(import.not_evaluated.is_empty(), "{:?}", import.not_evaluated);
    import.scene
}

fn images(scene: &Scene) -> usize {
    write_gltf(scene).unwrap().0["images"].as_array().map_or(0, Vec::len)
}

/// The file of `lit(DUSK)` with something changed.
fn changed(change: impl Fn(&mut Value)) -> Vec<u8> {
    let (mut json, blob) = write_gltf(&lit(DUSK)).unwrap();
    change(&mut json);
    glb_of(&json, &blob)
}

#[test]
fn an_environment_is_set_and_taken_away() {
    let dark = table();
    let done = edited(&dark, Edit::SetEnvironment { environment: Some(DUSK) });
    let dusk = done.scene;
    assert_eq!(done.changed, Changed { environment: true, ..Changed::default() });
    assert_eq!((dark.environment(), dusk.environment()), (None, Some(DUSK)));
    assert_eq!((dark.bake().environment, dusk.bake().environment), (None, Some(DUSK)));
    assert_eq!(DUSK.radiance_cd_m2(), [15.0, 7.5, 3.0]);

    let brighter = set(&dusk, Some(Environment { luminance_cd_m2: 16.0, ..DUSK }));
    let hashes: Vec<StateHash> = [&dark, &dusk, &brighter].map(Scene::state_hash).into();
    assert!(hashes[0] != hashes[1] && hashes[1] != hashes[2] && hashes[0] != hashes[2]);
    assert_eq!(set(&brighter, None), dark);
    assert_eq!(set(&brighter, None).state_hash(), hashes[0], "what is not there leaves no trace");

    let restored = edited(&brighter, Edit::Restore(dusk.clone()));
    assert_eq!((restored.scene.environment(), restored.changed.environment), (Some(DUSK), true));
    assert!(!Changed::between(&dusk, &restored.scene).environment);
    let cleared = edited(&dusk, Edit::Clear);
    assert_eq!((cleared.scene.environment(), cleared.changed.environment), (None, true));
}

#[test]
fn an_environment_has_a_colour_and_a_luminance_in_range() {
    let refused = |environment| apply(&Scene::default(), Edit::SetEnvironment { environment: Some(environment) });
    for (environment, error) in [
        (
            Environment { color: [0.0, 1.5, 0.0], ..DUSK },
            EditError::OutOfRange { what: "color", given: 1.5, allowed: "0 to 1" },
        ),
        (
            Environment { luminance_cd_m2: -1.0, ..DUSK },
            EditError::OutOfRange { what: "luminance_cd_m2", given: -1.0, allowed: "0 to 1e9" },
        ),
        (
            Environment { luminance_cd_m2: 2e9, ..DUSK },
            EditError::OutOfRange { what: "luminance_cd_m2", given: 2e9, allowed: "0 to 1e9" },
        ),
        (Environment { luminance_cd_m2: f64::NAN, ..DUSK }, EditError::NotFinite { what: "luminance_cd_m2" }),
        (Environment { color: [f64::INFINITY; 3], ..DUSK }, EditError::NotFinite { what: "color" }),
    ] {
        assert_eq!(refused(environment).unwrap_err(), error);
    }
}

#[test]
fn it_is_written_as_a_light_with_one_coefficient_and_one_pixel() {
    let (json, blob) = chunks(&write_glb(&lit(DUSK)).unwrap());
    assert_eq!(json["extensionsUsed"], json!([NAME]));
    assert_eq!(json["scenes"][0]["extensions"], json!({NAME: {"light": 0}}));
    let light = json.pointer(LIGHT).unwrap();
    assert_eq!(light["intensity"], 15.0);
    assert_eq!((&light["specularImageSize"], &light["specularImages"]), (&json!(1), &json!([[0, 0, 0, 0, 0, 0]])));
    let coefficients: Vec<[f64; 3]> = serde_json::from_value(light["irradianceCoefficients"].clone()).unwrap();
    assert_eq!(coefficients.len(), 9);
    assert!(coefficients[1..].iter().flatten().all(|part| *part == 0.0));
    // Irradiance is the coefficient times Y₀₀ = 1 / (2√π) and the intensity; that of a uniform radiance L is π L.
    for (coefficient, radiance) in coefficients[0].iter().zip(DUSK.radiance_cd_m2()) {
        let irradiance = coefficient / (2.0 * PI.sqrt()) * 15.0;
        assert!((irradiance / (PI * radiance) - 1.0).abs() < 1e-14, "{irradiance}");
    }
    let view = &json["bufferViews"][json["images"][0]["bufferView"].as_u64().unwrap() as usize];
    let at = |member: &str| view[member].as_u64().unwrap() as usize;
    let file = &blob[at("byteOffset")..at("byteOffset") + at("byteLength")];
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    // sRGB of 1, 0.5 and 0.2.
    assert_eq!(pixels, [255, 188, 124]);
}

#[test]
fn colours_that_people_write_are_read_back_to_the_bit() {
    let mut parts: Vec<f64> = (0..=10).map(|tenths| f64::from(tenths) / 10.0).collect();
    parts.extend((0..=100).map(|hundredths| f64::from(hundredths) / 100.0));
    parts.extend([0.123456, 0.654321, 0.001, 0.999, 1e-9, 0.333, 0.0625]);
    for part in parts {
        let environment = Environment { color: [part, 1.0 - part / 2.0, 0.5], luminance_cd_m2: 10.0 + part };
        let again = read_back(&set(&Scene::default(), Some(environment))).environment().unwrap();
        assert_eq!((again.color[0], again.luminance_cd_m2), (part, 10.0 + part));
        assert!((again.color[1] - environment.color[1]).abs() < 1e-15 && again.color[2] == 0.5);
    }
}

#[test]
fn what_was_read_is_written_byte_for_byte() {
    let mut state = 7_u64;
    let mut part = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    for _ in 0..500 {
        let environment = Environment { color: [part(), part(), part()], luminance_cd_m2: 1000.0 * part() };
        let scene = lit(environment);
        let again = read_back(&scene);
        let light = |scene: &Scene| write_gltf(scene).unwrap().0.pointer(LIGHT).unwrap().to_string();
        assert_eq!(light(&again), light(&scene), "{environment:?}");
        assert_eq!(write_glb(&read_back(&again)).unwrap(), write_glb(&again).unwrap(), "{environment:?}");
        assert_eq!(again.environment().unwrap().luminance_cd_m2, environment.luminance_cd_m2);
    }
}

#[test]
fn its_picture_is_written_once() {
    let again = read_back(&read_back(&lit(DUSK)));
    assert_eq!(images(&again), 1);
    let other = Environment { color: [0.2, 0.2, 1.0], ..DUSK };
    assert_eq!(images(&read_back(&read_back(&set(&again, Some(other))))), 2, "the file keeps its own");
    let dark = set(&again, None);
    let (json, _) = write_gltf(&dark).unwrap();
    assert!(json.get("extensions").is_none() && json["scenes"][0].get("extensions").is_none(), "{json}");
    assert_eq!(read_back(&dark).environment(), None);

    let white: Image =
        Recipe { pattern: Pattern::Checker { squares: 1 }, size_px: 1, colors: [[1.0; 3]; 2] }.image().unwrap();
    let texture = Edit::CreateTexture { name: "white".into(), image: Arc::new(white), sampler: Sampler::default() };
    let shared = edited(&lit(Environment { color: [1.0; 3], ..DUSK }), texture).scene;
    assert_eq!(images(&shared), 1);
}

#[test]
fn a_light_that_differs_from_side_to_side_is_kept_and_named() {
    let changes: [fn(&mut Value); 6] = [
        |json| json.pointer_mut(LIGHT).unwrap()["irradianceCoefficients"][3][1] = json!(0.5),
        |json| json.pointer_mut(LIGHT).unwrap()["irradianceCoefficients"][0][2] = json!(-0.5),
        |json| json.pointer_mut(LIGHT).unwrap()["specularImageSize"] = json!(16),
        |json| json.pointer_mut(LIGHT).unwrap()["intensity"] = json!(1e30),
        |json| {
            let sides = [0; 6];
            json.pointer_mut(LIGHT).unwrap()["specularImages"] = json!([sides, sides]);
        },
        |json| {
            let image = json["images"][0].clone();
            json["images"].as_array_mut().unwrap().push(image);
            json.pointer_mut(LIGHT).unwrap()["specularImages"] = json!([[0, 0, 0, 1, 0, 0]]);
        },
    ];
    for change in changes {
        let file = changed(change);
        let import = read(&file, &|_| None, &Limits::default()).unwrap();
        assert!(import.issues.iter().all(|issue| issue.severity != Severity::Error), "{:?}", import.issues);
        let named: Vec<(&str, &str)> =
            import.not_evaluated.iter().map(|feature| (feature.what, feature.pointer.as_str())).collect();
        assert_eq!(named, [(NAME, "/scenes/0/extensions/EXT_lights_image_based")]);
        let kept = import.scene;
        assert_eq!((kept.environment(), kept.bake().environment), (None, None));
        let (given, _) = chunks(&file);
        let (written, _) = write_gltf(&kept).unwrap();
        for member in ["/extensions", "/extensionsUsed", "/scenes/0/extensions", "/images"] {
            assert_eq!(written.pointer(member), given.pointer(member), "{member}");
        }

        let replaced = set(&kept, Some(Environment { color: [1.0; 3], luminance_cd_m2: 2.0 }));
        let again = read_back(&replaced);
        assert_eq!(again.environment(), replaced.environment());
        let dark = set(&replaced, None);
        assert_eq!(read_back(&dark).environment(), None, "it does not come back");
        assert_ne!(dark.state_hash(), kept.state_hash());
        assert_eq!(edited(&dark, Edit::Restore(kept.clone())).scene.state_hash(), kept.state_hash());
    }
}

#[test]
fn a_light_that_mirrors_more_than_one_pixel_is_kept_and_named() {
    let (mut json, blob) = write_gltf(&lit(DUSK)).unwrap();
    json["images"][0] = json!({"uri": "sides.png"});
    let file = glb_of(&json, &blob);
    for (size_px, environment, named) in [(1, Some(DUSK), vec![]), (2, None, vec![NAME])] {
        let recipe = Recipe { pattern: Pattern::Checker { squares: 1 }, size_px, colors: [[1.0; 3]; 2] };
        let image = recipe.image().unwrap();
        let import = read(&file, &|_| Some(image.bytes().to_vec()), &Limits::default()).unwrap();
        assert_eq!(import.scene.environment(), environment, "{size_px} pixels a side");
        assert_eq!(import.not_evaluated.iter().map(|feature| feature.what).collect::<Vec<_>>(), named);
    }
}

#[test]
fn a_colour_past_one_is_luminance() {
    let file = changed(|json| {
        let light = json.pointer_mut(LIGHT).unwrap();
        light.as_object_mut().unwrap().remove("intensity");
        let unit = 2.0 * PI * PI.sqrt();
        light["irradianceCoefficients"][0] = json!([40.0 * unit, 20.0 * unit, 0.0]);
    });
    let environment = read(&file, &|_| None, &Limits::default()).unwrap().scene.environment().unwrap();
    assert!((environment.luminance_cd_m2 - 40.0).abs() < 1e-12, "{environment:?}");
    assert!((environment.color[1] - 0.5).abs() < 1e-15 && environment.color[0] == 1.0, "{environment:?}");
}

/// A change of the file, and the code and place of the fault that it makes.
type Case<'a> = (&'a dyn Fn(&mut Value), &'a str, String);

#[test]
fn faults_of_image_based_lights_are_named() {
    let light = |json: &mut Value, member: &str, value: Value| json.pointer_mut(LIGHT).unwrap()[member] = value;
    let cases: [Case; 9] = [
        (
            &|json| light(json, "irradianceCoefficients", json!([[0.0, 0.0, 0.0]])),
            "ARRAY_LENGTH_NOT_IN_LIST",
            format!("{LIGHT}/irradianceCoefficients"),
        ),
        (
            &|json| json.pointer_mut(LIGHT).unwrap()["irradianceCoefficients"][2] = json!([0.0, 0.0]),
            "ARRAY_LENGTH_NOT_IN_LIST",
            format!("{LIGHT}/irradianceCoefficients/2"),
        ),
        (
            &|json| json.pointer_mut(LIGHT).unwrap()["irradianceCoefficients"][2][1] = json!("0"),
            "ARRAY_TYPE_MISMATCH",
            format!("{LIGHT}/irradianceCoefficients/2"),
        ),
        (
            &|json| light(json, "specularImages", json!([[0, 0, 0, 0, 0]])),
            "ARRAY_LENGTH_NOT_IN_LIST",
            format!("{LIGHT}/specularImages/0"),
        ),
        (
            &|json| light(json, "specularImages", json!([[0, 0, 0, 0, 0, 7]])),
            "UNRESOLVED_REFERENCE",
            format!("{LIGHT}/specularImages/0/5"),
        ),
        (
            &|json| light(json, "specularImageSize", json!(0)),
            "VALUE_NOT_IN_RANGE",
            format!("{LIGHT}/specularImageSize"),
        ),
        (
            &|json| {
                json.pointer_mut(LIGHT).unwrap().as_object_mut().unwrap().remove("specularImages");
            },
            "UNDEFINED_PROPERTY",
            LIGHT.into(),
        ),
        (
            &|json| json["scenes"][0]["extensions"][NAME]["light"] = json!(1),
            "UNRESOLVED_REFERENCE",
            format!("/scenes/0/extensions/{NAME}/light"),
        ),
        (
            &|json| json["nodes"][0]["extensions"] = json!({NAME: {"light": 0}}),
            "UNEXPECTED_EXTENSION_OBJECT",
            format!("/nodes/0/extensions/{NAME}"),
        ),
    ];
    for (change, code, pointer) in cases {
        let issues = check(&changed(change), &|_| None);
        let errors: Vec<(&str, &str)> = issues
            .iter()
            .filter(|issue| issue.severity == Severity::Error)
            .map(|issue| (issue.code, issue.pointer.as_str()))
            .collect();
        assert_eq!(errors, [(code, pointer.as_str())]);
    }
}
