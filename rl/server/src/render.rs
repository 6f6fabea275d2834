//! `maquette render FILE…`.

mod legend;
mod places;
mod row;

use crate::adapter::AdapterArg;
use crate::camera::{Aim, aim};
use crate::exit_code;
use crate::files::{self, SceneFile};
use crate::progress::progress;
use crate::remarks::not_evaluated;
use crate::report::{complain, say};
use crate::sheet::Sheet;
use crate::size::Size;
use crate::visible::{visible, visible_lines};
use anyhow::{Context, Result};
use legend::Legend;
use places::places;
use renderer::{Pass, Picture, Pixels, Renderer, Shot};
use row::{Drawn, Row};
use scene_document::Baked;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// .glb or .gltf files; buffers and images beside a .gltf are read too
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The PNG of one file, the folder of several, or the contact sheet; folders are made where they are missing
    #[arg(short, long)]
    out: PathBuf,
    /// beauty, hdr, albedo, normal, depth or id
    ///
    /// All PNGs have 8 bits a channel. beauty and hdr show light through the sRGB curve, and 100 cd/m² or more is
    /// white: hdr holds no wider range, but one sample a pixel instead of four. albedo is base colour. normal has x, y
    /// and z in world space, -1 to 1, as red, green and blue. depth is white where it is nearest and dark grey where
    /// it is farthest; id has a colour for each mesh. For these two it is printed what the colours stand for.
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

/// A file that cannot be drawn costs itself only; where a picture could not be written, nothing is drawn.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let mut sheet = args.sheet.then(|| Sheet::new(args.files.len(), args.size)).transpose()?;
    let places = places(&args.files, &args.out, args.sheet)?;
    let renderer = Renderer::new(args.adapter.adapter.clone());
    let bar = progress(args.files.len())?;
    let mut rows = Vec::with_capacity(args.files.len());
    for (index, (file, out)) in args.files.iter().zip(places).enumerate() {
        bar.set_message(visible(&file.display().to_string()));
        let drawn = draw(&renderer, file, args).and_then(|drawn| {
            match &mut sheet {
                Some(sheet) => sheet.place(index, &drawn.picture.rgb()),
                None => files::write(&out, &drawn.picture.png()?)?,
            }
            Ok(drawn.without_pixels())
        });
        bar.suspend(|| tell(file, &drawn));
        let cell = sheet.as_ref().map(|sheet| sheet.cell(index).map(|place| place + 1));
        rows.push(Row { file: file.clone(), out, cell, drawn });
        bar.inc(1);
    }
    bar.finish_and_clear();
    if let Some(sheet) = &sheet {
        files::write(&args.out, &sheet.png()?)?;
    }
    say(&if args.json { row::json(&rows)? } else { text(&rows, args) })?;
    let all_drawn = rows.iter().all(|row| row.drawn.is_ok());
    Ok(if all_drawn { exit_code::answer(true) } else { exit_code::not_done() })
}

/// What went wrong, or what the picture does not show, on standard error.
fn tell(file: &Path, drawn: &Result<Drawn>) {
    match drawn {
        Ok(Drawn { notes, .. }) => {
            for note in notes {
                eprintln!("note: {}", visible(&format!("{}: {note}", file.display())));
            }
        }
        Err(error) => complain(error),
    }
}

fn draw(renderer: &Renderer, path: &Path, args: &Args) -> Result<Drawn> {
    let import = SceneFile::open(path)?.import()?;
    let baked = Arc::new(import.scene.bake());
    let not_drawn = || format!("cannot draw {}", path.display());
    let Aim { view, camera } = aim(&baked, args.camera.as_deref(), args.size).with_context(not_drawn)?;
    let photograph = |pass: Pass| {
        let shot = Shot::new(Arc::clone(&baked), view, pass);
        renderer.picture(shot, Instant::now() + PATIENCE).with_context(not_drawn)
    };
    let picture = photograph(args.pass)?;
    let legend = Legend::of(&picture.pixels, &import, &baked);
    let blank = blank(&picture, &baked, || photograph(Pass::Id))?;
    let mut notes: Vec<String> = blank.map(str::to_owned).into_iter().collect();
    notes.extend(picture.notes.iter().cloned());
    notes.extend(not_evaluated(&import.not_evaluated));
    Ok(Drawn { picture, camera, legend, notes })
}

/// Of a picture in which there is nothing to look at; `ids` draws which meshes are in it.
fn blank(picture: &Picture, baked: &Baked, ids: impl FnOnce() -> Result<Picture>) -> Result<Option<&'static str>> {
    if baked.meshes.is_empty() {
        return Ok(Some("nothing of the scene is in the picture: it has no mesh, or hides all of them"));
    }
    if !picture.is_blank() {
        return Ok(None);
    }
    let is_empty = matches!(&ids()?.pixels, Pixels::Ids(ids) if ids.iter().all(|id| *id == 0));
    Ok(Some(if is_empty { "nothing of the scene is in the picture" } else { "the picture has one colour everywhere" }))
}

fn text(rows: &[Row], args: &Args) -> String {
    let mut lines: Vec<String> = rows.iter().flat_map(Row::lines).collect();
    if args.sheet {
        lines.push(format!("wrote {}", args.out.display()));
    }
    visible_lines(&lines)
}
