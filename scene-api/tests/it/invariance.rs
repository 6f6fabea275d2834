//! What must not change a reward, and what must only lower it.

use crate::logs::{Log, call, component, values};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use rl_protocol::Reward;
use scene_api::{Profile, play, score_glb};
use scene_document::gltf::write_glb;
use scene_document::{Edit, Scene, Trs, apply};
use serde_json::json;

fn assert_same(what: &str, expected: &Reward, found: &Reward) {
    assert_eq!(expected.value(), found.value(), "{what}");
    assert_eq!(values(expected), values(found), "{what}");
}

/// A scene with faults, so that equal numbers are not all ones.
fn flawed() -> Log {
    let mut log = Log::reference("table-and-chairs");
    log.making("chair_1")["translation"] = json!([0.05, 0.0, 0.53]);
    log.making("leg_3")["translation"][1] = json!(0.362);
    log.making("fill")["intensity"] = json!(20.0);
    log
}

#[test]
fn the_same_log_gives_the_same_bytes() {
    let bytes = || serde_json::to_vec(&flawed().reward()).unwrap();
    assert_eq!(bytes(), bytes());
}

#[test]
fn names_that_nobody_asked_for_do_not_matter() {
    let expected = flawed().reward();
    assert!(expected.value().unwrap() < 0.9, "the scene has no fault");
    let mut renamed = flawed();
    for (name, other) in [("key", "sun"), ("fill", "Aufhellung"), ("camera", "eye")] {
        renamed.making(name)["name"] = json!(other);
    }
    assert_same("renamed", &expected, &renamed.reward());
}

#[test]
fn the_order_of_making_does_not_matter() {
    let expected = flawed().reward();
    let mut reordered = flawed();
    for (one, other) in [("leg_1", "leg_2"), ("chair_1_leg_1", "chair_1_leg_4"), ("key", "fill")] {
        let first = reordered.making(one).clone();
        let second = std::mem::replace(reordered.making(other), first);
        // Both are called `one` now; the first of them is still to be replaced.
        *reordered.making(one) = second;
    }
    let camera = reordered.calls.iter().position(|call| call["name"] == "camera.add").unwrap();
    let light = reordered.calls.iter().position(|call| call["name"] == "light.add").unwrap();
    let moved = reordered.calls.remove(camera);
    reordered.calls.insert(light, moved);
    assert_same("reordered", &expected, &reordered.reward());
}

#[test]
fn a_clean_distant_object_does_not_matter() {
    let expected = flawed().reward();
    let mut grown = flawed();
    let placed = call("node.create", json!({ "name": "rock", "translation": [9.0, 0.1, 7.0] }));
    grown.insert_at_the_end([placed]);
    let node = grown.node("rock");
    let shape = json!({ "kind": "box", "size_m": [0.2, 0.2, 0.2] });
    grown.insert_at_the_end([call("mesh.add_primitive", json!({ "node": node, "shape": shape }))]);
    assert_same("a rock behind the camera", &expected, &grown.reward());
}

#[test]
fn pushing_solids_together_never_raises_overlap() {
    let mut last = 1.0;
    for step in 0..16 {
        let mut log = Log::reference("tower");
        log.making("cube_3")["translation"][1] = json!(1.05 - 0.001 * f64::from(step));
        let overlap = component(&log.reward(), "overlap").value;
        assert!(overlap <= last, "{step} mm: {overlap} after {last}");
        last = overlap;
    }
    // 15 mm of 300 mm are the whole 5 % that a pair may cost: two of three objects lose everything.
    assert!((last - 1.0 / 3.0).abs() < 1e-5, "{last}");
}

/// All of the scene, cameras and lights too, about +Y and to another place.
fn turned_and_moved(scene: &Scene, yaw_rad: f64, by_m: Vector3<f64>) -> Scene {
    let (sine, cosine) = (libm::sin(yaw_rad / 2.0), libm::cos(yaw_rad / 2.0));
    let turn = UnitQuaternion::new_unchecked(Quaternion::new(cosine, 0.0, sine, 0.0));
    let roots: Vec<_> = scene.children(None).map(|(id, node)| (id, node.transform)).collect();
    roots.into_iter().fold(scene.clone(), |scene, (node, transform)| {
        let [x, y, z, w] = transform.rotation;
        let rotation = turn.into_inner() * Quaternion::new(w, x, y, z);
        let translation = turn * Vector3::from(transform.translation) + by_m;
        let transform = Trs {
            translation: translation.into(),
            rotation: [rotation.i, rotation.j, rotation.k, rotation.w],
            ..transform
        };
        apply(&scene, Edit::SetTransform { node, transform }).unwrap().scene
    })
}

#[test]
fn a_file_scores_the_same_wherever_it_stands() {
    let log = flawed();
    let (workspace, ..) = play(&log.task, &log.tool_calls(), 0);
    let scored = |scene: &Scene| score_glb(&write_glb(scene).unwrap(), &|_| None, None, &Profile::for_task(None), 0);
    let expected = scored(&workspace.scene);
    assert!(component(&expected, "overlap").value < 1.0, "the scene has no fault");
    for (yaw_deg, by_m) in [(0.0, [3.0, 1.0, -2.0]), (30.0, [0.0, 0.0, 0.0]), (90.0, [5.0, 0.0, 0.0])] {
        let moved = turned_and_moved(&workspace.scene, f64::to_radians(yaw_deg), Vector3::from(by_m));
        let found = scored(&moved);
        for (one, other) in expected.components.iter().zip(&found.components) {
            // Pixels on edges may fall to the other side.
            let allowed = one.uncertainty.max(other.uncertainty) + 2e-3;
            let differs = (one.value - other.value).abs();
            assert!(differs <= allowed, "{yaw_deg}° {by_m:?} {}: {} and {}", one.name, one.value, other.value);
        }
    }
}
