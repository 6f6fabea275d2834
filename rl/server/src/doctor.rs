//! `maquette doctor`: what is usable, what is used.

use crate::adapter::AdapterArg;
use crate::studio::GpuStudio;
use crate::{exit_code, registry, report};
use anyhow::Result;
use scene_api::{Still, StillPass, Studio as _};
use scene_document::{Edit, EditError, Geometry, Mesh, Node, NodeId, Primitive, Scene, Shape, apply};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print the checks as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    adapter: AdapterArg,
}

struct Check {
    name: &'static str,
    ok: bool,
    text: String,
}

impl Check {
    fn new(name: &'static str, outcome: Result<String, String>) -> Self {
        let ok = outcome.is_ok();
        Self { name, ok, text: outcome.unwrap_or_else(|problem| problem) }
    }
}

pub(crate) async fn run(args: Args) -> Result<ExitCode> {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut checks = vec![
        Check::new("version", Ok(env!("CARGO_PKG_VERSION").into())),
        Check::new("threads", Ok(threads.to_string())),
        Check::new("network", network().await),
        Check::new("rasteriser", Ok("the reference rasteriser, on the CPU: no scored number needs a GPU".into())),
    ];
    let found: Vec<String> = scene_probe::adapters().iter().map(ToString::to_string).collect();
    checks.push(Check::new("adapters", Ok(if found.is_empty() { "none".into() } else { found.join("; ") })));
    let studio = match args.adapter.studio().await {
        Ok((studio, adapter)) => {
            checks.push(Check::new("adapter", Ok(format!("{adapter} is used ({})", args.adapter.adapter))));
            checks.push(Check::new("beauty", drawn(&studio, StillPass::Beauty).await));
            checks.push(Check::new("probe", drawn(&studio, StillPass::Id).await));
            Some(studio)
        }
        Err(error) => {
            checks.push(Check::new("adapter", Err(error.to_string())));
            None
        }
    };
    checks.extend(domains(studio).await?);
    let text = if args.json {
        let list: Vec<_> = checks
            .iter()
            .map(|check| serde_json::json!({ "name": check.name, "ok": check.ok, "text": check.text }))
            .collect();
        serde_json::to_string_pretty(&list)?
    } else {
        let line = |check: &Check| format!("{} {:<10} {}", if check.ok { "✓" } else { "✗" }, check.name, check.text);
        checks.iter().map(line).collect::<Vec<_>>().join("\n")
    };
    report::say(&text)?;
    Ok(exit_code::answer(checks.iter().all(|check| check.ok)))
}

async fn network() -> Result<String, String> {
    match tokio::net::TcpListener::bind("127.0.0.1:0").await {
        Ok(_) => Ok("loopback sockets can be opened".into()),
        Err(error) => Err(format!("no loopback socket: {error}")),
    }
}

/// Beauty is by Bevy, ids are by the probe.
async fn drawn(studio: &GpuStudio, pass: StillPass) -> Result<String, String> {
    let scene = cube().map_err(|error| error.to_string())?;
    let (view, _) = scene.bake().view(128, 96);
    let start = Instant::now();
    match studio.still(scene, view, pass).await {
        Ok(Still { by, .. }) => Ok(format!("a first picture after {:.1} s by {by}", start.elapsed().as_secs_f64())),
        Err(error) => Err(error.to_string()),
    }
}

fn cube() -> Result<Scene, EditError> {
    let shape = Geometry::Shape(Shape::Box { size_m: [1.0; 3] });
    let mesh = Mesh { primitives: vec![Primitive { geometry: shape, material: None }], ..Mesh::default() };
    let scene = apply(&Scene::default(), Edit::CreateNode(Node::default()))?.scene;
    Ok(apply(&scene, Edit::SetMesh { node: NodeId(1), mesh })?.scene)
}

async fn domains(studio: Option<Arc<GpuStudio>>) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for domain in registry::local(studio)? {
        let description = domain.describe().await?;
        let (ok, state) = match domain.ready().await {
            Ok(()) => (true, "ready".to_owned()),
            Err(error) => (false, error.to_string()),
        };
        let text = format!(
            "{} {state}: {} tools, {} tasks, profiles {}",
            description.domain,
            description.tools.len(),
            domain.tasks(None).await?.len(),
            description.profiles.iter().map(|profile| profile.id.as_str()).collect::<Vec<_>>().join(" ")
        );
        checks.push(Check { name: "domain", ok, text });
    }
    Ok(checks)
}
