//! Time to score the table-and-chairs scene from its GLB as the server does: without renderability, with it on scenes
//! that were never drawn, and on the same scenes again, when it is known.

use anyhow::bail;
use maquette::studio::GpuStudio;
use renderer::AdapterChoice;
use rl_protocol::{Domain, Outcome, Subject, ToolCall};
use scene_api::{SceneDomain, SceneTask, play};
use scene_document::{Edit, NodeId, Scene, Trs, apply, gltf};
use std::sync::Arc;
use std::time::Instant;

const TASK: &str = "scene/table-and-chairs";
const LOG: &str = include_str!("../../../assets/tasks/scene/table-and-chairs.calls.jsonl");
/// The table itself.
const TABLE: NodeId = NodeId(1);
const RUNS: u32 = 30;
const WITHOUT: &str = "r3d/0";
const WITH: &str = "r3d/0+render";

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let (workspace, _, _) = play(&SceneTask::by_id(TASK)?, &ToolCall::from_log(LOG)?, 0);
    let files: Vec<Vec<u8>> = (1..=RUNS).map(|run| moved(&workspace.scene, run)).collect::<anyhow::Result<_>>()?;
    let studio = Arc::new(GpuStudio::new(AdapterChoice::Auto));
    println!("renderability by {}", studio.adapter().await?);
    let domain = SceneDomain::with_studio(studio)?;
    // The renderer starts with its first picture.
    score_ms(&domain, WITH, moved(&workspace.scene, 0)?).await?;
    for (what, profile) in [
        ("score without renderability", WITHOUT),
        ("score with renderability, scenes never drawn", WITH),
        ("score with renderability, known", WITH),
    ] {
        let mut times_ms = Vec::new();
        for file in &files {
            times_ms.push(score_ms(&domain, profile, file.clone()).await?);
        }
        times_ms.sort_by(f64::total_cmp);
        let (median, min, max) = (times_ms[times_ms.len() / 2], times_ms[0], times_ms[times_ms.len() - 1]);
        println!("{what}: median {median:.2} ms of {RUNS} (min {min:.2}, max {max:.2})");
    }
    Ok(())
}

/// Another file for every `run`: the table is some micrometres further along.
fn moved(scene: &Scene, run: u32) -> anyhow::Result<Vec<u8>> {
    let transform = Trs::from_translation([f64::from(run) * 1e-5, 0.0, 0.0]);
    let applied = apply(scene, Edit::SetTransform { node: TABLE, transform })?;
    Ok(gltf::write_glb(&applied.scene)?)
}

async fn score_ms(domain: &SceneDomain, profile: &str, data: Vec<u8>) -> anyhow::Result<f64> {
    let subject = Subject::Artifact { task_id: Some(TASK.into()), mime: "model/gltf-binary".into(), data };
    let start = Instant::now();
    let reward = domain.score(subject, Some(profile)).await?;
    let time_ms = start.elapsed().as_secs_f64() * 1e3;
    match reward.outcome {
        Outcome::Value(value) if value > 0.5 => Ok(time_ms),
        other => bail!("the scene should score well by {profile}: {other:?}"),
    }
}
