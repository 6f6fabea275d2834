//! Names and colours, some for training, others held out. Names may be usual or odd, and may say what is not so: a
//! model must read them, not guess them.

use super::draws::Draws;

/// A colour by its name and its linear RGB.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Paint {
    pub(super) word: &'static str,
    pub(super) rgb: [f64; 3],
}

const fn paint(word: &'static str, rgb: [f64; 3]) -> Paint {
    Paint { word, rgb }
}

/// Any two of one list differ by more than 20 CIEDE2000, so that none passes for another. The first `MIDDLING`
/// ones are neither dark nor white, so one exposure suits them.
const PAINTS: [Paint; 8] = [
    paint("red", [0.6, 0.06, 0.05]),
    paint("green", [0.1, 0.42, 0.1]),
    paint("blue", [0.08, 0.16, 0.62]),
    paint("yellow", [0.72, 0.55, 0.06]),
    paint("grey", [0.3, 0.3, 0.3]),
    paint("violet", [0.36, 0.06, 0.4]),
    paint("white", [0.8, 0.8, 0.78]),
    paint("brown", [0.2, 0.09, 0.03]),
];
const MIDDLING: usize = 6;
const PAINTS_HELD_OUT: [Paint; 6] = [
    paint("orange", [0.74, 0.26, 0.03]),
    paint("turquoise", [0.05, 0.45, 0.42]),
    paint("pink", [0.78, 0.32, 0.42]),
    paint("olive", [0.24, 0.24, 0.03]),
    paint("beige", [0.72, 0.62, 0.46]),
    paint("navy", [0.03, 0.05, 0.24]),
];
const MIDDLING_HELD_OUT: usize = 5;

const NOUNS: [&str; 12] =
    ["crate", "block", "pillar", "pedestal", "trunk", "parcel", "drum", "beam", "slab", "cabinet", "kiosk", "monolith"];
const NOUNS_HELD_OUT: [&str; 8] = ["chest", "plinth", "bollard", "ingot", "hamper", "stele", "locker", "buoy"];
const ODD: [&str; 8] = ["gelb", "nord", "alpha", "kappa", "omega", "rot", "tango", "item"];
const ODD_HELD_OUT: [&str; 6] = ["blau", "ost", "sigma", "theta", "vert", "foxtrot"];

impl Draws {
    pub(super) fn paint(&mut self) -> Paint {
        self.pick_own(&PAINTS, &PAINTS_HELD_OUT)
    }

    /// Neither dark nor white.
    pub(super) fn middling_paint(&mut self) -> Paint {
        self.pick_own(&PAINTS[..MIDDLING], &PAINTS_HELD_OUT[..MIDDLING_HELD_OUT])
    }

    /// One that is none of these.
    pub(super) fn paint_but(&mut self, others: &[Paint]) -> Paint {
        loop {
            let paint = self.paint();
            if !others.contains(&paint) {
                return paint;
            }
        }
    }

    /// So many names; none begins with another.
    pub(super) fn names(&mut self, count: usize) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        while names.len() < count {
            let noun = self.pick_own(&NOUNS, &NOUNS_HELD_OUT);
            let name = self.name_of(noun);
            if !names.iter().any(|known| known.starts_with(&name) || name.starts_with(known.as_str())) {
                names.push(name);
            }
        }
        names
    }

    /// After the noun, or not.
    pub(super) fn name_of(&mut self, noun: &str) -> String {
        let (style, number) = (self.below(5), self.between(1, 99));
        let odd = self.pick_own(&ODD, &ODD_HELD_OUT);
        match style {
            0 => noun.into(),
            1 => format!("{noun}_{number}"),
            2 => format!("{odd}-{number}"),
            3 => format!("{}_{noun}", self.paint().word),
            _ => format!("{noun} {odd} {number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reward::color_difference;

    #[test]
    fn the_splits_share_no_word_and_no_colour() {
        let words = |paints: &[Paint], nouns: &[&'static str], odd: &[&'static str]| {
            let colours = paints.iter().map(|paint| paint.word);
            colours.chain(nouns.iter().copied()).chain(odd.iter().copied()).collect::<Vec<_>>()
        };
        let train = words(&PAINTS, &NOUNS, &ODD);
        let held_out = words(&PAINTS_HELD_OUT, &NOUNS_HELD_OUT, &ODD_HELD_OUT);
        assert!(train.iter().all(|word| !held_out.contains(word)));
        assert!(PAINTS.iter().all(|paint| PAINTS_HELD_OUT.iter().all(|other| other.rgb != paint.rgb)));
    }

    #[test]
    fn no_colour_passes_for_another() {
        for paints in [PAINTS.as_slice(), PAINTS_HELD_OUT.as_slice()] {
            for (place, paint) in paints.iter().enumerate() {
                for other in &paints[..place] {
                    let difference = color_difference(paint.rgb, other.rgb);
                    assert!(difference > 20.0, "{} and {}: {difference}", paint.word, other.word);
                }
            }
        }
    }

    #[test]
    fn names_are_told_apart() {
        for index in 0..100 {
            let names = Draws::new("box", 1, index).names(5);
            for (place, name) in names.iter().enumerate() {
                assert!(names.iter().enumerate().all(|(other, known)| other == place || !known.starts_with(name)));
            }
        }
    }
}
