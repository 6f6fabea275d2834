//! `maquette preview FILE --out DIR`: pictures from all sides, the reward and its evidence, on one page.

mod marks;
mod page;
mod turntable;

use crate::adapter::AdapterArg;
use crate::camera::{Aim, aim};
use crate::files::{self, SceneFile};
use crate::render::{PATIENCE, progress};
use crate::report;
use crate::scoring::Scoring;
use crate::sheet::Sheet;
use crate::size::Size;
use crate::studio::GpuStudio;
use anyhow::{Context, Result};
use indicatif::ProgressBar;
use marks::{exact_ids, marks, rows};
use page::{Page, Shown, page};
use renderer::{Pass, Picture, Pixels, Renderer, Shot};
use rl_protocol::Reward;
use scene_api::Profile;
use scene_document::gltf::Import;
use scene_document::{Baked, View};
use scene_raster::{RasterScene, png_rgb, tonemapped};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A .glb or .gltf file; buffers and images beside a .gltf are read too
    file: PathBuf,
    /// Folder for index.html and the pictures
    #[arg(short, long)]
    out: PathBuf,
    #[command(flatten)]
    scoring: Scoring,
    #[command(flatten)]
    adapter: AdapterArg,
}

/// Of the big picture.
const SIZE: Size = Size { width: 768, height: 576 };

pub(crate) async fn run(args: Args) -> Result<ExitCode> {
    let file = SceneFile::open(&args.file)?;
    let import = file.import()?;
    let studio = GpuStudio::new(args.adapter.adapter);
    let reward = args.scoring.reward(&file, &studio).await?;
    let name = args.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let shots = draw(&import, studio.renderer()).with_context(|| format!("cannot draw {}", args.file.display()))?;

    for Shown { name, png, .. } in shots.passes.iter().chain(&shots.turntable) {
        files::write(&args.out.join(format!("{name}.png")), png)?;
    }
    files::write(&args.out.join("sheet.png"), &shots.sheet)?;
    let index = args.out.join("index.html");
    files::write(&index, document(&name, &import, &shots, &reward)?.as_bytes())?;
    let value = match reward.value() {
        Some(value) => format!("reward {value:.4} ({})", reward.profile_id),
        None => "no reward".into(),
    };
    report::say(&format!("wrote {}: {value}, {}", index.display(), shots.facts.join(", ")))?;
    Ok(report::exit_code(&reward))
}

/// Everything drawn of one scene.
struct Shots {
    /// One a pass, and the reference rasteriser's.
    passes: Vec<Shown>,
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
    let Aim { view, camera } = aim(&import.scene, &baked, None, SIZE)?;
    let bar = progress(Pass::ALL.len() + turntable::FRAMES as usize)?;
    let picture = |scene: &Arc<Baked>, view: View, pass: Pass| {
        let picture = renderer.picture(Shot::new(Arc::clone(scene), view, pass), Instant::now() + PATIENCE);
        bar.inc(1);
        picture
    };

    let (mut passes, mut ids, mut beauty) = (Vec::new(), Vec::new(), None);
    for pass in Pass::ALL.iter().copied() {
        let picture = picture(&baked, view, pass)?;
        passes.push(Shown::new(pass.to_string(), label(pass), picture.png()?));
        match pass {
            Pass::Beauty => beauty = Some(picture),
            Pass::Id => ids = ids_of(picture),
            _ => {}
        }
    }
    passes.push(Shown::new("reference".into(), "reference rasteriser", reference(&baked, &view)?));
    // The scene's own lights leave most of its sides black.
    let in_studio = Arc::new(Baked { lights: Vec::new(), ..Baked::clone(&baked) });
    let (turntable, sheet) = turn(&baked, &bar, |view| Ok(picture(&in_studio, view, Pass::Beauty)?))?;
    bar.finish_and_clear();

    let (facts, notes) = told(beauty.as_ref(), camera.as_deref());
    Ok(Shots { passes, turntable, sheet, ids, facts, notes, baked })
}

fn label(pass: Pass) -> &'static str {
    match pass {
        Pass::Beauty => "beauty",
        Pass::Hdr => "linear light",
        Pass::Albedo => "albedo",
        Pass::Normal => "normal",
        Pass::Depth => "depth",
        Pass::Id => "id",
    }
}

fn ids_of(picture: Picture) -> Vec<u32> {
    match picture.pixels {
        Pixels::Ids(ids) => ids,
        _ => Vec::new(),
    }
}

/// The picture that the scored visibility and lighting are measured from.
fn reference(baked: &Baked, view: &View) -> Result<Vec<u8>> {
    let white_cd_m2 = renderer::WHITE_CD_M2;
    let raster = RasterScene::new(baked);
    let frame = raster.frame(view);
    Ok(png_rgb(frame.width, frame.height, &tonemapped(&raster.light(view, &frame), &frame, white_cd_m2))?)
}

/// The pictures all round, and their sheet.
fn turn(baked: &Baked, bar: &ProgressBar, picture: impl Fn(View) -> Result<Picture>) -> Result<(Vec<Shown>, Vec<u8>)> {
    bar.set_message("all round");
    let mut sheet = Sheet::new(turntable::FRAMES as usize, turntable::SIZE)?;
    let mut frames = Vec::new();
    for frame in 0..turntable::FRAMES {
        let picture = picture(turntable::view(baked, frame))?;
        sheet.place(frame as usize, &picture.rgb());
        let degrees = turntable::degrees(frame);
        frames.push(Shown::new(format!("turntable-{degrees:03}"), "turntable", picture.png()?));
    }
    Ok((frames, sheet.png()?))
}

fn told(beauty: Option<&Picture>, camera: Option<&str>) -> (Vec<String>, Vec<String>) {
    let camera = camera.map_or("no camera in the file: a view of everything".into(), |name| format!("camera {name:?}"));
    let mut facts = vec![camera];
    let Some(beauty) = beauty else { return (facts, Vec::new()) };
    facts.push(format!("lit {}", beauty.lit_by));
    facts.push(beauty.adapter.to_string());
    (facts, beauty.notes.clone())
}

fn document(name: &str, import: &Import, shots: &Shots, reward: &Reward) -> Result<String> {
    let marks = marks(import, &shots.baked);
    let mut remarks = shots.notes.clone();
    remarks.extend(report::not_evaluated(&import.not_evaluated));
    Ok(page(&Page {
        name,
        facts: &shots.facts,
        passes: &shots.passes,
        ids: exact_ids(SIZE, &shots.ids)?,
        turntable: &shots.turntable,
        reward,
        profile: Profile::by_id(&reward.profile_id).map_or("", |profile| profile.description),
        nodes: rows(import, &shots.baked, &shots.ids),
        marks: &marks,
        remarks,
        issues: &import.issues,
    }))
}
