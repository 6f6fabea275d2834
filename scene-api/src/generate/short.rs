//! Levels `size` and `place`: an empty node becomes a box, in one or two calls and a few words, so that a small policy
//! can learn them from nothing. Wherever the box hangs is free: see the profile `level/shape`. Words and name are those
//! of both splits; combinations of numbers are held out.

use super::draws::{Draws, Split};
use super::script::Script;
use super::solid::{Form, Solid};
use super::wording::Unit;
use super::{Draft, weighing};
use crate::reward::Profile;
use crate::task::Predicate;

const HALF_MM: i64 = 2000;
const NAME: &str = "box";
/// What the shape is worth beside each of size and place; without it any shape in the right box would do.
const FILL_WEIGHT: f64 = 0.125;
/// Where the empty node stands: so far from all places that leaving it there is worth nothing.
const START_MM: [i64; 3] = [0, 2000, 0];

/// Decimetres.
const SIDES: [i64; 8] = [2, 3, 4, 5, 6, 7, 8, 9];
const HEIGHTS: [i64; 4] = [2, 4, 6, 8];
const PLACES: [i64; 7] = [-9, -6, -3, 0, 3, 6, 9];

pub(super) fn size(draws: &mut Draws) -> Draft {
    let sizes = all([&SIDES, &SIDES, &SIDES]).filter(|size| draws.split == split_of(size)).collect::<Vec<_>>();
    let size_mm = sizes[draws.ranked(sizes.len())].map(|part| 100 * part);
    draft(draws, size_mm, None)
}

/// On the ground.
pub(super) fn place(draws: &mut Draws) -> Draft {
    let sizes = all([&SIDES, &HEIGHTS, &SIDES]);
    let both = sizes.flat_map(|size| all([&PLACES, &[0], &PLACES]).map(move |place| (size, place)));
    let both: Vec<_> = both.filter(|(size, place)| draws.split == split_of(&sum(size, place))).collect();
    let (size, [x, _, z]) = both[draws.ranked(both.len())];
    let [width, height, depth] = size.map(|part| 100 * part);
    draft(draws, [width, height, depth], Some([100 * x, height / 2, 100 * z]))
}

fn draft(draws: &mut Draws, size_mm: [i64; 3], centre_mm: Option<[i64; 3]>) -> Draft {
    let unit = Unit::Metres;
    let solid = Solid { centre_mm: centre_mm.unwrap_or(START_MM), ..Solid::sized(NAME.into(), Form::Box, size_mm) };
    let mut script = Script::default();
    let node = script.node(NAME, None, START_MM);
    let setup = script.take();
    script.shape(&node, solid.form, size_mm, None);
    let size = format!("Make \"{NAME}\" ({node}) a box of {}.", unit.sides(size_mm));
    let mut weighed: Vec<Predicate> = weighing(1.0, vec![solid.size()]);
    let facts = match centre_mm {
        None => size,
        Some(centre_mm) => {
            script.move_to(&node, centre_mm);
            weighed.extend(weighing(1.0, vec![solid.at()]));
            let place = format!("Put its centre at {}.", unit.point(centre_mm));
            if draws.below(2) == 0 { format!("{size} {place}") } else { format!("{place} {size}") }
        }
    };
    weighed.extend(weighing(FILL_WEIGHT, vec![solid.fill()]));
    Draft {
        profile: Profile::level_shape(),
        half_mm: HALF_MM,
        prompt: format!("{facts} Finish with episode.submit.\n"),
        objects: vec![solid.spec()],
        predicates: weighed,
        setup,
        solution: script.submitted(),
    }
}

fn all(axes: [&'static [i64]; 3]) -> impl Iterator<Item = [i64; 3]> {
    let [first, second, third] = axes;
    first.iter().flat_map(move |x| second.iter().flat_map(move |y| third.iter().map(move |z| [*x, *y, *z])))
}

fn sum(a: &[i64; 3], b: &[i64; 3]) -> [i64; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// Each number is in both splits; a quarter of the combinations is held out.
fn split_of(parts: &[i64; 3]) -> Split {
    if parts.iter().sum::<i64>().rem_euclid(4) == 3 { Split::HeldOut } else { Split::Train }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Of the training split from index 0 on, of the held-out one from 1 on.
    fn sizes(make: fn(&mut Draws) -> Draft, seed: u64, first: u64) -> BTreeSet<[u64; 3]> {
        let indices = (first..2000).step_by(2);
        indices.map(|index| make(&mut Draws::new("size", seed, index)).objects[0].size_m.map(f64::to_bits)).collect()
    }

    #[test]
    fn every_number_is_in_both_splits_and_no_size_is() {
        let numbers = |sizes: BTreeSet<[u64; 3]>| sizes.into_iter().flatten().collect::<BTreeSet<u64>>();
        for make in [size, place] {
            assert_eq!(numbers(sizes(make, 0, 0)), numbers(sizes(make, 0, 1)));
        }
        let (train, held_out) = (sizes(size, 3, 0), sizes(size, 3, 1));
        assert_eq!((train.len(), held_out.len()), (384, 128));
        assert!(train.is_disjoint(&held_out));
    }
}
