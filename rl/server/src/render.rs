//! `maquette render FILE…`.

mod places;
mod row;

use crate::adapter::AdapterArg;
use crate::camera::{Aim, aim};
use crate::files::{self, SceneFile};
use crate::progress::progress;
use crate::remarks::not_evaluated;
use crate::report;
use crate::sheet::Sheet;
use crate::size::Size;
use anyhow::{Context, Result, ensure};
use places::places;
use renderer::{Pass, Renderer, Shot};
use row::{Drawn, Row};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// .glb or .gltf files; buffers and images beside a .gltf are read too
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The PNG of one file, the folder of several, or the contact sheet
    #[arg(short, long)]
    out: PathBuf,
    /// beauty, hdr, albedo, normal, depth or id
    #[arg(long, default_value_t = Pass::Beauty)]
    pass: Pass,
    /// Name of a camera's node [default: the file's own camera, or a view of everything where it has none]
    #[arg(long, value_name = "NODE_NAME")]
    camera: Option<String>,
    /// Of each picture, in pixels
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "512x384")]
    size: Size,
    /// One PNG with the pictures of all files in a grid
    #[arg(long)]
    sheet: bool,
    /// Print what was drawn as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    adapter: AdapterArg,
}

/// For the start of the renderer, too, on a slow machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A file that cannot be drawn costs itself only.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let renderer = Renderer::new(args.adapter.adapter.clone());
    let mut sheet = args.sheet.then(|| Sheet::new(args.files.len(), args.size)).transpose()?;
    let is_folder = args.out.is_dir();
    ensure!(!(args.sheet && is_folder), "{} is a folder; --sheet makes one file", args.out.display());
    let one_file = args.sheet || (args.files.len() == 1 && !is_folder);
    // The scene itself, given twice by mistake, is no PNG.
    let is_png = args.out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"));
    ensure!(!one_file || is_png, "{} does not end in .png; pictures are PNGs", args.out.display());
    let places = if args.files.len() > 1 || is_folder {
        ensure!(args.sheet || is_folder || !args.out.exists(), "{} is no folder", args.out.display());
        places(&args.files, &args.out)
    } else {
        vec![args.out.clone()]
    };

    let bar = progress(args.files.len())?;
    let mut rows = Vec::with_capacity(args.files.len());
    for (index, (file, place)) in args.files.iter().zip(places).enumerate() {
        bar.set_message(file.display().to_string());
        let drawn = draw(&renderer, file, args).and_then(|drawn| {
            match &mut sheet {
                Some(sheet) => sheet.place(index, &drawn.picture.rgb()),
                None => files::write(&place, &drawn.picture.png()?)?,
            }
            Ok(drawn.without_pixels())
        });
        if let Err(error) = &drawn {
            bar.suspend(|| eprintln!("error: {error:#}"));
        }
        let out = if sheet.is_some() { args.out.clone() } else { place };
        rows.push(Row { file: file.clone(), out, cell: sheet.as_ref().map(|sheet| sheet.cell(index)), drawn });
        bar.inc(1);
    }
    bar.finish_and_clear();
    if let Some(sheet) = &sheet {
        files::write(&args.out, &sheet.png()?)?;
    }
    report::say(&if args.json { row::json(&rows)? } else { text(&rows, sheet.as_ref(), args) })?;
    let all_drawn = rows.iter().all(|row| row.drawn.is_ok());
    Ok(if all_drawn { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn draw(renderer: &Renderer, path: &Path, args: &Args) -> Result<Drawn> {
    let import = SceneFile::open(path)?.import()?;
    let baked = import.scene.bake();
    let Aim { view, camera } =
        aim(&baked, args.camera.as_deref(), args.size).with_context(|| format!("cannot draw {}", path.display()))?;
    let is_bare = baked.meshes.is_empty();
    let picture = renderer
        .picture(Shot::new(Arc::new(baked), view, args.pass), Instant::now() + PATIENCE)
        .with_context(|| format!("cannot draw {}", path.display()))?;
    let mut notes = picture.notes.clone();
    if is_bare {
        notes.push("the scene has no mesh, so there is nothing to see".into());
    }
    notes.extend(not_evaluated(&import.not_evaluated));
    Ok(Drawn { picture, camera, notes })
}

fn text(rows: &[Row], sheet: Option<&Sheet>, args: &Args) -> String {
    let mut lines: Vec<String> = rows.iter().filter_map(Row::text).collect();
    if let Some(sheet) = sheet {
        let name = |row: &Row| {
            let name = row.file.display();
            if row.drawn.is_ok() { name.to_string() } else { format!("{name} (not drawn)") }
        };
        lines.push(format!("wrote {}", args.out.display()));
        lines.push(sheet.order(&rows.iter().map(name).collect::<Vec<_>>()));
    }
    lines.join("\n")
}
