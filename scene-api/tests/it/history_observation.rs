//! The observation `history`: names what is new, in the room that there is.

use crate::studio::{FakeStudio, calls};
use rl_protocol::{Body, Code, Domain, Episode, ObserveOptions, OpenSpec};
use scene_api::Group;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const EVERYTHING: u32 = 1_000_000;

async fn opened() -> Box<dyn Episode> {
    let tool_groups = Group::names().map(str::to_owned).collect();
    let spec = OpenSpec { task_id: "scene/crate".into(), count: 1, seed: 7, profile: None, tool_groups };
    Arc::new(FakeStudio::default()).domain().open(spec).await.unwrap().pop().unwrap()
}

async fn stepped(episode: &mut dyn Episode, name: &str, arguments: Value) -> Value {
    episode.step(calls(&[(name, arguments)])).await.unwrap().results.remove(0).json
}

async fn told(episode: &mut dyn Episode, since_revision: Option<u64>, max_tokens: u32) -> (Value, usize) {
    let options = ObserveOptions { since_revision, max_tokens };
    let content = episode.observe(&["history".to_owned()], options).await.unwrap().remove(0);
    let Body::Text(text) = content.body else { panic!("history is no text") };
    (serde_json::from_str(&text).unwrap(), text.len())
}

/// What `scene.describe` says of each object itself, by id; asked of a fork, so that it costs the episode nothing.
async fn described(episode: &mut dyn Episode) -> BTreeMap<String, Value> {
    let mut fork = episode.fork().await.unwrap();
    let fields =
        json!(["name", "parent", "visible", "transform", "mesh", "light", "camera", "materials", "animations"]);
    let mut found = BTreeMap::new();
    let mut page_token = Value::Null;
    loop {
        let asked = json!({"fields": fields, "page_size": 100, "page_token": page_token});
        let page = stepped(fork.as_mut(), "scene.describe", asked).await["result"].take();
        for list in ["nodes", "materials", "animations"] {
            for object in page[list].as_array().into_iter().flatten() {
                found.insert(object["id"].as_str().unwrap().to_owned(), object.clone());
            }
        }
        page_token = page["next_page_token"].clone();
        if page_token.is_null() {
            return found;
        }
    }
}

/// The same numbers for the same seed (Knuth's MMIX generator).
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    /// Of one of the first nodes, which need not be there.
    fn node(&mut self) -> String {
        format!("n_{}", 1 + self.below(12))
    }

    fn call(&mut self, number: usize) -> (&'static str, Value) {
        let (node, other) = (self.node(), self.node());
        let shape = json!({"kind": "box", "size_m": [0.1 + 0.01 * self.below(9) as f64, 0.2, 0.3]});
        match self.below(20) {
            0..=3 => ("node.create", json!({"name": format!("thing {number}")})),
            4 => ("node.create", json!({"name": format!("part {number}"), "parent": node})),
            5 | 6 => ("mesh.add_primitive", json!({"node": node, "shape": shape})),
            7 | 8 => ("node.set_transform", json!({"node": node, "move_by_m": [0.1 * self.below(5) as f64, 0, 0]})),
            9 => ("node.rename", json!({"node": node, "name": format!("renamed {number}")})),
            10 => ("node.delete", json!({"node": node})),
            11 => ("node.set_parent", json!({"node": node, "parent": other})),
            12 => ("node.set_visibility", json!({"node": node, "visible": self.below(2) == 0})),
            13 => ("material.create", json!({"name": format!("paint {number}")})),
            14 => ("material.assign", json!({"node": node, "material": format!("mat_{}", 1 + self.below(3))})),
            15 => ("material.update", json!({"material": "mat_1", "roughness": 0.1 * self.below(9) as f64})),
            16 => ("camera.add", json!({"name": format!("eye {number}"), "translation": [0, 1, 5]})),
            17 => ("history.undo", json!({"count": 1 + self.below(3)})),
            18 => ("checkpoint.save", json!({"name": format!("state {}", self.below(2))})),
            _ => ("checkpoint.restore", json!({"name": format!("state {}", self.below(2))})),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_object_that_differs_is_named() {
    for seed in 0..6 {
        let mut dice = Dice(seed);
        let mut episode = opened().await;
        let mut known = vec![(0, described(episode.as_mut()).await)];
        for number in 0..120 {
            let (name, arguments) = dice.call(number);
            let reply = stepped(episode.as_mut(), name, arguments).await;
            if number % 8 == 7 {
                known.push((reply["revision"].as_u64().unwrap(), described(episode.as_mut()).await));
            }
        }
        let now = described(episode.as_mut()).await;
        for (revision, then) in known {
            let (history, _) = told(episode.as_mut(), Some(revision), EVERYTHING).await;
            let changes = history["changes"].as_array().unwrap();
            let ids = |kind: &str| -> BTreeSet<&str> {
                let named = changes.iter().filter(|change| kind.is_empty() || change["change"] == kind);
                named.map(|change| change["id"].as_str().unwrap()).collect()
            };
            let only = |of: &BTreeMap<String, Value>, not: &BTreeMap<String, Value>| -> BTreeSet<String> {
                of.keys().filter(|id| !not.contains_key(*id)).cloned().collect()
            };
            let owned = |ids: BTreeSet<&str>| -> BTreeSet<String> { ids.into_iter().map(str::to_owned).collect() };
            assert_eq!(owned(ids("created")), only(&now, &then), "seed {seed}, since {revision}");
            assert_eq!(owned(ids("deleted")), only(&then, &now), "seed {seed}, since {revision}");
            for (id, object) in then.iter().filter(|(id, object)| now.get(*id).is_some_and(|new| new != *object)) {
                assert!(ids("").contains(id.as_str()), "seed {seed}, since {revision}: {id} was {object}: {history}");
            }
            let is_new = |change: &Value| change["revision"].as_u64().unwrap() > revision;
            assert!(changes.iter().all(is_new), "seed {seed}, since {revision}: {history}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_told_fits_and_what_is_left_out_is_older() {
    for seed in 10..13 {
        let mut dice = Dice(seed);
        let mut episode = opened().await;
        for number in 0..90 {
            let (name, arguments) = dice.call(number);
            stepped(episode.as_mut(), name, arguments).await;
            let (whole, _) = told(episode.as_mut(), None, EVERYTHING).await;
            assert_eq!(whole["left_out"], json!({"changes": 0, "artifacts": 0, "errors": false}), "{whole}");
            for max_tokens in [128, 200, 300, 700] {
                let (part, bytes) = told(episode.as_mut(), None, max_tokens).await;
                assert!(bytes <= 4 * max_tokens as usize, "{bytes} bytes for {max_tokens} tokens: {part}");
                for list in ["changes", "artifacts"] {
                    let (all, kept) = (whole[list].as_array().unwrap(), part[list].as_array().unwrap());
                    assert_eq!(all[..kept.len()], kept[..], "the latest come first");
                    assert_eq!(part["left_out"][list], all.len() - kept.len(), "{part}");
                    assert!(all.is_sorted_by_key(|told| std::cmp::Reverse(told["revision"].as_u64())), "{whole}");
                }
            }
            let revision = whole["revision"].as_u64();
            let (nothing, _) = told(episode.as_mut(), revision, 0).await;
            assert_eq!(nothing["changes"], json!([]), "nothing is newer than now");
        }
    }
}

#[tokio::test]
async fn many_calls_are_merged_by_object() {
    let mut episode = opened().await;
    let episode = episode.as_mut();
    stepped(episode, "node.create", json!({"name": "crate"})).await;
    stepped(episode, "node.create", json!({"name": "lid"})).await;
    for _ in 0..5 {
        stepped(episode, "node.set_transform", json!({"node": "n_1", "move_by_m": [0, 0.1, 0]})).await;
    }
    stepped(episode, "node.rename", json!({"node": "n_1", "name": "chest"})).await;
    stepped(episode, "node.delete", json!({"node": "n_2"})).await;
    stepped(episode, "node.create", json!({"name": "short-lived"})).await;
    stepped(episode, "node.delete", json!({"node": "n_3"})).await;
    stepped(episode, "node.delete", json!({"node": "n_3"})).await;
    stepped(episode, "checkpoint.save", json!({"name": "half"})).await;
    stepped(episode, "camera.add", json!({"name": "eye", "translation": [0, 1, 5]})).await;
    stepped(episode, "render.still", json!({"width": 32, "height": 24})).await;

    let (history, _) = told(episode, Some(2), 0).await;
    let expected = json!([
        {"id": "n_4", "change": "created", "revision": 13, "name": "eye", "world_translation_m": [0.0, 1.0, 5.0]},
        {"id": "n_2", "change": "deleted", "revision": 9},
        {
            "id": "n_1", "change": "changed", "revision": 8, "name": "chest", "fields": ["name", "transform"],
            "world_translation_m": [0.0, 0.5, 0.0],
        },
    ]);
    assert_eq!(history["changes"], expected);
    assert_eq!(history["focus"], json!({"revision": 13, "tool": "camera.add", "ids": ["n_4"], "more": 0}));
    assert_eq!(history["artifacts"][0]["tool"], "render.still");
    assert_eq!(history["artifacts"][1], json!({"tool": "checkpoint.save", "revision": 12, "name": "half"}));
    assert_eq!(history["errors"]["by_code"], json!({"NOT_FOUND": 1}));
    assert_eq!(history["errors"]["last"]["pointer"], "/node");
    assert_eq!(history["budget"]["calls_left"], 185);
}

#[tokio::test]
async fn a_revision_to_come_and_too_little_room_are_refused() {
    let mut episode = opened().await;
    for (options, field) in [
        (ObserveOptions { since_revision: Some(1), max_tokens: 0 }, "since_revision"),
        (ObserveOptions { since_revision: None, max_tokens: 5 }, "max_tokens"),
    ] {
        let error = episode.observe(&["history".to_owned()], options).await.unwrap_err();
        assert_eq!((error.code, error.field.as_str()), (Code::InvalidArgument, field), "{error}");
    }
}

#[tokio::test]
async fn a_fork_has_a_history_of_its_own() {
    let mut episode = opened().await;
    stepped(episode.as_mut(), "node.create", json!({"name": "crate"})).await;
    let mut fork = episode.fork().await.unwrap();
    let before = told(episode.as_mut(), None, 0).await;
    assert_eq!(told(fork.as_mut(), None, 0).await, before);
    stepped(fork.as_mut(), "node.delete", json!({"node": "n_1"})).await;
    assert_eq!(told(episode.as_mut(), None, 0).await, before);
    assert_eq!(told(fork.as_mut(), Some(1), 0).await.0["changes"][0]["change"], "deleted");
}
