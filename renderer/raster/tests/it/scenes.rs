//! Baked scenes written by hand.

use nalgebra::{Matrix4, Point3, Vector3};
use scene_document::{
    AlphaMode, Baked, BakedLight, BakedMesh, Kept, Light, LightKind, MeshId, NodeId, Projection, Surface, View,
};

use std::f64::consts::FRAC_PI_2;

pub(crate) fn grey() -> Surface {
    Surface {
        material: None,
        base_color: [0.5, 0.5, 0.5, 1.0],
        metallic: 0.0,
        roughness: 1.0,
        emissive: [0.0; 3],
        alpha_mode: AlphaMode::Opaque,
        alpha_cutoff: 0.5,
        double_sided: false,
    }
}

pub(crate) fn mesh(positions: &[[f64; 3]], triangles: &[[u32; 3]]) -> BakedMesh {
    BakedMesh {
        node: NodeId(1),
        name: String::new(),
        mesh: MeshId(1),
        positions: positions.iter().map(|position| Point3::from(*position)).collect(),
        normals: None,
        uvs: None,
        triangles: triangles.to_vec(),
        triangle_surface: vec![0; triangles.len()],
        surfaces: vec![grey()],
    }
}

/// Counter-clockwise as seen from its front.
pub(crate) fn quad(corners: [[f64; 3]; 4]) -> BakedMesh {
    mesh(&corners, &[[0, 1, 2], [0, 2, 3]])
}

pub(crate) fn cuboid(least: [f64; 3], most: [f64; 3]) -> BakedMesh {
    let corner =
        |bits: usize| [0_usize, 1, 2].map(|axis| if (bits >> axis) & 1 == 1 { most[axis] } else { least[axis] });
    let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(corner);
    let faces = [[1, 3, 7, 5], [0, 4, 6, 2], [2, 6, 7, 3], [0, 1, 5, 4], [4, 5, 7, 6], [0, 2, 3, 1]];
    let triangles: Vec<[u32; 3]> = faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    mesh(&corners, &triangles)
}

pub(crate) fn floor(y: f64, half: f64) -> BakedMesh {
    quad([[-half, y, half], [half, y, half], [half, y, -half], [-half, y, -half]])
}

pub(crate) fn with_surface(mesh: BakedMesh, surface: Surface) -> BakedMesh {
    BakedMesh { surfaces: vec![surface], ..mesh }
}

pub(crate) fn scene(meshes: Vec<BakedMesh>, lights: Vec<BakedLight>) -> Baked {
    Baked { meshes, lights, ..Baked::default() }
}

pub(crate) fn light(kind: LightKind, intensity: f64, position: [f64; 3], direction: [f64; 3]) -> BakedLight {
    let light = Light { name: String::new(), kind, color: [1.0; 3], intensity, range_m: None, kept: Kept::default() };
    BakedLight { node: NodeId(9), light, position: Point3::from(position), direction: Vector3::from(direction) }
}

pub(crate) fn at(x: f64, y: f64, z: f64) -> Matrix4<f64> {
    Matrix4::new_translation(&Vector3::new(x, y, z))
}

/// 90° from top to bottom.
pub(crate) fn perspective(world_from_camera: Matrix4<f64>, width: u32, height: u32) -> View {
    let projection = Projection::Perspective { yfov_rad: FRAC_PI_2, aspect: None, znear_m: 0.01, zfar_m: Some(1000.0) };
    View { world_from_camera, projection, width, height }
}

/// From (0, 0, 10) along −Z.
pub(crate) fn orthographic(half_m: f64, side_px: u32) -> View {
    let projection = Projection::Orthographic { xmag_m: half_m, ymag_m: half_m, znear_m: 0.0, zfar_m: 100.0 };
    View { world_from_camera: at(0.0, 0.0, 10.0), projection, width: side_px, height: side_px }
}
