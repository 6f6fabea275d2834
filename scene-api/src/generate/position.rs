//! Level `position`: one shape of a given size and colour at a given place on the ground.

use super::draws::Draws;
use super::script::Script;
use super::solid::{Form, Solid};
use super::wording::{Unit, all_facts, prompt, rules};
use super::{Draft, weighing};
use crate::reward::Profile;

const HALF_MM: i64 = 2500;

pub(super) fn draft(draws: &mut Draws) -> Draft {
    let unit = Unit::draw(draws);
    let name = draws.names(1).concat();
    let paint = draws.paint();
    let [x_mm, z_mm] = [(); 2].map(|()| 50 * draws.between(-28, 28));
    let solid = Solid::draw(draws, name, &Form::ALL, 10, 120).standing_at(x_mm, 0, z_mm).painted(paint);
    let opening = draws.pick_own(
        &["Put one object where it belongs.", "Build one thing at its place.", "An object is wanted at a given place."],
        &["One solid has a spot of its own on the floor.", "Set up a single piece as told."],
    );
    let facts = all_facts(draws, unit, &solid);
    let rules = rules(draws, unit, HALF_MM);
    let mut script = Script::default();
    script.solid(&solid);
    Draft {
        profile: Profile::level_0(),
        half_mm: HALF_MM,
        prompt: prompt(draws, opening, facts, &rules),
        objects: vec![solid.spec()],
        predicates: weighing(1.0, solid.all()),
        setup: Vec::new(),
        solution: script.submitted(),
    }
}
