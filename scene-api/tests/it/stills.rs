//! `render.still` and the pictures among the observations.

use crate::logs::{Log, call};
use crate::studio::{BY, FakeStudio, calls, full, late, lost};
use rl_conformance::{Loopback, Sample, in_process_and_loopback};
use rl_protocol::{
    Body, Budget, Code, Domain, Episode, ObserveOptions, OpenSpec, RemoteDomain, ServeConfig, Subject, ToolCall,
    ToolResult, connect,
};
use scene_api::{Limits, SceneDomain, Workspace, call as call_tool};
use serde_json::{Value, json};
use std::sync::Arc;

/// `n_1` crate with a mesh, `n_2` side at x = 5, `n_3` eye at x = 0, through which the scene is seen.
fn room() -> Vec<ToolCall> {
    calls(&[
        ("node.create", json!({"name": "crate"})),
        ("mesh.add_primitive", json!({"node": "n_1", "shape": {"kind": "box", "size_m": [1, 1, 1]}})),
        ("camera.add", json!({"name": "side", "translation": [5, 0, 0]})),
        ("camera.add", json!({"name": "eye", "translation": [0, 0, 4]})),
    ])
}

fn still(arguments: Value) -> Vec<ToolCall> {
    calls(&[("render.still", arguments)])
}

async fn opened(domain: &dyn Domain) -> Box<dyn Episode> {
    let spec = OpenSpec { task_id: "scene/crate".into(), count: 1, seed: 7, profile: None, tool_groups: Vec::new() };
    let mut episode = domain.open(spec).await.unwrap().pop().unwrap();
    let outcome = episode.step(room()).await.unwrap();
    assert!(outcome.results.iter().all(|result| result.ok), "{:?}", outcome.results);
    episode
}

/// What the only picture of a result says.
fn said(result: &ToolResult) -> String {
    let [content] = result.contents.as_slice() else { panic!("{} contents", result.contents.len()) };
    assert_eq!((content.name.as_str(), content.mime.as_str()), ("still.png", "image/png"));
    let Body::Data(png) = &content.body else { panic!("a picture is text") };
    String::from_utf8(png.clone()).unwrap()
}

fn pixels(budget: &Budget) -> f64 {
    budget.left.iter().find(|limit| limit.name == "pixels").unwrap().value
}

#[tokio::test]
async fn a_still_comes_with_its_picture_and_changes_nothing() {
    let studio = Arc::new(FakeStudio::default());
    let mut episode = opened(&studio.domain()).await;
    let before = episode.step(Vec::new()).await.unwrap();
    let outcome = episode.step(still(json!({}))).await.unwrap();
    let shown = json!({
        "camera": "n_3", "pass": "beauty", "width": 256, "height": 192, "by": BY, "notes": ["no shadows"],
    });
    let reply = &outcome.results[0].json;
    assert_eq!((&reply["result"], &reply["changed"]), (&shown, &json!([])));
    assert_eq!(said(&outcome.results[0]), "Beauty 256x192 of 1 meshes from x = 0");
    assert_eq!(outcome.state_hash, before.state_hash);
    assert_eq!(pixels(&before.budget) - pixels(&outcome.budget), 256.0 * 192.0);
    assert_eq!(reply["budget"]["pixels_left"].as_f64().unwrap(), pixels(&outcome.budget));
    let aside = json!({"camera": "n_2", "pass": "depth", "width": 64, "height": 32});
    let outcome = episode.step(still(aside)).await.unwrap();
    assert_eq!(said(&outcome.results[0]), "Depth 64x32 of 1 meshes from x = 5");
}

#[tokio::test]
async fn a_still_shows_the_scene_as_it_was_when_it_was_asked_for() {
    let studio = Arc::new(FakeStudio::default());
    let mut episode = opened(&studio.domain()).await;
    let still = ("render.still", json!({}));
    let step = [still.clone(), ("node.delete", json!({"node": "n_1"})), still];
    let outcome = episode.step(calls(&step)).await.unwrap();
    assert_eq!(said(&outcome.results[0]), "Beauty 256x192 of 1 meshes from x = 0");
    assert!(outcome.results[1].contents.is_empty());
    assert_eq!(said(&outcome.results[2]), "Beauty 256x192 of 0 meshes from x = 0");
}

#[tokio::test]
async fn a_log_is_scored_without_drawing_its_stills() {
    let mut log = Log::reference("table");
    log.insert_at_the_end([call("render.still", json!({}))]);
    let subject = || Subject::CallLog {
        task_id: "scene/table".into(),
        seed: 3,
        calls: log.tool_calls(),
        tool_groups: Vec::new(),
    };
    let studio = Arc::new(FakeStudio::default());
    let scored = studio.domain().score(subject(), None).await.unwrap();
    assert!(scored.value().unwrap() >= 0.9);
    assert_eq!((studio.stills(), studio.asked().len()), (0, 0));
    assert_eq!(SceneDomain::new().unwrap().score(subject(), None).await.unwrap(), scored);
}

#[tokio::test]
async fn without_a_studio_there_is_nothing_that_needs_one() {
    let (bare, studio) = (SceneDomain::new().unwrap(), Arc::new(FakeStudio::default()));
    let names = |domain: rl_protocol::Description| -> (Vec<String>, Vec<String>, Vec<String>) {
        let tools = domain.tools.into_iter().map(|tool| tool.name).collect();
        let profiles = domain.profiles.into_iter().map(|profile| profile.id).collect();
        (tools, profiles, domain.limits.into_iter().map(|limit| limit.name).collect())
    };
    let (tools, profiles, limits) = names(bare.describe().await.unwrap());
    assert_eq!((tools.len(), profiles.len()), (scene_api::tools(false).count(), 4));
    let (all_tools, all_profiles, all_limits) = names(studio.domain().describe().await.unwrap());
    let more = |all: &[String], few: &[String]| -> Vec<String> {
        all.iter().filter(|name| !few.contains(name)).cloned().collect()
    };
    assert_eq!(more(&all_tools, &tools), ["render.still"]);
    assert_eq!(more(&all_profiles, &profiles), ["r3d/0+render"]);
    assert_eq!(more(&all_limits, &limits), ["pixels"]);

    let mut episode = opened(&bare).await;
    let outcome = episode.step(still(json!({}))).await.unwrap();
    assert_eq!(outcome.results[0].json["error"]["code"], "NOT_FOUND");
    assert!(outcome.results[0].contents.is_empty());
    let error = episode.observe(&["beauty.png".into()], ObserveOptions::default()).await.unwrap_err();
    assert_eq!((error.code, error.reason.as_ref()), (Code::FailedPrecondition, "NO_RENDERER"));
    assert_eq!(episode.score(Some("r3d/0+render")).await.unwrap_err().reason, "PROFILE_NOT_FOUND");
}

#[tokio::test]
async fn a_studio_that_fails_leaves_the_episode_as_it_was() {
    let studio = Arc::new(FakeStudio::default());
    let mut episode = opened(&studio.domain()).await;
    let before = episode.step(Vec::new()).await.unwrap();
    let step = || calls(&[("node.create", json!({"name": "extra"})), ("render.still", json!({}))]);
    for failure in [lost(), full(), late()] {
        studio.fail(Some(failure.clone()));
        assert_eq!(episode.step(step()).await.unwrap_err(), failure);
        let now = episode.step(Vec::new()).await.unwrap();
        assert_eq!((&now.state_hash, &now.budget), (&before.state_hash, &before.budget));
    }
    studio.fail(None);
    let outcome = episode.step(step()).await.unwrap();
    assert_eq!(outcome.results[0].json["changed"], json!(["n_4"]));
    assert_eq!(said(&outcome.results[1]), "Beauty 256x192 of 1 meshes from x = 0");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_failed_can_be_made_again_on_a_server() {
    let studio = Arc::new(FakeStudio::default());
    let server = Loopback::start(vec![Arc::new(studio.domain())], ServeConfig::default()).await.unwrap();
    let remote = RemoteDomain::new(connect(server.uri()).await.unwrap(), "scene");
    let mut episode = opened(&remote).await;
    for failure in [full(), late(), lost()] {
        studio.fail(Some(failure.clone()));
        assert_eq!(episode.step(still(json!({}))).await.unwrap_err(), failure);
    }
    studio.fail(None);
    let outcome = episode.step(still(json!({}))).await.unwrap();
    assert_eq!(said(&outcome.results[0]), "Beauty 256x192 of 1 meshes from x = 0");
    drop(episode);
    server.stop().await.unwrap();
}

/// A still through a camera that cannot would fail its step.
#[test]
fn cameras_that_the_tools_make_can_see() {
    let mut workspace = Workspace::new(Limits::default());
    let corner = [1000.0, -1000.0, 1000.0];
    let lenses = [
        json!({"yfov_deg": 1, "znear_m": 1e-300, "zfar_m": 10000}),
        json!({"yfov_deg": 170, "znear_m": 1000}),
        json!({"orthographic": {"xmag_m": 0.001, "ymag_m": 10000}, "znear_m": 1e-300}),
        json!({"orthographic": {"xmag_m": 10000, "ymag_m": 0.001}, "znear_m": 1000, "zfar_m": 10000}),
    ];
    for (index, mut camera) in lenses.into_iter().enumerate() {
        (camera["name"], camera["translation"]) = (json!(format!("camera_{index}")), json!(corner));
        let (after, result) = call_tool(&workspace, "camera.add", &camera.to_string());
        assert!(result.ok, "{camera}: {}", result.json);
        workspace = after;
    }
    for camera in workspace.scene.bake().cameras {
        assert!(camera.view(512, 1).sees() && camera.view(1, 512).sees(), "{camera:?}");
    }
}

/// The bound of a reply holds however the calls are grouped.
#[tokio::test]
async fn the_pictures_of_an_episode_share_their_pixels() {
    let studio = Arc::new(FakeStudio::default());
    let largest = (0..17).flat_map(|_| still(json!({"width": 512, "height": 512})));
    let step: Vec<ToolCall> = largest.chain(still(json!({"width": 1, "height": 1}))).collect();
    let mut at_once = opened(&studio.domain()).await;
    let whole = at_once.step(step.clone()).await.unwrap().results;
    let mut singly = opened(&studio.domain()).await;
    for (index, call) in step.into_iter().enumerate() {
        let result = singly.step(vec![call]).await.unwrap().results.remove(0);
        assert_eq!((result.ok, result.contents.len()), if index < 16 { (true, 1) } else { (false, 0) });
        assert_eq!(result, whole[index]);
    }
    assert_eq!(whole[16].json["error"]["code"], "BUDGET_EXHAUSTED");
    let reply = singly.step(calls(&[("scene.describe", json!({}))])).await.unwrap().results.remove(0);
    assert_eq!((reply.ok, &reply.json["budget"]["pixels_left"]), (true, &json!(0)));
}

#[tokio::test]
async fn pictures_are_observed_through_the_studio() {
    let studio = Arc::new(FakeStudio::default());
    let mut episode = opened(&studio.domain()).await;
    let wanted = ["beauty.png", "ids.png", "depth.png", "normals.png", "preview.png"].map(String::from);
    let seen = episode.observe(&wanted, ObserveOptions::default()).await.unwrap();
    assert_eq!(seen.iter().map(|content| content.name.as_str()).collect::<Vec<_>>(), wanted);
    for (content, pass) in seen.iter().zip(["Beauty", "Id", "Depth", "Normal"]) {
        let Body::Data(png) = &content.body else { panic!("{} is text", content.name) };
        assert_eq!(String::from_utf8_lossy(png), format!("{pass} 512x384 of 1 meshes from x = 0"));
        assert_eq!(content.mime, "image/png");
    }
    let Body::Data(preview) = &seen[4].body else { panic!("preview.png is text") };
    assert_eq!(&preview[..4], b"\x89PNG");
    studio.fail(Some(lost()));
    assert_eq!(episode.observe(&["ids.png".into()], ObserveOptions::default()).await.unwrap_err(), lost());
    episode.observe(&["preview.png".into(), "scene.glb".into()], ObserveOptions::default()).await.unwrap();
}

/// What needs no picture goes on.
#[tokio::test]
async fn a_domain_whose_studio_fails_is_still_ready() {
    let studio = Arc::new(FakeStudio::default());
    studio.fail(Some(lost()));
    let domain = studio.domain();
    domain.ready().await.unwrap();
    let log = Log::reference("crate");
    let spec = OpenSpec { task_id: log.task.id.clone(), count: 1, seed: 7, profile: None, tool_groups: Vec::new() };
    let mut episode = domain.open(spec).await.unwrap().remove(0);
    let reward = episode.step(log.tool_calls()).await.unwrap().reward.unwrap();
    assert!(reward.value().unwrap() >= 0.9, "{reward:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rules_of_the_protocol_are_kept_with_pictures() {
    let mut log = Log::reference("crate");
    log.insert_at_the_end([call("render.still", json!({"pass": "normal"}))]);
    let sample = Sample {
        task_id: "scene/crate".into(),
        calls: log.tool_calls(),
        bad_call: still(json!({"width": "wide"})).remove(0),
    };
    let report = in_process_and_loopback(Arc::new(Arc::new(FakeStudio::default()).domain()), sample).await;
    assert!(report.violations.is_empty(), "{report}");
}

/// A curtain of this many triangles behind the crate, each as large as the picture.
fn curtain(triangles: usize) -> Vec<ToolCall> {
    let corner = |index: usize| {
        let z = -1.0 - 0.001 * (index / 3) as f64;
        [json!([-90, -90, z]), json!([90, -90, z]), json!([0, 90, z])][index % 3].clone()
    };
    let positions: Vec<Value> = (0..3 * triangles).map(corner).collect();
    let triangles: Vec<[usize; 3]> = (0..3 * triangles).step_by(3).map(|first| [first, first + 1, first + 2]).collect();
    calls(&[
        ("node.create", json!({"name": "curtain"})),
        ("mesh.set_data", json!({"node": "n_4", "positions": positions, "triangles": triangles})),
    ])
}

#[tokio::test]
async fn a_scene_that_is_too_much_to_draw_is_refused_before_anyone_draws_it() {
    let studio = Arc::new(FakeStudio::default());
    let mut episode = opened(&studio.domain()).await;
    let added = episode.step(curtain(400)).await.unwrap();
    assert!(added.results.iter().all(|result| result.ok), "{:?}", added.results);
    let outcome = episode.step(still(json!({}))).await.unwrap();
    let error = &outcome.results[0].json["error"];
    assert_eq!(error["code"], "LIMIT_EXCEEDED", "{error}");
    assert!(error["given"].as_u64() > Some(16_000_000), "{error}");
    assert_eq!(pixels(&outcome.budget), pixels(&added.budget), "a refused picture costs no pixels");
    let error = episode.observe(&["beauty.png".into()], ObserveOptions::default()).await.unwrap_err();
    assert_eq!((error.code, error.reason.as_ref()), (Code::FailedPrecondition, "PICTURE_TOO_HEAVY"));
    assert_eq!(studio.stills(), 0);
    // A fact a pixel is cheaper than light.
    let outcome = episode.step(still(json!({"pass": "id"}))).await.unwrap();
    assert!(outcome.results[0].ok, "{}", outcome.results[0].json);
}
