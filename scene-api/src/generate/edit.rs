//! Level `edit`: one thing of a scene is to be moved, painted, removed or added; all else stays as it is.

use super::draws::Draws;
use super::existing::{Existing, HALF_MM};
use super::script::{Made, Script};
use super::solid::{Form, Solid};
use super::wording::{Unit, all_facts, linear, prompt, quoted, rules};
use super::words::Paint;
use super::{Draft, change};
use crate::reward::Profile;
use crate::task::Statement;

/// One change; `usize` is a place among the scene's things.
enum Change {
    Move(usize, [i64; 3]),
    Paint(usize, Paint),
    Remove(usize),
    Add(Solid),
}

pub(super) fn draft(draws: &mut Draws) -> Draft {
    let unit = Unit::draw(draws);
    let existing = Existing::draw(draws);
    let solids = &existing.solids;
    let asked = asked(draws, &existing);
    let opening = draws.pick_own(
        &[
            "Change the scene that you find (scene.describe shows it) in one point; all else stays as it is.",
            "There is a scene already. Do this to it, and leave everything else alone:",
        ],
        &["Edit the given scene. Only what follows may differ afterwards:"],
    );
    let facts = asked.facts(draws, unit, solids);
    let rules = rules(draws, unit, HALF_MM);
    let (changed, kept) = asked.statements(&existing);

    let mut script = Script::default();
    let made: Vec<Made> = solids.iter().map(|solid| script.solid(solid)).collect();
    let setup = script.take();
    asked.carry_out(&mut script, &made);
    Draft {
        profile: Profile::level_0(),
        half_mm: HALF_MM,
        prompt: prompt(draws, opening, facts, &rules),
        objects: asked.after(solids).iter().map(Solid::spec).collect(),
        predicates: change(changed, kept),
        setup,
        solution: script.submitted(),
    }
}

fn asked(draws: &mut Draws, existing: &Existing) -> Change {
    let [x_mm, z_mm] = existing.free_mm;
    match draws.below(4) {
        0 => {
            let place = existing.movable(draws);
            let moved = existing.solids[place].clone().standing_at(x_mm, 0, z_mm);
            Change::Move(place, moved.centre_mm)
        }
        1 => {
            let place = draws.below(existing.solids.len());
            Change::Paint(place, draws.paint_but(existing.solids[place].paint.as_slice()))
        }
        2 => Change::Remove(existing.movable(draws)),
        _ => {
            let paint = draws.paint();
            let solid = Solid::draw(draws, existing.free_name.clone(), &Form::ALL, 30, 70);
            Change::Add(solid.standing_at(x_mm, 0, z_mm).painted(paint))
        }
    }
}

impl Change {
    /// The things as they should be.
    fn after(&self, solids: &[Solid]) -> Vec<Solid> {
        let mut after = solids.to_vec();
        match self {
            Self::Move(place, centre_mm) => after[*place].centre_mm = *centre_mm,
            Self::Paint(place, paint) => after[*place].paint = Some(*paint),
            Self::Remove(place) => {
                after.remove(*place);
            }
            Self::Add(solid) => after.push(solid.clone()),
        }
        after
    }

    /// What must become true, and what must stay so.
    fn statements(&self, existing: &Existing) -> (Vec<Statement>, Vec<Statement>) {
        let mut changed = Vec::new();
        let mut kept = Vec::new();
        let target = self.target(&existing.solids);
        for solid in self.after(&existing.solids) {
            let of_target = solid.name == target.name;
            for statement in solid.all() {
                let changes = match self {
                    Self::Move(..) => matches!(statement, Statement::At { .. }),
                    Self::Paint(..) => matches!(statement, Statement::Color { .. }),
                    Self::Remove(_) => false,
                    Self::Add(_) => true,
                };
                let list = if of_target && changes { &mut changed } else { &mut kept };
                list.push(statement);
            }
        }
        if let Self::Remove(_) = self {
            changed.push(Statement::Count { prefix: target.name.clone(), below: None, count: 0 });
        }
        let leaves = |standing: &Statement| !standing.objects().contains(&target.name.as_str());
        kept.extend(existing.standing().filter(|standing| matches!(self, Self::Paint(..)) || leaves(standing)));
        (changed, kept)
    }

    fn target<'a>(&'a self, solids: &'a [Solid]) -> &'a Solid {
        match self {
            Self::Move(place, _) | Self::Paint(place, _) | Self::Remove(place) => &solids[*place],
            Self::Add(solid) => solid,
        }
    }

    fn facts(&self, draws: &mut Draws, unit: Unit, solids: &[Solid]) -> Vec<String> {
        let target = self.target(solids);
        let template = match self {
            Self::Move(..) => draws.pick_own(
                &["Move {name} so that its centre is at {at}.", "Take {name} to {at}, where its middle is to be."],
                &["{name} should stand elsewhere: its centre at {at}."],
            ),
            Self::Paint(..) => draws.pick_own(
                &["Make {name} {word}: base colour {linear}.", "Give {name} the base colour {linear} ({word})."],
                &["{name} should be {word} from now on, that is {linear}."],
            ),
            Self::Remove(_) => draws.pick_own(
                &["Remove {name}.", "Delete {name} with all that belongs to it."],
                &["{name} should no longer be there."],
            ),
            Self::Add(solid) => {
                let mut facts = all_facts(draws, unit, solid);
                facts.push(draws.pick_own(&["{name} is new: add it."], &["So far there is no {name}."]).into());
                return facts.into_iter().map(|fact| fact.replace("{name}", &quoted(&solid.name))).collect();
            }
        };
        let (centre_mm, paint) = match self {
            Self::Move(_, centre_mm) => (*centre_mm, None),
            Self::Paint(_, paint) => (target.centre_mm, Some(*paint)),
            _ => (target.centre_mm, None),
        };
        let text = template.replace("{name}", &quoted(&target.name)).replace("{at}", &unit.point(centre_mm));
        let Some(Paint { word, rgb }) = paint else { return vec![text] };
        vec![text.replace("{word}", word).replace("{linear}", &linear(rgb))]
    }

    fn carry_out(&self, script: &mut Script, made: &[Made]) {
        match self {
            Self::Move(place, centre_mm) => script.move_to(&made[*place].node, *centre_mm),
            Self::Paint(place, paint) => script.repaint(&made[*place].node, *paint),
            Self::Remove(place) => script.call("node.delete", &serde_json::json!({ "node": made[*place].node })),
            Self::Add(solid) => {
                script.solid(solid);
            }
        }
    }
}
