//! Level `furniture`: a table, stool, bench or shelf as one object of named parts.

use super::draws::Draws;
use super::script::Script;
use super::solid::{Form, Solid, point_m};
use super::wording::{Unit, colour_fact, prompt, quoted, rules, size_fact};
use super::{Draft, weighing};
use crate::reward::Profile;
use crate::task::{Predicate, Statement};

const HALF_MM: i64 = 2000;
const PART_SIZE_TOLERANCE_M: f64 = 0.01;
const PART_TOLERANCE_M: f64 = 0.02;

/// Boxes of one size at some places. Of several, the names are numbered: `leg_` is `leg_1`, `leg_2` …
struct Part {
    name: &'static str,
    size_mm: [i64; 3],
    /// Relative to the middle of the object's footprint.
    centres_mm: Vec<[i64; 3]>,
}

struct Furniture {
    /// What it is, with its article.
    words: &'static str,
    whole: Solid,
    parts: Vec<Part>,
}

pub(super) fn draft(draws: &mut Draws) -> Draft {
    let unit = Unit::draw(draws);
    let Furniture { words, whole, parts } = match draws.below(4) {
        0 => table(draws, &["table", "desk"], &["workbench", "counter"], "a table", [40, 160]),
        1 => table(draws, &["stool", "footstool"], &["taboret", "hocker"], "a stool", [25, 60]),
        2 => bench(draws),
        _ => shelf(draws),
    };
    let whole = whole.painted(draws.paint()).standing_at(100 * draws.between(-8, 8), 0, 100 * draws.between(-8, 8));
    let [x_mm, _, z_mm] = whole.centre_mm;
    let name = quoted(&whole.name);
    let template = draws.pick_own(
        &[
            "Build {kind}: a node {name} on the ground, its parts nodes below it.",
            "An object {name}, {kind}, is wanted. Its parts are nodes below the node {name}.",
        ],
        &["Make {kind}. Let its node be {name}, with each part a node under that one."],
    );
    let opening = template.replace("{kind}", words).replace("{name}", &name);
    let mut facts = vec![size_fact(draws, unit, &whole.name, whole.size_mm)];
    facts.extend(colour_fact(draws, &whole));
    let origin = unit.point([x_mm, 0, z_mm]);
    facts.push(match draws.below(2) {
        0 => format!("The middle of its footprint is at {origin}; places of parts count from there."),
        _ => format!("Its parts' centres are told from {origin}, where the middle of its footprint stands."),
    });
    facts.extend(parts.iter().map(|part| part.fact(draws, unit)));
    let rules = rules(draws, unit, HALF_MM);

    let mut predicates: Vec<Predicate> = parts.iter().flat_map(|part| part.predicates(&whole, [x_mm, z_mm])).collect();
    predicates.extend(weighing(1.0, [whole.size(), whole.at()].into_iter().chain(whole.color()).collect()));
    Draft {
        profile: Profile::level_0(),
        half_mm: HALF_MM,
        prompt: prompt(draws, &opening, facts, &rules),
        objects: vec![whole.spec()],
        predicates,
        setup: Vec::new(),
        solution: solution(&whole, &parts),
    }
}

impl Part {
    fn count(&self) -> usize {
        self.centres_mm.len()
    }

    fn fact(&self, draws: &mut Draws, unit: Unit) -> String {
        let sides = unit.sides(self.size_mm);
        let centres: Vec<String> = self.centres_mm.iter().map(|centre| unit.point(*centre)).collect();
        let at = centres.join(", ");
        if self.count() == 1 {
            let template = draws.pick_own(
                &["A part {name} is a box of {sides} with its centre at {at}.", "{name}: a box, {sides}, centre {at}."],
                &["One box, {name}, has sides of {sides} and its middle at {at}."],
            );
            return template.replace("{name}", &quoted(self.name)).replace("{sides}", &sides).replace("{at}", &at);
        }
        let (first, last) = (format!("\"{}1\"", self.name), format!("\"{}{}\"", self.name, self.count()));
        let template = draws.pick_own(
            &[
                "Parts {first} to {last}, in any order, are boxes of {sides} with their centres at {at}.",
                "{first} to {last}: boxes, each {sides}, centres {at}, in any order.",
            ],
            &["The boxes {first} to {last} have sides of {sides}; their middles, in whichever order, are {at}."],
        );
        let template = template.replace("{first}", &first).replace("{last}", &last);
        template.replace("{sides}", &sides).replace("{at}", &at)
    }

    /// Of sizes and places, as weighty as there are boxes, and of their number.
    fn predicates(&self, whole: &Solid, [x_mm, z_mm]: [i64; 2]) -> Vec<Predicate> {
        let (count, several) = (self.count(), self.count() > 1);
        let part = Statement::Part {
            object: whole.name.clone(),
            name: if several { format!("{}*", self.name) } else { self.name.into() },
            size_m: point_m(self.size_mm),
            centres_m: self.centres_mm.iter().map(|[x, y, z]| point_m([x + x_mm, *y, z + z_mm])).collect(),
            size_tolerance_m: PART_SIZE_TOLERANCE_M,
            tolerance_m: PART_TOLERANCE_M,
        };
        let count_of = Statement::Count {
            prefix: self.name.into(),
            below: Some(whole.name.clone()),
            count: u32::try_from(count).unwrap_or(u32::MAX),
        };
        vec![Predicate { weight: count as f64, statement: part }, Predicate { weight: 1.0, statement: count_of }]
    }
}

fn solution(whole: &Solid, parts: &[Part]) -> Vec<rl_protocol::ToolCall> {
    let mut script = Script::default();
    let [x_mm, _, z_mm] = whole.centre_mm;
    let material = whole.paint.map(|paint| script.material(paint));
    let root = script.node(&whole.name, None, [x_mm, 0, z_mm]);
    for part in parts {
        for (centre_mm, number) in part.centres_mm.iter().zip(1..) {
            let name = if part.count() > 1 { format!("{}{number}", part.name) } else { part.name.into() };
            let node = script.node(&name, Some(&root), *centre_mm);
            script.shape(&node, Form::Box, part.size_mm, material.as_deref());
        }
    }
    script.submitted()
}

/// A name and the sides of the whole.
fn whole(draws: &mut Draws, nouns: &[&'static str], held_out: &[&'static str], sides_cm: [[i64; 2]; 3]) -> Solid {
    let noun = draws.pick_own(nouns, held_out);
    let name = draws.name_of(noun);
    let size_mm = sides_cm.map(|[low, high]| draws.side_mm(low, high));
    Solid { name, form: Form::Box, size_mm, centre_mm: [0; 3], paint: None }
}

/// A top on four legs at its corners, or somewhat inside them.
fn table(
    draws: &mut Draws,
    nouns: &[&'static str],
    held_out: &[&'static str],
    words: &'static str,
    wide_cm: [i64; 2],
) -> Furniture {
    let whole = whole(draws, nouns, held_out, [wide_cm, [25, 110], wide_cm]);
    let [width, height, depth] = whole.size_mm;
    let (thick, leg, inset) = (10 * draws.between(2, 5), 10 * draws.between(3, 6), 10 * draws.between(0, 3));
    let under = height - thick;
    let (x, z) = (width / 2 - leg / 2 - inset, depth / 2 - leg / 2 - inset);
    let corners = [(-x, -z), (-x, z), (x, -z), (x, z)];
    let legs = corners.map(|(x, z)| [x, under / 2, z]).to_vec();
    let top = if words == "a stool" { "seat" } else { "top" };
    let parts = vec![
        Part { name: top, size_mm: [width, thick, depth], centres_mm: vec![[0, height - thick / 2, 0]] },
        Part { name: "leg_", size_mm: [leg, under, leg], centres_mm: legs },
    ];
    Furniture { words, whole, parts }
}

/// A seat on two panels.
fn bench(draws: &mut Draws) -> Furniture {
    let whole = whole(draws, &["bench", "pew"], &["settle", "form"], [[70, 180], [25, 70], [25, 50]]);
    let [width, height, depth] = whole.size_mm;
    let (thick, panel, inset) = (10 * draws.between(2, 6), 10 * draws.between(3, 8), 10 * draws.between(0, 10));
    let under = height - thick;
    let x = width / 2 - panel / 2 - inset;
    let parts = vec![
        Part { name: "seat", size_mm: [width, thick, depth], centres_mm: vec![[0, height - thick / 2, 0]] },
        Part {
            name: "panel_",
            size_mm: [panel, under, depth],
            centres_mm: vec![[-x, under / 2, 0], [x, under / 2, 0]],
        },
    ];
    Furniture { words: "a bench", whole, parts }
}

/// Two side panels with boards between them, the lowest on the ground and the highest flush with the top.
fn shelf(draws: &mut Draws) -> Furniture {
    let whole = whole(draws, &["shelf", "bookcase"], &["rack", "etagere"], [[50, 120], [80, 200], [20, 45]]);
    let [width, height, depth] = whole.size_mm;
    let (thick, boards) = (10 * draws.between(2, 4), draws.between(3, 5));
    let x = width / 2 - thick / 2;
    let (lowest, highest) = (thick / 2, height - thick / 2);
    let y = |board: i64| lowest + (highest - lowest) * board / (boards - 1) / 5 * 5;
    let centres_mm = (0..boards).map(|board| [0, if board == boards - 1 { highest } else { y(board) }, 0]).collect();
    let parts = vec![
        Part {
            name: "side_",
            size_mm: [thick, height, depth],
            centres_mm: vec![[-x, height / 2, 0], [x, height / 2, 0]],
        },
        Part { name: "board_", size_mm: [width - 2 * thick, thick, depth], centres_mm },
    ];
    Furniture { words: "a shelf", whole, parts }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_fill_the_whole_from_side_to_side_and_from_the_ground_up() {
        for index in 0..100 {
            let mut draws = Draws::new("furniture", 3, index);
            let made = [
                table(&mut draws, &["table"], &["counter"], "a table", [40, 160]),
                bench(&mut draws),
                shelf(&mut draws),
            ];
            for Furniture { whole, parts, words } in made {
                for axis in 0..3 {
                    let ends = |sign: i64| {
                        let parts = parts.iter().flat_map(|part| part.centres_mm.iter().map(move |at| (part, at)));
                        parts.map(move |(part, at)| at[axis] + sign * part.size_mm[axis] / 2)
                    };
                    let (low, high) = (ends(-1).min().unwrap(), ends(1).max().unwrap());
                    assert_eq!(high - low, whole.size_mm[axis], "{words} along {axis}");
                    assert_eq!(low, if axis == 1 { 0 } else { -whole.size_mm[axis] / 2 }, "{words} along {axis}");
                }
            }
        }
    }
}
