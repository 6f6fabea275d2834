//! What can be seen of an episode beside the replies of its tools.

use super::history::history;
use super::{GLB, png};
use crate::nearest::nearest;
use crate::picture_work::{TooHeavy, within_reach};
use crate::studio::StillPass;
use crate::task::SceneTask;
use crate::workspace::Workspace;
use rl_protocol::{Body, Code, Content, DomainError, ObserveOptions};
use scene_document::gltf::write_glb;
use scene_document::{Baked, Scene, View};
use scene_picture::{depths, ids, light, normals};
use scene_raster::{Frame, Lit, RasterScene};

const NAMES: [&str; 9] =
    ["task", "history", "scene.json", "scene.glb", "beauty.png", "preview.png", "ids.png", "depth.png", "normals.png"];
const WIDTH_PX: u32 = 512;
const HEIGHT_PX: u32 = 384;

/// # Errors
/// `InvalidArgument` with the nearest names.
pub(super) fn known(want: &[String]) -> Result<(), DomainError> {
    let Some(unknown) = want.iter().find(|name| !NAMES.contains(&name.as_str())) else { return Ok(()) };
    let message = format!("there is no observation {unknown:?}; there are {}", NAMES.join(", "));
    Err(DomainError::new(Code::InvalidArgument, "OBSERVATION_UNKNOWN", message)
        .field("want")
        .nearest(nearest(unknown, NAMES)))
}

/// Of the observations that a studio draws, where there is one.
pub(super) fn pass(name: &str) -> Option<StillPass> {
    match name {
        "beauty.png" => Some(StillPass::Beauty),
        "ids.png" => Some(StillPass::Id),
        "depth.png" => Some(StillPass::Depth),
        "normals.png" => Some(StillPass::Normal),
        _ => None,
    }
}

/// Through the camera that the scene is seen through.
///
/// # Errors
/// `FailedPrecondition` without a camera.
fn view(baked: &Baked) -> Result<View, DomainError> {
    baked.camera().map(|camera| camera.view(WIDTH_PX, HEIGHT_PX)).ok_or_else(|| {
        let message = "the scene has no camera to look through; add one with camera.add";
        DomainError::new(Code::FailedPrecondition, "NO_CAMERA", message).field("want")
    })
}

/// The view through which a studio is asked to draw.
///
/// # Errors
/// `FailedPrecondition` without a camera, or where there is too much to draw.
pub(super) fn to_draw(scene: &Scene, pass: StillPass) -> Result<View, DomainError> {
    let baked = scene.bake();
    let view = view(&baked)?;
    within_reach(&baked, &view, pass.is_lit()).map_err(|TooHeavy { given_px, allowed_px }| {
        let message =
            format!("the triangles fill {given_px} pixels, one behind another; at most {allowed_px} are drawn");
        DomainError::new(Code::FailedPrecondition, "PICTURE_TOO_HEAVY", message).field("want")
    })?;
    Ok(view)
}

/// What is made without a studio.
pub(super) fn observation(
    name: &str,
    workspace: &Workspace,
    task: &SceneTask,
    white_cd_m2: f64,
    options: ObserveOptions,
) -> Result<Content, DomainError> {
    let content = |mime: &str, body: Body| Content { name: name.into(), mime: mime.into(), body };
    match name {
        "history" => Ok(content("application/json", Body::Text(history(workspace, options)?))),
        "scene.json" => Ok(content("application/json", Body::Text(workspace.scene.to_canonical_json()))),
        "scene.glb" => {
            let glb = write_glb(&workspace.scene)
                .map_err(|error| DomainError::new(Code::Internal, "EXPORT_FAILED", error.to_string()))?;
            Ok(content(GLB, Body::Data(glb)))
        }
        "beauty.png" => {
            let message = "this server has no renderer; preview.png is by the reference rasteriser";
            Err(DomainError::new(Code::FailedPrecondition, "NO_RENDERER", message).field("want"))
        }
        "preview.png" | "ids.png" | "depth.png" | "normals.png" => {
            Ok(png(name, picture(name, &workspace.scene.bake(), white_cd_m2)?))
        }
        _ => Ok(prompt(task, workspace)),
    }
}

/// The reference rasteriser's, with the scorer's exposure.
fn picture(name: &str, baked: &Baked, white_cd_m2: f64) -> Result<Vec<u8>, DomainError> {
    let view = view(baked)?;
    let raster = RasterScene::new(baked);
    let frame = raster.frame(&view);
    let pixels = match name {
        "ids.png" => ids(&frame.mesh),
        "depth.png" => depths(&frame.depth_m.iter().map(|depth_m| *depth_m as f32).collect::<Vec<f32>>()),
        "normals.png" => normals(&raster.shade(&view, &frame).normal),
        _ => preview(&raster.light(&view, &frame), &frame, white_cd_m2),
    };
    scene_picture::png(view.width, view.height, &pixels, &[("Software", "Maquette reference rasteriser")])
        .map_err(|error| DomainError::new(Code::Internal, "PICTURE_FAILED", error.to_string()))
}

/// The light of a frame; where nothing is, a grey that no object is likely to have and no light explains.
fn preview(lit: &Lit, frame: &Frame, white_cd_m2: f64) -> Vec<[u8; 3]> {
    const NOTHING: [u8; 3] = [96; 3];
    let shown = light(&lit.rgb, white_cd_m2).into_iter().zip(&frame.mesh);
    shown.map(|(colour, mesh)| if *mesh == 0 { NOTHING } else { colour }).collect()
}

/// What a model is told at the start.
pub(super) fn prompt(task: &SceneTask, workspace: &Workspace) -> Content {
    let limits = &workspace.limits;
    let text = format!(
        "{}\n\nLimits: {} tool calls, {} nodes, {} triangles, {} lights, {} materials.\n",
        task.prompt.trim_end(),
        limits.calls,
        limits.nodes,
        limits.triangles,
        limits.lights,
        limits.materials
    );
    Content { name: "task".into(), mime: "text/plain".into(), body: Body::Text(text) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Point3;

    #[test]
    fn a_preview_of_nothing_is_grey() {
        let view = View::looking_at(Point3::new(0.0, 0.0, 1.0), Point3::origin(), 1.0, 3, 2);
        let raster = RasterScene::new(&Baked::default());
        let frame = raster.frame(&view);
        assert_eq!(preview(&raster.light(&view, &frame), &frame, 100.0), [[96; 3]; 6]);
    }
}
