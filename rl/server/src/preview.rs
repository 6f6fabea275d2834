//! `maquette preview FILE --out DIR`: pictures from all sides, the reward and its evidence, on one page.

mod marks;
mod page;
mod places;
mod turntable;

use crate::adapter::AdapterArg;
use crate::camera::{Aim, aim};
use crate::files::{self, SceneFile};
use crate::page_folder::page_in;
use crate::progress::progress;
use crate::remarks::not_evaluated;
use crate::render::PATIENCE;
use crate::report;
use crate::scoring::Scoring;
use crate::sheet::Sheet;
use crate::size::Size;
use crate::studio::GpuStudio;
use crate::visible::visible;
use anyhow::{Context, Result};
use indicatif::ProgressBar;
use marks::{marks, rows};
use page::{Page, Shown, page};
use places::Places;
use renderer::{LitBy, Pass, Picture, Pixels, Renderer, Shot};
use rl_protocol::Reward;
use scene_api::Profile;
use scene_document::gltf::Import;
use scene_document::{Baked, View};
use scene_raster::RasterScene;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A .glb or .gltf file; buffers and images beside a .gltf are read too
    file: PathBuf,
    /// Folder for index.html and the pictures; files that are there and not by maquette are not replaced
    #[arg(short, long)]
    out: PathBuf,
    #[command(flatten)]
    scoring: Scoring,
    #[command(flatten)]
    adapter: AdapterArg,
}

/// Of the big picture.
const SIZE: Size = Size { width: 768, height: 576 };
/// Names of pictures that are neither a pass nor a frame.
const REFERENCE: &str = "reference";
const SHEET: &str = "sheet";

pub(crate) async fn run(args: Args) -> Result<ExitCode> {
    let file = SceneFile::open(&args.file)?;
    let import = file.import()?;
    let index = page_in(&args.out, &pictures())?;
    files::make_folder(&args.out)?;
    let studio = GpuStudio::new(args.adapter.adapter);
    let reward = args.scoring.reward(&file, &studio).await?;
    let name = args.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let shots = draw(&import, studio.renderer()).with_context(|| format!("cannot draw {}", args.file.display()))?;

    let terms = args.scoring.terms()?;
    // First, because the next preview knows by it that the pictures are ours.
    files::write(&index, document(&name, &import, &shots, &reward, &terms)?.as_bytes())?;
    for Shown { name, png } in shots.passes.iter().chain(&shots.turntable) {
        files::write(&args.out.join(file_of(name)), png)?;
    }
    files::write(&args.out.join(file_of(SHEET)), &shots.sheet)?;
    let value = match reward.value() {
        Some(value) => format!("reward {value:.4} ({})", reward.profile_id),
        None => "no reward".into(),
    };
    report::say(&visible(&format!("wrote {}: {value}, {}", index.display(), shots.facts.join(", "))))?;
    Ok(report::exit_code(&reward))
}

/// Names of the files that may stand beside the page.
fn pictures() -> Vec<String> {
    let passes = Pass::ALL.map(|pass| pass.to_string());
    let frames = (0..turntable::FRAMES).map(turntable::name);
    let others = [REFERENCE, SHEET].map(str::to_owned);
    passes.into_iter().chain(frames).chain(others).map(|name| file_of(&name)).collect()
}

fn file_of(picture: &str) -> String {
    format!("{picture}.png")
}

/// Everything drawn of one scene.
struct Shots {
    /// One a pass, and the reference rasteriser's of a scene with lights.
    passes: Vec<Shown>,
    /// Of the passes.
    view: View,
    turntable: Vec<Shown>,
    /// PNG of the turntable's pictures side by side.
    sheet: Vec<u8>,
    /// Of each pixel of the passes.
    ids: Vec<u32>,
    /// Camera, light and adapter, and what was not drawn, a sentence each.
    facts: Vec<String>,
    notes: Vec<String>,
    baked: Arc<Baked>,
}

fn draw(import: &Import, renderer: &Renderer) -> Result<Shots> {
    let baked = Arc::new(import.scene.bake());
    let Aim { view, camera } = aim(&baked, None, SIZE)?;
    let bar = progress(Pass::ALL.len() + turntable::FRAMES as usize)?;
    let picture = |shot: Shot| {
        let picture = renderer.picture(shot, Instant::now() + PATIENCE);
        bar.inc(1);
        picture
    };
    let shot = |view: View, pass: Pass| Shot::new(Arc::clone(&baked), view, pass);

    let camera = camera.map_or("no camera in the file: a view of everything".into(), |name| format!("camera {name:?}"));
    let (mut facts, mut notes) = (vec![camera], Vec::new());
    let (mut passes, mut ids) = (Vec::new(), Vec::new());
    for pass in Pass::ALL {
        let picture = picture(shot(view, pass))?;
        passes.push(Shown { name: pass.to_string(), png: picture.png()? });
        match picture.pixels {
            Pixels::Srgb(_) => {
                facts.extend([format!("lit {}", picture.lit_by), picture.adapter.to_string()]);
                notes = picture.notes;
            }
            Pixels::Ids(pixels) => ids = pixels,
            Pixels::Linear(_) | Pixels::DepthM(_) => {}
        }
    }
    // It knows no studio: a scene without light of its own is black in it.
    if !baked.lights.is_empty() || baked.environment.is_some() {
        passes.push(Shown { name: REFERENCE.into(), png: reference(&baked, &view)? });
    }
    // The scene's own lights leave most of its sides black.
    let in_studio = |view: View| Shot { lit_by: Some(LitBy::Studio), ..shot(view, Pass::Beauty) };
    let (turntable, sheet) = turn(&baked, &bar, |view| Ok(picture(in_studio(view))?))?;
    bar.finish_and_clear();
    Ok(Shots { passes, view, turntable, sheet, ids, facts, notes, baked })
}

/// The picture that the scored visibility and lighting are measured from; grey is nothing, as in a beauty picture.
fn reference(baked: &Baked, view: &View) -> Result<Vec<u8>> {
    const NOTHING: [u8; 3] = [96; 3];
    let raster = RasterScene::new(baked);
    let frame = raster.frame(view);
    let light = scene_picture::light(&raster.light(view, &frame).rgb, renderer::WHITE_CD_M2);
    let shown = light.into_iter().zip(&frame.mesh).map(|(colour, mesh)| if *mesh == 0 { NOTHING } else { colour });
    let text = [("Software", "Maquette reference rasteriser")];
    Ok(scene_picture::png(frame.width, frame.height, &shown.collect::<Vec<_>>(), &text)?)
}

/// The pictures all round, and their sheet.
fn turn(baked: &Baked, bar: &ProgressBar, picture: impl Fn(View) -> Result<Picture>) -> Result<(Vec<Shown>, Vec<u8>)> {
    bar.set_message("all round");
    let mut sheet = Sheet::new(turntable::FRAMES as usize, turntable::SIZE)?;
    let mut frames = Vec::new();
    for frame in 0..turntable::FRAMES {
        let picture = picture(turntable::view(baked, frame))?;
        sheet.place(frame as usize, &picture.rgb());
        frames.push(Shown { name: turntable::name(frame), png: picture.png()? });
    }
    Ok((frames, sheet.png()?))
}

fn document(name: &str, import: &Import, shots: &Shots, reward: &Reward, terms: &str) -> Result<String> {
    let mut remarks = shots.notes.clone();
    remarks.extend(not_evaluated(&import.not_evaluated));
    Ok(page(&Page {
        name,
        facts: &shots.facts,
        passes: &shots.passes,
        ids: scene_picture::png(SIZE.width, SIZE.height, &scene_picture::exact_ids(&shots.ids), &[])?,
        turntable: &shots.turntable,
        reward,
        terms,
        profile: Profile::by_id(&reward.profile_id).map_or("", |profile| profile.description),
        nodes: rows(import, &shots.baked, &shots.ids),
        places: &Places { marks: marks(import, &shots.baked), view: shots.view },
        remarks,
        issues: &import.issues,
    }))
}
