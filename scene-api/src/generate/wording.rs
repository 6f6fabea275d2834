//! Prompts: facts in varied words, units and order, then the rules. Numbers are exact.

use super::draws::{Draws, Split};
use super::solid::Solid;

/// In which a whole prompt gives its lengths.
#[derive(Clone, Copy)]
pub(super) enum Unit {
    Metres,
    Centimetres,
}

impl Unit {
    pub(super) fn draw(draws: &mut Draws) -> Self {
        draws.pick(&[Self::Metres, Self::Centimetres])
    }

    fn name(self) -> &'static str {
        match self {
            Self::Metres => "m",
            Self::Centimetres => "cm",
        }
    }

    /// Without the unit, as few digits as are exact.
    fn number(self, mm: i64) -> f64 {
        match self {
            Self::Metres => mm as f64 / 1000.0,
            Self::Centimetres => mm as f64 / 10.0,
        }
    }

    /// `0.73 m`
    pub(super) fn length(self, mm: i64) -> String {
        format!("{} {}", self.number(mm), self.name())
    }

    /// `0.6 × 0.4 × 0.3 m`
    pub(super) fn sides(self, mm: [i64; 3]) -> String {
        let [x, y, z] = mm.map(|side| self.number(side));
        format!("{x} × {y} × {z} {}", self.name())
    }

    /// `[0.4, 0.3, -0.2] m`
    pub(super) fn point(self, mm: [i64; 3]) -> String {
        let [x, y, z] = mm.map(|part| self.number(part));
        format!("[{x}, {y}, {z}] {}", self.name())
    }
}

pub(super) fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

/// `linear [0.6, 0.06, 0.05]`
pub(super) fn linear(rgb: [f64; 3]) -> String {
    let [red, green, blue] = rgb;
    format!("linear [{red}, {green}, {blue}]")
}

/// `"x", "y" and "z"`
pub(super) fn listed(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// That there is such a thing, and its shape.
pub(super) fn kind_fact(draws: &mut Draws, solid: &Solid) -> String {
    let (name, kind) = (quoted(&solid.name), solid.form.words(draws));
    let template = draws.pick_own(
        &["{name} is {kind}.", "The shape of {name}: {kind}.", "Make {name} {kind}."],
        &["As for its shape, {name} is {kind}.", "{name} has the shape of {kind}."],
    );
    template.replace("{name}", &name).replace("{kind}", kind)
}

pub(super) fn size_fact(draws: &mut Draws, unit: Unit, name: &str, size_mm: [i64; 3]) -> String {
    let [x, y, z] = size_mm.map(|side| unit.length(side));
    let template = draws.pick_own(
        &[
            "{name} measures {sides} (x, y, z).",
            "{name} is {x} wide (x), {y} high (y) and {z} deep (z).",
            "The size of {name} along x, y and z is {sides}.",
        ],
        &[
            "The box around {name} spans {x} in x, {y} in y and {z} in z.",
            "From side to side {name} has {x} along x and {z} along z, and it is {y} tall.",
        ],
    );
    let template = template.replace("{name}", &quoted(name)).replace("{sides}", &unit.sides(size_mm));
    template.replace("{x}", &x).replace("{y}", &y).replace("{z}", &z)
}

/// Where the middle of it is; of what stands on the ground sometimes where it stands.
pub(super) fn place_fact(draws: &mut Draws, unit: Unit, solid: &Solid) -> String {
    let [x, _, z] = solid.centre_mm.map(|part| unit.length(part));
    let stands = solid.stands_on_ground() && draws.below(2) == 0;
    let template = if stands {
        draws.pick_own(
            &[
                "{name} stands on the ground, the middle of its footprint at x = {x}, z = {z}.",
                "Stand {name} on the ground at x = {x} and z = {z} (its middle).",
            ],
            &["On the ground at x = {x}, z = {z} is the middle of the underside of {name}."],
        )
    } else {
        draws.pick_own(
            &[
                "The centre of {name} is at {at}.",
                "{name} has its middle at {at}.",
                "Put the centre of {name} at {at}.",
            ],
            &["{at} is where the middle of {name} belongs.", "{name} is centred on the point {at}."],
        )
    };
    let template = template.replace("{name}", &quoted(&solid.name)).replace("{at}", &unit.point(solid.centre_mm));
    template.replace("{x}", &x).replace("{z}", &z)
}

/// None without a colour.
pub(super) fn colour_fact(draws: &mut Draws, solid: &Solid) -> Option<String> {
    let paint = solid.paint?;
    let template = draws.pick_own(
        &[
            "{name} is {word}: base colour {linear}.",
            "The base colour of {name} is {linear} ({word}).",
            "Paint {name} {word}, {linear}.",
        ],
        &["In colour {name} is {word}, that is {linear}.", "Give {name} a {word} material of base colour {linear}."],
    );
    let text = template.replace("{name}", &quoted(&solid.name)).replace("{linear}", &linear(paint.rgb));
    Some(text.replace("{word}", paint.word))
}

/// Shape, size, place and colour.
pub(super) fn all_facts(draws: &mut Draws, unit: Unit, solid: &Solid) -> Vec<String> {
    let mut facts = vec![kind_fact(draws, solid), size_fact(draws, unit, &solid.name, solid.size_mm)];
    facts.push(place_fact(draws, unit, solid));
    facts.extend(colour_fact(draws, solid));
    facts
}

/// The opening, the facts in any order, one a line or as running text, and the rules.
pub(super) fn prompt(draws: &mut Draws, opening: &str, facts: Vec<String>, rules: &str) -> String {
    let facts = draws.shuffled(facts);
    let body = if draws.below(2) == 0 {
        facts.iter().map(|fact| format!("* {fact}")).collect::<Vec<_>>().join("\n")
    } else {
        facts.join(" ")
    };
    format!("{opening}\n\n{body}\n\n{rules}\n")
}

/// Of tasks that ask for objects alone; everything within `half_mm` of the origin along x and z.
pub(super) fn rules(draws: &Draws, unit: Unit, half_mm: i64) -> String {
    format!("{} No lights and no camera are needed. {}", solid_rules(draws, unit, half_mm), finish(draws))
}

/// Of tasks that ask for a picture too.
pub(super) fn lit_rules(draws: &Draws, unit: Unit, half_mm: i64) -> String {
    format!(
        "{} There is no ambient light: what no light reaches is black. The picture is exposed so that 100 cd/m² is \
         white and 18 cd/m² middle grey; about 110 lux on a surface of albedo 0.5 give middle grey. A weak light \
         beside the camera and a stronger one from the side do well. At most 2 % of the objects' pixels may be black \
         or white, and the objects must fill 2 % of the picture. {}",
        solid_rules(draws, unit, half_mm),
        finish(draws)
    )
}

fn solid_rules(draws: &Draws, unit: Unit, half_mm: i64) -> String {
    let half = unit.length(half_mm);
    match draws.split {
        Split::Train => format!(
            "Y is up and the ground is y = 0; sizes lie along the axes. Names must be exact. Every mesh must be a \
             closed solid with faces outwards (mesh.add_primitive makes such); round shapes have 16 segments or more. \
             Solids may touch but not share volume, and nothing may float or be sunk into the ground. Keep everything \
             within {half} of the origin along x and z."
        ),
        Split::HeldOut => format!(
            "The y axis points up; y = 0 is the floor. Use these very names. Build closed solids only, as \
             mesh.add_primitive does, along the axes, with no fewer than 16 segments where they are round. None may \
             hang in the air, go into the floor or into another one; to touch is fine. Neither x nor z may be further \
             than {half} from 0."
        ),
    }
}

fn finish(draws: &Draws) -> &'static str {
    match draws.split {
        Split::Train => "Finish with episode.submit.",
        Split::HeldOut => "When it is done, call episode.submit.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_exact_and_short() {
        assert_eq!(Unit::Metres.length(730), "0.73 m");
        assert_eq!(Unit::Centimetres.length(365), "36.5 cm");
        assert_eq!(Unit::Metres.point([400, 0, -200]), "[0.4, 0, -0.2] m");
        assert_eq!(Unit::Centimetres.sides([600, 40, 1200]), "60 × 4 × 120 cm");
    }

    #[test]
    fn lists_end_with_and() {
        let names = ["a", "b", "c"].map(String::from);
        assert_eq!(listed(&names), r#""a", "b" and "c""#);
        assert_eq!(listed(&names[..1]), r#""a""#);
    }
}
