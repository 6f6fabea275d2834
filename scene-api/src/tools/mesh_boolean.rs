//! `mesh.boolean`: two solids joined, one cut out of the other, or what they have in common.

use super::arguments::typed;
use super::edits::{and_edit, edited};
use super::mesh_on_node::{SMOOTH_ANGLE_DEG, changed, mesh_of};
use super::schema::schema_of;
use super::solid::solid;
use super::{Group, Outcome, ToolInfo, references};
use crate::limits::Blame;
use crate::measured::four_digits;
use crate::modelling::{Closed, NoSolid, Operation, Surface, boolean, shaded};
use crate::tolerances::Tolerances;
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use nalgebra::{Matrix3, Matrix4};
use scene_document::{Edit, Mesh, Node, NodeId, Scene};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "mesh.boolean",
    group: Group::Mesh,
    description: "Unites the solids of two nodes, subtracts one from the other, or intersects them, as they stand in \
                  the scene. `node` gets the result in place of its mesh; `other` is deleted unless `keep_other`. \
                  Both must be closed meshes that look outward. Triangles keep their materials: a hole has that of \
                  the solid that made it. Texture coordinates are lost; normals are made anew.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of the node whose mesh becomes the result, e.g. `n_3`.
    node: String,
    /// Id of the node with the other solid.
    other: String,
    /// `union`, `difference` (what is not in `other`) or `intersection` (what is in both).
    operation: Kind,
    /// Whether `other` stays in the scene. Default false: it is deleted; it may then have no nodes below it, no camera
    /// and no light.
    keep_other: Option<bool>,
    /// Edges of up to this angle are shaded smooth, 0 (flat) to 90; default 30.
    #[schemars(range(min = 0, max = 90))]
    smooth_angle_deg: Option<f64>,
}

#[derive(Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Union,
    Difference,
    Intersection,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (node, mesh) = mesh_of(scene, &args.node)?;
    let (other, holder) = references::node_with("mesh", |node| node.mesh.is_some(), scene, "/other", &args.other)?;
    let Some(other_mesh) = holder.mesh.and_then(|mesh| scene.meshes().get(&mesh)) else {
        return Err(ToolError::new(ErrorCode::NotFound, "/other", format!("{other} has no mesh")).given(args.other));
    };
    if node == other {
        return Err(ToolError::new(ErrorCode::InvalidArgument, "/other", "a solid is not held against itself")
            .given(args.other)
            .allowed("another node with a mesh"));
    }
    let keeps_other = args.keep_other.unwrap_or(false);
    if !keeps_other {
        deletable(scene, other, holder)?;
    }
    is_rigid("/node", node, mesh)?;
    is_rigid("/other", other, other_mesh)?;

    let world_from_node = scene.world_from_node(node);
    let node_from_world = world_from_node.try_inverse().ok_or_else(|| {
        ToolError::new(ErrorCode::Degenerate, "/node", format!("the scale of {node} flattens it"))
            .given(args.node.as_str())
            .allowed("a node whose scale has no zero")
    })?;
    let first = solid("/node", node, &Surface::of(mesh))?;
    let node_from_other = node_from_world * scene.world_from_node(other);
    let second = solid("/other", other, &placed(other_mesh, mesh, &node_from_other))?;
    let operation = match args.operation {
        Kind::Union => Operation::Union,
        Kind::Difference => Operation::Difference,
        Kind::Intersection => Operation::Intersection,
    };
    let result = boolean(&first, &second, operation).map_err(|why| refused(why, args.operation, other))?;
    let by_scale = determinant(&world_from_node).abs();
    let volume_m3 = Closed::of(&result).map(|closed| four_digits(closed.volume_m3() * by_scale));

    let both =
        Mesh { primitives: [mesh.primitives.as_slice(), other_mesh.primitives.as_slice()].concat(), ..mesh.clone() };
    let parts = shaded(&result, args.smooth_angle_deg.unwrap_or(SMOOTH_ANGLE_DEG));
    let (mut applied, mut reply) = changed(scene, (node, &both), parts)?;
    reply["volume_m3"] = json!(volume_m3);
    if !keeps_other {
        applied = and_edit(applied, Edit::DeleteNode { node: other }, |_| "/other".to_owned())?;
    }
    Ok(edited(applied, reply).blaming(Blame { triangles: "/node", place: "/node" }))
}

fn deletable(scene: &Scene, id: NodeId, node: &Node) -> Result<(), ToolError> {
    let has_more = scene.children(Some(id)).next().is_some() || node.camera.is_some() || node.light.is_some();
    if !has_more {
        return Ok(());
    }
    let message = format!("{id} would be deleted with more than its mesh: nodes below it, a camera or a light");
    Err(ToolError::new(ErrorCode::Unsupported, "/keep_other", message)
        .given(false)
        .allowed("true, or an `other` with nothing but a mesh"))
}

fn is_rigid(pointer: &str, id: NodeId, mesh: &Mesh) -> Result<(), ToolError> {
    if !mesh.is_skinned() && mesh.morph_target_count() == 0 {
        return Ok(());
    }
    Err(ToolError::new(ErrorCode::Unsupported, pointer, format!("joints or morph targets move the mesh of {id}"))
        .given(id.to_string())
        .allowed("a mesh without joints and morph targets"))
}

/// The other mesh in the node's frame. Its parts are the node's of the same material, else those that follow.
fn placed(other: &Mesh, own: &Mesh, node_from_other: &Matrix4<f64>) -> Surface {
    let mut surface = Surface::of(other);
    let is_mirrored = determinant(node_from_other) < 0.0;
    for point in &mut surface.points {
        *point = node_from_other.transform_point(point);
    }
    for face in &mut surface.faces {
        let material = other.primitives.get(face.part).and_then(|part| part.material);
        let alike = own.primitives.iter().position(|part| part.material == material);
        face.part = alike.unwrap_or(own.primitives.len() + face.part);
        if is_mirrored {
            face.corners.swap(1, 2);
        }
    }
    surface.welded()
}

/// Of what it does to directions.
fn determinant(matrix: &Matrix4<f64>) -> f64 {
    let linear: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
    linear.determinant()
}

fn refused(why: NoSolid, operation: Kind, other: NodeId) -> ToolError {
    match why {
        NoSolid::Crowded => {
            let most = Tolerances::default().crossing_pairs;
            ToolError::new(
                ErrorCode::LimitExceeded,
                "/other",
                "too many triangles of the two meshes are near each other",
            )
            .given(other.to_string())
            .allowed(format!("meshes with up to {most} pairs of triangles and edges above or beside each other"))
        }
        NoSolid::Overlapping => ToolError::new(
            ErrorCode::Degenerate,
            "/other",
            "parts of one of the meshes share volume, or one is inside out",
        )
        .given(other.to_string())
        .allowed("meshes whose parts are apart and look outward, cavities inward"),
        NoSolid::Touching => ToolError::new(
            ErrorCode::Degenerate,
            "/other",
            "the result would touch itself along an edge, which no solid does",
        )
        .given(other.to_string())
        .allowed("solids that overlap, share a face, or are apart; move one of them a little"),
        NoSolid::Empty => ToolError::new(ErrorCode::Degenerate, "/operation", "nothing would be left")
            .given(json!(operation))
            .allowed("an operation that leaves a solid; node.delete removes a node"),
        NoSolid::Unclear => ToolError::new(
            ErrorCode::Degenerate,
            "/other",
            "places of the result are too near each other to be told apart",
        )
        .given(other.to_string())
        .allowed("solids that do not nearly coincide; move one of them a little"),
    }
}
