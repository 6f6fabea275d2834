//! `query.lighting`: how bright a camera sees things.

use super::arguments::typed;
use super::schema::schema_of;
use super::seen::Seen;
use super::{Group, Outcome, ToolInfo, references};
use crate::measured::four_digits;
use crate::reward::{Luminance, Thresholds};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "query.lighting",
    group: Group::Query,
    description: "Measures how bright a camera sees things, as lighting is scored: median luminance of reflected light \
                  and its distance from middle grey, shares of black and white pixels, contrast. `aims` says what is \
                  full marks. Name the objects that matter: a floor or a wall counts like them otherwise.",
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
    let mut shows_back = vec![false; seen.baked.meshes.len()];
    for (id, from_behind) in seen.frame.mesh.iter().zip(&seen.frame.from_behind).filter(|(_, behind)| **behind) {
        let back = (*id as usize).checked_sub(1).and_then(|mesh| shows_back.get_mut(mesh));
        if let Some(back) = back {
            *back = *from_behind;
        }
    }
    let has_inside: Vec<bool> =
        shows_back.iter().enumerate().map(|(mesh, shows_back)| *shows_back && seen.has_inside(mesh)).collect();
    let wanted: Vec<bool> = seen
        .baked
        .meshes
        .iter()
        .map(|mesh| asked.as_ref().is_none_or(|asked| scene.ancestry(mesh.node).any(|above| asked.contains(&above))))
        .collect();
    let counts = |pixel: usize| {
        let mesh = seen.frame.mesh.get(pixel).and_then(|id| (*id as usize).checked_sub(1));
        let from_behind = seen.frame.from_behind.get(pixel) == Some(&true);
        mesh.is_some_and(|mesh| {
            wanted.get(mesh) == Some(&true) && !(from_behind && has_inside.get(mesh) == Some(&true))
        })
    };
    let light = Luminance::of(&seen.raster, &seen.view, &seen.frame, counts);
    let reading = light.reading(&t);
    let [_, contrast_least, contrast_most, _] = t.contrast_log2;
    Ok(Outcome::Answer(json!({
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
    })))
}
