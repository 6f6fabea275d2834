//! The connected pieces that a group of bodies falls into.

use nalgebra::Point3;

use crate::plumb::height_at;
use crate::solid::Part;
use crate::{Aabb, Body, Tolerances};

/// A connected part of a body, or a body as a whole.
#[derive(Debug)]
pub(crate) struct Piece<'a> {
    pub(crate) points: &'a [Point3<f64>],
    pub(crate) aabb: Aabb,
    pub(crate) closed: bool,
    /// 0 where a part is open.
    pub(crate) volume_m3: f64,
    pub(crate) area_m2: f64,
    /// Of the whole body, which the triangles count.
    all_points: &'a [Point3<f64>],
    triangles: &'a [[u32; 3]],
}

impl<'a> Piece<'a> {
    pub(crate) fn whole(body: &'a Body) -> Self {
        let solid = body.solid();
        Self {
            points: &solid.points,
            aabb: *body.aabb(),
            closed: solid.closed,
            volume_m3: body.volume_m3(),
            area_m2: solid.area_m2(),
            all_points: &solid.points,
            triangles: &solid.triangles,
        }
    }

    fn part(body: &'a Body, part: &Part) -> Self {
        let solid = body.solid();
        Self {
            points: &solid.points[part.points.clone()],
            aabb: part.aabb,
            closed: part.closed,
            volume_m3: part.volume_m3,
            area_m2: part.area_m2,
            all_points: &solid.points,
            triangles: &solid.triangles[part.triangles.clone()],
        }
    }

    pub(crate) fn triangles(&self) -> impl Iterator<Item = [Point3<f64>; 3]> {
        self.triangles.iter().map(|triangle| triangle.map(|vertex| self.all_points[vertex as usize]))
    }

    /// Whether the piece encloses the point, by the parity of crossings straight upwards.
    pub(crate) fn encloses(&self, point: Point3<f64>) -> bool {
        let above = |corners: &[Point3<f64>; 3]| height_at(corners, point.x, point.z).is_some_and(|h| h > point.y);
        self.closed && self.triangles().filter(above).count() % 2 == 1
    }
}

/// The pieces of each body; the bodies as wholes where all their pieces together are more than `t.pieces_per_group`.
pub(crate) fn pieces<'a>(bodies: &[&'a Body], t: &Tolerances) -> Vec<Vec<Piece<'a>>> {
    let count: usize = bodies.iter().map(|body| body.solid().parts.len()).sum();
    let of = |body: &'a Body| match body.solid().parts.as_slice() {
        [] => Vec::new(),
        _ if count > t.pieces_per_group => vec![Piece::whole(body)],
        parts => parts.iter().map(|part| Piece::part(body, part)).collect(),
    };
    bodies.iter().copied().map(of).collect()
}
