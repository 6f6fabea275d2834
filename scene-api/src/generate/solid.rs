//! One thing of a task: a shape of some size at some place, what is stated about it, and how it is drawn.

use super::draws::Draws;
use super::words::Paint;
use crate::task::{ObjectSpec, Statement};
use std::f64::consts::{FRAC_PI_4, FRAC_PI_6};

const SIZE_TOLERANCE: f64 = 0.03;
const PLACE_TOLERANCE_M: f64 = 0.02;
const COLOUR_TOLERANCE: f64 = 5.0;
/// More than a round shape of 16 segments lacks, and far less than what tells two shapes apart.
const FILL_TOLERANCE: f64 = 0.05;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Box,
    Cylinder,
    Cone,
    Ball,
}

impl Form {
    pub(super) const ALL: [Self; 4] = [Self::Box, Self::Cylinder, Self::Cone, Self::Ball];
    /// Something can stand on these.
    pub(super) const FLAT: [Self; 2] = [Self::Box, Self::Cylinder];

    /// With its article.
    pub(super) fn words(self, draws: &mut Draws) -> &'static str {
        match self {
            Self::Box => draws.pick_own(&["a box", "a rectangular box"], &["a cuboid"]),
            Self::Cylinder => draws.pick_own(&["an upright cylinder", "a cylinder"], &["a vertical cylinder"]),
            Self::Cone => draws.pick_own(&["an upright cone", "a cone, its apex up"], &["a vertical cone, apex up"]),
            Self::Ball => draws.pick_own(&["a ball"], &["a sphere"]),
        }
    }

    /// Share of its box that it fills.
    fn fill(self) -> f64 {
        match self {
            Self::Box => 1.0,
            Self::Cylinder => FRAC_PI_4,
            Self::Cone => FRAC_PI_4 / 3.0,
            Self::Ball => FRAC_PI_6,
        }
    }
}

pub(super) fn metres(mm: i64) -> f64 {
    mm as f64 / 1000.0
}

pub(super) fn point_m(mm: [i64; 3]) -> [f64; 3] {
    mm.map(metres)
}

/// Sizes and places of its box in world space, whole millimetres.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Solid {
    pub(super) name: String,
    pub(super) form: Form,
    pub(super) size_mm: [i64; 3],
    pub(super) centre_mm: [i64; 3],
    pub(super) paint: Option<Paint>,
}

impl Solid {
    /// Standing on the ground at the origin, without a colour, with sides within the range.
    pub(super) fn draw(draws: &mut Draws, name: String, forms: &[Form], low_cm: i64, high_cm: i64) -> Self {
        let form = draws.pick(forms);
        let [width, height, depth] = [(); 3].map(|()| draws.side_mm(low_cm, high_cm));
        let size_mm = match form {
            Form::Box => [width, height, depth],
            Form::Cylinder | Form::Cone => [width, height, width],
            Form::Ball => [width, width, width],
        };
        Self::sized(name, form, size_mm)
    }

    /// Standing on the ground at the origin, without a colour.
    pub(super) fn sized(name: String, form: Form, size_mm: [i64; 3]) -> Self {
        Self { name, form, size_mm, centre_mm: [0; 3], paint: None }.standing_at(0, 0, 0)
    }

    /// With its underside at that height.
    pub(super) fn standing_at(self, x_mm: i64, y_mm: i64, z_mm: i64) -> Self {
        let [_, height, _] = self.size_mm;
        Self { centre_mm: [x_mm, y_mm + height / 2, z_mm], ..self }
    }

    pub(super) fn painted(self, paint: Paint) -> Self {
        Self { paint: Some(paint), ..self }
    }

    pub(super) fn top_mm(&self) -> i64 {
        self.centre_mm[1] + self.size_mm[1] / 2
    }

    pub(super) fn stands_on_ground(&self) -> bool {
        self.top_mm() == self.size_mm[1]
    }

    pub(super) fn spec(&self) -> ObjectSpec {
        ObjectSpec { name: self.name.clone(), size_m: point_m(self.size_mm) }
    }

    pub(super) fn size(&self) -> Statement {
        Statement::Size { object: self.name.clone(), tolerance: SIZE_TOLERANCE }
    }

    pub(super) fn fill(&self) -> Statement {
        Statement::Fill { object: self.name.clone(), share: self.form.fill(), tolerance: FILL_TOLERANCE }
    }

    pub(super) fn at(&self) -> Statement {
        let position_m = point_m(self.centre_mm);
        Statement::At { object: self.name.clone(), position_m, tolerance_m: PLACE_TOLERANCE_M }
    }

    /// None without a colour.
    pub(super) fn color(&self) -> Option<Statement> {
        let color = self.paint?.rgb;
        Some(Statement::Color { object: self.name.clone(), color, delta_e: COLOUR_TOLERANCE })
    }

    /// Size, shape, place and, where it has one, colour.
    pub(super) fn all(&self) -> Vec<Statement> {
        [self.size(), self.fill(), self.at()].into_iter().chain(self.color()).collect()
    }
}
