//! `render.still`: a picture of the scene as it stands. The call is pure: it says what is to be drawn, and a studio
//! draws it when the step's calls have been played.

use super::arguments::typed;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::picture_work::within_reach;
use crate::studio::StillPass;
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use scene_document::{NodeId, Scene, View};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "render.still",
    group: Group::Core,
    description: "Draws the scene as it stands through one of its cameras; the picture, `still.png`, comes beside the \
                  reply. All pictures of an episode share one budget of pixels, `pixels_left`.",
    read_only: true,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

const WIDTH: u32 = 256;
const HEIGHT: u32 = 192;

/// A picture that a call asked for, of the scene as it was then. Clone is O(1).
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    pub(crate) scene: Scene,
    pub(crate) view: View,
    pub(crate) pass: StillPass,
}

impl Wanted {
    pub(crate) fn pixels(&self) -> u64 {
        u64::from(self.view.width) * u64::from(self.view.height)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of a node with a camera, e.g. `n_9`; default the active camera.
    camera: Option<String>,
    /// `beauty` is the lit scene (default), `albedo` its base colour, `normal` the way that surfaces face, `depth` how
    /// near they are, `id` a colour for each mesh.
    pass: Option<StillPass>,
    /// Pixels; default 256.
    #[schemars(range(min = 1, max = 512))]
    width: Option<u32>,
    /// Pixels; default 192.
    #[schemars(range(min = 1, max = 512))]
    height: Option<u32>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let camera = camera(&workspace.scene, args.camera.as_deref())?;
    let pass = args.pass.unwrap_or(StillPass::Beauty);
    let (width, height) = (args.width.unwrap_or(WIDTH), args.height.unwrap_or(HEIGHT));
    let (pixels, left) = (u64::from(width) * u64::from(height), workspace.pixels_left());
    if pixels > left {
        let most = workspace.limits.pixels;
        let message = format!("{width} × {height} pixels; of the {most} of this episode {left} are left");
        return Err(ToolError::new(ErrorCode::BudgetExhausted, "", message)
            .given(pixels)
            .allowed(format!("a picture of at most {left} pixels")));
    }
    let view = reachable(&workspace.scene, camera, pass, (width, height))?;
    let result = json!({"camera": camera, "pass": pass, "width": width, "height": height});
    Ok(Outcome::Pictured { wanted: Box::new(Wanted { scene: workspace.scene.clone(), view, pass }), result })
}

/// The camera's view, if the picture is worth a renderer's time.
fn reachable(scene: &Scene, camera: NodeId, pass: StillPass, (width, height): (u32, u32)) -> Result<View, ToolError> {
    let baked = scene.bake();
    let view = baked.cameras.iter().find(|baked| baked.node == camera).map(|camera| camera.view(width, height));
    let view =
        view.ok_or_else(|| ToolError::new(ErrorCode::NotFound, "/camera", format!("{camera} is not in the scene")))?;
    within_reach(&baked, &view, pass.is_lit()).map_err(|heavy| {
        ToolError::limit("", "pixels to fill, triangles behind each other included", heavy.given_px, heavy.allowed_px)
    })?;
    Ok(view)
}

/// The one given, else the active one, else the first.
pub(super) fn camera(scene: &Scene, given: Option<&str>) -> Result<NodeId, ToolError> {
    if let Some(given) = given {
        return Ok(references::node_with("camera", |node| node.camera.is_some(), scene, "/camera", given)?.0);
    }
    let first = || scene.nodes().iter().find(|(_, node)| node.camera.is_some()).map(|(id, _)| *id);
    scene.active_camera().or_else(first).ok_or_else(|| {
        let message = "the scene has no camera to look through; add one with camera.add";
        ToolError::new(ErrorCode::NotFound, "/camera", message).allowed("the id of a node with a camera")
    })
}
