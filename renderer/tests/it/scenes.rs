//! Baked scenes made by hand, and words for drawing them.

use crate::golden::renderer;
use nalgebra::{Point3, Vector3};
use renderer::{Pass, Picture, Pixels, Renderer, Shot};
use scene_document::{AlphaMode, Baked, BakedLight, BakedMesh, Kept, Light, LightKind, MeshId, NodeId, Surface, View};
use std::f64::consts::PI;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) fn soon() -> Instant {
    Instant::now() + Duration::from_secs(120)
}

pub(crate) fn draw_by(renderer: &Renderer, scene: &Arc<Baked>, view: &View, pass: Pass) -> Picture {
    renderer.picture(Shot::new(Arc::clone(scene), *view, pass), soon()).unwrap()
}

/// By the renderer that all tests share.
pub(crate) fn draw(scene: &Arc<Baked>, view: &View, pass: Pass) -> Picture {
    draw_by(renderer(), scene, view, pass)
}

pub(crate) fn ids(scene: &Arc<Baked>, view: &View) -> Vec<u32> {
    match draw(scene, view, Pass::Id).pixels {
        Pixels::Ids(ids) => ids,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn linear(scene: &Arc<Baked>, view: &View, pass: Pass) -> Vec<[f32; 3]> {
    match draw(scene, view, pass).pixels {
        Pixels::Linear(pixels) => pixels,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn matt(base_color: [f64; 3]) -> Surface {
    let [red, green, blue] = base_color;
    Surface {
        material: None,
        base_color: [red, green, blue, 1.0],
        metallic: 0.0,
        roughness: 1.0,
        emissive: [0.0; 3],
        alpha_mode: AlphaMode::Opaque,
        alpha_cutoff: 0.5,
        double_sided: false,
    }
}

fn mesh(positions: Vec<Point3<f64>>, triangles: Vec<[u32; 3]>, surface: Surface) -> BakedMesh {
    BakedMesh {
        node: NodeId(1),
        name: String::new(),
        mesh: MeshId(1),
        positions,
        normals: None,
        uvs: None,
        triangle_surface: vec![0; triangles.len()],
        triangles,
        surfaces: vec![surface],
    }
}

pub(crate) fn cuboid(least: [f64; 3], most: [f64; 3], surface: Surface) -> BakedMesh {
    let corner = |bits: usize| {
        Point3::from([0_usize, 1, 2].map(|axis| if (bits >> axis) & 1 == 1 { most[axis] } else { least[axis] }))
    };
    let faces = [[1, 3, 7, 5], [0, 4, 6, 2], [2, 6, 7, 3], [0, 1, 5, 4], [4, 5, 7, 6], [0, 2, 3, 1]];
    let triangles = faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]);
    mesh((0..8).map(corner).collect(), triangles.collect(), surface)
}

/// Closed, with smooth normals.
pub(crate) fn ball(centre: [f64; 3], radius_m: f64, surface: Surface) -> BakedMesh {
    const SEGMENTS: u32 = 48;
    const RINGS: u32 = 24;
    let direction = |ring: u32, segment: u32| {
        let polar = PI * f64::from(ring) / f64::from(RINGS);
        let around = 2.0 * PI * f64::from(segment) / f64::from(SEGMENTS);
        let across = libm::sin(polar);
        Vector3::new(across * libm::cos(around), libm::cos(polar), -across * libm::sin(around))
    };
    let grid = (0..=RINGS).flat_map(|ring| (0..=SEGMENTS).map(move |segment| (ring, segment)));
    let directions: Vec<Vector3<f64>> = grid.map(|(ring, segment)| direction(ring, segment)).collect();
    let positions = directions.iter().map(|direction| Point3::from(centre) + direction * radius_m).collect();
    let cells = (0..RINGS).flat_map(|ring| (0..SEGMENTS).map(move |segment| ring * (SEGMENTS + 1) + segment));
    let triangles = cells.flat_map(|upper| {
        let lower = upper + SEGMENTS + 1;
        [[upper, lower, lower + 1], [upper, lower + 1, upper + 1]]
    });
    BakedMesh { normals: Some(directions), ..mesh(positions, triangles.collect(), surface) }
}

pub(crate) fn scene(meshes: Vec<BakedMesh>, lights: Vec<BakedLight>) -> Arc<Baked> {
    Arc::new(Baked { meshes, lights, ..Baked::default() })
}

/// From `from` towards the origin.
pub(crate) fn light(kind: LightKind, intensity: f64, from: [f64; 3]) -> BakedLight {
    let light = Light { name: String::new(), kind, color: [1.0; 3], intensity, range_m: None, kept: Kept::default() };
    let position = Point3::from(from);
    BakedLight { node: NodeId(9), light, position, direction: -position.coords.normalize() }
}

/// A slab, boxes and a ball on it, all closed and of different colours.
pub(crate) fn solids() -> Vec<BakedMesh> {
    vec![
        cuboid([-2.0, -0.2, -2.0], [2.0, 0.0, 2.0], matt([0.7, 0.7, 0.7])),
        cuboid([-1.4, 0.0, -0.9], [-0.5, 1.1, 0.1], matt([0.8, 0.4, 0.3])),
        cuboid([0.4, 0.0, -1.2], [1.3, 0.5, -0.4], matt([0.3, 0.5, 0.8])),
        ball([0.3, 0.45, 0.7], 0.45, matt([0.6, 0.8, 0.5])),
    ]
}

/// From above the front of `solids`.
pub(crate) fn overview(width: u32, height: u32) -> View {
    View::looking_at(Point3::new(2.2, 5.0, 4.2), Point3::new(0.0, 0.2, 0.0), 0.8, width, height)
}

/// Of the pixels of two planes, those that agree.
pub(crate) fn agreeing<T: PartialEq>(a: &[T], b: &[T]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).filter(|(a, b)| a == b).count() as f64 / a.len() as f64
}
