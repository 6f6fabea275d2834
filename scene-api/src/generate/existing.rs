//! The scene that a task of change starts from: boxes and cylinders on the ground, and sometimes one on another.

use super::draws::Draws;
use super::solid::{Form, Solid};
use crate::task::Statement;

pub(super) const HALF_MM: i64 = 2000;
const ON_TOLERANCE_M: f64 = 0.01;

/// Places on the ground, farther from each other than any two things of it reach.
const PLACES_MM: [[i64; 2]; 6] = [[-1200, -700], [0, -700], [1200, -700], [-1200, 700], [0, 700], [1200, 700]];

pub(super) struct Existing {
    /// Those on the ground come first.
    pub(super) solids: Vec<Solid>,
    /// The first one carries the last one.
    pub(super) stacked: bool,
    /// A name that nothing has.
    pub(super) free_name: String,
    /// A place on the ground where nothing stands.
    pub(super) free_mm: [i64; 2],
}

impl Existing {
    /// Three or four things.
    pub(super) fn draw(draws: &mut Draws) -> Self {
        let (on_ground, stacked) = (3, draws.below(2) == 0);
        let mut names = draws.names(on_ground + 2).into_iter();
        let mut places_mm = draws.shuffled(PLACES_MM.to_vec()).into_iter();
        let mut place_mm = || places_mm.next().unwrap_or_default();
        let mut solids: Vec<Solid> = Vec::new();
        for name in names.by_ref().take(on_ground) {
            let [x_mm, z_mm] = place_mm();
            let (dx_mm, dz_mm) = (50 * draws.between(-2, 2), 50 * draws.between(-2, 2));
            let paint = draws.paint();
            let solid = Solid::draw(draws, name, &Form::FLAT, 30, 70);
            solids.push(solid.standing_at(x_mm + dx_mm, 0, z_mm + dz_mm).painted(paint));
        }
        let top = solids.first().filter(|_| stacked).map(|below| {
            let ([width, _, depth], [x_mm, _, z_mm]) = (below.size_mm, below.centre_mm);
            let paint = draws.paint();
            let name = names.next().unwrap_or_default();
            let solid = Solid::draw(draws, name, &Form::FLAT, 20, width.min(depth) / 10);
            solid.standing_at(x_mm, below.top_mm(), z_mm).painted(paint)
        });
        solids.extend(top);
        Self { solids, stacked, free_name: names.next().unwrap_or_default(), free_mm: place_mm() }
    }

    /// Of those that carry nothing.
    pub(super) fn movable(&self, draws: &mut Draws) -> usize {
        let first = usize::from(self.stacked);
        first + draws.below(self.solids.len() - first)
    }

    /// That the last one stands on the first, where it does.
    pub(super) fn standing(&self) -> Option<Statement> {
        let (below, top) = (self.solids.first()?, self.solids.last()?);
        self.stacked.then(|| Statement::On {
            object: top.name.clone(),
            support: below.name.clone(),
            tolerance_m: ON_TOLERANCE_M,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_touches_but_what_stands_on_something() {
        for index in 0..200 {
            let existing = Existing::draw(&mut Draws::new("edit", 5, index));
            let Existing { solids, stacked, free_mm: [x_mm, z_mm], .. } = existing;
            // The largest thing that could come to the free place.
            let newcomer = Solid { size_mm: [800, 800, 800], ..solids[0].clone() }.standing_at(x_mm, 0, z_mm);
            let all: Vec<&Solid> = solids.iter().chain([&newcomer]).collect();
            for (place, a) in all.iter().enumerate() {
                for (other, b) in all.iter().enumerate().skip(place + 1) {
                    let apart = |axis: usize| {
                        2 * (a.centre_mm[axis] - b.centre_mm[axis]).abs() - a.size_mm[axis] - b.size_mm[axis]
                    };
                    let on = stacked && place == 0 && other == solids.len() - 1;
                    assert!(if on { apart(1) == 0 } else { apart(0) > 0 || apart(2) > 0 }, "{index}: {place} {other}");
                }
            }
        }
    }
}
