//! `mesh.unwrap`: texture coordinates by projection.

use super::arguments::typed;
use super::axis::Axis;
use super::edits::edited;
use super::mesh_on_node::{changed, mesh_of};
use super::ranges::positive;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo};
use crate::limits::Blame;
use crate::modelling::{Projection, unwrapped};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use scene_document::Triangles;
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "mesh.unwrap",
    group: Group::Texture,
    description: "Gives a node's mesh texture coordinates by a projection in the node's frame, so that textures lie \
                  on it upright. Without them a whole mesh shows one texel. Box and planar put a corner of the \
                  image at the node's origin; offset of material.set_texture moves it.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of a node with a mesh, e.g. `n_3`.
    node: String,
    /// Which way the image falls on the mesh.
    projection: ProjectionArgs,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum ProjectionArgs {
    /// From six sides, each triangle from the one that it faces most. For boxes and buildings.
    Box {
        /// Width of the image on the mesh, metres in the node's frame; default 1.
        #[schemars(range(max = 1000), transform = positive)]
        tile_m: Option<f64>,
    },
    /// From one side.
    Planar {
        /// Seen from its positive end.
        axis: Axis,
        /// Width of the image on the mesh, metres in the node's frame; default 1.
        #[schemars(range(max = 1000), transform = positive)]
        tile_m: Option<f64>,
    },
    /// Once around +Y, from top to bottom.
    Cylindrical,
    /// Once around +Y, from pole to pole.
    Spherical,
}

impl From<ProjectionArgs> for Projection {
    fn from(given: ProjectionArgs) -> Self {
        match given {
            ProjectionArgs::Box { tile_m } => Self::Box { tile_m: tile_m.unwrap_or(1.0) },
            ProjectionArgs::Planar { axis, tile_m } => {
                Self::Planar { axis: axis.index(), tile_m: tile_m.unwrap_or(1.0) }
            }
            ProjectionArgs::Cylindrical => Self::Cylindrical,
            ProjectionArgs::Spherical => Self::Spherical,
        }
    }
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (node, mesh) = mesh_of(scene, &args.node)?;
    let parts: Vec<Triangles> =
        mesh.primitives.iter().map(|primitive| Triangles::clone(&primitive.geometry.triangles())).collect();
    let unwrapped = unwrapped(&parts, args.projection.into());
    let (applied, result) = changed(scene, (node, mesh), unwrapped.into_iter().enumerate().collect())?;
    Ok(edited(applied, result).blaming(Blame { triangles: "/node", place: "/node" }))
}
