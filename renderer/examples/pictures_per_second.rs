//! Prints how long a beauty picture takes after a change of the scene, under a sun with a shadow and in the studio.

use nalgebra::{Matrix4, Point3, Vector3};
use renderer::{AdapterChoice, Pass, RenderError, Renderer, Shot};
use scene_document::{AlphaMode, Baked, BakedLight, BakedMesh, Kept, Light, LightKind, MeshId, NodeId, Surface, View};
use std::sync::Arc;
use std::time::{Duration, Instant};

const BOXES: u32 = 17;
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

/// Around a scene of about 2 m at the height of a standing person.
fn shot(index: u32, side_px: u32, sun: bool) -> Shot {
    let angle = f64::from(index) * 0.1;
    let eye = Point3::new(3.0 * libm::cos(angle), 1.7, 3.0 * libm::sin(angle));
    let view = View::looking_at(eye, Point3::new(0.0, 0.4, 0.0), 0.9, side_px, side_px);
    let lights = if sun { vec![sun_light()] } else { vec![] };
    Shot::new(Arc::new(Baked { meshes: boxes(index), lights, ..Baked::default() }), view, Pass::Beauty)
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

/// A flat one to stand on, the others in a grid on it; one of them is elsewhere each time.
fn boxes(moved: u32) -> Vec<BakedMesh> {
    let ground = cuboid(Vector3::new(0.0, -0.05, 0.0), Vector3::new(4.0, 0.1, 4.0));
    let others = (0..BOXES - 1).map(|index| {
        let height = 0.3 + 0.1 * f64::from(index % 5);
        let aside = if index == moved % (BOXES - 1) { 1e-3 * f64::from(moved % 100) } else { 0.0 };
        let (x, z) = (f64::from(index % 4) * 0.6 - 0.9 + aside, f64::from(index / 4) * 0.6 - 0.9);
        cuboid(Vector3::new(x, height / 2.0, z), Vector3::new(0.4, height, 0.3))
    });
    std::iter::once(ground).chain(others).collect()
}

fn cuboid(centre: Vector3<f64>, size: Vector3<f64>) -> BakedMesh {
    let world_from_unit = Matrix4::new_translation(&centre) * Matrix4::new_nonuniform_scaling(&size);
    let corner = |bits: u32| {
        let [x, y, z] = [0_u32, 1, 2].map(|axis| f64::from((bits >> axis) & 1) - 0.5);
        world_from_unit.transform_point(&Point3::new(x, y, z))
    };
    let faces = [[1, 3, 7, 5], [0, 4, 6, 2], [2, 6, 7, 3], [0, 1, 5, 4], [4, 5, 7, 6], [0, 2, 3, 1]];
    let surface = Surface {
        base_color: [0.5, 0.5, 0.5, 1.0],
        metallic: 0.0,
        roughness: 1.0,
        emissive: [0.0; 3],
        alpha_mode: AlphaMode::Opaque,
        alpha_cutoff: 0.5,
        double_sided: false,
    };
    BakedMesh {
        node: NodeId(1),
        name: String::new(),
        mesh: MeshId(1),
        positions: (0..8).map(corner).collect(),
        normals: None,
        triangles: faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect(),
        triangle_surface: vec![0; 12],
        surfaces: vec![surface],
    }
}
