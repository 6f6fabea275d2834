//! Axis-aligned boxes.

use nalgebra::{Point3, Vector3};

/// Box in world space, metres; `min` ≤ `max` on each axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    pub min: Point3<f64>,
    pub max: Point3<f64>,
}

impl Aabb {
    /// Smallest box around the points; `None` without points.
    pub fn around(points: impl IntoIterator<Item = Point3<f64>>) -> Option<Self> {
        let mut points = points.into_iter();
        let first = points.next()?;
        Some(points.fold(Self { min: first, max: first }, |grown, point| Self {
            min: grown.min.inf(&point),
            max: grown.max.sup(&point),
        }))
    }

    pub fn extents(&self) -> Vector3<f64> {
        self.max - self.min
    }

    pub fn min_extent(&self) -> f64 {
        self.extents().min()
    }

    pub fn diagonal(&self) -> f64 {
        self.extents().norm()
    }

    pub fn centre(&self) -> Point3<f64> {
        nalgebra::center(&self.min, &self.max)
    }

    /// Whether the boxes share volume: touching at a face, edge or corner is not enough.
    pub fn intersects(&self, other: &Self) -> bool {
        (0..3).all(|axis| self.min[axis].max(other.min[axis]) < self.max[axis].min(other.max[axis]))
    }

    /// The common box; `None` where the boxes share no volume.
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        self.intersects(other).then(|| Self { min: self.min.sup(&other.min), max: self.max.inf(&other.max) })
    }

    /// Distance in metres between the boxes; 0 where they touch.
    pub(crate) fn gap_m(&self, other: &Self) -> f64 {
        (other.min - self.max).sup(&(self.min - other.max)).sup(&Vector3::zeros()).norm()
    }

    pub fn union(&self, other: &Self) -> Self {
        Self { min: self.min.inf(&other.min), max: self.max.sup(&other.max) }
    }
}
