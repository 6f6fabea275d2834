//! `mesh.add_extrusion`: a polygon with a height.

use super::arguments::typed;
use super::edits::edited;
use super::mesh_on_node::{affordable, made};
use super::ranges::{points_within, positive, within};
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo};
use crate::limits::Blame;
use crate::modelling::{Contour, Outline, loft, loft_triangles};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use nalgebra::Point3;
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "mesh.add_extrusion",
    group: Group::Mesh,
    description: "Gives a node the closed solid between a polygon, also a concave one or one with holes, and its copy \
                  `height_m` away: walls with windows, letters, floors of any outline.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Node id, e.g. `n_3`.
    node: String,
    /// Points [x, z] (or [x, y], see `plane`), metres, in either direction; the polygon closes itself.
    #[schemars(length(min = 3, max = 512))]
    outline: Vec<[f64; 2]>,
    /// Polygons inside the outline that are left out, apart from it and from each other; at most 32.
    #[schemars(length(max = 32))]
    holes: Option<Vec<Vec<[f64; 2]>>>,
    /// Metres.
    #[schemars(transform = positive)]
    height_m: f64,
    /// `xz` lies flat and rises from y = 0 to `height_m`; `xy` stands upright and reaches from z = 0 to `height_m`.
    #[serde(default)]
    plane: Plane,
    /// Edges of up to this angle are shaded smooth, 0 to 90; default 30.
    #[schemars(range(min = 0, max = 90))]
    smooth_angle_deg: Option<f64>,
    /// Material id, e.g. `mat_1`.
    material: Option<String>,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Plane {
    #[default]
    Xz,
    Xy,
}

impl Plane {
    /// Across and up, such that the third axis is the way the polygon is moved.
    fn axes(self, [first, second]: [f64; 2]) -> [f64; 2] {
        match self {
            Self::Xz => [second, first],
            Self::Xy => [first, second],
        }
    }

    fn point(self, [across, up]: [f64; 2], height_m: f64) -> Point3<f64> {
        match self {
            Self::Xz => Point3::new(up, height_m, across),
            Self::Xy => Point3::new(across, up, height_m),
        }
    }
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let most = workspace.limits.coordinate_m;
    points_within("/outline", &args.outline, most)?;
    let height_m = within("/height_m", args.height_m, 0.0, 2.0 * most)?;
    let plane = args.plane;
    let turned = |points: &[[f64; 2]]| points.iter().map(|point| plane.axes(*point)).collect::<Vec<_>>();
    let mut holes: Vec<(String, Vec<[f64; 2]>)> = Vec::new();
    for (index, hole) in args.holes.iter().flatten().enumerate() {
        let pointer = format!("/holes/{index}");
        points_within(&pointer, hole, most)?;
        holes.push((pointer, turned(hole)));
    }
    let count = args.outline.len() + holes.iter().map(|(_, hole)| hole.len()).sum::<usize>();
    affordable(workspace, "/outline", loft_triangles(count, holes.len(), 2))?;

    let outer = turned(&args.outline);
    let inner: Vec<Contour> = holes.iter().map(|(pointer, points)| Contour { pointer, points }).collect();
    let outline = Outline::new(Contour { pointer: "/outline", points: &outer }, &inner)?;
    let section = |height_m: f64| outline.points.iter().map(|point| plane.point(*point, height_m)).collect::<Vec<_>>();
    let sections: [Vec<Point3<f64>>; 2] = [0.0, height_m].map(section);
    let surface = loft(&outline, &sections, false);
    let (applied, result) =
        made(&workspace.scene, &args.node, args.material.as_deref(), &surface, args.smooth_angle_deg)?;
    Ok(edited(applied, result).blaming(Blame { triangles: "/outline", place: "/outline" }))
}
