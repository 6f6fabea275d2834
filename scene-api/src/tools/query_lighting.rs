//! `query.lighting`: how bright a camera sees things.

use super::arguments::typed;
use super::schema::schema_of;
use super::seen::Seen;
use super::{Group, Outcome, ToolInfo, references};
use crate::measured::four_digits;
use crate::reward::{Luminance, Thresholds, relative_luminance};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeSet;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "query.lighting",
    group: Group::Query,
    description: "Measures how bright a camera sees things, as lighting is scored: median luminance of reflected light \
                  and its distance from middle grey, shares of black and white pixels, contrast. `aims` says what is \
                  full marks. Name the objects that matter: a floor or a wall counts like them otherwise. Under an \
                  environment, whose own luminance is told too, contrast is no more than that of the light that \
                  arrives.",
    read_only: true,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of a node with a camera, e.g. `n_9`; default the active camera.
    camera: Option<String>,
    /// Only the pixels of these nodes and what is below them; absent for all that is seen.
    nodes: Option<Vec<String>>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let t = Thresholds::default();
    let asked = args.nodes.map(|given| references::nodes(scene, &given)).transpose()?;
    let seen = Seen::through(scene, args.camera.as_deref(), true)?;
    let wanted: Vec<bool> =
        seen.baked.meshes.iter().map(|mesh| references::is_among(asked.as_ref(), scene, mesh.node)).collect();
    let mesh_at = |pixel: usize| seen.frame.mesh.get(pixel).and_then(|id| (*id as usize).checked_sub(1));
    let is_back = |pixel: usize| seen.frame.from_behind.get(pixel) == Some(&true);
    let backs = (0..seen.frame.mesh.len()).filter(|pixel| is_back(*pixel)).filter_map(mesh_at);
    let backs: BTreeSet<usize> = backs.collect();
    let insides: BTreeSet<usize> = backs.into_iter().filter(|mesh| seen.has_inside(*mesh)).collect();
    let counts = |pixel: usize| {
        let is_outside = |mesh: usize| !(is_back(pixel) && insides.contains(&mesh));
        mesh_at(pixel).is_some_and(|mesh| wanted.get(mesh) == Some(&true) && is_outside(mesh))
    };
    let light = Luminance::of(&seen.raster, &seen.view, &seen.frame, counts);
    let reading = light.reading(&t);
    let [_, contrast_least, contrast_most, _] = t.contrast_log2;
    let mut answer = json!({
        "camera": seen.camera,
        "pixels": light.whole.len(),
        "median_cd_m2": reading.as_ref().map(|reading| four_digits(reading.median_cd_m2)),
        "exposure_ev": reading.as_ref().map(|reading| four_digits(reading.exposure_ev)),
        "black_share": reading.as_ref().map(|reading| four_digits(reading.too_dark)),
        "white_share": reading.as_ref().map(|reading| four_digits(reading.too_bright)),
        "contrast_log2": reading.as_ref().map(|reading| four_digits(reading.contrast_log2)),
        "aims": {
            "median_cd_m2": four_digits(t.grey * t.white_cd_m2),
            "exposure_ev": [-t.exposure_full_ev, t.exposure_full_ev],
            "black_and_white_share_most": t.clip_share_full,
            "contrast_log2": [contrast_least, contrast_most],
        },
        "truncated": light.over_budget,
    });
    if let Some(environment) = seen.baked.environment {
        let luminance_cd_m2 = relative_luminance(environment.radiance_cd_m2());
        answer["environment_cd_m2"] = json!(four_digits(luminance_cd_m2));
    }
    Ok(Outcome::Answer(answer))
}
