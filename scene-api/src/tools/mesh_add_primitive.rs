//! `mesh.add_primitive`: a parametric shape on a node.

use super::arguments::typed;
use super::edits::{edit, edited};
use super::ranges::positive;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, mesh_set_data, references};
use crate::limits::Blame;
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use scene_document::{Edit, Geometry, Mesh, Primitive, Shape};
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "mesh.add_primitive",
    group: Group::Core,
    description: "Gives a node the mesh of a shape, centred on the node's origin, replacing the mesh it had. Sizes \
                  are full extents in metres; the axis of round shapes is +Y.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Node id, e.g. `n_3`.
    node: String,
    /// Which shape, and its sizes.
    shape: ShapeArgs,
    /// Material id, e.g. `mat_1`.
    material: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum ShapeArgs {
    /// Axis-aligned box.
    Box {
        /// Along x, y, z.
        #[schemars(transform = positive)]
        size_m: [f64; 3],
    },
    /// One-sided rectangle in the XZ plane, facing +Y. It is open, so no solid: for a floor use a thin box.
    Plane {
        /// Along x and z.
        #[schemars(transform = positive)]
        size_m: [f64; 2],
    },
    /// Sphere of longitudes and latitudes.
    UvSphere {
        #[schemars(transform = positive)]
        radius_m: f64,
        /// Around the axis, 3 to 256.
        #[schemars(range(min = 3, max = 256))]
        segments: u32,
        /// From pole to pole, 2 to 128.
        #[schemars(range(min = 2, max = 128))]
        rings: u32,
    },
    /// Capped cylinder.
    Cylinder {
        #[schemars(transform = positive)]
        radius_m: f64,
        #[schemars(transform = positive)]
        height_m: f64,
        /// Around the axis, 3 to 256.
        #[schemars(range(min = 3, max = 256))]
        segments: u32,
    },
    /// Capped cone, apex at +Y.
    Cone {
        #[schemars(transform = positive)]
        radius_m: f64,
        #[schemars(transform = positive)]
        height_m: f64,
        /// Around the axis, 3 to 256.
        #[schemars(range(min = 3, max = 256))]
        segments: u32,
    },
    /// Ring in the XZ plane.
    Torus {
        #[schemars(transform = positive)]
        ring_radius_m: f64,
        /// Less than `ring_radius_m`.
        #[schemars(transform = positive)]
        tube_radius_m: f64,
        /// Around the axis, 3 to 256.
        #[schemars(range(min = 3, max = 256))]
        segments: u32,
        /// Around the tube, 3 to 256.
        #[schemars(range(min = 3, max = 256))]
        sides: u32,
    },
    /// Right-angled prism: full height at −Z, falling to zero at +Z.
    Wedge {
        /// Along x, y, z.
        #[schemars(transform = positive)]
        size_m: [f64; 3],
    },
    /// Cylinder with half-spheres for ends.
    Capsule {
        #[schemars(transform = positive)]
        radius_m: f64,
        /// With the half-spheres: more than twice `radius_m`.
        #[schemars(transform = positive)]
        height_m: f64,
        /// Around the axis, 3 to 256.
        #[schemars(range(min = 3, max = 256))]
        segments: u32,
        /// In each half-sphere, 1 to 64.
        #[schemars(range(min = 1, max = 64))]
        rings: u32,
    },
    /// Cylinder with a round hole along the axis: a pipe, a ring.
    Tube {
        #[schemars(transform = positive)]
        outer_radius_m: f64,
        /// Less than `outer_radius_m`.
        #[schemars(transform = positive)]
        inner_radius_m: f64,
        #[schemars(transform = positive)]
        height_m: f64,
        /// Around the axis, 3 to 256.
        #[schemars(range(min = 3, max = 256))]
        segments: u32,
    },
    /// Sphere of nearly equal triangles.
    IcoSphere {
        #[schemars(transform = positive)]
        radius_m: f64,
        /// 0 to 5: 20 triangles, four times as many each time.
        #[schemars(range(min = 0, max = 5))]
        subdivisions: u32,
    },
}

impl From<ShapeArgs> for Shape {
    fn from(shape: ShapeArgs) -> Self {
        match shape {
            ShapeArgs::Box { size_m } => Self::Box { size_m },
            ShapeArgs::Plane { size_m } => Self::Plane { size_m },
            ShapeArgs::UvSphere { radius_m, segments, rings } => Self::UvSphere { radius_m, segments, rings },
            ShapeArgs::Cylinder { radius_m, height_m, segments } => Self::Cylinder { radius_m, height_m, segments },
            ShapeArgs::Cone { radius_m, height_m, segments } => Self::Cone { radius_m, height_m, segments },
            ShapeArgs::Torus { ring_radius_m, tube_radius_m, segments, sides } => {
                Self::Torus { ring_radius_m, tube_radius_m, segments, sides }
            }
            ShapeArgs::Wedge { size_m } => Self::Wedge { size_m },
            ShapeArgs::Capsule { radius_m, height_m, segments, rings } => {
                Self::Capsule { radius_m, height_m, segments, rings }
            }
            ShapeArgs::Tube { outer_radius_m, inner_radius_m, height_m, segments } => {
                Self::Tube { outer_radius_m, inner_radius_m, height_m, segments }
            }
            ShapeArgs::IcoSphere { radius_m, subdivisions } => Self::IcoSphere { radius_m, subdivisions },
        }
    }
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (node, holder) = references::node(scene, "/node", &args.node)?;
    let material = args.material.map(|given| references::material(scene, "/material", &given)).transpose()?;
    let primitive = Primitive { geometry: Geometry::Shape(args.shape.into()), material };
    let mesh = Mesh { name: holder.name.clone(), primitives: vec![primitive], ..Mesh::default() };
    let applied = edit(scene, Edit::SetMesh { node, mesh }, |what| format!("/shape/{what}"))?;
    let result = mesh_set_data::placed(&applied.scene, node);
    Ok(edited(applied, result).blaming(Blame { triangles: "/shape", place: "/shape" }))
}
