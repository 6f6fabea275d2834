//! Baked scenes and views, made by hand and at random.

use crate::random::SplitMix64;
use nalgebra::{Matrix3, Matrix4, Point3, Quaternion, UnitQuaternion, Vector3};
use scene_document::{Baked, BakedMesh, MeshId, NodeId, Projection, Shape, Surface, Triangles, View};
use scene_probe::{AdapterChoice, Probe, ProbeScene, ProbeShot};
use std::sync::Arc;

pub(crate) fn probe() -> Probe {
    Probe::new(&AdapterChoice::Auto).unwrap()
}

pub(crate) fn shot(scene: &Baked, view: View) -> ProbeShot {
    ProbeShot { scene: Arc::new(ProbeScene::new(scene)), view }
}

pub(crate) fn scene(meshes: Vec<BakedMesh>) -> Baked {
    Baked { meshes, ..Baked::default() }
}

pub(crate) fn mesh(triangles: &Triangles, world_from_mesh: &Matrix4<f64>) -> BakedMesh {
    let place = |position: &[f32; 3]| world_from_mesh.transform_point(&Point3::from(position.map(f64::from)));
    let linear: Matrix3<f64> = world_from_mesh.fixed_view::<3, 3>(0, 0).into_owned();
    let normal_matrix = linear.try_inverse().unwrap().transpose();
    let turn = |normal: &[f32; 3]| (normal_matrix * Vector3::from(normal.map(f64::from))).normalize();
    BakedMesh {
        node: NodeId(1),
        name: String::new(),
        mesh: MeshId(1),
        positions: triangles.positions.iter().map(place).collect(),
        normals: triangles.normals.as_ref().map(|normals| normals.iter().map(turn).collect()),
        uvs: None,
        triangles: triangles.triangles.clone(),
        triangle_surface: vec![0; triangles.triangles.len()],
        surfaces: vec![Surface::WITHOUT_MATERIAL],
    }
}

pub(crate) fn cuboid(size_m: [f64; 3], centre: Vector3<f64>) -> BakedMesh {
    mesh(&Shape::Box { size_m }.tessellate(), &Matrix4::new_translation(&centre))
}

pub(crate) fn floor(y: f64, half: f64) -> BakedMesh {
    let side = 2.0 * half;
    let world_from_mesh = Matrix4::new_translation(&Vector3::new(0.0, y, 0.0));
    mesh(&Shape::Plane { size_m: [side; 2] }.tessellate(), &world_from_mesh)
}

pub(crate) fn at(x: f64, y: f64, z: f64) -> Matrix4<f64> {
    Matrix4::new_translation(&Vector3::new(x, y, z))
}

pub(crate) fn perspective(world_from_camera: Matrix4<f64>, zfar_m: Option<f64>, width: u32, height: u32) -> View {
    let yfov_rad = std::f64::consts::FRAC_PI_2;
    let projection = Projection::Perspective { yfov_rad, aspect: None, znear_m: 0.01, zfar_m };
    View { world_from_camera, projection, width, height }
}

/// Three to ten boxes and spheres around the origin, turned and stretched at random, in greys.
pub(crate) fn random_scene(seed: u64) -> Baked {
    let mut random = SplitMix64(seed);
    let count = 3 + random.below(8);
    scene((0..count).map(|_| random_mesh(&mut random)).collect())
}

fn random_mesh(random: &mut SplitMix64) -> BakedMesh {
    let shape = match random.below(2) {
        0 => Shape::Box { size_m: [1.0; 3] },
        _ => Shape::UvSphere { radius_m: 0.5, segments: 24, rings: 12 },
    };
    let centre = Vector3::from_fn(|_, _| random.between(-1.5, 1.5));
    let size_m = Vector3::from_fn(|_, _| random.between(0.3, 1.5));
    let [w, i, j, k] = [(); 4].map(|()| random.between(-1.0, 1.0));
    let rotation = UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k));
    let world_from_mesh =
        Matrix4::new_translation(&centre) * rotation.to_homogeneous() * Matrix4::new_nonuniform_scaling(&size_m);
    let grey = random.between(0.1, 1.0);
    let surface = Surface { base_color: [grey, grey, grey, 1.0], ..Surface::WITHOUT_MATERIAL };
    BakedMesh { surfaces: vec![surface], ..mesh(&shape.tessellate(), &world_from_mesh) }
}

/// From outside of such a scene towards its middle, in perspective or orthographic.
pub(crate) fn random_view(seed: u64, width: u32, height: u32) -> View {
    let mut random = SplitMix64(seed ^ 0x5EED);
    let direction = Vector3::from_fn(|_, _| random.between(-1.0, 1.0)).normalize();
    let eye = Point3::from(direction * random.between(4.5, 7.0));
    let target = Point3::from(Vector3::from_fn(|_, _| random.between(-0.5, 0.5)));
    let view = View::looking_at(eye, target, random.between(0.6, 1.1), width, height);
    if random.below(2) == 0 {
        return view;
    }
    let half_m = random.between(1.5, 3.0);
    let xmag_m = half_m * f64::from(width) / f64::from(height);
    View { projection: Projection::Orthographic { xmag_m, ymag_m: half_m, znear_m: 0.1, zfar_m: 30.0 }, ..view }
}
