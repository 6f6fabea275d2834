use crate::examples::history::{calls, refusals};
use crate::play::{done, empty, refused, then};
use scene_api::{Groups, Limits, Workspace, call};
use serde_json::{Value, json};

/// A root with a box of 1 m whose middle is at this height.
fn cube(name: &str, id: &str, y_m: f64) -> [(&'static str, Value); 2] {
    [
        ("node.create", json!({"name": name, "translation": [0, y_m, 0]})),
        ("mesh.add_primitive", json!({"node": id, "shape": {"kind": "box", "size_m": [1, 1, 1]}})),
    ]
}

fn batch(calls: &[(&str, Value)], atomic: bool) -> Value {
    let calls: Vec<Value> =
        calls.iter().map(|(name, arguments)| json!({"name": name, "arguments": arguments})).collect();
    json!({"calls": calls, "atomic": atomic})
}

#[test]
fn the_examples_are_as_they_say() {
    let workspace = then(&empty(), &calls());
    for (name, arguments, code) in refusals() {
        assert_eq!(refused(&workspace, name, &arguments.to_string())["code"], code, "{name} {arguments}");
    }
    assert_eq!(workspace.scene.nodes().size(), 2);
    assert_eq!((workspace.revision, workspace.calls_used), (9, 11), "the batch is two calls and one revision");
}

#[test]
fn undo_takes_the_scene_back_and_nothing_else() {
    let one = then(&empty(), &cube("low", "n_1", 0.5));
    let two = then(&one, &cube("high", "n_2", 1.5));
    let (back, reply) = done(&two, "history.undo", &json!({"count": 2}));
    assert_eq!(back.scene.state_hash(), one.scene.state_hash());
    assert_eq!(reply["result"], json!({"undone": 2, "undo_left": 2, "redo_left": 2}));
    assert_eq!(reply["changed"], json!(["n_2", "m_2"]));
    assert_eq!((back.revision, back.calls_used), (5, 5));
    let (again, made) = done(&back, "node.create", &json!({"name": "other"}));
    assert_eq!(made["changed"], json!(["n_3"]), "n_2 was given to another node");
    let box_on = json!({"node": "n_3", "shape": {"kind": "box", "size_m": [1, 1, 1]}});
    assert_eq!(done(&again, "mesh.add_primitive", &box_on).1["changed"], json!(["n_3", "m_3"]));

    let floor = json!({"node": "n_1", "translation": [9, 0.5, 0]});
    let (without_floor, _) = done(&two, "node.set_transform", &floor);
    let (_, reply) = done(&without_floor, "history.undo", &json!({}));
    assert_eq!(reply["consequences"]["lost_support"], json!([]));
    let (_, reply) = done(&two, "history.undo", &json!({"count": 4}));
    assert_eq!(reply["result"]["undo_left"], 0);
}

#[test]
fn undoing_has_consequences() {
    let standing = then(&then(&empty(), &cube("high", "n_1", 1.5)), &cube("low", "n_2", 0.5));
    let (_, reply) = done(&standing, "history.undo", &json!({}));
    assert_eq!(reply["consequences"]["lost_support"], json!([{"node": "n_1", "name": "high", "gap_m": 1.0}]));
}

#[test]
fn what_was_undone_can_be_done_again_until_something_else_is_done() {
    let two = then(&then(&empty(), &cube("low", "n_1", 0.5)), &cube("high", "n_2", 1.5));
    let back = done(&two, "history.undo", &json!({"count": 3})).0;
    let (forth, reply) = done(&back, "history.redo", &json!({"count": 2}));
    assert_eq!(reply["result"], json!({"redone": 2, "undo_left": 3, "redo_left": 1}));
    let (whole, _) = done(&forth, "history.redo", &json!({}));
    assert_eq!(whole.scene.state_hash(), two.scene.state_hash());
    let error = refused(&whole, "history.redo", "{}");
    assert_eq!((&error["code"], &error["pointer"]), (&json!("OUT_OF_RANGE"), &json!("/count")));
    let (other, _) = done(&back, "node.create", &json!({"name": "other"}));
    assert_eq!(refused(&other, "history.redo", "{}")["allowed"], "no redo now");
    let error = refused(&other, "history.undo", r#"{"count": 3}"#);
    assert_eq!((&error["given"], &error["allowed"]), (&json!(3), &json!("1 to 2")));
}

#[test]
fn a_checkpoint_is_come_back_to_by_its_name() {
    let saved = then(&then(&empty(), &cube("low", "n_1", 0.5)), &[("checkpoint.save", json!({"name": "low"}))]);
    let grown = then(&saved, &cube("high", "n_2", 1.5));
    let (back, reply) = done(&grown, "checkpoint.restore", &json!({"name": "low"}));
    assert_eq!(back.scene.state_hash(), saved.scene.state_hash());
    assert_eq!((&reply["result"]["nodes"], &reply["changed"]), (&json!(1), &json!(["n_2", "m_2"])));
    assert_eq!(done(&back, "node.create", &json!({"name": "other"})).1["changed"], json!(["n_3"]));
    let (undone, _) = done(&back, "history.undo", &json!({}));
    assert_eq!(undone.scene.state_hash(), grown.scene.state_hash());

    let (again, reply) = done(&undone, "checkpoint.save", &json!({"name": "low"}));
    assert_eq!((&reply["result"]["replaces"], &reply["changed"]), (&json!(true), &json!([])));
    let (same, _) = done(&again, "checkpoint.restore", &json!({"name": "low"}));
    assert_eq!(same.scene.state_hash(), grown.scene.state_hash());
    let error = refused(&again, "checkpoint.restore", r#"{"name": "lwo"}"#);
    assert_eq!((&error["pointer"], &error["nearest"]), (&json!("/name"), &json!(["low"])));
}

#[test]
fn a_batch_is_one_step_with_the_consequences_of_the_whole() {
    // By itself the first call would sink the one cube into the other.
    let two = then(&then(&empty(), &cube("low", "n_1", 0.5)), &cube("high", "n_2", 1.5));
    let raise = |node: &str| ("node.set_transform", json!({"node": node, "move_by_m": [0, 0.5, 0]}));
    let alone = done(&two, raise("n_1").0, &raise("n_1").1).1;
    assert_eq!(alone["consequences"]["new_overlaps"].as_array().unwrap().len(), 1);
    let (raised, reply) = done(&two, "batch.apply", &batch(&[raise("n_1"), raise("n_2")], true));
    assert_eq!(reply["consequences"]["new_overlaps"], json!([]));
    assert_eq!(reply["consequences"]["lost_support"].as_array().unwrap().len(), 2);
    assert_eq!(reply["changed"], json!(["n_1", "n_2"]));
    assert_eq!((raised.revision, raised.calls_used), (two.revision + 1, two.calls_used + 2));
    assert_eq!(reply["budget"]["calls_left"], 200 - 6);
    let results = reply["result"]["results"].as_array().unwrap();
    assert_eq!((results.len(), &results[1]["result"]["node"]), (2, &json!("n_2")));
    let (back, _) = done(&raised, "history.undo", &json!({}));
    assert_eq!(back.scene.state_hash(), two.scene.state_hash());
}

#[test]
fn a_refused_batch_changes_nothing_but_the_calls_used() {
    let one = then(&empty(), &cube("low", "n_1", 0.5));
    let calls = [
        ("node.create", json!({"name": "a"})),
        ("node.create", json!({"name": "b", "translation": [0, 0, 1e9]})),
        ("node.create", json!({"name": "c"})),
    ];
    let (after, result) = call(&one, "batch.apply", &batch(&calls, true).to_string());
    assert!(!result.ok);
    let (error, place) = (&result.json["error"], "/calls/1/arguments/translation/2");
    assert_eq!((&error["code"], &error["pointer"]), (&json!("OUT_OF_RANGE"), &json!(place)));
    assert_eq!(after.scene.state_hash(), one.scene.state_hash());
    assert_eq!((after.revision, after.calls_used), (one.revision, one.calls_used + 2), "the third was not tried");
    assert_eq!(done(&after, "history.undo", &json!({})).1["result"]["undo_left"], 1);
    assert_eq!(done(&after, "node.create", &json!({"name": "a"})).1["changed"], json!(["n_2"]));

    let (rest, reply) = done(&one, "batch.apply", &batch(&calls, false));
    let accepted: Vec<&Value> =
        reply["result"]["results"].as_array().unwrap().iter().map(|result| &result["ok"]).collect();
    assert_eq!(accepted, [&json!(true), &json!(false), &json!(true)]);
    assert_eq!((&reply["result"]["refused"], rest.calls_used), (&json!(1), one.calls_used + 3));
    assert_eq!(reply["result"]["results"][1]["error"]["pointer"], place);
    assert_eq!(rest.scene.nodes().size(), 3);
}

#[test]
fn a_batch_takes_what_a_call_takes_and_no_more() {
    let one = then(&empty(), &cube("low", "n_1", 0.5));
    for (calls, code, pointer) in [
        (json!([]), "TYPE_MISMATCH", "/calls"),
        (json!([{"name": "node.creat", "arguments": {}}]), "NOT_FOUND", "/calls/0/name"),
        (json!([{"name": "node.create", "arguments": {}}]), "INVALID_ARGUMENT", "/calls/0/arguments/name"),
        (json!([{"name": "node.create"}]), "INVALID_ARGUMENT", "/calls/0/arguments"),
        (json!([{"name": "batch.apply", "arguments": {"calls": []}}]), "UNSUPPORTED", "/calls/0/name"),
        (json!([{"name": "episode.submit", "arguments": {}}]), "UNSUPPORTED", "/calls/0/name"),
        (json!([{"name": "render.still", "arguments": {}}]), "UNSUPPORTED", "/calls/0/name"),
        (
            json!([{"name": "node.set_transform", "arguments": {"node": "n_1", "move_by_m": [0, 1500, 0]}}]),
            "LIMIT_EXCEEDED",
            "/calls/0/arguments/move_by_m",
        ),
    ] {
        let error = refused(&one, "batch.apply", &json!({"calls": calls}).to_string());
        assert_eq!((&error["code"], &error["pointer"]), (&json!(code), &json!(pointer)), "{calls}: {error}");
    }
    let look = [("scene.describe", json!({})), ("query.overlaps", json!({}))];
    let (looked, reply) = done(&one, "batch.apply", &batch(&look, true));
    assert_eq!((looked.revision, looked.calls_used), (one.revision, one.calls_used + 2), "{reply}");
    let last = Workspace { limits: Limits { calls: 3, ..Limits::default() }, ..one };
    let error = refused(&last, "batch.apply", &batch(&look, true).to_string());
    assert_eq!((&error["code"], &error["pointer"]), (&json!("BUDGET_EXHAUSTED"), &json!("/calls")));
}

#[test]
fn an_episode_that_cannot_go_back_keeps_no_history() {
    let core = then(&Workspace::default(), &cube("low", "n_1", 0.5));
    assert_eq!(refused(&core, "history.undo", "{}")["code"], "NOT_FOUND");
    let asked = Workspace { groups: Groups::all(), ..core };
    assert_eq!(refused(&asked, "history.undo", "{}")["allowed"], "no undo now");
}

#[test]
fn a_diff_names_what_is_not_as_it_was() {
    let start = then(&empty(), &cube("low", "n_1", 0.5));
    let diff = |workspace: &Workspace, arguments: Value| done(workspace, "scene.diff", &arguments).1["result"].clone();
    let since_start = diff(&start, json!({}));
    assert_eq!((&since_start["checkpoint"], &since_start["count"]), (&Value::Null, &json!(1)));
    let made = json!({"id": "n_1", "change": "created", "name": "low", "world_translation_m": [0.0, 0.5, 0.0]});
    assert_eq!(since_start["differences"], json!([made]));

    let saved = then(&start, &[("node.create", json!({"name": "gone"})), ("checkpoint.save", json!({"name": "two"}))]);
    let nothing = json!({"checkpoint": "two", "count": 0, "differences": [], "truncated": false});
    assert_eq!(diff(&saved, json!({"checkpoint": "two"})), nothing);
    let changed = then(
        &saved,
        &[
            ("node.set_transform", json!({"node": "n_1", "translation": [1, 0.5, 0]})),
            ("node.set_extras", json!({"node": "n_1", "extras": {"tag": 1}})),
            ("node.delete", json!({"node": "n_2"})),
            ("material.create", json!({"name": "oak"})),
        ],
    );
    let differences = diff(&changed, json!({"checkpoint": "two"}));
    let wanted = json!([
        {
            "id": "n_1", "change": "changed", "fields": ["transform", "extras"], "name": "low",
            "world_translation_m": [1.0, 0.5, 0.0],
        },
        {"id": "n_2", "change": "deleted", "name": "gone"},
        {"id": "mat_1", "change": "created", "name": "oak"},
    ]);
    assert_eq!((&differences["differences"], &differences["count"]), (&wanted, &json!(3)));
    assert_eq!(diff(&then(&changed, &[("history.undo", json!({"count": 4}))]), json!({"checkpoint": "two"})), nothing);
    let error = refused(&changed, "scene.diff", r#"{"checkpoint": "tow"}"#);
    assert_eq!((&error["pointer"], &error["nearest"]), (&json!("/checkpoint"), &json!(["two"])));

    let rows = [
        ("node.array", json!({"node": "n_1", "count": 201, "step_m": [2, 0, 0]})),
        ("checkpoint.save", json!({"name": "rows"})),
    ];
    let long = diff(&then(&start, &rows), json!({}));
    assert_eq!((&long["count"], &long["truncated"]), (&json!(201), &json!(true)));
    assert_eq!(long["differences"].as_array().unwrap().len(), 200);
}
