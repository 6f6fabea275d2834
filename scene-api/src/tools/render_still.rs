//! `render.still`: a picture of the scene as it stands. The call is pure: it says what is to be drawn, and a studio
//! draws it when the step's calls have been played.

use super::arguments::typed;
use super::schema::schema_of;
use super::{Outcome, ToolInfo, references};
use crate::picture_work::within_reach;
use crate::studio::StillPass;
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use scene_document::{NodeId, Scene};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "render.still",
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
    /// Of the scene: equal revisions of one episode are equal scenes.
    pub(crate) revision: u64,
    /// A node with a camera.
    pub(crate) camera: NodeId,
    pub(crate) pass: StillPass,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl Wanted {
    pub(crate) fn pixels(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
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
    let wanted = Wanted {
        scene: workspace.scene.clone(),
        revision: workspace.revision,
        camera: camera(&workspace.scene, args.camera.as_deref())?,
        pass: args.pass.unwrap_or(StillPass::Beauty),
        width: args.width.unwrap_or(WIDTH),
        height: args.height.unwrap_or(HEIGHT),
    };
    let left = workspace.pixels_left();
    if wanted.pixels() > left {
        let (width, height, most) = (wanted.width, wanted.height, workspace.limits.pixels);
        let message = format!("{width} × {height} pixels; of the {most} of this episode {left} are left");
        return Err(ToolError::new(ErrorCode::BudgetExhausted, "", message)
            .given(wanted.pixels())
            .allowed(format!("a picture of at most {left} pixels")));
    }
    reachable(&wanted)?;
    let Wanted { camera, pass, width, height, .. } = wanted;
    let result = json!({"camera": camera, "pass": pass, "width": width, "height": height});
    Ok(Outcome::Pictured { wanted: Box::new(wanted), result })
}

fn reachable(wanted: &Wanted) -> Result<(), ToolError> {
    let baked = wanted.scene.bake();
    let Some(camera) = baked.cameras.iter().find(|camera| camera.node == wanted.camera) else { return Ok(()) };
    let view = camera.view(wanted.width, wanted.height);
    within_reach(&baked, &view, wanted.pass.is_lit()).map_err(|heavy| {
        ToolError::limit("", "pixels to fill, triangles behind each other included", heavy.given_px, heavy.allowed_px)
    })
}

/// The one given, else the active one, else the first.
fn camera(scene: &Scene, given: Option<&str>) -> Result<NodeId, ToolError> {
    if let Some(given) = given {
        return Ok(references::node_with("camera", |node| node.camera.is_some(), scene, "/camera", given)?.0);
    }
    let first = || scene.nodes().iter().find(|(_, node)| node.camera.is_some()).map(|(id, _)| *id);
    scene.active_camera().or_else(first).ok_or_else(|| {
        let message = "the scene has no camera to look through; add one with camera.add";
        ToolError::new(ErrorCode::NotFound, "/camera", message).allowed("the id of a node with a camera")
    })
}
