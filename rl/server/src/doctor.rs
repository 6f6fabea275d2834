//! `maquette doctor`: what is usable, what is used.

use crate::{registry, report};
use anyhow::Result;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print the checks as JSON
    #[arg(long)]
    json: bool,
}

struct Check {
    name: &'static str,
    ok: bool,
    text: String,
}

pub(crate) async fn run(args: Args) -> Result<ExitCode> {
    let mut checks = vec![
        Check { name: "version", ok: true, text: env!("CARGO_PKG_VERSION").into() },
        Check {
            name: "threads",
            ok: true,
            text: std::thread::available_parallelism().map_or(1, std::num::NonZero::get).to_string(),
        },
        Check {
            name: "renderer",
            ok: true,
            text: "reference rasteriser on the CPU; this build has no GPU renderer, and no scored number needs one"
                .into(),
        },
    ];
    checks.push(match tokio::net::TcpListener::bind("127.0.0.1:0").await {
        Ok(_) => Check { name: "network", ok: true, text: "loopback sockets can be opened".into() },
        Err(error) => Check { name: "network", ok: false, text: format!("no loopback socket: {error}") },
    });
    for domain in registry::local()? {
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
    let text = if args.json {
        let list: Vec<_> = checks
            .iter()
            .map(|check| serde_json::json!({ "name": check.name, "ok": check.ok, "text": check.text }))
            .collect();
        serde_json::to_string_pretty(&list)?
    } else {
        let line = |check: &Check| format!("{} {:<9} {}", if check.ok { "✓" } else { "✗" }, check.name, check.text);
        checks.iter().map(line).collect::<Vec<_>>().join("\n")
    };
    report::say(&text)?;
    Ok(if checks.iter().all(|check| check.ok) { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
