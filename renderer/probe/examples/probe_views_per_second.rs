//! Prints how many frames of a scene of boxes the probe draws in a second, by size and by views per call, and the
//! reference rasteriser beside it.

#[path = "../../raster/examples/boxes/mod.rs"]
mod boxes;

use boxes::{BOXES, boxes};
use scene_document::View;
use scene_probe::{AdapterChoice, Probe, ProbeScene, ProbeShot, RenderError};
use scene_raster::RasterScene;
use std::sync::Arc;
use std::time::Instant;

const SIDES_PX: [u32; 3] = [128, 256, 512];
const BATCHES: [u32; 5] = [1, 4, 16, 64, 256];
const RASTER_VIEWS: u32 = 64;
const SECONDS: f64 = 1.5;

fn main() -> Result<(), RenderError> {
    let mut probe = Probe::new(&AdapterChoice::Auto)?;
    let boxes = boxes(0);
    let (scene, raster) = (Arc::new(ProbeScene::new(&boxes)), RasterScene::new(&boxes));
    println!("probe on {}; {BOXES} boxes, {} triangles", probe.adapter(), 12 * BOXES);
    for side_px in SIDES_PX {
        let mut best: f64 = 0.0;
        for batch in BATCHES {
            let shot = |index| ProbeShot { scene: Arc::clone(&scene), view: view(index, batch, side_px) };
            let shots: Vec<ProbeShot> = (0..batch).map(shot).collect();
            let rate = views_per_second(|| Ok(probe.frames(&shots)?.len()))?;
            println!(
                "{side_px}x{side_px} probe, {batch:3} views a call: {rate:6.0} views/s, {:.2} ms a view",
                1e3 / rate
            );
            best = best.max(rate);
        }
        let views: Vec<View> = (0..RASTER_VIEWS).map(|index| view(index, RASTER_VIEWS, side_px)).collect();
        let one = views_per_second(|| Ok(views.iter().map(|view| raster.frame(view)).collect::<Vec<_>>().len()))?;
        let all = views_per_second(|| Ok(raster.frames(&views).len()))?;
        let threads = rayon::current_num_threads();
        println!("{side_px}x{side_px} raster: {one:.0} views/s on 1 thread, {all:.0} on {threads} threads");
        println!("{side_px}x{side_px} probe at best is {:.2} of the raster on {threads} threads", best / all);
    }
    Ok(())
}

fn views_per_second(mut draw: impl FnMut() -> Result<usize, RenderError>) -> Result<f64, RenderError> {
    draw()?;
    let start = Instant::now();
    let mut drawn = 0;
    while start.elapsed().as_secs_f64() < SECONDS {
        drawn += draw()?;
    }
    Ok(drawn as f64 / start.elapsed().as_secs_f64())
}

fn view(index: u32, views: u32, side_px: u32) -> View {
    boxes::view(f64::from(index) * std::f64::consts::TAU / f64::from(views), side_px)
}
