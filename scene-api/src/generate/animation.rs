//! Level `animation`: shapes that slide along lines, or swing about a hinge, each at given times.

use super::draws::Draws;
use super::script::Script;
use super::solid::{Form, Solid, metres, point_m};
use super::wording::{Unit, all_facts, prompt, quoted, rules};
use super::{Draft, change};
use crate::reward::Profile;
use crate::task::Statement;
use serde_json::{Value, json};

const HALF_MM: i64 = 2500;
const TOLERANCE_M: f64 = 0.03;
/// Of each part of a motion, where it is looked at: uneven, so that no jump at round times passes for an even pace.
const SHARES: [f64; 5] = [0.17, 0.38, 0.5, 0.79, 1.0];
/// After the last key.
const REST_S: f64 = 1.0;

/// A shape and how it moves.
struct Piece {
    solid: Solid,
    motion: Motion,
}

enum Motion {
    /// In straight lines from one place of its centre to the next, evenly between the times.
    Slide(Vec<Stop>),
    /// Below an empty node that turns about +Y, evenly from 0 s on.
    Swing { hinge: String, hinge_mm: [i64; 3], turn_deg: i64, end_tenths: i64 },
}

struct Stop {
    tenths: i64,
    centre_mm: [i64; 3],
}

pub(super) fn draft(draws: &mut Draws) -> Draft {
    let unit = Unit::draw(draws);
    let pieces = pieces(draws);
    let opening = draws.pick_own(
        &["Build these things and make them move.", "An animated scene is wanted: shapes, and how they move."],
        &["These solids are to move by one animation.", "What stands here does not stand still: animate it as told."],
    );
    let mut facts = Vec::new();
    for Piece { solid, motion } in &pieces {
        facts.extend(all_facts(draws, unit, solid));
        facts.push(motion.fact(draws, unit, solid));
    }
    let rules = format!("{} {}", clock(draws), rules(draws, unit, HALF_MM));
    let moves = pieces.iter().flat_map(Piece::moves).collect();
    let stands = pieces.iter().flat_map(|piece| piece.solid.all().into_iter().chain(piece.parent())).collect();
    Draft {
        profile: Profile::level_0(),
        half_mm: HALF_MM,
        prompt: prompt(draws, opening, facts, &rules),
        objects: pieces.iter().map(|piece| piece.solid.spec()).collect(),
        predicates: change(moves, stands),
        setup: Vec::new(),
        solution: solution(&pieces),
    }
}

/// One or two, each with a strip of the ground to itself.
fn pieces(draws: &mut Draws) -> Vec<Piece> {
    let count = 1 + draws.below(2);
    let mut names = draws.names(2 * count).into_iter();
    let mut name = move || names.next().unwrap_or_default();
    let strips_mm = draws.shuffled(vec![-1200, 1200]);
    let strips_mm = strips_mm.into_iter().take(count);
    strips_mm
        .map(|z_mm| {
            let (paint, x_mm) = (draws.paint(), 50 * draws.between(-24, 24));
            let solid = Solid::draw(draws, name(), &Form::ALL, 10, 60).standing_at(x_mm, 0, z_mm).painted(paint);
            let motion = if draws.below(2) == 0 { slide(draws, &solid) } else { swing(draws, &solid, name()) };
            Piece { solid, motion }
        })
        .collect()
}

/// One or two lines within the strip, along the ground or up.
fn slide(draws: &mut Draws, solid: &Solid) -> Motion {
    let [_, _, z_mm] = solid.centre_mm;
    let mut tenths = 0;
    let mut from_mm = solid.centre_mm;
    let stops = (0..1 + draws.below(2)).map(|_| {
        tenths += 5 * draws.between(1, 6);
        let away_mm = 50 * draws.between(6, 20);
        let [x_mm, y_mm, _] = from_mm;
        let x_mm = if x_mm > 0 { x_mm - away_mm } else { x_mm + away_mm };
        from_mm = [x_mm, y_mm + 50 * draws.between(0, 6), z_mm + 50 * draws.between(-4, 4)];
        Stop { tenths, centre_mm: from_mm }
    });
    Motion::Slide(stops.collect())
}

/// The hinge is beside the shape, at the height of its centre, towards the middle of the strip.
fn swing(draws: &mut Draws, solid: &Solid, hinge: String) -> Motion {
    let [x_mm, y_mm, z_mm] = solid.centre_mm;
    let arm_mm = 50 * draws.between(8, 14);
    let hinge_x_mm = if x_mm > 0 { x_mm - arm_mm } else { x_mm + arm_mm };
    let turn_deg = draws.pick(&[-150, -120, -90, -60, 60, 90, 120, 150]);
    Motion::Swing { hinge, hinge_mm: [hinge_x_mm, y_mm, z_mm], turn_deg, end_tenths: 5 * draws.between(2, 8) }
}

fn seconds(tenths: i64) -> f64 {
    tenths as f64 / 10.0
}

/// The solid's centre when the hinge has turned by so much about +Y.
fn turned_m(solid: &Solid, hinge_mm: [i64; 3], turn_deg: f64) -> [f64; 3] {
    let [x, y, z] = [0, 1, 2].map(|axis: usize| metres(solid.centre_mm[axis] - hinge_mm[axis]));
    let [hinge_x, hinge_y, hinge_z] = point_m(hinge_mm);
    let (sine, cosine) = (libm::sin(turn_deg.to_radians()), libm::cos(turn_deg.to_radians()));
    [hinge_x + x * cosine + z * sine, hinge_y + y, hinge_z - x * sine + z * cosine]
}

impl Piece {
    /// Where it is during each part of its motion, and after it.
    fn moves(&self) -> Vec<Statement> {
        let at = |time_s: f64, position_m: [f64; 3]| Statement::Moves {
            object: self.solid.name.clone(),
            time_s,
            position_m,
            tolerance_m: TOLERANCE_M,
        };
        match &self.motion {
            Motion::Slide(stops) => {
                let start = Stop { tenths: 0, centre_mm: self.solid.centre_mm };
                let starts = std::iter::once(&start).chain(stops);
                let passes = starts.zip(stops).flat_map(|(from, to)| {
                    let (from_m, to_m) = (point_m(from.centre_mm), point_m(to.centre_mm));
                    let (from_s, to_s) = (seconds(from.tenths), seconds(to.tenths));
                    SHARES.map(|share| {
                        let between = |from: f64, to: f64| from + share * (to - from);
                        let place_m = [0, 1, 2].map(|axis: usize| between(from_m[axis], to_m[axis]));
                        at(between(from_s, to_s), place_m)
                    })
                });
                let rests = stops.last().map(|stop| at(seconds(stop.tenths) + REST_S, point_m(stop.centre_mm)));
                passes.chain(rests).collect()
            }
            Motion::Swing { hinge_mm, turn_deg, end_tenths, .. } => {
                let (turn_deg, end_s) = (*turn_deg as f64, seconds(*end_tenths));
                let turned = |share: f64| turned_m(&self.solid, *hinge_mm, share * turn_deg);
                let passes = SHARES.map(|share| at(share * end_s, turned(share)));
                passes.into_iter().chain([at(end_s + REST_S, turned(1.0))]).collect()
            }
        }
    }

    /// What it hangs on, if anything.
    fn parent(&self) -> Option<Statement> {
        let Motion::Swing { hinge, .. } = &self.motion else { return None };
        Some(Statement::Below { object: self.solid.name.clone(), parents: vec![hinge.clone()] })
    }
}

impl Motion {
    fn fact(&self, draws: &mut Draws, unit: Unit, solid: &Solid) -> String {
        let name = quoted(&solid.name);
        match self {
            Self::Slide(stops) => {
                let stops: Vec<String> = stops
                    .iter()
                    .map(|stop| format!("{} at {} s", unit.point(stop.centre_mm), seconds(stop.tenths)))
                    .collect();
                let template = draws.pick_own(
                    &[
                        "From 0 s on the centre of {name} moves evenly in straight lines: {stops}; there it stays.",
                        "{name} starts to move at 0 s; its centre passes evenly from point to point ({stops}).",
                    ],
                    &["At an even speed from one point to the next, the centre of {name} goes from 0 s on: {stops}."],
                );
                template.replace("{name}", &name).replace("{stops}", &stops.join(", then "))
            }
            Self::Swing { hinge, hinge_mm, turn_deg, end_tenths } => {
                let way = if *turn_deg > 0 { "counter-clockwise" } else { "clockwise" };
                let template = draws.pick_own(
                    &[
                        "{name} is a child of the empty root node {hinge}, which is at {at}; from 0 s to {end} s {hinge} \
                         turns evenly by {turn}° about the y axis, {way} as seen from above, and {name} with it.",
                        "An empty root node {hinge} at {at} carries {name}. Evenly from 0 s to {end} s it turns about \
                         the y axis by {turn}°, {way} as seen from above.",
                    ],
                    &[
                        "Below {hinge}, a root node without a mesh at {at}, hangs {name}: seen from above, {hinge} goes \
                         {turn}° {way} about y between 0 s and {end} s, at an even pace.",
                    ],
                );
                let template = template.replace("{name}", &name).replace("{hinge}", &quoted(hinge));
                let template = template.replace("{at}", &unit.point(*hinge_mm)).replace("{way}", way);
                let template = template.replace("{turn}", &turn_deg.abs().to_string());
                template.replace("{end}", &seconds(*end_tenths).to_string())
            }
        }
    }

    /// Of `animation.add_channel`, without the animation.
    fn channel(&self, node: &str, solid: &Solid) -> Value {
        match self {
            Self::Slide(stops) => {
                let start = Stop { tenths: 0, centre_mm: solid.centre_mm };
                let (times_s, values): (Vec<f64>, Vec<[f64; 3]>) = std::iter::once(&start)
                    .chain(stops)
                    .map(|stop| (seconds(stop.tenths), point_m(stop.centre_mm)))
                    .unzip();
                json!({ "node": node, "path": "translation", "times_s": times_s, "values": values })
            }
            Self::Swing { turn_deg, end_tenths, .. } => json!({
                "node": node, "path": "rotation", "times_s": [0.0, seconds(*end_tenths)],
                "values_euler_deg": [[0, 0, 0], [0, turn_deg, 0]],
            }),
        }
    }
}

/// What the places of prompts are, at which time.
fn clock(draws: &mut Draws) -> &'static str {
    draws.pick_own(
        &["Sizes, colours and the places of things are those before the animation starts; it plays from 0 s on."],
        &["Before anything moves, all is as told; the clock of the animation starts at 0 s."],
    )
}

fn solution(pieces: &[Piece]) -> Vec<rl_protocol::ToolCall> {
    let mut script = Script::default();
    let mut channels = Vec::new();
    for Piece { solid, motion } in pieces {
        let moving = match motion {
            Motion::Slide(_) => script.solid(solid).node,
            Motion::Swing { hinge, hinge_mm, .. } => {
                let hinge = script.node(hinge, None, *hinge_mm);
                let at_mm = [0, 1, 2].map(|axis: usize| solid.centre_mm[axis] - hinge_mm[axis]);
                script.solid_below(solid, Some(&hinge), at_mm);
                hinge
            }
        };
        channels.push(motion.channel(&moving, solid));
    }
    script.animation(channels);
    script.submitted()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::draws::Split;

    #[test]
    fn a_quarter_turn_seen_from_above_goes_from_x_to_minus_z() {
        let mut draws = Draws::new("animation", 1, 0);
        assert_eq!(draws.split, Split::Train);
        let solid = Solid::draw(&mut draws, "door".into(), &[Form::Box], 10, 60);
        let [_, y_mm, _] = solid.centre_mm;
        let [x_m, _, z_m] = turned_m(&solid, [-500, y_mm, 0], 90.0);
        assert!((x_m + 0.5).abs() < 1e-12 && (z_m + 0.5).abs() < 1e-12, "{x_m} {z_m}");
    }
}
