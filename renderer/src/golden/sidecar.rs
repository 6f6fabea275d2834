//! What stands beside a golden's pictures: how they were drawn, when they count as equal, and why they look so.

use super::files::{Files, Piece, read};
use super::{GoldenError, PICTURE_BYTES_MAX};
use crate::{AdapterInfo, BEVY_VERSION};
use scene_document::View;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sidecar {
    /// Of the scene file's bytes; files that a `.gltf` names are not in it. Digests are hexadecimal.
    pub scene_blake3: String,
    /// Name of the node whose camera is looked through; `None` frames the whole scene.
    pub camera: Option<String>,
    pub width: u32,
    pub height: u32,
    pub adapter: AdapterInfo,
    pub versions: Versions,
    pub ev100: f64,
    /// The luminance that is 1.0 before tone mapping.
    pub white_cd_m2: f64,
    pub tonemapping: String,
    pub tolerance: Tolerance,
    /// Why it was blessed.
    pub reason: String,
    pub images: Images,
    /// BLAKE3 of the beauty picture that this one replaced: the last that was another.
    pub previous: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Versions {
    pub maquette: String,
    pub bevy: String,
    pub wgpu: String,
}

impl Versions {
    /// Of this build; a test compares them with Cargo.lock.
    #[must_use]
    pub fn current() -> Self {
        Self { maquette: env!("CARGO_PKG_VERSION").into(), bevy: BEVY_VERSION.into(), wgpu: "29.0.4".into() }
    }
}

/// BLAKE3 of the files of the three pictures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Images {
    pub beauty: String,
    pub ids: String,
    pub depth: String,
}

/// When two pictures count as equal if they were not both drawn by software. All are inclusive, and each is 0 or more
/// and less than 1: what is allowed is at most a part of what there is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    /// Mean of the FLIP error over all pixels.
    pub flip_mean: f64,
    /// FLIP error that 99 of 100 pixels do not exceed.
    pub flip_p99: f64,
    /// Of all pixels, those that may show another node.
    pub ids_share: f64,
    /// Of all pixels, those that may be at another depth.
    pub depth_share: f64,
    /// Relative difference beyond which a depth is another.
    pub depth_relative: f64,
}

impl Default for Tolerance {
    fn default() -> Self {
        Self { flip_mean: 0.01, flip_p99: 0.1, ids_share: 0.001, depth_share: 0.001, depth_relative: 1e-3 }
    }
}

impl Tolerance {
    /// The first member that is out of range, by its name in the file.
    fn out_of_range(&self) -> Option<(&'static str, f64)> {
        let Self { flip_mean, flip_p99, ids_share, depth_share, depth_relative } = *self;
        let members = [
            ("flip_mean", flip_mean),
            ("flip_p99", flip_p99),
            ("ids_share", ids_share),
            ("depth_share", depth_share),
            ("depth_relative", depth_relative),
        ];
        members.into_iter().find(|(_, given)| !(0.0..1.0).contains(given))
    }
}

impl Sidecar {
    pub(super) fn read(files: &Files<'_>) -> Result<Self, GoldenError> {
        let path = files.path(Piece::Sidecar);
        let bytes = read(Piece::Sidecar, &path, PICTURE_BYTES_MAX)?;
        let undecodable = |what: String| GoldenError::Undecodable { path: path.clone(), what };
        let sidecar: Self = serde_json::from_slice(&bytes).map_err(|error| undecodable(error.to_string()))?;
        let sides = 1..=View::MAX_SIDE_PX;
        if !sides.contains(&sidecar.width) || !sides.contains(&sidecar.height) {
            let (width, height) = (sidecar.width, sidecar.height);
            let most = View::MAX_SIDE_PX;
            return Err(undecodable(format!("{width} × {height} pixels; allowed: 1 to {most} a side")));
        }
        if let Some((member, given)) = sidecar.tolerance.out_of_range() {
            return Err(GoldenError::BadTolerance { path, member, given });
        }
        Ok(sidecar)
    }

    /// The bytes of its file.
    pub(super) fn to_json(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tolerance_is_a_part_of_what_there_is() {
        let all_are = |value: f64| Tolerance {
            flip_mean: value,
            flip_p99: value,
            ids_share: value,
            depth_share: value,
            depth_relative: value,
        };
        for tolerance in [Tolerance::default(), all_are(0.0), all_are(0.999)] {
            assert_eq!(tolerance.out_of_range(), None);
        }
        assert!(Tolerance { ids_share: f64::NAN, ..Tolerance::default() }.out_of_range().is_some());
        for given in [-1e-9, 1.0, f64::INFINITY] {
            assert_eq!(all_are(given).out_of_range(), Some(("flip_mean", given)));
            let last = Tolerance { depth_relative: given, ..Tolerance::default() };
            assert_eq!(last.out_of_range(), Some(("depth_relative", given)));
        }
    }
}
