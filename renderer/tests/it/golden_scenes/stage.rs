//! A scene under construction, and short words for what the golden scenes are made of. Angles are in degrees, sines by
//! libm: the files must be the same bytes on every machine.

use nalgebra::{Matrix3, Point3, Rotation3, UnitQuaternion};
use scene_document::{
    Camera, Changed, Edit, Geometry, Kept, Light, LightKind, Material, MaterialId, Mesh, MeshId, Node, NodeId,
    Primitive, Projection, Scene, Shape, Triangles, Trs, View, apply,
};
use std::sync::Arc;

/// Name, scene, and the subject's name.
pub(crate) type Named = (&'static str, Scene, &'static str);

#[derive(Default)]
pub(crate) struct Stage {
    pub(crate) scene: Scene,
}

impl Stage {
    pub(crate) fn edit(&mut self, edit: Edit) -> Changed {
        let done = apply(&self.scene, edit).expect("the golden scenes are made of valid edits");
        self.scene = done.scene;
        done.changed
    }

    pub(crate) fn material(&mut self, material: Material) -> MaterialId {
        self.edit(Edit::CreateMaterial(material)).materials[0]
    }

    /// A node without a mesh.
    pub(crate) fn group(&mut self, parent: Option<NodeId>, name: &str, transform: Trs) -> NodeId {
        self.edit(Edit::CreateNode(Node { name: name.into(), parent, transform, ..Node::default() })).nodes[0]
    }

    pub(crate) fn mesh(&mut self, parent: Option<NodeId>, name: &str, transform: Trs, mesh: Mesh) -> NodeId {
        let node = self.group(parent, name, transform);
        self.edit(Edit::SetMesh { node, mesh });
        node
    }

    pub(crate) fn shape(&mut self, name: &str, transform: Trs, shape: Shape, material: MaterialId) -> NodeId {
        self.mesh(None, name, transform, one(Geometry::Shape(shape), material))
    }

    pub(crate) fn raw(&mut self, name: &str, transform: Trs, triangles: Triangles, material: MaterialId) -> NodeId {
        self.mesh(None, name, transform, one(Geometry::Raw(Arc::new(triangles)), material))
    }

    pub(crate) fn mesh_of(&self, node: NodeId) -> MeshId {
        self.scene.node(node).and_then(|node| node.mesh).expect("the node has a mesh")
    }

    /// Another node for a mesh that is there.
    pub(crate) fn again(&mut self, parent: Option<NodeId>, name: &str, transform: Trs, mesh: MeshId) {
        let node = Node { name: name.into(), parent, transform, mesh: Some(mesh), ..Node::default() };
        self.edit(Edit::CreateNode(node));
    }

    /// White; its transform says where it is and which way it shines.
    pub(crate) fn light(&mut self, name: &str, transform: Trs, kind: LightKind, intensity: f64) -> NodeId {
        self.coloured(name, transform, kind, intensity, [1.0; 3])
    }

    /// Lux for directional lights, candela for the others.
    pub(crate) fn coloured(
        &mut self,
        name: &str,
        transform: Trs,
        kind: LightKind,
        intensity: f64,
        color: [f64; 3],
    ) -> NodeId {
        let node = self.group(None, name, transform);
        let light = Light { name: name.into(), kind, color, intensity, range_m: None, kept: Kept::default() };
        self.edit(Edit::SetLight { node, light });
        node
    }

    /// The camera to look through.
    pub(crate) fn camera(&mut self, eye: [f64; 3], target: [f64; 3], projection: Projection) {
        let node = self.group(None, "camera", looking(eye, target));
        self.edit(Edit::SetCamera { node, camera: Camera { name: "lens".into(), projection, kept: Kept::default() } });
        self.edit(Edit::SetActiveCamera { node });
    }

    /// A large grey floor whose top is at y = 0.
    pub(crate) fn floor(&mut self, side_m: f64) {
        let grey = self.material(matt([0.5, 0.5, 0.5]));
        self.shape("floor", at(0.0, 0.0, 0.0), Shape::Plane { size_m: [side_m; 2] }, grey);
    }
}

pub(crate) fn one(geometry: Geometry, material: MaterialId) -> Mesh {
    Mesh { primitives: vec![Primitive { geometry, material: Some(material) }], ..Mesh::default() }
}

pub(crate) fn at(x: f64, y: f64, z: f64) -> Trs {
    Trs::from_translation([x, y, z])
}

/// `transform` with a rotation about a unit axis in place of its own.
pub(crate) fn turned(transform: Trs, [x, y, z]: [f64; 3], angle_deg: f64) -> Trs {
    let half_rad = angle_deg.to_radians() / 2.0;
    let sine = libm::sin(half_rad);
    Trs { rotation: [x * sine, y * sine, z * sine, libm::cos(half_rad)], ..transform }
}

/// At `eye` with −Z towards `target`: where a camera looks and a light shines.
pub(crate) fn looking(eye: [f64; 3], target: [f64; 3]) -> Trs {
    let view = View::looking_at(Point3::from(eye), Point3::from(target), 1.0, 1, 1);
    let axes: Matrix3<f64> = view.world_from_camera.fixed_view::<3, 3>(0, 0).into_owned();
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes));
    Trs { translation: eye, rotation: rotation.coords.into(), scale: [1.0; 3] }
}

pub(crate) fn perspective(yfov_deg: f64, aspect: f64) -> Projection {
    Projection::Perspective { yfov_rad: yfov_deg.to_radians(), aspect: Some(aspect), znear_m: 0.05, zfar_m: None }
}

pub(crate) fn cone(inner_deg: f64, outer_deg: f64) -> LightKind {
    LightKind::Spot { inner_cone_rad: inner_deg.to_radians(), outer_cone_rad: outer_deg.to_radians() }
}

/// Dielectric and rough, linear RGB.
pub(crate) fn matt([red, green, blue]: [f64; 3]) -> Material {
    Material { base_color: [red, green, blue, 1.0], ..Material::default() }
}

pub(crate) fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Shape::Box { size_m: [x, y, z] }
}

pub(crate) fn ball(radius_m: f64) -> Shape {
    Shape::UvSphere { radius_m, segments: 24, rings: 12 }
}
