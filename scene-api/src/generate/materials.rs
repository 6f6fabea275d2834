//! Level `materials`: shapes in a row, each of a given colour, roughness and metallic.

use super::draws::Draws;
use super::script::Script;
use super::solid::{Form, Solid};
use super::wording::{Unit, colour_fact, kind_fact, place_fact, prompt, quoted, rules, size_fact};
use super::{Draft, weighing};
use crate::reward::Profile;
use crate::task::Statement;
use serde_json::json;

const HALF_MM: i64 = 2500;
const LOOK_WEIGHT: f64 = 2.0;
const TOLERANCE: f64 = 0.05;

/// Of a surface, in tenths.
#[derive(Clone, Copy)]
struct Finish {
    roughness: i64,
    metallic: i64,
}

pub(super) fn draft(draws: &mut Draws) -> Draft {
    let unit = Unit::draw(draws);
    let pieces = pieces(draws);
    let opening = draws.pick_own(
        &["Build these things; what matters is the surface.", "A row of samples is wanted, each of its own material."],
        &["Prepare solids for a study of materials.", "Surfaces as told are to be shown on these solids."],
    );
    let mut facts = Vec::new();
    for (solid, finish) in &pieces {
        facts.push(kind_fact(draws, solid));
        facts.push(size_fact(draws, unit, &solid.name, solid.size_mm));
        facts.push(place_fact(draws, unit, solid));
        facts.extend(colour_fact(draws, solid));
        facts.push(finish.fact(draws, &solid.name));
    }
    let rules = rules(draws, unit, HALF_MM);
    let mut script = Script::default();
    let mut predicates = Vec::new();
    for (solid, finish) in &pieces {
        finish.make(&mut script, solid);
        predicates.extend(weighing(1.0, vec![solid.size(), solid.fill(), solid.at()]));
        let surface = Statement::Surface {
            object: solid.name.clone(),
            roughness: finish.roughness(),
            metallic: finish.metallic(),
            tolerance: TOLERANCE,
        };
        predicates.extend(weighing(LOOK_WEIGHT, solid.color().into_iter().chain([surface]).collect()));
    }
    Draft {
        profile: Profile::level_0(),
        half_mm: HALF_MM,
        prompt: prompt(draws, opening, facts, &rules),
        objects: pieces.iter().map(|(solid, _)| solid.spec()).collect(),
        predicates,
        setup: Vec::new(),
        solution: script.submitted(),
    }
}

/// One to three, far enough apart.
fn pieces(draws: &mut Draws) -> Vec<(Solid, Finish)> {
    let count = 1 + draws.below(3);
    let names = draws.names(count);
    let middles_mm = draws.shuffled(vec![-1200, 0, 1200]);
    let placed = names.into_iter().zip(middles_mm);
    placed
        .map(|(name, x_mm)| {
            let (paint, z_mm) = (draws.paint(), 50 * draws.between(-12, 12));
            let solid = Solid::draw(draws, name, &Form::ALL, 10, 80).standing_at(x_mm, 0, z_mm).painted(paint);
            // A roughness of 1 is what material.create gives by itself: it is never asked for.
            (solid, Finish { roughness: draws.between(0, 8), metallic: draws.pick(&[0, 5, 10, 10]) })
        })
        .collect()
}

impl Finish {
    fn roughness(self) -> f64 {
        self.roughness as f64 / 10.0
    }

    fn metallic(self) -> f64 {
        self.metallic as f64 / 10.0
    }

    fn fact(self, draws: &mut Draws, name: &str) -> String {
        let template = draws.pick_own(
            &[
                "{name} has roughness {r} and metallic {m}.",
                "Give the material of {name} a roughness of {r} and a metallic factor of {m}.",
            ],
            &["On {name} the metallic factor is {m}, the roughness {r}."],
        );
        let template = template.replace("{name}", &quoted(name));
        template.replace("{r}", &self.roughness().to_string()).replace("{m}", &self.metallic().to_string())
    }

    fn make(self, script: &mut Script, solid: &Solid) {
        let [red, green, blue] = solid.paint.map_or([1.0; 3], |paint| paint.rgb);
        let material = script.material_of(&json!({
            "name": format!("of {}", solid.name), "base_color": [red, green, blue, 1.0],
            "roughness": self.roughness(), "metallic": self.metallic(),
        }));
        let node = script.node(&solid.name, None, solid.centre_mm);
        script.shape(&node, solid.form, solid.size_mm, Some(&material));
    }
}
