//! What a channel's keys hold, as a model writes it: a row of numbers each.

use super::placement::{SCALE_MAX, SCALE_MIN, from_euler_xyz};
use super::ranges::each_within;
use crate::limits::Limits;
use crate::tool_error::{ErrorCode, ToolError};
use scene_document::{ChannelPath, Interpolation};
use serde_json::json;

/// Quaternions that are near enough to unit length to be meant as rotations.
const ROTATION_LENGTHS: std::ops::RangeInclusive<f64> = 1e-3..=1e3;

/// How many rows and numbers a row are wanted, and what they mean.
pub(super) struct Rows {
    pub(super) path: ChannelPath,
    pub(super) interpolation: Interpolation,
    pub(super) keys: usize,
    /// Of weights; 0 where the node has none.
    pub(super) morph_targets: usize,
}

impl Rows {
    /// The rows one after the other; rotations are made unit, tangents stay as they are.
    ///
    /// # Errors
    /// `InvalidArgument` for a wrong number of rows, `TypeMismatch` for a row of the wrong length, `OutOfRange`.
    pub(super) fn flat(&self, given: Vec<Vec<f64>>, limits: &Limits) -> Result<Vec<f32>, ToolError> {
        self.counted("/values", given.len())?;
        let mut flat = Vec::new();
        for (place, row) in given.into_iter().enumerate() {
            let pointer = format!("/values/{place}");
            let is_tangent = self.interpolation.values_per_key() == 3 && place % 3 != 1;
            flat.extend(self.row(&pointer, row, is_tangent, limits)?.into_iter().map(|part| part as f32));
        }
        Ok(flat)
    }

    /// Of rotations given as degrees about x, then the turned y, then the turned z.
    ///
    /// # Errors
    /// `InvalidArgument`, `OutOfRange`.
    pub(super) fn flat_from_euler(&self, given: &[[f64; 3]]) -> Result<Vec<f32>, ToolError> {
        let place = "/values_euler_deg";
        if self.path != ChannelPath::Rotation || self.interpolation == Interpolation::CubicSpline {
            let message = "values_euler_deg are for rotations with STEP or LINEAR; give values instead";
            return Err(ToolError::new(ErrorCode::InvalidArgument, place, message).allowed("values"));
        }
        self.counted(place, given.len())?;
        let mut flat = Vec::new();
        for (row, degrees) in given.iter().enumerate() {
            let rotation = from_euler_xyz(each_within(&format!("{place}/{row}"), *degrees, -3600.0, 3600.0)?);
            flat.extend(rotation.map(|part| part as f32));
        }
        Ok(flat)
    }

    fn counted(&self, pointer: &str, rows: usize) -> Result<(), ToolError> {
        let per_key = self.interpolation.values_per_key();
        let wanted = self.keys * per_key;
        if rows == wanted {
            return Ok(());
        }
        let each = if per_key == 3 { "in-tangent, value, out-tangent of each time" } else { "one per time" };
        let message = format!("{rows} rows for {} times; {wanted} are wanted: {each}", self.keys);
        Err(ToolError::new(ErrorCode::InvalidArgument, pointer, message)
            .given(rows)
            .allowed(format!("{wanted} rows, {each}")))
    }

    fn row(&self, pointer: &str, row: Vec<f64>, is_tangent: bool, limits: &Limits) -> Result<Vec<f64>, ToolError> {
        let (width, meaning) = match self.path {
            ChannelPath::Translation => (3, "[x, y, z] in metres"),
            ChannelPath::Rotation => (4, "a unit quaternion [x, y, z, w]"),
            ChannelPath::Scale => (3, "factors [x, y, z]"),
            ChannelPath::Weights => (self.morph_targets, "one weight per morph target"),
        };
        if row.len() != width {
            let message = format!("a row of {} numbers; {width} are wanted: {meaning}", row.len());
            return Err(ToolError::new(ErrorCode::TypeMismatch, pointer, message)
                .given(json!(row))
                .allowed(format!("{width} numbers: {meaning}")));
        }
        for (place, part) in row.iter().copied().enumerate() {
            let (most, least_size) = match self.path {
                ChannelPath::Translation => (limits.coordinate_m, 0.0),
                ChannelPath::Scale if !is_tangent => (SCALE_MAX, SCALE_MIN),
                ChannelPath::Rotation | ChannelPath::Scale | ChannelPath::Weights => (SCALE_MAX, 0.0),
            };
            if !(least_size..=most).contains(&part.abs()) {
                let allowed = format!("{least_size} to {most}, or the negative of that");
                return Err(ToolError::out_of_range(format!("{pointer}/{place}"), part, allowed));
            }
        }
        if self.path != ChannelPath::Rotation || is_tangent {
            return Ok(row);
        }
        let length = row.iter().map(|part| part * part).sum::<f64>().sqrt();
        if !ROTATION_LENGTHS.contains(&length) {
            let message = format!("the rotation has length {length:.3e}; {meaning} is wanted");
            return Err(ToolError::new(ErrorCode::OutOfRange, pointer, message).given(json!(row)).allowed(meaning));
        }
        Ok(row.into_iter().map(|part| part / length).collect())
    }
}
