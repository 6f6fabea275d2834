//! `animation.add_channel`: one property of one node over time.

use super::arguments::typed;
use super::edits::{edit, edited, same_name};
use super::keys::Rows;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::measured::four_digits;
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use scene_document::{Channel, ChannelPath, Edit, Interpolation};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "animation.add_channel",
    group: Group::Animation,
    description: "Moves a node by an animation: what its translation, rotation, scale or morph weights are at key \
                  times. A channel of the same node and path is replaced. Before the first key and after the last the \
                  value stays. The node's own transform, which is what the scene shows and is measured by, does not \
                  change; animation.evaluate says where things stand at a time.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Animation id, e.g. `anm_1`.
    animation: String,
    /// Id of the node that moves, e.g. `n_3`; what is below it moves with it.
    node: String,
    /// What changes, in the frame of the node's parent. `weights` need a mesh with morph targets.
    path: PathArgs,
    /// Key times in seconds, 0 to 1e9, each more than the one before; stored as 32-bit floats.
    #[schemars(length(min = 1, max = 4096), inner(range(min = 0, max = 1_000_000_000)))]
    times_s: Vec<f64>,
    /// One row per time: [x, y, z] in metres, a quaternion [x, y, z, w] (it is normalised), factors [x, y, z], or one
    /// weight per morph target. With `CUBICSPLINE` three rows per time: in-tangent, value, out-tangent; tangents are
    /// per second.
    values: Option<Vec<Vec<f64>>>,
    /// Instead of `values`, for rotations with `STEP` or `LINEAR`: degrees about x, then the turned y, then the turned
    /// z. Two keys are joined along the shorter arc, so a full turn needs keys less than 180° apart.
    values_euler_deg: Option<Vec<[f64; 3]>>,
    /// Default `LINEAR`.
    #[serde(default)]
    interpolation: InterpolationArgs,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum PathArgs {
    Translation,
    Rotation,
    Scale,
    Weights,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
enum InterpolationArgs {
    Step,
    #[default]
    Linear,
    CubicSpline,
}

impl From<PathArgs> for ChannelPath {
    fn from(path: PathArgs) -> Self {
        match path {
            PathArgs::Translation => Self::Translation,
            PathArgs::Rotation => Self::Rotation,
            PathArgs::Scale => Self::Scale,
            PathArgs::Weights => Self::Weights,
        }
    }
}

impl From<InterpolationArgs> for Interpolation {
    fn from(interpolation: InterpolationArgs) -> Self {
        match interpolation {
            InterpolationArgs::Step => Self::Step,
            InterpolationArgs::Linear => Self::Linear,
            InterpolationArgs::CubicSpline => Self::CubicSpline,
        }
    }
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let animation = references::animation(scene, "/animation", &args.animation)?;
    let (node, holder) = references::node(scene, "/node", &args.node)?;
    let mesh = holder.mesh.and_then(|mesh| scene.meshes().get(&mesh));
    let path = ChannelPath::from(args.path);
    let interpolation = Interpolation::from(args.interpolation);
    let morph_targets = mesh.map_or(0, |mesh| mesh.morph_target_count());
    let rows = Rows { path, interpolation, keys: args.times_s.len(), morph_targets };
    let values = match (args.values, args.values_euler_deg) {
        // The document says better what is wrong with weights of a mesh that has none.
        _ if path == ChannelPath::Weights && morph_targets == 0 => Vec::new(),
        (Some(given), None) => rows.flat(given, &workspace.limits)?,
        (None, Some(given)) => rows.flat_from_euler(&given)?,
        (given, _) => {
            let message = if given.is_some() { "values and values_euler_deg exclude each other" } else { "no values" };
            return Err(ToolError::new(ErrorCode::InvalidArgument, "/values", message)
                .allowed("one of values, values_euler_deg"));
        }
    };
    let times_s: Vec<f32> = args.times_s.iter().map(|time_s| *time_s as f32).collect();
    let channel = Channel::new(node, path, interpolation, times_s, values);
    let applied = edit(scene, Edit::SetChannel { animation, channel }, same_name)?;
    let made = applied.scene.animations().get(&animation);
    let result = json!({
        "animation": animation, "node": node, "path": path.name(), "keys": args.times_s.len(),
        "channels": made.map(|made| made.channels.len()),
        "duration_s": made.map(|made| four_digits(made.duration_s())),
    });
    Ok(edited(applied, result))
}
