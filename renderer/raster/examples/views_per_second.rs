//! Prints how many 128×128 frames of a scene of boxes are drawn in a second, on one thread and on all.

use nalgebra::{Matrix4, Point3, Vector3};
use scene_document::{AlphaMode, Baked, BakedMesh, MeshId, NodeId, Surface, View};
use scene_raster::{Frame, RasterScene};
use std::time::Instant;

const BOXES: u32 = 17;
const VIEWS: u32 = 64;
const SECONDS: f64 = 2.0;

fn main() {
    let raster = RasterScene::new(&boxes());
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

/// Around a scene of about 2 m at the height of a standing person.
fn view(index: u32) -> View {
    let angle = f64::from(index) * std::f64::consts::TAU / f64::from(VIEWS);
    let eye = Point3::new(3.0 * libm::cos(angle), 1.7, 3.0 * libm::sin(angle));
    View::looking_at(eye, Point3::new(0.0, 0.4, 0.0), 0.9, 128, 128)
}

/// A flat one to stand on, the others in a grid on it.
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
