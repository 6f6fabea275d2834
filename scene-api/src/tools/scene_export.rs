//! `scene.export`: what the scene is as a file.

use super::arguments::typed;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo};
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use scene_document::gltf::{self, WriteError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "scene.export",
    group: Group::Core,
    description: "Writes the scene as a GLB, checks it against the glTF 2.0 rules, and returns its size, BLAKE3 \
                  hash and the issues found. The bytes are the observation `scene.glb`.",
    read_only: true,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

const LISTED: usize = 50;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Default `glb`.
    format: Option<Format>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Format {
    Glb,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let Format::Glb = args.format.unwrap_or(Format::Glb);
    let glb = gltf::write_glb(&workspace.scene).map_err(|error| {
        let code = match error {
            WriteError::TooLarge { .. } => ErrorCode::LimitExceeded,
            WriteError::NotFinite { .. } => ErrorCode::NonFinite,
        };
        ToolError::new(code, "", error.to_string())
    })?;
    let most = workspace.limits.export_bytes;
    if glb.len() > most {
        let message = format!("the GLB has {} bytes; at most {most} are allowed", glb.len());
        return Err(ToolError::new(ErrorCode::LimitExceeded, "", message)
            .given(glb.len())
            .allowed(format!("at most {most} bytes")));
    }
    let issues = gltf::check(&glb, &|_| None);
    let listed: Vec<_> = issues.iter().take(LISTED).collect();
    Ok(Outcome::Answer(json!({
        "format": "glb",
        "bytes": glb.len(),
        "blake3": blake3::hash(&glb).to_hex().to_string(),
        "issues": listed,
        "issues_total": issues.len(),
        "truncated": issues.len() > LISTED,
    })))
}
