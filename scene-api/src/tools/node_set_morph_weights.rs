//! `node.set_morph_weights`: how far a node's mesh is moved towards each of its morph targets.

use super::arguments::typed;
use super::edits::{edit, edited, same_name};
use super::mesh_set_data::placed;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::limits::Blame;
use crate::tool_error::{ErrorCode, ToolError, quoted};
use crate::workspace::Workspace;
use scene_document::Edit;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "node.set_morph_weights",
    group: Group::Mesh,
    description: "Sets how far a node's mesh is moved towards each of its morph targets, which scene.describe lists: 0 \
                  not at all, 1 all the way. Other nodes that show the same mesh keep theirs.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of a node whose mesh has morph targets, e.g. `n_3`.
    node: String,
    /// One per morph target, in their order; none for those that the mesh itself has.
    #[schemars(length(max = 4096), inner(range(min = -100, max = 100)))]
    weights: Vec<f64>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (id, node) = references::node(scene, "/node", &args.node)?;
    let mesh = node.mesh.and_then(|mesh| scene.meshes().get(&mesh));
    let (given, targets) = (args.weights.len(), mesh.map_or(0, |mesh| mesh.morph_target_count()));
    if targets == 0 {
        let message = format!("{id} ({}) has no mesh with morph targets", quoted(&node.name));
        return Err(ToolError::new(ErrorCode::Unsupported, "/node", message)
            .given(args.node)
            .allowed("a node whose mesh has morph targets; mesh.add_morph_target makes one"));
    }
    if given != targets && given > 0 {
        let message = format!("{given} weights for {targets} morph targets");
        return Err(ToolError::new(ErrorCode::InvalidArgument, "/weights", message)
            .given(given)
            .allowed(format!("{targets} weights, or none for those of the mesh")));
    }
    let applied = edit(scene, Edit::SetWeights { node: id, weights: args.weights.clone() }, same_name)?;
    let mut result = placed(&applied.scene, id);
    result["weights"] = json!(args.weights);
    Ok(edited(applied, result).blaming(Blame { triangles: "/node", place: "/weights" }))
}
