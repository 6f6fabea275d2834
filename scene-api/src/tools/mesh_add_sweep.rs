//! `mesh.add_sweep`: a profile moved along a path.

use super::arguments::typed;
use super::edits::edited;
use super::mesh_on_node::{affordable, made};
use super::ranges::{points_within, positive, within};
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo};
use crate::limits::Blame;
use crate::modelling::{Contour, Fault, Outline, catmull_rom, loft, loft_triangles, sections};
use crate::tolerances::Tolerances;
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use nalgebra::Point3;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::f64::consts::TAU;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "mesh.add_sweep",
    group: Group::Mesh,
    description: "Gives a node the closed solid that a profile leaves when it moves along a path: pipes, cables, \
                  handles, rails, frames. Whether the path comes near itself is not checked.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

const SAMPLES: u32 = 8;
const RADIUS_MIN_M: f64 = 1e-5;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Node id, e.g. `n_3`.
    node: String,
    /// Cross-section; the path goes through its origin.
    profile: Profile,
    /// Points [x, y, z] in the node's frame, metres. Corners are mitred and turn by 150 degrees at most.
    #[schemars(length(min = 2, max = 256))]
    path: Vec<[f64; 3]>,
    /// `polyline` is straight between the points, `catmull_rom` a smooth curve through them.
    #[serde(default)]
    curve: Curve,
    /// Steps from point to point of a `catmull_rom` curve, 1 to 32; default 8.
    #[schemars(range(min = 1, max = 32))]
    samples: Option<u32>,
    /// Whether the last point leads back to the first, as in a ring; needs three points. Default false: flat ends.
    closed: Option<bool>,
    /// Edges of up to this angle are shaded smooth, 0 to 90; default 30.
    #[schemars(range(min = 0, max = 90))]
    smooth_angle_deg: Option<f64>,
    /// Material id, e.g. `mat_1`.
    material: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum Profile {
    /// A regular polygon about the path.
    Circle {
        /// Of its corners, metres.
        #[schemars(transform = positive)]
        radius_m: f64,
        /// 3 to 128.
        #[schemars(range(min = 3, max = 128))]
        sides: u32,
    },
    /// Any simple polygon.
    Polygon {
        /// [x, y], metres, in either direction: y is up where the path starts level (−Z where it starts upright), and
        /// x to the left as one looks along the path.
        #[schemars(length(min = 3, max = 128))]
        points: Vec<[f64; 2]>,
    },
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Curve {
    #[default]
    Polyline,
    CatmullRom,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let most = workspace.limits.coordinate_m;
    let outline = args.profile.outline(most)?;
    points_within("/path", &args.path, most)?;
    let closed = args.closed.unwrap_or(false);
    let points: Vec<Point3<f64>> = args.path.iter().copied().map(Point3::from).collect();
    are_apart(&points, closed)?;
    let samples = match args.curve {
        Curve::Polyline => 1,
        Curve::CatmullRom => args.samples.unwrap_or(SAMPLES),
    };
    let steps = points.len() * samples as usize;
    affordable(workspace, "/path", loft_triangles(outline.points.len(), 0, steps))?;

    let path = match args.curve {
        Curve::Polyline => points,
        Curve::CatmullRom => catmull_rom(&points, closed, samples),
    };
    let sections =
        sections(&outline.points, &path, closed).map_err(|fault| refused(fault, &args.path, samples as usize))?;
    let surface = loft(&outline, &sections, closed);
    let (applied, result) =
        made(&workspace.scene, &args.node, args.material.as_deref(), &surface, args.smooth_angle_deg)?;
    Ok(edited(applied, result).blaming(Blame { triangles: "/path", place: "/path" }))
}

impl Profile {
    fn outline(&self, most_m: f64) -> Result<Outline, ToolError> {
        match self {
            Self::Circle { radius_m, sides } => {
                let radius_m = within("/profile/radius_m", *radius_m, RADIUS_MIN_M, most_m)?;
                let corner = |side: u32| {
                    let angle_rad = TAU * f64::from(side) / f64::from(*sides);
                    [radius_m * libm::cos(angle_rad), radius_m * libm::sin(angle_rad)]
                };
                let points: Vec<[f64; 2]> = (0..*sides).map(corner).collect();
                Outline::new(Contour { pointer: "/profile", points: &points }, &[])
            }
            Self::Polygon { points } => {
                points_within("/profile/points", points, most_m)?;
                Outline::new(Contour { pointer: "/profile/points", points }, &[])
            }
        }
    }
}

/// # Errors
/// `Degenerate` at the first point that is where the one before it is, or for a ring of two.
fn are_apart(points: &[Point3<f64>], closed: bool) -> Result<(), ToolError> {
    if closed && points.len() < 3 {
        return Err(ToolError::new(ErrorCode::Degenerate, "/path", "a closed path needs three points")
            .given(points.len())
            .allowed("at least 3 points, or closed false"));
    }
    let near = |a: &Point3<f64>, b: &Point3<f64>| (a - b).norm() < Tolerances::default().coincident_m;
    let same = points.windows(2).position(|pair| matches!(pair, [a, b] if near(a, b))).map(|before| before + 1);
    let returns = closed && points.first().zip(points.last()).is_some_and(|(first, last)| near(first, last));
    let Some(at) = same.or(returns.then_some(points.len() - 1)) else { return Ok(()) };
    let message = if same.is_some() {
        "the point is where the one before it is"
    } else {
        "the last point is where the first is; a closed path leads back by itself"
    };
    Err(ToolError::new(ErrorCode::Degenerate, format!("/path/{at}"), message)
        .given(json!(points.get(at).map(|point| [point.x, point.y, point.z])))
        .allowed("neighbours at different places"))
}

fn refused(fault: Fault, path: &[[f64; 3]], samples: usize) -> ToolError {
    let new = |at: usize, message: String| {
        let point = at / samples;
        ToolError::new(ErrorCode::Degenerate, format!("/path/{point}"), message).given(json!(path.get(point)))
    };
    match fault {
        Fault::SharpTurn { at, turn_deg } => new(at, format!("the path turns by {turn_deg:.0} degrees here"))
            .allowed("turns of at most 150 degrees; round the corner with more points or curve catmull_rom"),
        Fault::TooWide { at } => new(at, "the profile is too wide for the bend at or after this point".into())
            .allowed("a smaller profile, a wider bend, or points further apart"),
    }
}
