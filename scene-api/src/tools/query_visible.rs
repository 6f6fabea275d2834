//! `query.visible`: what a camera shows of each mesh.

use super::arguments::typed;
use super::schema::schema_of;
use super::seen::Seen;
use super::{Group, Outcome, ToolInfo, references};
use crate::measured::four_digits;
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use rayon::prelude::*;
use scene_document::BakedMesh;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "query.visible",
    group: Group::Query,
    description: "Says of each mesh node what a camera shows of it: pixels and share of the picture, what share of \
                  its silhouette other things hide (null where it has none in the picture), and what share of its \
                  surface is inside the frame. `truncated` says that there are more nodes.",
    read_only: true,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

const LISTED: usize = 100;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of a node with a camera, e.g. `n_9`; default the active camera.
    camera: Option<String>,
    /// Only these nodes and what is below them; absent for all.
    nodes: Option<Vec<String>>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let asked = args.nodes.map(|given| references::nodes(scene, &given)).transpose()?;
    let seen = Seen::through(scene, args.camera.as_deref(), false)?;
    let wanted = |mesh: &BakedMesh| references::is_among(asked.as_ref(), scene, mesh.node);
    let meshes: Vec<usize> =
        seen.baked.meshes.iter().enumerate().filter(|(_, mesh)| wanted(mesh)).map(|(index, _)| index).collect();
    let listed: Vec<Value> = meshes.par_iter().take(LISTED).map(|mesh| described(&seen, *mesh)).collect();
    Ok(Outcome::Answer(json!({
        "camera": seen.camera,
        "width_px": seen.frame.width,
        "height_px": seen.frame.height,
        "nodes": listed,
        "truncated": meshes.len() > LISTED || seen.frame.over_budget,
    })))
}

fn described(seen: &Seen, mesh: usize) -> Value {
    let coverage = seen.raster.coverage(&seen.view, &seen.frame, &[mesh]);
    let inside_px = if coverage.behind_px > 0 && seen.has_inside(mesh) { coverage.behind_px } else { 0 };
    let visible_px = coverage.visible_px.saturating_sub(inside_px);
    let picture_px = f64::from(seen.frame.width) * f64::from(seen.frame.height);
    let alone_px = f64::from(coverage.alone_px);
    let hidden_share = (alone_px > 0.0).then(|| four_digits(1.0 - f64::from(visible_px) / alone_px));
    json!({
        "node": seen.baked.meshes.get(mesh).map(|mesh| mesh.node),
        "name": seen.baked.meshes.get(mesh).map(|mesh| mesh.name.as_str()),
        "pixels": visible_px,
        "picture_share": four_digits(f64::from(visible_px) / picture_px),
        "hidden_share": hidden_share,
        "in_frame_share": four_digits(coverage.in_frame),
    })
}
