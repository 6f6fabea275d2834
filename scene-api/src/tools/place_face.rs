//! `place.face`: turns a thing about the vertical towards another.

use super::arguments::typed;
use super::edits::{edit, edited, same_name};
use super::look_at::{centre, world_from_parent};
use super::placement::{flat_parent, quaternion};
use super::ranges::each_within;
use super::schema::schema_of;
use super::target::Target;
use super::{Group, Outcome, ToolInfo, references};
use crate::measured::four_digits;
use crate::tolerances::Tolerances;
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use nalgebra::{Matrix3, Matrix4, Vector3};
use scene_document::{Edit, Trs};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "place.face",
    group: Group::Place,
    description: "Turns a node, with all below it, about the vertical through its origin until its local +Z looks \
                  towards a point or the middle of a node; it is not tilted.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of the node to turn, e.g. `n_7`.
    node: String,
    /// A point in world space, metres, or the id of a node.
    target: Target,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (id, node) = references::node(scene, "/node", &args.node)?;
    let target = match args.target {
        Target::Point(point) => {
            let most = workspace.limits.coordinate_m;
            each_within("/target", point, -most, most)?
        }
        Target::Node(given) => {
            let (target, _) = references::node(scene, "/target", &given)?;
            if scene.is_within(target, id) {
                let message = format!("{target} is {id} or below it, so it would turn too");
                return Err(ToolError::new(ErrorCode::InvalidArgument, "/target", message)
                    .given(given)
                    .allowed(format!("a point, or a node that is neither {id} nor below it")));
            }
            centre(scene, target)
        }
    };
    let world_from_node = scene.world_from_node(id);
    let column = |index: usize| world_from_node.fixed_view::<3, 1>(0, index).into_owned();
    let axis = column(2).try_normalize(0.0).unwrap_or_else(Vector3::zeros);
    let forward = level(axis, Tolerances::default().vertical).ok_or_else(|| {
        let message = format!("the local +Z of {id} looks straight up or down, so no turn about the vertical aims it");
        ToolError::new(ErrorCode::Degenerate, "/node", message).allowed("a node whose local +Z is not vertical")
    })?;
    let wanted = level(Vector3::from(target) - column(3), Tolerances::default().coincident_m).ok_or_else(|| {
        let message = format!("the target is at, above or below the origin of {id}, so there is no way to look");
        ToolError::new(ErrorCode::Degenerate, "/target", message).given(json!(target)).allowed("a point beside it")
    })?;
    let cosine = forward.dot(&wanted);
    let sine = wanted.x * forward.z - wanted.z * forward.x;
    let transform = turned(node.transform, &world_from_parent(scene, node.parent), cosine, sine)?;
    let applied = edit(scene, Edit::SetTransform { node: id, transform }, same_name)?;
    let turned_deg = four_digits(libm::atan2(sine, cosine).to_degrees());
    Ok(edited(applied, json!({"node": id, "rotation": transform.rotation, "turned_deg": turned_deg})))
}

/// The unit vector of its level part; `None` where that is shorter than `least`.
fn level(vector: Vector3<f64>, least: f64) -> Option<Vector3<f64>> {
    Vector3::new(vector.x, 0.0, vector.z).try_normalize(least)
}

/// Turned in world space about +Y by the angle of this cosine and sine.
///
/// # Errors
/// `Unsupported` where the parent's scale would shear the node; `Degenerate` where it flattens it.
fn turned(base: Trs, world_from_parent: &Matrix4<f64>, cosine: f64, sine: f64) -> Result<Trs, ToolError> {
    let world: Matrix3<f64> = world_from_parent.fixed_view::<3, 3>(0, 0).into_owned();
    let parent_from_world = world.try_inverse().ok_or_else(flat_parent)?;
    let about_y = Matrix3::new(cosine, 0.0, sine, 0.0, 1.0, 0.0, -sine, 0.0, cosine);
    let turn = parent_from_world * about_y * world;
    let skew = (turn.transpose() * turn - Matrix3::identity()).abs().max();
    if skew > Tolerances::default().perpendicular {
        let message = "the parent's non-uniform scale would shear the node, and a node cannot hold a shear";
        return Err(ToolError::new(ErrorCode::Unsupported, "/node", message)
            .allowed("a node without a parent, or one whose parents are scaled alike along x and z"));
    }
    let rotation = quaternion(turn * base.unit_rotation().to_rotation_matrix().into_inner());
    Ok(Trs { rotation, ..base })
}
