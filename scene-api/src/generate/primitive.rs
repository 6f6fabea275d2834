//! Level `box`: one shape of a given size, wherever it stands.

use super::draws::Draws;
use super::script::Script;
use super::solid::{Form, Solid};
use super::wording::{Unit, kind_fact, prompt, rules, size_fact};
use super::{Draft, weighing};
use crate::reward::Profile;

const HALF_MM: i64 = 2000;

pub(super) fn draft(draws: &mut Draws) -> Draft {
    let unit = Unit::draw(draws);
    let name = draws.names(1).concat();
    let solid = Solid::draw(draws, name, &Form::ALL, 10, 140);
    let opening = draws.pick_own(
        &["Build one object on the ground.", "One thing is wanted, standing anywhere on the ground.", "Model this:"],
        &["A single solid is to stand on the floor.", "Make what is described here, and nothing else."],
    );
    let facts = vec![kind_fact(draws, &solid), size_fact(draws, unit, &solid.name, solid.size_mm)];
    let rules = rules(draws, unit, HALF_MM);
    let mut script = Script::default();
    script.solid(&solid);
    Draft {
        profile: Profile::level_0(),
        half_mm: HALF_MM,
        prompt: prompt(draws, opening, facts, &rules),
        objects: vec![solid.spec()],
        predicates: weighing(1.0, vec![solid.size(), solid.fill()]),
        setup: Vec::new(),
        solution: script.submitted(),
    }
}
