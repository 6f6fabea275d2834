//! One of our renderers as a worker of the peers' `render_peers.py`, whose docstring is the protocol:
//! `peer_worker beauty|probe|raster JOB.json RESULT.json`. A frame is what the renderer answers, in this process's
//! memory: the lit picture; ids, depth, normals and luminance; ids, depth, normals and colours.

use nalgebra::{Isometry3, Point3, Unit, UnitQuaternion, Vector3};
use renderer::{AdapterChoice, Pass, Picture, RenderError, Renderer, Shot};
use scene_document::{Baked, Projection, View, gltf};
use scene_probe::{Probe, ProbeFrame, ProbeScene, ProbeShot};
use scene_raster::{RasterScene, Shade};
use serde::Deserialize;
use serde_json::{Value, json};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Deserialize)]
struct Job {
    items: Vec<Item>,
    sizes: Vec<u32>,
    frames: u32,
    warmup: u32,
    cell_s: f64,
    budget_s: f64,
    out: PathBuf,
    orbit_deg: f64,
}

#[derive(Deserialize)]
struct Item {
    name: String,
    glb: PathBuf,
    camera: Camera,
}

#[derive(Deserialize)]
struct Camera {
    eye: [f64; 3],
    target: [f64; 3],
    up: [f64; 3],
    yfov_deg: f64,
    near: f64,
    far: f64,
}

impl Camera {
    /// A square view after the eye went round the target, about `up`.
    fn orbited(&self, angle_deg: f64, size: u32) -> View {
        let (target, up) = (Point3::from(self.target), Vector3::from(self.up));
        let turn = UnitQuaternion::from_axis_angle(&Unit::new_normalize(up), angle_deg.to_radians());
        let eye = target + turn * (Point3::from(self.eye) - target);
        View {
            world_from_camera: Isometry3::look_at_rh(&eye, &target, &up).inverse().to_homogeneous(),
            projection: Projection::Perspective {
                yfov_rad: self.yfov_deg.to_radians(),
                aspect: None,
                znear_m: self.near,
                zfar_m: Some(self.far),
            },
            width: size,
            height: size,
        }
    }
}

enum Backend {
    Beauty(Renderer),
    Probe(Box<Probe>),
    Raster,
}

enum Drawn {
    Beauty(Picture),
    Probe(ProbeFrame),
    Raster(Shade),
}

/// Draws one scene.
type Draw<'a> = Box<dyn FnMut(View) -> Result<Drawn, RenderError> + 'a>;

impl Backend {
    /// Ready to draw, and what it draws on.
    fn start(name: &str) -> Result<(Self, String), Box<dyn Error>> {
        match name {
            "beauty" => {
                let renderer = Renderer::new(AdapterChoice::Auto);
                // It starts with its first picture, so one of nothing is drawn.
                let nothing = Baked::default();
                let (view, _) = nothing.view(16, 16);
                let picture = renderer.picture(Shot::new(Arc::new(nothing), view, Pass::Beauty), deadline())?;
                Ok((Self::Beauty(renderer), picture.adapter.to_string()))
            }
            "probe" => {
                let probe = Probe::new(&AdapterChoice::Auto)?;
                let adapter = probe.adapter().to_string();
                Ok((Self::Probe(Box::new(probe)), adapter))
            }
            "raster" => Ok((Self::Raster, "one thread".into())),
            other => Err(format!("no renderer {other:?}; there are beauty, probe and raster").into()),
        }
    }

    fn scene(&mut self, baked: Baked) -> Draw<'_> {
        match self {
            Self::Beauty(renderer) => {
                let scene = Arc::new(baked);
                Box::new(move |view| {
                    let shot = Shot::new(Arc::clone(&scene), view, Pass::Beauty);
                    renderer.picture(shot, deadline()).map(Drawn::Beauty)
                })
            }
            Self::Probe(probe) => {
                let scene = Arc::new(ProbeScene::new(&baked));
                Box::new(move |view| {
                    let mut frames = probe.frames(&[ProbeShot { scene: Arc::clone(&scene), view }])?;
                    Ok(Drawn::Probe(frames.swap_remove(0)))
                })
            }
            Self::Raster => {
                let scene = RasterScene::new(&baked);
                Box::new(move |view| Ok(Drawn::Raster(scene.shade(&view, &scene.frame(&view)))))
            }
        }
    }
}

impl Drawn {
    fn rgb(&self) -> Vec<[u8; 3]> {
        match self {
            Self::Beauty(picture) => picture.rgb(),
            Self::Probe(frame) => frame.luminance.iter().map(|luminance| [*luminance; 3]).collect(),
            Self::Raster(shade) => scene_picture::normals(&shade.normal),
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, name, job, result] = args.as_slice() else {
        return Err("usage: peer_worker beauty|probe|raster JOB.json RESULT.json".into());
    };
    let job: Job = serde_json::from_slice(&fs::read(job)?)?;
    fs::create_dir_all(&job.out)?;
    let begun = Instant::now();
    let (mut backend, adapter) = Backend::start(name)?;
    let ready_s = since_spawn_s()?;
    let mut cells = Vec::new();
    for item in &job.items {
        let start = Instant::now();
        let mut scene = baked(&item.glb).map(|baked| backend.scene(baked));
        let load_ms = elapsed_ms(start);
        for size in &job.sizes {
            let measured = match &mut scene {
                Err(error) => Err(error.to_string().into()),
                Ok(_) if begun.elapsed().as_secs_f64() > job.budget_s => Err("skipped: budget".into()),
                Ok(draw) => measured(&job, item, *size, draw),
            };
            let mut cell = measured.unwrap_or_else(|error: Box<dyn Error>| json!({ "error": error.to_string() }));
            cell["item"] = json!(item.name);
            cell["size"] = json!(size);
            cell["load_ms"] = json!(load_ms);
            cells.push(cell);
        }
    }
    let answer = json!({
        "ready_s": ready_s,
        "first_picture_s": cells.iter().find_map(|cell| cell.get("first_picture_s")),
        "rss_mb": peak_rss_mb(),
        "info": { "adapter": adapter, "maquette": env!("CARGO_PKG_VERSION") },
        "cells": cells,
    });
    fs::write(result, answer.to_string())?;
    Ok(())
}

fn baked(glb: &Path) -> Result<Baked, Box<dyn Error>> {
    Ok(gltf::read(&fs::read(glb)?, &|_| None, &gltf::Limits::default())?.scene.bake())
}

/// One scene at one size; the eye stands elsewhere in every frame.
fn measured(job: &Job, item: &Item, size: u32, draw: &mut Draw<'_>) -> Result<Value, Box<dyn Error>> {
    let mut timed = |steps: f64| -> Result<(Drawn, f64), RenderError> {
        let view = item.camera.orbited(steps * job.orbit_deg, size);
        let start = Instant::now();
        let drawn = draw(view)?;
        Ok((drawn, elapsed_ms(start)))
    };
    let (_, first_ms) = timed(0.0)?;
    let first_picture_s = since_spawn_s()?;
    for step in 1..job.warmup {
        timed(-f64::from(step))?;
    }
    let (mut frames_ms, mut pictures) = (Vec::new(), Vec::new());
    let start = Instant::now();
    for step in 1..=job.frames {
        let (drawn, frame_ms) = timed(f64::from(step))?;
        frames_ms.push(frame_ms);
        if step <= 3 {
            pictures.push(drawn.rgb());
        }
        if start.elapsed().as_secs_f64() > job.cell_s && frames_ms.len() >= 5 {
            break;
        }
    }
    pictures.dedup();
    let png = format!("{}_{size}.png", item.name);
    let (drawn, _) = timed(0.0)?;
    fs::write(job.out.join(&png), scene_picture::png(size, size, &drawn.rgb(), &[])?)?;
    Ok(json!({
        "first_picture_s": first_picture_s,
        "first_ms": first_ms,
        "ms": frames_ms,
        "distinct_of_first_3": pictures.len(),
        "png": png,
    }))
}

fn deadline() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

fn elapsed_ms(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

/// `PEER_T0` is a time of CLOCK_MONOTONIC, which std does not tell; on a machine that has not slept /proc/uptime is the
/// same clock, to 10 ms.
fn since_spawn_s() -> Result<f64, Box<dyn Error>> {
    let uptime = fs::read_to_string("/proc/uptime")?;
    let now_s: f64 = uptime.split(' ').next().unwrap_or_default().parse()?;
    Ok((now_s - std::env::var("PEER_T0")?.parse::<f64>()?).max(0.0))
}

fn peak_rss_mb() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<f64>().ok()? / 1024.0)
}
