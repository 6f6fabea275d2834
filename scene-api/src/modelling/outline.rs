//! Simple polygons, with holes and beside each other, and their triangles.

use crate::tool_error::{ErrorCode, ToolError};
use serde_json::json;
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A closed polygon as a model gave it; the JSON pointer is that of the list of points.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Contour<'a> {
    pub(crate) pointer: &'a str,
    pub(crate) points: &'a [[f64; 2]],
}

/// Polygons that neither touch nor cross themselves or each other; counter-clockwise outside, clockwise around holes.
/// Points are exact in single precision.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outline {
    pub(crate) points: Vec<[f64; 2]>,
    /// From each point to the next of its contour; the inside is on the left.
    pub(crate) edges: Vec<[usize; 2]>,
    /// The inside, counter-clockwise; every point is used, and there are no others.
    pub(crate) triangles: Vec<[usize; 3]>,
}

impl Outline {
    /// Contours are taken in either direction. O(n log n) but for the places of holes, which is O(n · holes).
    ///
    /// # Errors
    /// `Degenerate` with the point at fault: two points in one place, edges that cross or touch, no area, a hole
    /// outside the outline or inside another hole.
    pub(crate) fn new(outer: Contour, holes: &[Contour]) -> Result<Self, ToolError> {
        let contours: Vec<Contour> = [outer].into_iter().chain(holes.iter().copied()).collect();
        let is_hole: Vec<bool> = (0..contours.len()).map(|index| index > 0).collect();
        let (outline, ranges) = between(&contours, &is_hole)?;
        holes_are_inside(&outline.points, &ranges, holes)?;
        Ok(outline)
    }

    /// Of contours in any order, each inside or outside every other: what lies in an odd number of them is filled.
    /// O(n log n) but for their places, which is O(n · contours).
    ///
    /// # Errors
    /// As `new`, but for the places of holes.
    pub(crate) fn nested(contours: &[Contour]) -> Result<Self, ToolError> {
        let holds = |outer: &Contour, at: &[f64; 2]| contains(outer.points, *at);
        let around = |index: usize, at: &[f64; 2]| {
            contours.iter().enumerate().filter(|(other, outer)| *other != index && holds(outer, at)).count()
        };
        let is_hole: Vec<bool> = contours
            .iter()
            .enumerate()
            .map(|(index, contour)| contour.points.first().is_some_and(|at| around(index, at) % 2 == 1))
            .collect();
        Ok(between(contours, &is_hole)?.0)
    }
}

/// The outline, and which of its points are those of each contour.
fn between(contours: &[Contour], is_hole: &[bool]) -> Result<(Outline, Vec<Range<usize>>), ToolError> {
    let mut points: Vec<[f64; 2]> = Vec::new();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for contour in contours {
        let start = points.len();
        points.extend(contour.points.iter().map(|point| point.map(|part| f64::from(part as f32) + 0.0)));
        ranges.push(start..points.len());
    }
    let mut edges = Vec::new();
    for ((range, contour), is_hole) in ranges.iter().zip(contours).zip(is_hole) {
        let own = &points[range.clone()];
        let area_m2 = signed_area(own);
        if own.len() < 3 || area_m2 == 0.0 {
            return Err(fault(contour.pointer.to_owned(), "the polygon encloses no area", own));
        }
        let is_turned = (area_m2 > 0.0) == *is_hole;
        edges.extend(range.clone().map(|from| {
            let to = if from + 1 == range.end { range.start } else { from + 1 };
            if is_turned { [to, from] } else { [from, to] }
        }));
    }
    let place = |point: usize| {
        let found = ranges.iter().zip(contours).find(|(range, _)| range.contains(&point));
        found.map_or_else(String::new, |(range, contour)| format!("{}/{}", contour.pointer, point - range.start))
    };
    let triangles = filled(&points, &edges).map_err(|flaw| fault(place(flaw.point), flaw.message, &flaw.places))?;
    Ok((Outline { points, edges, triangles }, ranges))
}

fn holes_are_inside(points: &[[f64; 2]], ranges: &[Range<usize>], holes: &[Contour]) -> Result<(), ToolError> {
    let Some((outer, inner)) = ranges.split_first() else { return Ok(()) };
    for (index, (range, hole)) in inner.iter().zip(holes).enumerate() {
        let at = points[range.start];
        if !contains(&points[outer.clone()], at) {
            return Err(fault(hole.pointer.to_owned(), "the hole is outside the outline", hole.points));
        }
        let others = inner.iter().enumerate().filter(|(other, _)| *other != index);
        if others.map(|(_, other)| &points[other.clone()]).any(|other| contains(other, at)) {
            return Err(fault(hole.pointer.to_owned(), "the hole is inside another hole", hole.points));
        }
    }
    Ok(())
}

const TOO_SMALL: &str = "a coordinate is too small to be told from 0; give 0";

/// Why edges bound no area, the first point that shows it, and the places concerned.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Flaw {
    point: usize,
    message: &'static str,
    places: Vec<[f64; 2]>,
}

/// What is left of the edges, as a constrained Delaunay triangulation: counter-clockwise triangles of the points.
///
/// # Errors
/// Two points in one place, edges that cross or touch.
pub(crate) fn filled(points: &[[f64; 2]], edges: &[[usize; 2]]) -> Result<Vec<[usize; 3]>, Flaw> {
    let mut plane = ConstrainedDelaunayTriangulation::<Point2<f64>>::new();
    let mut handles = Vec::with_capacity(points.len());
    for (index, [x, y]) in points.iter().copied().enumerate() {
        let flaw = |message| Flaw { point: index, message, places: vec![[x, y]] };
        let handle = plane.insert(Point2::new(x, y)).map_err(|_| flaw(TOO_SMALL))?;
        if plane.num_vertices() != index + 1 {
            return Err(flaw("another point of the polygon is at the same place"));
        }
        handles.push(handle);
    }
    for [from, to] in edges.iter().copied() {
        let (start, end) = (handles[from], handles[to]);
        let is_free = plane.can_add_constraint(start, end);
        if is_free {
            plane.add_constraint(start, end);
        }
        if !is_free || !plane.exists_constraint(start, end) {
            let message = "the edge between this point and a neighbour of it crosses or touches another edge";
            return Err(Flaw { point: from, message, places: vec![points[from], points[to]] });
        }
    }
    let faces: Vec<[usize; 3]> = plane.inner_faces().map(|face| face.vertices().map(|vertex| vertex.index())).collect();
    Ok(left_of(&faces, edges))
}

/// The faces that are reached from the left of the edges without crossing one, in their order.
fn left_of(faces: &[[usize; 3]], edges: &[[usize; 2]]) -> Vec<[usize; 3]> {
    let around = |[a, b, c]: [usize; 3]| [[a, b], [b, c], [c, a]];
    let face_at: BTreeMap<[usize; 2], usize> =
        faces.iter().enumerate().flat_map(|(index, face)| around(*face).map(|side| (side, index))).collect();
    let walls: BTreeSet<[usize; 2]> = edges.iter().flat_map(|[from, to]| [[*from, *to], [*to, *from]]).collect();
    let mut inside = BTreeSet::new();
    let mut reached: Vec<usize> = edges.iter().filter_map(|edge| face_at.get(edge).copied()).collect();
    while let Some(face) = reached.pop() {
        if inside.insert(face) {
            let open = around(faces[face]).into_iter().filter(|side| !walls.contains(side));
            reached.extend(open.filter_map(|[from, to]| face_at.get(&[to, from]).copied()));
        }
    }
    inside.into_iter().map(|face| faces[face]).collect()
}

/// Each point of a closed polygon with the next.
fn sides(polygon: &[[f64; 2]]) -> impl Iterator<Item = ([f64; 2], [f64; 2])> {
    polygon.iter().copied().zip(polygon.iter().copied().cycle().skip(1))
}

fn signed_area(polygon: &[[f64; 2]]) -> f64 {
    let Some([x, y]) = polygon.first().copied() else { return 0.0 };
    sides(polygon).map(|(a, b)| (a[0] - x) * (b[1] - y) - (b[0] - x) * (a[1] - y)).sum::<f64>() / 2.0
}

/// By the number of sides to the right of the point.
fn contains(polygon: &[[f64; 2]], [x, y]: [f64; 2]) -> bool {
    let crossed = sides(polygon).filter(|(a, b)| {
        let spans = (a[1] > y) != (b[1] > y);
        spans && a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]) > x
    });
    crossed.count() % 2 == 1
}

fn fault(pointer: String, message: &str, given: &[[f64; 2]]) -> ToolError {
    ToolError::new(ErrorCode::Degenerate, pointer, message)
        .given(json!(given))
        .allowed("a simple polygon: at least 3 different points, edges that meet only at their ends, holes inside")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: [[f64; 2]; 4] = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]];
    const L: [[f64; 2]; 6] = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];

    fn outer(points: &[[f64; 2]]) -> Contour<'_> {
        Contour { pointer: "/outline", points }
    }

    fn hole(points: &[[f64; 2]]) -> Contour<'_> {
        Contour { pointer: "/holes/0", points }
    }

    fn area(outline: &Outline) -> f64 {
        let areas = outline.triangles.iter().map(|corners| signed_area(&corners.map(|corner| outline.points[corner])));
        areas.inspect(|area| assert!(*area > 0.0)).sum()
    }

    #[test]
    fn concave_polygons_are_filled_in_either_direction() {
        let back: Vec<[f64; 2]> = L.into_iter().rev().collect();
        for points in [L.to_vec(), back] {
            let outline = Outline::new(outer(&points), &[]).unwrap();
            assert_eq!((outline.triangles.len(), area(&outline)), (4, 4.0));
        }
    }

    #[test]
    fn holes_stay_empty_and_points_on_a_line_stay_corners() {
        let inner = [[1.0, 1.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0]];
        let outline = Outline::new(outer(&SQUARE), &[hole(&inner)]).unwrap();
        assert_eq!((outline.triangles.len(), area(&outline)), (8, 15.0));
        let with_middle = [[0.0, 0.0], [2.0, 0.0], [4.0, 0.0], [4.0, 4.0]];
        let outline = Outline::new(outer(&with_middle), &[]).unwrap();
        assert_eq!((outline.triangles.len(), area(&outline)), (2, 8.0));
    }

    #[test]
    fn nested_contours_are_filled_by_turns() {
        let square = |low: f64, high: f64| [[low, low], [high, low], [high, high], [low, high]];
        let back: Vec<[f64; 2]> = square(1.0, 3.0).into_iter().rev().collect();
        let (large, small, beside) = (square(0.0, 4.0), square(1.5, 2.5), square(5.0, 6.0));
        for ring in [square(1.0, 3.0).to_vec(), back] {
            let contours = [&small[..], &ring[..], &beside[..], &large[..]].map(outer);
            let outline = Outline::nested(&contours).unwrap();
            assert_eq!((outline.points.len(), area(&outline)), (16, 16.0 - 4.0 + 1.0 + 1.0));
        }
        let over_the_corner = square(3.0, 5.0);
        let crossing = [&large[..], &over_the_corner[..]].map(outer);
        assert_eq!(Outline::nested(&crossing).unwrap_err().code, ErrorCode::Degenerate);
    }

    #[test]
    fn what_is_no_simple_polygon_is_refused_at_its_point() {
        let pointer = |points: &[[f64; 2]], holes: &[Contour]| Outline::new(outer(points), holes).unwrap_err().pointer;
        assert_eq!(pointer(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], &[]), "/outline");
        assert_eq!(pointer(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], &[]), "/outline/2");
        // A bow tie of unequal halves, and a point on another edge.
        assert!(pointer(&[[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 1.0]], &[]).starts_with("/outline/"));
        assert!(pointer(&[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 0.0]], &[]).starts_with("/outline/"));
        let far = [[9.0, 9.0], [10.0, 9.0], [10.0, 10.0]];
        assert_eq!(pointer(&SQUARE, &[hole(&far)]), "/holes/0");
        let wide = [[1.0, 1.0], [3.0, 1.0], [3.0, 3.0], [1.0, 3.0]];
        let within = [[1.5, 1.5], [2.0, 1.5], [2.0, 2.0]];
        let nested = [hole(&wide), Contour { pointer: "/holes/1", points: &within }];
        assert_eq!(pointer(&SQUARE, &nested), "/holes/1");
    }
}
