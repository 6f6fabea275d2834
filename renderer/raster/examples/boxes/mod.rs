//! What all three renderers are timed on: boxes on a flat one, seen from all round.

use nalgebra::{Matrix4, Point3, Vector3};
use scene_document::{Baked, BakedMesh, MeshId, NodeId, Surface, View};

pub(crate) const BOXES: u32 = 17;

/// Around a scene of about 2 m at the height of a standing person.
pub(crate) fn view(angle_rad: f64, side_px: u32) -> View {
    let eye = Point3::new(3.0 * libm::cos(angle_rad), 1.7, 3.0 * libm::sin(angle_rad));
    View::looking_at(eye, Point3::new(0.0, 0.4, 0.0), 0.9, side_px, side_px)
}

/// A flat one to stand on, the others in a grid on it; for each `moved` but 0 one of them is a little elsewhere.
pub(crate) fn boxes(moved: u32) -> Baked {
    let ground = cuboid(Vector3::new(0.0, -0.05, 0.0), Vector3::new(4.0, 0.1, 4.0));
    let others = (0..BOXES - 1).map(|index| {
        let height = 0.3 + 0.1 * f64::from(index % 5);
        let aside = if index == moved % (BOXES - 1) { 1e-3 * f64::from(moved % 100) } else { 0.0 };
        let (x, z) = (f64::from(index % 4) * 0.6 - 0.9 + aside, f64::from(index / 4) * 0.6 - 0.9);
        cuboid(Vector3::new(x, height / 2.0, z), Vector3::new(0.4, height, 0.3))
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
        uvs: None,
        triangles: faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect(),
        triangle_surface: vec![0; 12],
        surfaces: vec![Surface { base_color: [0.5, 0.5, 0.5, 1.0], ..Surface::WITHOUT_MATERIAL }],
    }
}
