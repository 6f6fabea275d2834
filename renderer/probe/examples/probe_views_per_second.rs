//! Prints how many frames of a scene of boxes the probe draws in a second, by size and by views per call, and the
//! reference rasteriser beside it.

use nalgebra::{Matrix4, Point3, Vector3};
use scene_document::{Baked, BakedMesh, MeshId, NodeId, Surface, View};
use scene_probe::{AdapterChoice, Probe, ProbeScene, ProbeShot, RenderError};
use scene_raster::RasterScene;
use std::sync::Arc;
use std::time::Instant;

const BOXES: u32 = 17;
const SIDES_PX: [u32; 3] = [128, 256, 512];
const BATCHES: [u32; 5] = [1, 4, 16, 64, 256];
const RASTER_VIEWS: u32 = 64;
const SECONDS: f64 = 1.5;

fn main() -> Result<(), RenderError> {
    let mut probe = Probe::new(&AdapterChoice::Auto)?;
    let boxes = boxes();
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

/// Around a scene of about 2 m at the height of a standing person.
fn view(index: u32, views: u32, side_px: u32) -> View {
    let angle = f64::from(index) * std::f64::consts::TAU / f64::from(views);
    let eye = Point3::new(3.0 * libm::cos(angle), 1.7, 3.0 * libm::sin(angle));
    View::looking_at(eye, Point3::new(0.0, 0.4, 0.0), 0.9, side_px, side_px)
}

/// Those of the rasteriser's own measurement: a flat one to stand on, the others in a grid on it.
fn boxes() -> Baked {
    let ground = cuboid(Vector3::new(0.0, -0.05, 0.0), Vector3::new(4.0, 0.1, 4.0));
    let others = (0..BOXES - 1).map(|index| {
        let height = 0.3 + 0.1 * f64::from(index % 5);
        let centre = Vector3::new(f64::from(index % 4) * 0.6 - 0.9, height / 2.0, f64::from(index / 4) * 0.6 - 0.9);
        cuboid(centre, Vector3::new(0.4, height, 0.3))
    });
    Baked { meshes: std::iter::once(ground).chain(others).collect(), ..Baked::default() }
}

fn cuboid(centre: Vector3<f64>, size: Vector3<f64>) -> BakedMesh {
    let world_from_unit = Matrix4::new_translation(&centre) * Matrix4::new_nonuniform_scaling(&size);
    let corner = |bits: u32| {
        let [x, y, z] = [0_u32, 1, 2].map(|axis| f64::from((bits >> axis) & 1) - 0.5);
        world_from_unit.transform_point(&Point3::new(x, y, z))
    };
    let faces = [[1, 3, 7, 5], [0, 4, 6, 2], [2, 6, 7, 3], [0, 1, 5, 4], [4, 5, 7, 6], [0, 2, 3, 1]];
    BakedMesh {
        node: NodeId(1),
        name: String::new(),
        mesh: MeshId(1),
        positions: (0..8).map(corner).collect(),
        normals: None,
        triangles: faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect(),
        triangle_surface: vec![0; 12],
        surfaces: vec![Surface::WITHOUT_MATERIAL],
    }
}
