//! Arrangements of lights around a subject. Each lamp is told by the luminance that it gives, by itself, to a matt
//! surface of the subject that faces it; 100 cd/m² are white in a picture, 18 cd/m² middle grey.

use crate::reward::relative_luminance;
use scene_document::{Kept, Light, LightKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// Distance of the lamps from the middle of the subject, in its radii: its nearest point gets (4/3)² of the light.
pub(super) const DISTANCE_RADII: f64 = 4.0;

/// Half-angles of the lamps that are spots; the subject spans asin(1/4) = 0.2527 rad of them.
const INNER_CONE_RAD: f64 = 0.5;
const OUTER_CONE_RAD: f64 = 0.8;

const WHITE: [f64; 3] = [1.0; 3];
const SUN: [f64; 3] = [1.0, 0.95, 0.85];
const SKY: [f64; 3] = [0.75, 0.87, 1.0];

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Rig {
    ThreePoint,
    Studio,
    SunSky,
}

/// Azimuth from the viewer's, positive to the viewer's right.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lamp {
    pub(super) name: &'static str,
    pub(super) azimuth_deg: f64,
    pub(super) elevation_deg: f64,
    luminance_cd_m2: f64,
    color: [f64; 3],
    parallel: bool,
}

const fn spot(name: &'static str, azimuth_deg: f64, elevation_deg: f64, luminance_cd_m2: f64) -> Lamp {
    Lamp { name, azimuth_deg, elevation_deg, luminance_cd_m2, color: WHITE, parallel: false }
}

const THREE_POINT: [Lamp; 3] =
    [spot("key", 45.0, 45.0, 30.0), spot("fill", -45.0, 15.0, 10.0), spot("rim", 160.0, 40.0, 20.0)];

const STUDIO: [Lamp; 4] = [
    spot("left", -40.0, 30.0, 16.0),
    spot("right", 40.0, 30.0, 16.0),
    spot("top", 0.0, 90.0, 12.0),
    spot("back", 180.0, 30.0, 8.0),
];

const SUN_SKY: [Lamp; 3] = [
    Lamp { color: SUN, parallel: true, ..spot("sun", 40.0, 45.0, 30.0) },
    Lamp { color: SKY, parallel: true, ..spot("sky", -50.0, 30.0, 8.0) },
    Lamp { color: SKY, parallel: true, ..spot("zenith", 0.0, 90.0, 8.0) },
];

impl Rig {
    pub(super) fn lamps(self) -> &'static [Lamp] {
        match self {
            Self::ThreePoint => &THREE_POINT,
            Self::Studio => &STUDIO,
            Self::SunSky => &SUN_SKY,
        }
    }
}

impl Lamp {
    /// Lux on a surface give lux · albedo / π cd/m²; candela give candela / distance² lux. A coloured light counts by
    /// its luminance.
    pub(super) fn light(&self, distance_m: f64, albedo: f64) -> Light {
        let lux = self.luminance_cd_m2 * PI / albedo / relative_luminance(self.color);
        let (kind, intensity) = if self.parallel {
            (LightKind::Directional, lux)
        } else {
            let kind = LightKind::Spot { inner_cone_rad: INNER_CONE_RAD, outer_cone_rad: OUTER_CONE_RAD };
            (kind, lux * distance_m * distance_m)
        };
        Light { name: self.name.into(), kind, color: self.color, intensity, range_m: None, kept: Kept::default() }
    }
}
