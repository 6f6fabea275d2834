//! `maquette golden`: pictures of record.

mod report;

use crate::adapter::AdapterArg;
use crate::exit_code;
use crate::files;
use crate::page_folder::page_in;
use crate::progress::progress;
use crate::report::{complain, say};
use crate::size::Size;
use crate::visible::{visible, visible_lines};
use anyhow::{Context, Result};
use renderer::golden::{self, Blessed, Checked, Compared, GoldenError, bless_command};
use renderer::{RenderError, Renderer};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Draw every golden of a folder again and compare; a page shows what differs
    Check(CheckArgs),
    /// Draw a scene and make that the picture of record
    ///
    /// Beside the scene, NAME.glb or NAME.gltf, it writes NAME.png, NAME.ids.png, NAME.depth.png and NAME.json. Commit all
    /// five (and what a .gltf names): a golden that is not whole fails.
    Bless(BlessArgs),
}

#[derive(clap::Args)]
pub(crate) struct CheckArgs {
    /// Folder of scenes, NAME.glb or NAME.gltf, each with NAME.png, NAME.ids.png, NAME.depth.png and NAME.json
    #[arg(default_value = FOLDER)]
    dir: PathBuf,
    /// Folder for index.html, which is written when something differs, and renewed when nothing does; one that is not
    /// by maquette is not replaced
    #[arg(long, value_name = "DIR", default_value = "out/golden")]
    report: PathBuf,
    /// Print the outcomes as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    adapter: AdapterArg,
}

#[derive(clap::Args)]
pub(crate) struct BlessArgs {
    /// Of the scene NAME.glb or NAME.gltf in the folder
    name: String,
    /// Why the picture should look as it does now; it is kept with the golden
    #[arg(long)]
    reason: String,
    #[arg(long, default_value = FOLDER)]
    dir: PathBuf,
    /// In pixels [default: as before; for a new golden that of its camera within 256x192]
    #[arg(long, value_name = "WIDTHxHEIGHT")]
    size: Option<Size>,
    #[command(flatten)]
    adapter: AdapterArg,
}

const FOLDER: &str = "assets/goldens";

pub(crate) fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::Check(args) => check(&args),
        Command::Bless(args) => bless(&args),
    }
}

fn check(args: &CheckArgs) -> Result<ExitCode> {
    let names = match golden::names(&args.dir) {
        // A check of nothing has not passed.
        Err(error @ GoldenError::NoGoldens { .. }) => {
            complain(&error.into());
            return Ok(exit_code::answer(false));
        }
        names => names?,
    };
    let page = page_in(&args.report, &[])?;
    let renderer = Renderer::new(args.adapter.adapter.clone());
    let bar = progress(names.len())?;
    let mut checked = Vec::with_capacity(names.len());
    for name in names {
        bar.set_message(visible(&name));
        let outcome = golden::check(&renderer, &args.dir, &name);
        if let Err(GoldenError::Render(error @ RenderError::NoAdapter { .. })) = &outcome {
            bar.finish_and_clear();
            // The others would only say it again.
            return Err(error.clone().into());
        }
        checked.push(Checked { name, outcome });
        bar.inc(1);
    }
    bar.finish_and_clear();

    let failed = checked.iter().filter(|checked| !passed(checked)).count();
    // The page of an earlier check would go on to say that something failed.
    if failed > 0 || page.exists() {
        files::write(&page, report::page(&args.dir, &checked)?.as_bytes())?;
    }
    if args.json {
        say(&serde_json::to_string_pretty(&checked.iter().map(row).collect::<Vec<_>>())?)?;
    } else {
        say(&text(&args.dir, &checked, failed, &page))?;
    }
    Ok(exit_code::answer(failed == 0))
}

fn passed(checked: &Checked) -> bool {
    checked.outcome.as_ref().is_ok_and(|compared| compared.passed)
}

fn text(folder: &Path, checked: &[Checked], failed: usize, page: &Path) -> String {
    let widest = checked.iter().map(|checked| checked.name.chars().count()).max().unwrap_or(0);
    let line = |checked: &Checked| {
        let mark = if passed(checked) { '✓' } else { '✗' };
        let finding = match &checked.outcome {
            Ok(compared) if compared.scene_changed => {
                format!("{}; {}: {}", finding(compared), scene_change(compared), bless_command(folder, &checked.name))
            }
            Ok(compared) => finding(compared),
            Err(error) => error.to_string(),
        };
        format!("{mark} {:<widest$}  {finding}", checked.name)
    };
    let mut lines: Vec<String> = checked.iter().map(line).collect();
    let adapter = checked.iter().find_map(|checked| checked.outcome.as_ref().ok()).map(|compared| &compared.adapter);
    let adapter = adapter.map_or_else(String::new, |adapter| format!(" on {adapter}"));
    lines.push(match failed {
        0 => format!("{} goldens hold{adapter}", checked.len()),
        failed => format!("{failed} of {} goldens failed{adapter}: see {}", checked.len(), page.display()),
    });
    visible_lines(&lines)
}

fn is_same(compared: &Compared) -> bool {
    [compared.colours_differing, compared.ids_differing, compared.depth_differing] == [0; 3]
}

fn scene_change(compared: &Compared) -> &'static str {
    if is_same(compared) { "the scene file changed" } else { "the scene file changed too" }
}

/// Half a line: what was compared, what differs, and the first suspects.
fn finding(compared: &Compared) -> String {
    if is_same(compared) {
        return "the same, pixel by pixel".into();
    }
    if compared.passed {
        return format!("the same to the eye: FLIP {:.4} mean, {:.4} p99", compared.flip_mean, compared.flip_p99);
    }
    let pixels = |count: u64| format!("{count} of {} pixels", compared.reference_rgb.len());
    let suspects: Vec<&str> = compared.moved.iter().take(3).map(|moved| moved.name.as_str()).collect();
    format!(
        "colour differs in {}, node in {}, depth in {}; FLIP {:.4} mean, {:.4} p99; {}",
        pixels(compared.colours_differing),
        compared.ids_differing,
        compared.depth_differing,
        compared.flip_mean,
        compared.flip_p99,
        if suspects.is_empty() { "no node changed".into() } else { format!("changed: {}", suspects.join(", ")) }
    )
}

fn row(checked: &Checked) -> Value {
    match &checked.outcome {
        Ok(compared) => json!({ "name": checked.name, "passed": compared.passed, "compared": compared, "error": null }),
        Err(error) => {
            json!({ "name": checked.name, "passed": false, "compared": null, "error": error.to_string() })
        }
    }
}

fn bless(args: &BlessArgs) -> Result<ExitCode> {
    let renderer = Renderer::new(args.adapter.adapter.clone());
    let size = args.size.map(|size| (size.width, size.height));
    let blessed = golden::bless(&renderer, &args.dir, &args.name, &args.reason, size)
        .with_context(|| format!("{} was not blessed", args.name))?;
    say(&blessing(&args.name, &blessed))?;
    Ok(ExitCode::SUCCESS)
}

/// What was made, against what, and what to commit.
fn blessing(name: &str, blessed: &Blessed) -> String {
    let Blessed { sidecar, files, replaced } = blessed;
    let mut lines = vec![format!("blessed {name}: {}×{}, {}", sidecar.width, sidecar.height, sidecar.adapter)];
    match replaced {
        Some(compared) => lines.push(format!("against the one before: {}", finding(compared))),
        None if sidecar.previous.is_some() => {
            lines.push("not compared with the one before, which is of another size or not whole".into());
        }
        None => {}
    }
    lines.push("commit:".into());
    lines.extend(files.iter().map(|file| format!("  {}", file.display())));
    visible_lines(&lines)
}
