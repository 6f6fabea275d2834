//! Shapes, normals and transforms.

use super::stage::{Named, Stage, at, ball, cuboid, looking, matt, perspective, turned};
use scene_document::{Geometry, LightKind, Mesh, NodeId, Primitive, Projection, Shape, Triangles, Trs};
use std::sync::Arc;

pub(crate) fn all() -> Vec<Named> {
    vec![shapes(), normals(), hierarchy(), isometric(), studio(), many_surfaces()]
}

fn shapes() -> Named {
    let mut stage = Stage::default();
    stage.floor(20.0);
    let rows = [
        ("box", at(-2.0, 0.5, -0.9), cuboid(1.0, 1.0, 1.0), [0.8, 0.25, 0.2]),
        ("sphere", at(-0.65, 0.55, -0.9), ball(0.55), [0.85, 0.6, 0.15]),
        (
            "cylinder",
            at(0.65, 0.6, -0.9),
            Shape::Cylinder { radius_m: 0.45, height_m: 1.2, segments: 32 },
            [0.3, 0.65, 0.25],
        ),
        ("cone", at(2.0, 0.6, -0.9), Shape::Cone { radius_m: 0.55, height_m: 1.2, segments: 32 }, [0.2, 0.4, 0.8]),
        (
            "torus",
            at(-1.4, 0.2, 0.8),
            Shape::Torus { ring_radius_m: 0.5, tube_radius_m: 0.2, segments: 32, sides: 12 },
            [0.6, 0.3, 0.7],
        ),
        (
            "wedge",
            turned(at(0.0, 0.35, 0.8), [0.0, 1.0, 0.0], 50.0),
            Shape::Wedge { size_m: [0.9, 0.7, 1.0] },
            [0.2, 0.65, 0.65],
        ),
        (
            "plane",
            turned(at(1.4, 0.45, 0.8), [1.0, 0.0, 0.0], 50.0),
            Shape::Plane { size_m: [1.0, 1.0] },
            [0.7, 0.7, 0.7],
        ),
    ];
    for (name, transform, shape, color) in rows {
        let material = stage.material(matt(color));
        stage.shape(name, transform, shape, material);
    }
    stage.light("sun", looking([-3.0, 6.0, 4.0], [0.0; 3]), LightKind::Directional, 320.0);
    stage.light("fill", looking([5.0, 2.0, 4.0], [0.0; 3]), LightKind::Directional, 60.0);
    stage.camera([0.0, 3.0, 6.4], [0.0, 0.35, 0.0], perspective(36.0, 4.0 / 3.0));
    ("shapes", stage.scene, "box")
}

/// One solid three times: without normals, with smooth ones, and with normals that all lean upwards.
fn normals() -> Named {
    let mut stage = Stage::default();
    stage.floor(20.0);
    let clay = stage.material(matt([0.75, 0.5, 0.35]));
    let flat = icosahedron();
    let smooth = |lean: f64| {
        let normal = |[x, y, z]: [f32; 3]| unit([f64::from(x), f64::from(y) + lean, f64::from(z)]);
        Triangles { normals: Some(flat.positions.iter().map(|at| normal(*at)).collect()), ..flat.clone() }
    };
    let (even, leaning) = (smooth(0.0), smooth(0.9));
    stage.raw("flat", at(-1.9, 0.9, 0.0), flat, clay);
    stage.raw("smooth", at(0.0, 0.9, 0.0), even, clay);
    stage.raw("leaning", at(1.9, 0.9, 0.0), leaning, clay);
    stage.light("lamp", at(-2.0, 4.0, 4.0), LightKind::Point, 8000.0);
    stage.camera([0.0, 2.2, 7.4], [0.0, 0.85, 0.0], perspective(36.0, 4.0 / 3.0));
    ("normals", stage.scene, "smooth")
}

/// Within the unit sphere.
fn icosahedron() -> Triangles {
    const GOLDEN_RATIO: f64 = 1.618_033_988_749_895;
    let mut positions = Vec::new();
    for (one, phi) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)] {
        let (a, b) = (one, phi * GOLDEN_RATIO);
        positions.extend([unit([0.0, a, b]), unit([a, b, 0.0]), unit([b, 0.0, a])]);
    }
    let edge = |a: usize, b: usize| {
        let [x, y, z] = [0, 1, 2].map(|axis| f64::from(positions[a][axis]) - f64::from(positions[b][axis]));
        (x * x + y * y + z * z).sqrt() < 1.2
    };
    let mut triangles = Vec::new();
    for a in 0..12_usize {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if edge(a, b) && edge(b, c) && edge(c, a) {
                    triangles.push(outwards(&positions, [a, b, c]));
                }
            }
        }
    }
    Triangles { positions, triangles, ..Triangles::default() }
}

/// The corners in the order that is counter-clockwise seen from outside of a solid around the origin.
fn outwards(positions: &[[f32; 3]], [a, b, c]: [usize; 3]) -> [u32; 3] {
    let [p, q, r] = [a, b, c].map(|corner| nalgebra::Vector3::from(positions[corner].map(f64::from)));
    let corners = if p.dot(&q.cross(&r)) > 0.0 { [a, b, c] } else { [a, c, b] };
    corners.map(|corner| u32::try_from(corner).expect("twelve corners"))
}

fn unit([x, y, z]: [f64; 3]) -> [f32; 3] {
    let length = (x * x + y * y + z * z).sqrt();
    [x, y, z].map(|part| (part / length) as f32)
}

/// A flag as it is, mirrored, sheared (a turn below an uneven scale), and both.
fn hierarchy() -> Named {
    let mut stage = Stage::default();
    stage.floor(20.0);
    let uneven = Trs { scale: [1.5, 0.75, 1.0], ..at(-1.6, 0.0, 1.0) };
    let mirrored_uneven = Trs { scale: [-1.5, 0.75, 1.0], ..at(1.6, 0.0, 1.0) };
    let upright = Trs::IDENTITY;
    let tilted = turned(Trs::IDENTITY, [0.0, 0.0, 1.0], -14.0);
    flag(&mut stage, "plain", at(-1.4, 0.0, -1.2), upright, [0.8, 0.3, 0.2]);
    flag(&mut stage, "mirrored", Trs { scale: [-1.0, 1.0, 1.0], ..at(1.4, 0.0, -1.2) }, upright, [0.2, 0.5, 0.8]);
    flag(&mut stage, "sheared", uneven, tilted, [0.8, 0.65, 0.2]);
    flag(&mut stage, "mirrored and sheared", mirrored_uneven, tilted, [0.3, 0.7, 0.3]);
    stage.light("sun", looking([-2.0, 5.0, 5.0], [0.0; 3]), LightKind::Directional, 350.0);
    stage.camera([0.0, 2.8, 6.2], [0.0, 0.65, 0.0], perspective(34.0, 4.0 / 3.0));
    ("hierarchy", stage.scene, "sheared cloth")
}

/// A pole and a wedge that shows which way round it is.
fn flag(stage: &mut Stage, name: &str, transform: Trs, below: Trs, color: [f64; 3]) {
    let group = stage.group(None, name, transform);
    let turn = stage.group(Some(group), "turn", below);
    let (wood, cloth) = (stage.material(matt([0.4, 0.3, 0.2])), stage.material(matt(color)));
    let part = |shape, material| super::stage::one(Geometry::Shape(shape), material);
    stage.mesh(Some(turn), "pole", at(0.0, 0.8, 0.0), part(cuboid(0.12, 1.6, 0.12), wood));
    let wedge = Shape::Wedge { size_m: [0.4, 0.9, 1.0] };
    let sideways = turned(at(0.56, 1.1, 0.0), [0.0, 1.0, 0.0], 90.0);
    stage.mesh(Some(turn), &format!("{name} cloth"), sideways, part(wedge, cloth));
}

fn isometric() -> Named {
    let mut stage = Stage::default();
    stage.floor(9.0);
    let colors = [[0.75, 0.35, 0.25], [0.35, 0.55, 0.7], [0.8, 0.7, 0.4], [0.45, 0.6, 0.4]];
    let materials = colors.map(|color| stage.material(matt(color)));
    for (row, z) in [-2.0, -1.0, 0.0, 1.0, 2.0].into_iter().enumerate() {
        for (column, x) in [-2.0, -1.0, 0.0, 1.0, 2.0].into_iter().enumerate() {
            let height = 0.5 + 0.35 * ((row * 3 + column * 7) % 5) as f64;
            let material = materials[(row + 2 * column) % materials.len()];
            let name = format!("house {row} {column}");
            stage.shape(&name, at(x, height / 2.0, z), cuboid(0.7, height, 0.7), material);
        }
    }
    let tall = stage.material(matt([0.8, 0.8, 0.8]));
    stage.shape("tower", at(2.0, 1.5, 3.0), cuboid(0.8, 3.0, 0.8), tall);
    stage.light("sun", looking([2.0, 4.0, 3.0], [0.0; 3]), LightKind::Directional, 330.0);
    let lens = Projection::Orthographic { xmag_m: 4.4, ymag_m: 3.3, znear_m: 0.1, zfar_m: 40.0 };
    stage.camera([10.0, 9.0, 10.0], [0.3, 0.6, 0.3], lens);
    ("isometric", stage.scene, "tower")
}

/// No light and no camera: what the renderer does by itself.
fn studio() -> Named {
    let mut stage = Stage::default();
    let (stone, brass) = (stage.material(matt([0.6, 0.6, 0.65])), stage.material(matt([0.8, 0.55, 0.2])));
    stage.shape("block", at(0.0, 0.4, 0.0), cuboid(1.6, 0.8, 1.2), stone);
    let ring = Shape::Torus { ring_radius_m: 0.4, tube_radius_m: 0.15, segments: 32, sides: 12 };
    stage.shape("ring", at(-0.2, 0.95, 0.0), ring, brass);
    stage.shape("ball", at(0.6, 1.0, 0.3), ball(0.2), brass);
    ("studio", stage.scene, "block")
}

/// One mesh of three primitives with a material each, the second without normals.
fn many_surfaces() -> Named {
    let mut stage = Stage::default();
    stage.floor(20.0);
    let colors = [[0.8, 0.2, 0.2], [0.85, 0.85, 0.8], [0.15, 0.35, 0.7]];
    let primitives = colors.into_iter().enumerate().map(|(place, color)| {
        let mut part = cuboid(1.2, 0.5, 1.2).tessellate();
        for position in &mut part.positions {
            position[1] += 0.5 * place as f32 + 0.25;
        }
        if place == 1 {
            part.normals = None;
        }
        Primitive { geometry: Geometry::Raw(Arc::new(part)), material: Some(stage.material(matt(color))) }
    });
    let mesh = Mesh { primitives: primitives.collect(), ..Mesh::default() };
    let banded: NodeId = stage.mesh(None, "banded", turned(at(0.0, 0.0, 0.0), [0.0, 1.0, 0.0], 30.0), mesh);
    let mesh = stage.mesh_of(banded);
    stage.again(None, "small banded", Trs { scale: [0.5; 3], ..at(1.5, 0.0, 0.6) }, mesh);
    stage.light("lamp", at(-2.5, 3.5, 3.0), LightKind::Point, 6000.0);
    stage.camera([0.6, 2.2, 5.0], [0.3, 0.65, 0.0], perspective(34.0, 4.0 / 3.0));
    ("many-surfaces", stage.scene, "banded")
}
