//! Where in the picture evidence is to be seen.

use nalgebra::Point3;
use scene_document::{Projection, View};
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct Places {
    /// By evidence id: the numbers of the pixels that show the node.
    pub(super) marks: BTreeMap<String, Vec<u32>>,
    /// Of the picture.
    pub(super) view: View,
}

impl Places {
    /// The numbers of the pixels that show any of the nodes, each once.
    pub(super) fn marks_of(&self, ids: &[String]) -> Vec<u32> {
        let marks: BTreeSet<u32> = ids.iter().filter_map(|id| self.marks.get(id)).flatten().copied().collect();
        marks.into_iter().collect()
    }

    /// Where a point lies, in pixels from the left and from the top, hidden or not; `None` outside the picture.
    pub(super) fn pixel_of(&self, position_m: [f64; 3]) -> Option<[f64; 2]> {
        let camera_from_world = self.view.world_from_camera.try_inverse()?;
        let point = camera_from_world.transform_point(&Point3::from(position_m));
        let [width, height] = [self.view.width, self.view.height].map(f64::from);
        let depth_m = -point.z;
        let half_extents_m = match self.view.projection {
            Projection::Perspective { yfov_rad, .. } => {
                let half_height_m = depth_m * libm::tan(yfov_rad / 2.0);
                [half_height_m * width / height, half_height_m]
            }
            Projection::Orthographic { xmag_m, ymag_m, .. } => [xmag_m, ymag_m],
        };
        let x = (1.0 + point.x / half_extents_m[0]) / 2.0 * width;
        let y = (1.0 - point.y / half_extents_m[1]) / 2.0 * height;
        let is_inside = depth_m > 0.0 && (0.0..width).contains(&x) && (0.0..height).contains(&y);
        is_inside.then_some([x, y])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_PI_2;

    /// Five metres in front of the origin, which it looks at.
    fn places(projection: Option<Projection>) -> Places {
        let view = View::looking_at(Point3::new(0.0, 0.0, 5.0), Point3::origin(), FRAC_PI_2, 200, 100);
        let projection = projection.unwrap_or(view.projection);
        Places { marks: BTreeMap::new(), view: View { projection, ..view } }
    }

    fn rounded(pixel: Option<[f64; 2]>) -> Option<[i64; 2]> {
        pixel.map(|pixel| pixel.map(|value| value.round() as i64))
    }

    #[test]
    fn points_are_found_where_a_perspective_shows_them() {
        let at = |position_m| rounded(places(None).pixel_of(position_m));
        assert_eq!(at([0.0; 3]), Some([100, 50]));
        assert_eq!(at([5.0, 2.5, 0.0]), Some([150, 25]));
        assert_eq!([at([0.0, 6.0, 0.0]), at([0.0, 0.0, 6.0])], [None, None], "above the picture, behind the eye");
    }

    #[test]
    fn points_are_found_where_an_orthographic_view_shows_them() {
        let projection = Projection::Orthographic { xmag_m: 2.0, ymag_m: 2.0, znear_m: 0.1, zfar_m: 100.0 };
        let at = |position_m| rounded(places(Some(projection)).pixel_of(position_m));
        assert_eq!([at([1.0, -1.0, 0.0]), at([1.0, -1.0, -9.0])], [Some([150, 75]); 2]);
        assert_eq!(at([3.0, 0.0, 0.0]), None);
    }
}
