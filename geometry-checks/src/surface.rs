//! Triangles with a tree over their boxes, for what is nearest to them.

use nalgebra::Point3;
use parry3d_f64::bounding_volume::Aabb as LeafBox;
use parry3d_f64::math::Vector;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};
use parry3d_f64::shape::Triangle;

use crate::topology::leaf_box;

/// A triangle, its box and its leaf have one number.
pub(crate) struct Surface {
    pub(crate) triangles: Vec<Triangle>,
    pub(crate) boxes: Vec<LeafBox>,
    pub(crate) bvh: Bvh,
}

impl Surface {
    pub(crate) fn of(faces: impl Iterator<Item = [Point3<f64>; 3]>) -> Self {
        let vector = |p: Point3<f64>| Vector::new(p.x, p.y, p.z);
        let (triangles, boxes): (Vec<Triangle>, Vec<LeafBox>) = faces
            .map(|corners| {
                let [a, b, c] = corners.map(vector);
                (Triangle::new(a, b, c), leaf_box(corners))
            })
            .unzip();
        let bvh = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
        Self { triangles, boxes, bvh }
    }
}
