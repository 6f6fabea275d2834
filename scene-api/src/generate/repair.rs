//! Level `repair`: a scene with one or two faults, and the plan that it should be like.

use super::draws::Draws;
use super::existing::{Existing, HALF_MM};
use super::script::{Made, Script};
use super::solid::Solid;
use super::wording::{Unit, all_facts, prompt, rules};
use super::words::Paint;
use super::{Draft, change};
use crate::reward::Profile;
use crate::task::Statement;

/// What is wrong with one thing. Each is past the tolerance of what it breaks by so much that this counts nothing.
enum Fault {
    /// Elsewhere: in the air, in the ground, or in another thing.
    Moved([i64; 3]),
    /// Of another size, its centre where it should be.
    Resized([i64; 3]),
    Repainted(Paint),
}

pub(super) fn draft(draws: &mut Draws) -> Draft {
    let unit = Unit::draw(draws);
    let existing = Existing::draw(draws);
    let solids = &existing.solids;
    let count = 1 + draws.below(2);
    let faulty: Vec<usize> = draws.shuffled((0..solids.len()).collect()).into_iter().take(count).collect();
    let faults: Vec<Option<Fault>> =
        (0..solids.len()).map(|place| faulty.contains(&place).then(|| fault(draws, &existing, place))).collect();

    let template = draws.pick_own(
        &[
            "The scene that you find was built by this plan, but {faults}. Look at it (scene.describe) and mend it.",
            "Something went wrong here: {faults}. Find out what, and bring the scene back to the plan.",
        ],
        &["You are given a scene that should match the plan below; {faults}. Put that right."],
    );
    let faults_told = if count == 1 { "one thing is not as it says" } else { "two things are not as it says" };
    let opening = template.replace("{faults}", faults_told);
    let mut facts = Vec::new();
    for solid in solids {
        facts.push(all_facts(draws, unit, solid).join(" "));
    }
    let rules = rules(draws, unit, HALF_MM);

    let mut broken = Vec::new();
    let mut kept: Vec<Statement> = existing.standing().into_iter().collect();
    for (solid, fault) in solids.iter().zip(&faults) {
        for statement in solid.all() {
            if fault.as_ref().is_some_and(|fault| fault.breaks(&statement)) {
                broken.push(statement);
            } else {
                kept.push(statement);
            }
        }
    }

    let mut script = Script::default();
    let found = solids.iter().zip(&faults).map(|(solid, fault)| damaged(solid, fault.as_ref()));
    let made: Vec<Made> = found.map(|solid| script.solid(&solid)).collect();
    let setup = script.take();
    for ((solid, fault), made) in solids.iter().zip(&faults).zip(&made) {
        match fault {
            None => {}
            Some(Fault::Moved(_)) => script.move_to(&made.node, solid.centre_mm),
            Some(Fault::Resized(_)) => script.shape(&made.node, solid.form, solid.size_mm, made.material.as_deref()),
            Some(Fault::Repainted(_)) => {
                if let Some(paint) = solid.paint {
                    script.repaint(&made.node, paint);
                }
            }
        }
    }
    Draft {
        profile: Profile::level_0(),
        half_mm: HALF_MM,
        prompt: prompt(draws, &opening, facts, &rules),
        objects: solids.iter().map(Solid::spec).collect(),
        predicates: change(broken, kept),
        setup,
        solution: script.submitted(),
    }
}

impl Fault {
    fn breaks(&self, statement: &Statement) -> bool {
        match self {
            Self::Moved(_) => matches!(statement, Statement::At { .. }),
            Self::Resized(_) => matches!(statement, Statement::Size { .. }),
            Self::Repainted(_) => matches!(statement, Statement::Color { .. }),
        }
    }
}

fn damaged(solid: &Solid, fault: Option<&Fault>) -> Solid {
    match fault {
        None => solid.clone(),
        Some(Fault::Moved(centre_mm)) => Solid { centre_mm: *centre_mm, ..solid.clone() },
        Some(Fault::Resized(size_mm)) => Solid { size_mm: *size_mm, ..solid.clone() },
        Some(Fault::Repainted(paint)) => solid.clone().painted(*paint),
    }
}

fn fault(draws: &mut Draws, existing: &Existing, place: usize) -> Fault {
    let solid = &existing.solids[place];
    let [x, y, z] = solid.centre_mm;
    let on_ground = solid.stands_on_ground();
    match draws.below(if on_ground { 5 } else { 4 }) {
        0 => Fault::Moved([x, y + 10 * draws.between(9, 60), z]),
        1 => Fault::Moved([x, y - 10 * draws.between(9, 18), z]),
        2 => {
            let tenths = draws.pick(&[5, 6, 14, 16, 20]);
            Fault::Resized(solid.size_mm.map(|side| side * tenths / 10))
        }
        3 => Fault::Repainted(draws.paint_but(solid.paint.as_slice())),
        _ => {
            // Into a neighbour: it is a place away, so past any tolerance.
            let neighbours: Vec<&Solid> =
                existing.solids.iter().filter(|other| other.stands_on_ground() && other.name != solid.name).collect();
            let [near_x, _, near_z] = draws.pick(&neighbours).centre_mm;
            Fault::Moved([near_x + 10 * draws.between(-10, 10), y, near_z + 10 * draws.between(-10, 10)])
        }
    }
}
