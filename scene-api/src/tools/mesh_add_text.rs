//! `mesh.add_text`: solid letters.

use super::arguments::typed;
use super::edits::edited;
use super::mesh_on_node::{affordable, made};
use super::ranges::{positive, within};
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo};
use crate::limits::Blame;
use crate::modelling::{Contour, Letter, Outline, Surface, lettered, loft, loft_triangles};
use crate::tool_error::{ErrorCode, ToolError, quoted};
use crate::workspace::Workspace;
use nalgebra::Point3;
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "mesh.add_text",
    group: Group::Mesh,
    description: "Gives a node a text in letters of one width, each a closed solid: signs, labels, plates. They stand \
                  upright, are read from +Z, and reach from z = 0 to `depth_m`; the first line stands on y = 0, each \
                  further one 1.6 `height_m` lower.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

const MOST_CHARS: usize = 64;
/// Of `height_m`: the default, and what may be asked for. Finer steps make triangles too thin to be sound.
const TOLERANCE_SHARE: f64 = 0.002;
const TOLERANCE_SHARES: [f64; 2] = [0.001, 0.1];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Node id, e.g. `n_3`.
    node: String,
    /// 1 to 64 characters that the font Hack has, most of Latin, Greek and Cyrillic among them; `\n` begins a line.
    #[schemars(length(min = 1, max = 64))]
    text: String,
    /// Of capitals, metres.
    #[schemars(transform = positive)]
    height_m: f64,
    /// Metres.
    #[schemars(transform = positive)]
    depth_m: f64,
    /// Where x = 0 is on each line; default `left`.
    #[serde(default)]
    align: Align,
    /// Curves become straight pieces that are no further from them, metres: 0.001 to 0.1 of `height_m`; default 0.002
    /// of it.
    #[schemars(transform = positive)]
    curve_tolerance_m: Option<f64>,
    /// Material id, e.g. `mat_1`.
    material: Option<String>,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Align {
    #[default]
    Left,
    Centre,
    Right,
}

impl Align {
    /// The share of a line that is left of x = 0.
    fn before(self) -> f64 {
        match self {
            Self::Left => 0.0,
            Self::Centre => 0.5,
            Self::Right => 1.0,
        }
    }
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let most = workspace.limits.coordinate_m;
    let height_m = within("/height_m", args.height_m, 0.0, most)?;
    let depth_m = within("/depth_m", args.depth_m, 0.0, 2.0 * most)?;
    let [finest, coarsest] = TOLERANCE_SHARES.map(|share| share * height_m);
    let given =
        args.curve_tolerance_m.map(|given| within("/curve_tolerance_m", given, finest, coarsest)).transpose()?;
    let tolerance = given.map_or(TOLERANCE_SHARE, |given_m| given_m / height_m);
    let letters = letters(&args.text, args.align, tolerance)?;

    let contours: usize = letters.iter().map(|letter| letter.contours.len()).sum();
    let points: usize = letters.iter().flat_map(|letter| &letter.contours).map(Vec::len).sum();
    affordable(workspace, "/text", loft_triangles(points, contours, 2))?;
    let mut surface = Surface::default();
    for letter in &letters {
        surface = surface.and(solid(letter, height_m, depth_m)?);
    }
    let (applied, result) = made(&workspace.scene, &args.node, args.material.as_deref(), &surface, None)?;
    Ok(edited(applied, result).blaming(Blame { triangles: "/text", place: "/height_m" }))
}

/// Those that show something; lengths in heights of capitals.
fn letters(text: &str, align: Align, tolerance: f64) -> Result<Vec<Letter>, ToolError> {
    let chars = text.chars().count();
    if chars > MOST_CHARS {
        return Err(ToolError::limit("/text", "characters", chars as u64, MOST_CHARS as u64));
    }
    let mut letters = lettered(text, align.before(), tolerance).map_err(|character| {
        let message = format!("the font has no character {}", quoted(&character.to_string()));
        ToolError::new(ErrorCode::Unsupported, "/text", message)
            .given(character.to_string())
            .allowed("characters of the font Hack, all printable ones of ASCII among them, and \\n")
    })?;
    letters.retain(|letter| !letter.contours.is_empty());
    if letters.is_empty() {
        return Err(ToolError::new(ErrorCode::Degenerate, "/text", "no character of the text shows anything")
            .given(text)
            .allowed("at least one character that is not blank"));
    }
    apart(&letters)?;
    Ok(letters)
}

/// Solids that touch would not be sound. Letters are apart, but line-drawing characters and accents may not be.
fn apart(letters: &[Letter]) -> Result<(), ToolError> {
    let boxes: Vec<[[f64; 2]; 2]> = letters.iter().map(bounds).collect();
    let meet = |one: &[[f64; 2]; 2], other: &[[f64; 2]; 2]| {
        (0..2).all(|axis: usize| one[0][axis] <= other[1][axis] && other[0][axis] <= one[1][axis])
    };
    for (index, (letter, own)) in letters.iter().zip(&boxes).enumerate() {
        let mut before = letters.iter().zip(&boxes).take(index);
        if let Some((other, _)) = before.find(|(_, other)| meet(own, other)) {
            let pair: String = [other.character, letter.character].into_iter().collect();
            let message = format!("the two characters of {} touch or overlap where they are", quoted(&pair));
            return Err(ToolError::new(ErrorCode::Degenerate, "/text", message)
                .given(pair)
                .allowed("characters that keep to their place, or a space between these"));
        }
    }
    Ok(())
}

/// Least and greatest coordinates.
fn bounds(letter: &Letter) -> [[f64; 2]; 2] {
    let nothing = [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]];
    letter
        .contours
        .iter()
        .flatten()
        .fold(nothing, |[low, high], [x, y]| [[low[0].min(*x), low[1].min(*y)], [high[0].max(*x), high[1].max(*y)]])
}

fn solid(letter: &Letter, height_m: f64, depth_m: f64) -> Result<Surface, ToolError> {
    let scaled =
        |contour: &Vec<[f64; 2]>| contour.iter().map(|point| point.map(|part| part * height_m)).collect::<Vec<_>>();
    let contours: Vec<Vec<[f64; 2]>> = letter.contours.iter().map(scaled).collect();
    let contours: Vec<Contour> = contours.iter().map(|points| Contour { pointer: "/text", points }).collect();
    let outline = Outline::nested(&contours).map_err(|error| {
        let character = letter.character.to_string();
        let message = format!("{} cannot be made solid: {}", quoted(&character), error.message);
        ToolError::new(ErrorCode::Degenerate, "/text", message)
            .given(character)
            .allowed("another character, or another curve_tolerance_m")
    })?;
    let section = |z_m: f64| outline.points.iter().map(|[x, y]| Point3::new(*x, *y, z_m)).collect::<Vec<_>>();
    Ok(loft(&outline, &[0.0, depth_m].map(section), false))
}
