//! Time to score the table-and-chairs scene from its GLB, and to play its log.

use rl_protocol::ToolCall;
use scene_api::{Profile, SceneTask, play, score_glb};
use std::time::Instant;

const LOG: &str = include_str!("../../assets/tasks/scene/table-and-chairs.calls.jsonl");
const RUNS: usize = 30;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let task = SceneTask::by_id("scene/table-and-chairs")?;
    let profile = Profile::for_task(Some(&task));
    let calls = ToolCall::from_log(LOG)?;
    let (workspace, _, _) = play(&task, &calls, 0);
    let glb = scene_document::gltf::write_glb(&workspace.scene)?;
    median("score a GLB", || drop(score_glb(&glb, &|_| None, Some(&task), &profile, 0)));
    median("play the log and score", || drop(play(&task, &calls, 0)));
    Ok(())
}

fn median(what: &str, work: impl Fn()) {
    let mut times_ms: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times_ms.sort_by(f64::total_cmp);
    println!(
        "{what}: median {:.2} ms of {RUNS} (min {:.2}, max {:.2})",
        times_ms[RUNS / 2],
        times_ms[0],
        times_ms[RUNS - 1]
    );
}
