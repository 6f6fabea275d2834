//! `episode.submit`: the scene is done.

use super::arguments::typed;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo};
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "episode.submit",
    group: Group::Core,
    description: "Ends the episode; the scene as it stands is scored. No call is taken afterwards.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |_, arguments| typed(arguments).map(|Args {}| Outcome::Submitted),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {}
