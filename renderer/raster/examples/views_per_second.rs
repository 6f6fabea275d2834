//! Prints how many 128×128 frames of a scene of boxes are drawn in a second, on one thread and on all.

mod boxes;

use boxes::{BOXES, boxes};
use scene_document::View;
use scene_raster::{Frame, RasterScene};
use std::time::Instant;

const VIEWS: u32 = 64;
const SECONDS: f64 = 2.0;

fn main() {
    let raster = RasterScene::new(&boxes(0));
    let views: Vec<View> = (0..VIEWS).map(view).collect();
    let one = views_per_second(|| views.iter().map(|view| raster.frame(view)).collect());
    let all = views_per_second(|| raster.frames(&views));
    println!("raster 128x128 views/s: {one:.0} on 1 thread, {all:.0} on {} threads", rayon::current_num_threads());
    println!("({BOXES} boxes, {} triangles)", 12 * BOXES);
}

fn views_per_second(draw: impl Fn() -> Vec<Frame>) -> f64 {
    draw();
    let start = Instant::now();
    let mut drawn = 0;
    while start.elapsed().as_secs_f64() < SECONDS {
        drawn += draw().len();
    }
    drawn as f64 / start.elapsed().as_secs_f64()
}

fn view(index: u32) -> View {
    boxes::view(f64::from(index) * std::f64::consts::TAU / f64::from(VIEWS), 128)
}
