//! Prints how long a beauty picture takes after a change of the scene, under a sun with a shadow and in the studio.

#[path = "../raster/examples/boxes/mod.rs"]
mod boxes;

use boxes::{BOXES, boxes};
use nalgebra::{Point3, Vector3};
use renderer::{AdapterChoice, Pass, RenderError, Renderer, Shot};
use scene_document::{Baked, BakedLight, Kept, Light, LightKind, NodeId};
use std::sync::Arc;
use std::time::{Duration, Instant};

const SECONDS: f64 = 3.0;
const PATIENCE: Duration = Duration::from_secs(60);

fn main() -> Result<(), RenderError> {
    let renderer = Renderer::new(AdapterChoice::Auto);
    let start = Instant::now();
    let first = renderer.picture(shot(0, 128, true), start + PATIENCE)?;
    println!("renderer on {}: the first picture took {:.1} s", first.adapter, start.elapsed().as_secs_f64());
    for side_px in [128, 256, 512] {
        let sun = ms_per_picture(&renderer, side_px, true)?;
        let studio = ms_per_picture(&renderer, side_px, false)?;
        println!("renderer {side_px}x{side_px} ms/picture: {sun:.1} under a sun, {studio:.1} in the studio");
    }
    println!("({BOXES} boxes, {} triangles; one box moves and the camera turns between pictures)", 12 * BOXES);
    Ok(())
}

fn ms_per_picture(renderer: &Renderer, side_px: u32, sun: bool) -> Result<f64, RenderError> {
    renderer.picture(shot(0, side_px, sun), Instant::now() + PATIENCE)?;
    let start = Instant::now();
    let mut drawn = 0;
    while start.elapsed().as_secs_f64() < SECONDS {
        drawn += 1;
        renderer.picture(shot(drawn, side_px, sun), Instant::now() + PATIENCE)?;
    }
    Ok(start.elapsed().as_secs_f64() * 1e3 / f64::from(drawn))
}

fn shot(index: u32, side_px: u32, sun: bool) -> Shot {
    let lights = if sun { vec![sun_light()] } else { vec![] };
    let scene = Arc::new(Baked { lights, ..boxes(index) });
    Shot::new(scene, boxes::view(f64::from(index) * 0.1, side_px), Pass::Beauty)
}

fn sun_light() -> BakedLight {
    let light = Light {
        name: String::new(),
        kind: LightKind::Directional,
        color: [1.0; 3],
        intensity: 300.0,
        range_m: None,
        kept: Kept::default(),
    };
    let direction = Vector3::new(0.4, -0.8, -0.45).normalize();
    BakedLight { node: NodeId(1), light, position: Point3::origin(), direction }
}
