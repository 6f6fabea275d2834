//! `mesh.add_lathe`: a profile turned about the axis.

use super::arguments::typed;
use super::edits::edited;
use super::mesh_on_node::{affordable, made};
use super::ranges::within;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo};
use crate::limits::Blame;
use crate::modelling::{Contour, Outline, loft, loft_triangles};
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use nalgebra::Point3;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "mesh.add_lathe",
    group: Group::Mesh,
    description: "Gives a node the closed solid that a profile makes when it is turned about +Y: bowls, bottles, \
                  wheels, table legs. For a hollow vessel the profile goes up outside and down inside.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

/// A turn that is nearly whole would leave a slit.
const PART_MOST_DEG: f64 = 359.0;
const WHOLE_DEG: f64 = 360.0;
const SEGMENTS: u32 = 32;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Node id, e.g. `n_3`.
    node: String,
    /// Points [radius, y], metres, radius at least 0, in either direction; the line neither crosses nor touches itself.
    #[schemars(length(min = 2, max = 256))]
    profile: Vec<[f64; 2]>,
    /// How first and last point are closed: `to_axis` straight to the axis, `joined` to each other, as a ring needs.
    #[serde(default)]
    ends: Ends,
    /// Of the turn, 3 to 256; default 32.
    #[schemars(range(min = 3, max = 256))]
    segments: Option<u32>,
    /// Degrees from +X counter-clockwise seen from above, 1 to 359 or 360; default 360. Less than 360 gets flat ends.
    #[schemars(range(min = 1, max = 360))]
    sweep_deg: Option<f64>,
    /// Edges of up to this angle are shaded smooth, 0 to 90; default 30.
    #[schemars(range(min = 0, max = 90))]
    smooth_angle_deg: Option<f64>,
    /// Material id, e.g. `mat_1`.
    material: Option<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Ends {
    #[default]
    ToAxis,
    Joined,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let most = workspace.limits.coordinate_m;
    for (index, [radius_m, y_m]) in args.profile.iter().copied().enumerate() {
        within(&format!("/profile/{index}/0"), radius_m, 0.0, most)?;
        within(&format!("/profile/{index}/1"), y_m, -most, most)?;
    }
    let sweep_deg = args.sweep_deg.unwrap_or(WHOLE_DEG);
    let is_whole = sweep_deg == WHOLE_DEG;
    if !is_whole && sweep_deg > PART_MOST_DEG {
        let allowed = format!("1 to {PART_MOST_DEG}, or {WHOLE_DEG}");
        return Err(ToolError::out_of_range("/sweep_deg", sweep_deg, allowed));
    }
    let outline = outline(&args.profile, args.ends)?;
    let segments = args.segments.unwrap_or(SEGMENTS);
    let count = if is_whole { segments } else { segments + 1 };
    affordable(workspace, "/segments", loft_triangles(outline.points.len(), 0, count as usize))?;

    let sweep_rad = sweep_deg.to_radians();
    let start_rad = if is_whole { 0.0 } else { -sweep_rad };
    let sections: Vec<Vec<Point3<f64>>> = (0..count)
        .map(|step| {
            let angle_rad = start_rad + sweep_rad * f64::from(step) / f64::from(segments);
            let (sin, cos) = (libm::sin(angle_rad), libm::cos(angle_rad));
            outline.points.iter().map(|[radius, y]| Point3::new(radius * cos, *y, radius * sin)).collect()
        })
        .collect();
    let surface = loft(&outline, &sections, is_whole);
    let (applied, result) =
        made(&workspace.scene, &args.node, args.material.as_deref(), &surface, args.smooth_angle_deg)?;
    Ok(edited(applied, result).blaming(Blame { triangles: "/segments", place: "/profile" }))
}

/// The closed half of the cross-section.
fn outline(profile: &[[f64; 2]], ends: Ends) -> Result<Outline, ToolError> {
    let mut points = profile.to_vec();
    if ends == Ends::ToAxis {
        let open = [profile.last(), profile.first()].into_iter().flatten();
        points.extend(open.filter(|[radius_m, _]| *radius_m as f32 > 0.0).map(|[_, y_m]| [0.0, *y_m]));
    }
    let place = |point: usize| if point < profile.len() { format!("/profile/{point}") } else { "/profile".to_owned() };
    let outline = Outline::new(Contour { pointer: "/profile", points: &points }, &[]).map_err(|error| {
        let point = error.pointer.rsplit('/').next().and_then(|last| last.parse::<usize>().ok());
        ToolError { pointer: point.map_or_else(|| error.pointer.clone(), place), ..error }
    })?;
    let radius = |point: usize| outline.points.get(point % outline.points.len()).map_or(0.0, |[radius, _]| *radius);
    let count = outline.points.len();
    let pinched = (0..count).find(|at| radius(*at) == 0.0 && radius(at + 1) > 0.0 && radius(at + count - 1) > 0.0);
    match pinched {
        Some(at) => {
            let message = "the profile touches the axis in this one point, where the solid would be pinched";
            Err(ToolError::new(ErrorCode::Degenerate, place(at), message)
                .given(json!(outline.points.get(at)))
                .allowed("a radius more than 0, or a neighbour on the axis too"))
        }
        None => Ok(outline),
    }
}
