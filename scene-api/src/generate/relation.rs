//! Level `relation`: two shapes, the second on the first, on one side of it, or at a given distance from it.

use super::draws::Draws;
use super::script::Script;
use super::solid::{Form, Solid, metres};
use super::wording::{Unit, kind_fact, prompt, quoted, rules, size_fact};
use super::{Draft, weighing};
use crate::reward::Profile;
use crate::task::{Side, Statement};

const HALF_MM: i64 = 2500;
const RELATION_WEIGHT: f64 = 3.0;
const ON_TOLERANCE_M: f64 = 0.01;
const SIDE_TOLERANCE_M: f64 = 0.02;
const DISTANCE_TOLERANCE_M: f64 = 0.03;

/// The second thing where it belongs, what is stated, and the words for it.
struct Related {
    second: Solid,
    statements: Vec<Statement>,
    fact: String,
}

pub(super) fn draft(draws: &mut Draws) -> Draft {
    let unit = Unit::draw(draws);
    let mut names = draws.names(2).into_iter();
    let (first_name, second_name) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
    let first = Solid::draw(draws, first_name, &Form::FLAT, 25, 80);
    let Related { second, statements, fact } = match draws.below(3) {
        0 => stacked(draws, &first, second_name),
        1 => beside(draws, &first, second_name),
        _ => apart(draws, unit, &first, second_name),
    };
    let opening = draws.pick_own(
        &["Build two objects.", "Two things are wanted, and how they stand to each other matters."],
        &["A pair of solids is to be set up.", "Model both of these, arranged as told."],
    );
    let mut facts = vec![fact];
    for solid in [&first, &second] {
        facts.push(kind_fact(draws, solid));
        facts.push(size_fact(draws, unit, &solid.name, solid.size_mm));
    }
    let rules = rules(draws, unit, HALF_MM);
    let mut script = Script::default();
    script.solid(&first);
    script.solid(&second);
    let mut predicates = weighing(1.0, vec![first.size(), first.fill(), second.size(), second.fill()]);
    predicates.extend(weighing(RELATION_WEIGHT, statements));
    Draft {
        profile: Profile::level_0(),
        half_mm: HALF_MM,
        prompt: prompt(draws, opening, facts, &rules),
        objects: vec![first.spec(), second.spec()],
        predicates,
        setup: Vec::new(),
        solution: script.submitted(),
    }
}

fn stacked(draws: &mut Draws, first: &Solid, name: String) -> Related {
    let [x_mm, _, z_mm] = first.size_mm;
    let second = Solid::draw(draws, name, &Form::FLAT, 10, x_mm.min(z_mm) / 10).standing_at(0, first.top_mm(), 0);
    let template = draws.pick_own(
        &["{b} stands on {a}, with all of its underside over it.", "{a} carries {b}, which nowhere juts out over it."],
        &["On top of {a} rests {b}, inside its outline.", "Set {b} upon {a} without any overhang."],
    );
    let statement =
        Statement::On { object: second.name.clone(), support: first.name.clone(), tolerance_m: ON_TOLERANCE_M };
    Related { fact: told(template, first, &second), second, statements: vec![statement] }
}

fn beside(draws: &mut Draws, first: &Solid, name: String) -> Related {
    let second = Solid::draw(draws, name, &Form::ALL, 10, 80);
    let (side, word, axis, sign) = draws.pick(&[
        (Side::MinusX, "-x", 0_usize, -1),
        (Side::PlusX, "+x", 0, 1),
        (Side::MinusZ, "-z", 2, -1),
        (Side::PlusZ, "+z", 2, 1),
    ]);
    let away_mm = (first.size_mm[axis] + second.size_mm[axis]) / 2 + 50 * draws.between(2, 12);
    let second = second.at_distance(axis, sign * away_mm);
    let template = draws.pick_own(
        &["{b} stands wholly on the {side} side of {a}.", "On the {side} side of {a}, all of it, stands {b}."],
        &["Seen from {a}, every part of {b} lies in direction {side}.", "{b} is past the {side} face of {a}."],
    );
    let statement =
        Statement::Side { object: second.name.clone(), of: first.name.clone(), side, tolerance_m: SIDE_TOLERANCE_M };
    Related { fact: told(&template.replace("{side}", word), first, &second), second, statements: vec![statement] }
}

fn apart(draws: &mut Draws, unit: Unit, first: &Solid, name: String) -> Related {
    let second = Solid::draw(draws, name, &Form::ALL, 10, 80);
    let axis = draws.pick(&[0_usize, 2]);
    let away_mm = (first.size_mm[axis] + second.size_mm[axis]) / 2 + 10 * draws.between(10, 60);
    let second = second.at_distance(axis, away_mm);
    let template = draws.pick_own(
        &[
            "Seen from above, the centres of {a} and {b} are {d} apart.",
            "The middles of {b} and {a} have a horizontal distance of {d}.",
        ],
        &[
            "From the middle of {a} to that of {b} it is {d} in plan.",
            "In plan {d} separate the centres of {a} and {b}.",
        ],
    );
    let statement = Statement::Distance {
        a: first.name.clone(),
        b: second.name.clone(),
        min_m: metres(away_mm),
        max_m: metres(away_mm),
        tolerance_m: DISTANCE_TOLERANCE_M,
    };
    let fact = told(&template.replace("{d}", &unit.length(away_mm)), first, &second);
    Related { fact: format!("{fact} Both stand on the ground."), second, statements: vec![statement] }
}

fn told(template: &str, first: &Solid, second: &Solid) -> String {
    template.replace("{a}", &quoted(&first.name)).replace("{b}", &quoted(&second.name))
}

impl Solid {
    /// On the ground, so far from the origin along an axis.
    fn at_distance(self, axis: usize, away_mm: i64) -> Self {
        let (x_mm, z_mm) = if axis == 0 { (away_mm, 0) } else { (0, away_mm) };
        self.standing_at(x_mm, 0, z_mm)
    }
}
