//! Pictures as a person, a client and CI get them.

use rl_protocol::{Body, Content, Domain, ObserveOptions, OpenSpec, RemoteDomain, ToolCall, connect};
use scene_api::{SceneTask, play};
use scene_document::gltf::{Limits, read, write_glb};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use workspace_tests::{Server, built, maquette, process, root};

fn run_in(environment: &[(&str, &str)], args: &[&str]) -> (i32, String, String) {
    let output = maquette(args).unwrap().envs(environment.iter().copied()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn run(args: &[&str]) -> (i32, String, String) {
    run_in(&[], args)
}

fn log() -> String {
    std::fs::read_to_string(root().join("assets/tasks/scene/table.calls.jsonl")).unwrap()
}

/// The GLB that a log for the table leaves.
fn played(log: &str) -> Vec<u8> {
    let (workspace, _, _) = play(&SceneTask::by_id("scene/table").unwrap(), &ToolCall::from_log(log).unwrap(), 0);
    write_glb(&workspace.scene).unwrap()
}

fn written(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Width and height of a PNG.
fn size_px(png: &[u8]) -> (u32, u32) {
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    (side(16), side(20))
}

fn picture(path: &Path) -> (u32, u32) {
    size_px(&std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

#[test]
fn one_unreadable_file_does_not_keep_the_others_from_being_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let good = written(folder.path(), "table.glb", &played(&log()));
    let broken = written(folder.path(), "broken.glb", b"glTF, or so it says");
    let out = folder.path().join("out");
    let args = ["render", &broken, &good, "--size", "160x120", "--json", "-o", out.to_str().unwrap()];
    let (code, text, error) = run(&args);
    assert_eq!(code, 2, "{text}{error}");
    assert!(error.contains("broken.glb"), "{error}");
    let rows: Value = serde_json::from_str(&text).unwrap();
    assert!(rows[0]["error"].as_str().unwrap().contains("broken.glb") && rows[0]["out"].is_null(), "{rows}");
    assert_eq!((&rows[1]["error"], &rows[1]["camera"]), (&Value::Null, &json!("camera")), "{rows}");
    assert_eq!((&rows[1]["lit_by"], &rows[1]["width"]), (&json!("scene"), &json!(160)), "{rows}");
    assert_eq!((&rows[1]["notes"], &rows[1]["legend"]), (&json!([]), &Value::Null), "{rows}");
    assert_eq!(picture(&out.join("table.png")), (160, 120));
    assert!(!out.join("broken.png").exists());

    let sheet = folder.path().join("sheet.png");
    let args = ["render", &broken, &good, &good, "--size", "64x48", "--sheet", "-o", sheet.to_str().unwrap()];
    let (code, text, error) = run(&args);
    assert_eq!(code, 2, "{text}{error}");
    assert_eq!(picture(&sheet), (2 * 64 + 3 * 8, 2 * 48 + 3 * 8));
    for place in [
        format!("row 1, column 1: {broken} (not drawn)"),
        format!("row 1, column 2: {good}: 64×48"),
        format!("row 2, column 1: {good}: 64×48"),
    ] {
        assert!(text.lines().any(|line| line.starts_with(&place)), "{place}: {text}");
    }
    let (_, text, _) = run(&["render", &broken, &broken, "--sheet", "--json", "-o", sheet.to_str().unwrap()]);
    let rows: Value = serde_json::from_str(&text).unwrap();
    let places = [0, 1].map(|file: usize| [&rows[file]["row"], &rows[file]["column"]]);
    assert_eq!(places, [[&json!(1), &json!(1)], [&json!(1), &json!(2)]], "{rows}");
}

#[test]
fn what_cannot_be_drawn_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let good = written(folder.path(), "table.glb", &played(&log()));
    let out = folder.path().join("out.png");
    let out = out.to_str().unwrap();
    for (more, expected) in [
        (["--camera", "camra"], "no camera named \"camra\"; the nearest names are camera"),
        (["--adapter", "no such card"], "no graphics adapter"),
        (["--size", "0x10"], "512x384"),
        (["--pass", "beuaty"], "invalid value"),
    ] {
        let (code, text, error) = run(&["render", &good, "-o", out, more[0], more[1]]);
        assert_eq!(code, 2, "{more:?}: {text}{error}");
        assert!(error.contains(expected), "{more:?}: {error}");
        assert!(!Path::new(out).exists(), "{more:?}");
    }
}

/// Where there is no adapter, nothing can be drawn: whoever is told of the output was told before.
#[test]
fn an_output_that_cannot_be_written_is_told_before_anything_is_drawn() {
    let no_drivers = [("VK_DRIVER_FILES", "/nonexistent"), ("VK_ICD_FILENAMES", "/nonexistent")];
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let good = written(folder.path(), "table.glb", &played(&log()));
    let _listener = std::os::unix::net::UnixListener::bind(path("socket.png")).unwrap();
    for (out, expected) in [
        (good.clone(), "pictures are PNGs"),
        (path("table.glb/out.png"), "table.glb is a file, not a folder"),
        (path("socket.png"), "no plain file"),
        (path(&format!("{}.png", "n".repeat(252))), "its name has 256 bytes; at most 255 are allowed"),
    ] {
        let (code, text, error) = run_in(&no_drivers, &["render", &good, "-o", &out]);
        assert_eq!(code, 2, "{text}{error}");
        assert!(error.contains(expected) && !error.contains("adapter"), "{expected}: {error}");
    }
    assert_eq!(std::fs::read(&good).unwrap()[..4], *b"glTF");
}

#[test]
fn a_picture_of_nothing_is_noted() {
    let folder = tempfile::tempdir().unwrap();
    let turned = log().replace("[0.0, 0.37, 0.0]", "[3.0, 2.43, 4.4]");
    assert_ne!(turned, log());
    let turned = written(folder.path(), "turned.glb", &played(&turned));
    let empty = written(folder.path(), "empty.glb", &played(r#"{"name": "scene.create", "arguments": {}}"#));
    let out = folder.path().join("out");
    let args = ["render", &turned, &empty, "--size", "64x48", "--json", "-o", out.to_str().unwrap()];
    let (code, text, error) = run(&args);
    assert_eq!(code, 0, "{text}{error}");
    let rows: Value = serde_json::from_str(&text).unwrap();
    let nothing = "nothing of the scene is in the picture";
    assert_eq!(rows[0]["notes"], json!([nothing]), "{rows}");
    assert_eq!(rows[1]["notes"], json!([format!("{nothing}: it has no mesh, or hides all of them")]), "{rows}");
    assert!(error.lines().any(|line| line == format!("note: {turned}: {nothing}")), "{error}");
}

#[test]
fn it_is_told_what_the_colours_of_ids_and_depths_stand_for() {
    let folder = tempfile::tempdir().unwrap();
    let good = written(folder.path(), "table.glb", &played(&log()));
    let out = folder.path().join("out.png");
    let out = out.to_str().unwrap();
    let legend = |pass: &str| {
        let (code, text, error) = run(&["render", &good, "--pass", pass, "--size", "160x120", "--json", "-o", out]);
        assert_eq!(code, 0, "{text}{error}");
        let rows: Value = serde_json::from_str(&text).unwrap();
        rows[0]["legend"].clone()
    };
    let ids = legend("id");
    let top = ids["meshes"].as_array().unwrap().iter().find(|mesh| mesh["name"] == "top").unwrap();
    let colour = top["colour"].as_str().unwrap();
    assert_eq!((&top["id"], colour.len(), &colour[..1]), (&json!("n_2"), 7, "#"), "{ids}");
    let depths = legend("depth");
    let [near_m, far_m] = ["near_m", "far_m"].map(|end| depths[end].as_f64().unwrap());
    assert!(1.0 < near_m && near_m < far_m && far_m < 5.0 && depths["white"] == "near", "{depths}");

    let (_, text, _) = run(&["render", &good, "--pass", "id", "--size", "160x120", "-o", out]);
    assert!(text.contains(&format!("\n  {colour}  n_2  top")), "{text}");
}

#[test]
fn names_in_files_do_not_steer_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let named = log()
        .replace(r#""name": "leg_1""#, r#""name": "leg\u001b[31m""#)
        .replace(r#""name": "camera""#, r#""name": "cam\u001b[31mera""#);
    let file = written(folder.path(), "table\u{1b}[31m.glb", &played(&named));
    let [out, report] = ["out.png", "report"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    let absent = folder.path().join("absent\u{1b}[31m.glb");
    for args in [
        ["render", &file, "--pass", "id", "-o", &out].as_slice(),
        &["render", &file, "--camera", "camra", "-o", &out],
        &["golden", "check", folder.path().to_str().unwrap(), "--report", &report],
        &["score", absent.to_str().unwrap()],
    ] {
        let (_, text, error) = run(args);
        let said = format!("{text}{error}");
        assert!(said.contains(r"\u{1b}[31m") && !said.contains('\u{1b}'), "{args:?}: {said:?}");
    }
}

#[test]
fn pictures_that_a_log_asks_for_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let submit = r#"{"name": "episode.submit""#;
    let asking = log().replace(submit, &format!("{}\n{submit}", r#"{"name": "render.still", "arguments": {}}"#));
    let number = asking.lines().position(|line| line.contains("render.still")).unwrap() + 1;
    let calls = written(folder.path(), "table.calls.jsonl", asking.as_bytes());
    let out = folder.path().join("out");
    let (code, text, error) = run(&["play", &calls, "--out", out.to_str().unwrap()]);
    assert_eq!(code, 0, "{text}{error}");
    let still = out.join(format!("still_{number:03}.png"));
    assert_eq!(picture(&still), (256, 192));
    assert!(error.contains(&format!("wrote {}", still.display())), "{error}");
    assert_eq!(picture(&out.join("beauty.png")), (512, 384));
}

#[test]
fn pages_and_pictures_that_are_not_ours_are_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let scene = written(folder.path(), "table.glb", &played(&log()));
    let (with_page, with_texture) = (folder.path().join("site"), folder.path().join("textures"));
    for (theirs, name) in [(&with_page, "index.html"), (&with_texture, "normal.png")] {
        std::fs::create_dir(theirs).unwrap();
        written(theirs, name, b"theirs");
        let (code, text, error) = run(&["preview", &scene, "--out", theirs.to_str().unwrap()]);
        assert_eq!(code, 2, "{text}{error}");
        assert!(error.contains(&format!("{name} is there already and not by maquette")), "{error}");
        assert_eq!(std::fs::read(theirs.join(name)).unwrap(), b"theirs");
        assert_eq!(std::fs::read_dir(theirs).unwrap().count(), 1);
    }
    let goldens = folder.path().to_str().unwrap();
    let (code, text, error) = run(&["golden", "check", goldens, "--report", with_page.to_str().unwrap()]);
    assert_eq!(code, 2, "{text}{error}");
    assert_eq!(std::fs::read(with_page.join("index.html")).unwrap(), b"theirs");
}

#[test]
fn a_picture_is_the_same_in_every_process_and_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let good = written(folder.path(), "table.glb", &played(&log()));
    let drawn = |threads: &str| {
        let out = folder.path().join(format!("{threads}.png"));
        let args = ["render", &good, "-o", out.to_str().unwrap()];
        let (code, text, error) = run_in(&[("LP_NUM_THREADS", threads)], &args);
        assert_eq!(code, 0, "{text}{error}");
        std::fs::read(out).unwrap()
    };
    let (one, four) = (drawn("1"), drawn("4"));
    assert_eq!(size_px(&one), (512, 384));
    assert!(one == four, "the pictures differ");
}

#[test]
fn the_preview_page_needs_nothing_but_itself() {
    let folder = tempfile::tempdir().unwrap();
    let good = written(folder.path(), "table.glb", &played(&log()));
    let out = folder.path().join("preview");
    let args = ["preview", &good, "--out", out.to_str().unwrap(), "--task", "scene/table"];
    let (code, text, error) = run(&args);
    assert_eq!(code, 0, "{text}{error}");
    for name in ["beauty", "albedo", "normal", "depth", "id", "reference"] {
        assert_eq!(picture(&out.join(format!("{name}.png"))), (768, 576), "{name}");
    }
    for degrees in (0..360).step_by(30) {
        assert_eq!(picture(&out.join(format!("turntable-{degrees:03}.png"))), (384, 288));
    }
    assert!(out.join("sheet.png").exists());

    let page = std::fs::read_to_string(out.join("index.html")).unwrap();
    assert!(!page.contains("http://") && !page.contains("https://"));
    let sources = page.matches("src=\"").count();
    assert!(sources >= 20, "{sources}");
    assert_eq!(sources, page.matches("src=\"data:image/png;base64,").count());
    for expected in ["data-marks=\"1\"", "table / leg_1", "r3d/0", "overlap", "camera &quot;camera&quot;"] {
        assert!(page.contains(expected), "{expected} is not on the page");
    }
}

#[test]
fn the_goldens_hold() {
    let (code, text, error) = run(&["golden", "check"]);
    assert_eq!(code, 0, "{text}{error}");
    let held = text.lines().filter(|line| line.starts_with('✓')).count();
    assert!(held >= 12, "{text}");
}

/// A golden whose scene has a leg elsewhere than in its pictures.
#[test]
fn a_golden_that_changed_fails_with_a_report_that_names_the_node() {
    let folder = tempfile::tempdir().unwrap();
    let [goldens, report] = ["goldens", "report"].map(|name| folder.path().join(name));
    std::fs::create_dir(&goldens).unwrap();
    let dir = goldens.to_str().unwrap();
    let bless = |reason: &str| run(&["golden", "bless", "table", "--reason", reason, "--dir", dir]);
    let check = || run(&["golden", "check", dir, "--report", report.to_str().unwrap()]);
    let page = || std::fs::read_to_string(report.join("index.html")).unwrap();
    let command = format!("maquette golden bless table --dir {dir} --reason \"…\"");

    written(&goldens, "table.glb", &played(&log()));
    let (code, text, error) = check();
    assert_eq!(code, 1, "{text}{error}");
    assert!(text.contains(&format!("never blessed: {command}")), "{text}");
    let (code, text, error) = bless("the first one");
    assert_eq!(code, 0, "{text}{error}");
    for ending in ["glb", "json", "png", "ids.png", "depth.png"] {
        assert!(text.lines().any(|line| line.trim() == format!("{dir}/table.{ending}")), "{text}");
    }

    let other = log().replace("[0.55, 0.35, -0.35]", "[0.45, 0.35, -0.35]");
    assert_ne!(other, log());
    written(&goldens, "table.glb", &played(&other));
    let (code, text, error) = check();
    assert_eq!(code, 1, "{text}{error}");
    assert!(text.contains("leg_2") && text.contains("1 of 1 goldens failed"), "{text}");
    assert!(text.contains(&format!("the scene file changed too: {command}")), "{text}");
    let failed = page();
    assert!(failed.contains("leg_2") && failed.contains("the first one"), "the report names neither node nor reason");
    assert!(failed.contains("the scene file changed too"), "the report does not tell of the scene file");
    assert_eq!(failed.matches("src=\"").count(), failed.matches("src=\"data:image/png;base64,").count());

    let (code, text, error) = bless("the second one");
    assert_eq!(code, 0, "{text}{error}");
    assert!(text.contains("against the one before") && text.contains("FLIP") && text.contains("leg_2"), "{text}");
    let (code, text, error) = bless("for nothing");
    assert_eq!(code, 2, "{text}{error}");
    assert!(error.contains("nothing changed; not blessed"), "{error}");
    let (code, text, error) = check();
    assert_eq!(code, 0, "{text}{error}");
    assert!(page().contains("1 goldens hold") && !page().contains("failed"), "the report still says failed");

    std::fs::remove_file(goldens.join("table.png")).unwrap();
    let (code, text, _) = check();
    assert_eq!(code, 1);
    assert!(text.contains("missing"), "{text}");
}

#[test]
fn a_missing_adapter_is_said_once_for_all_goldens() {
    let no_drivers = [("VK_DRIVER_FILES", "/nonexistent"), ("VK_ICD_FILENAMES", "/nonexistent")];
    let (code, text, error) = run_in(&no_drivers, &["golden", "check"]);
    assert_eq!(code, 2, "{text}{error}");
    assert_eq!((text.as_str(), error.matches("no graphics adapter").count()), ("", 1), "{text}{error}");
}

#[test]
fn a_check_of_nothing_does_not_pass() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, error) = run(&["golden", "check", folder.path().to_str().unwrap()]);
    assert_eq!(code, 1, "{error}");
    assert!(error.contains("NAME.glb or NAME.gltf") && error.contains("maquette golden bless NAME"), "{error}");
    let (code, _, error) = run(&["golden", "check", folder.path().join("absent").to_str().unwrap()]);
    assert_eq!(code, 2, "{error}");
}

#[test]
fn doctor_names_the_adapter_and_draws_with_it() {
    let (code, text, error) = run(&["doctor", "--json"]);
    assert_eq!(code, 0, "{text}{error}");
    let checks: Vec<Value> = serde_json::from_str(&text).unwrap();
    let text_of = |name: &str| {
        let check = checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("no {name}: {text}"));
        check["text"].as_str().unwrap()
    };
    let (adapter, _) = text_of("adapter").split_once(" is used").unwrap();
    assert!(text_of("adapters").contains(adapter), "{text}");
    assert!(text_of("beauty").contains(adapter) && text_of("beauty").contains("Bevy"), "{text}");
    assert!(text_of("probe").contains(adapter), "{text}");
}

fn png(content: &Content) -> &[u8] {
    assert_eq!(content.mime, "image/png");
    match &content.body {
        Body::Data(png) => png,
        Body::Text(text) => panic!("{} is text: {text}", content.name),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_come_over_the_wire() {
    let server = Server::start(&[], &[]).unwrap();
    let domain = RemoteDomain::new(connect(&server.uri).await.unwrap(), "scene");
    let tool_groups = Vec::new();
    let spec = OpenSpec { task_id: "scene/table".into(), count: 1, seed: 0, profile: None, tool_groups };
    let mut episode = domain.open(spec).await.unwrap().pop().unwrap();
    let calls = ToolCall::from_log(&log()).unwrap().into_iter().filter(|call| call.name != "episode.submit");
    let built = episode.step(calls.collect()).await.unwrap();

    let contents = episode.observe(&["beauty.png".into(), "ids.png".into()], ObserveOptions::default()).await.unwrap();
    assert_eq!(contents.iter().map(|content| size_px(png(content))).collect::<Vec<_>>(), [(512, 384); 2]);

    let stills = [json!({}), json!({ "pass": "id", "width": 64, "height": 48 })];
    let calls = stills.map(|arguments| ToolCall { name: "render.still".into(), arguments_json: arguments.to_string() });
    let seen = episode.step(calls.into()).await.unwrap();
    assert_eq!(seen.state_hash, built.state_hash);
    for (result, size) in seen.results.iter().zip([(256, 192), (64, 48)]) {
        assert!(result.ok, "{}", result.json);
        assert_eq!(size_px(png(&result.contents[0])), size);
        assert!(!result.json["result"]["by"].as_str().unwrap().is_empty(), "{}", result.json);
    }

    let reward = episode.score(Some("r3d/0+render")).await.unwrap();
    assert!(reward.value().is_some_and(|value| value > 0.9), "{reward:?}");
    let gate = reward.gates.iter().find(|gate| gate.name == "renderability");
    assert!(gate.is_some_and(|gate| gate.passed), "{:?}", reward.gates);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_an_adapter_offers_nothing_that_is_drawn() {
    let no_drivers = [("VK_DRIVER_FILES", "/nonexistent"), ("VK_ICD_FILENAMES", "/nonexistent")];
    let server = Server::start(&[], &no_drivers).unwrap();
    let domain = RemoteDomain::new(connect(&server.uri).await.unwrap(), "scene");
    let described = domain.describe().await.unwrap();
    assert!(described.tools.iter().all(|tool| tool.name != "render.still"), "{:?}", described.tools);
    assert!(described.profiles.iter().all(|profile| profile.id != "r3d/0+render"), "{:?}", described.profiles);
    domain.ready().await.unwrap();
    let tool_groups = Vec::new();
    let spec = OpenSpec { task_id: "scene/table".into(), count: 1, seed: 0, profile: None, tool_groups };
    let mut episode = domain.open(spec).await.unwrap().pop().unwrap();
    let calls = ToolCall::from_log(&log()).unwrap().into_iter().filter(|call| call.name != "episode.submit");
    episode.step(calls.collect()).await.unwrap();
    let reward = episode.score(None).await.unwrap();
    assert!(reward.value().is_some_and(|value| value > 0.9), "{reward:?}");
}

#[test]
fn what_is_missing_for_pictures_is_said() {
    let no_drivers = [("VK_DRIVER_FILES", "/nonexistent"), ("VK_ICD_FILENAMES", "/nonexistent")];
    let (code, text, error) = run_in(&no_drivers, &["play", "assets/tasks/scene/crate.calls.jsonl"]);
    assert_eq!(code, 0, "{text}{error}");
    assert!(error.contains("no pictures") && error.contains("mesa-vulkan-drivers"), "{error}");
    let (code, text, _) = run_in(&no_drivers, &["doctor"]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("✗ adapter") && text.contains("mesa-vulkan-drivers"), "{text}");
}

#[test]
fn a_short_soak_is_survived() {
    let output = process(built("examples/soak").unwrap()).arg("200").output().unwrap();
    let [text, error] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{text}{error}");
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries.into_iter().flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn is_readable(path: &Path) -> bool {
    let is_scene = path.extension().is_some_and(|ending| ending == "glb" || ending == "gltf");
    let beside = |uri: &str| std::fs::read(path.parent().unwrap().join(uri)).ok();
    is_scene && read(&std::fs::read(path).unwrap(), &beside, &Limits::default()).is_ok()
}

#[test]
#[ignore = "needs MAQUETTE_DATA"]
fn every_file_that_can_be_read_can_be_drawn() {
    let folder = PathBuf::from(std::env::var("MAQUETTE_DATA").expect("MAQUETTE_DATA")).join("3d/gltf");
    let readable: Vec<PathBuf> = files(&folder).into_iter().filter(|path| is_readable(path)).collect();
    assert!(readable.len() >= 78, "{}", readable.len());
    let out = tempfile::tempdir().unwrap();
    let output = maquette(&["render", "--json", "--size", "128x96", "-o", out.path().to_str().unwrap()])
        .unwrap()
        .args(&readable)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(rows.len(), readable.len());
    for row in rows {
        assert_eq!(picture(Path::new(row["out"].as_str().unwrap())), (128, 96), "{row}");
    }
}
