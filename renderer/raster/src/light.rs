//! Light that arrives at what a frame shows: punctual lights with shadow rays, Lambert, emission. No ambient term, no
//! second bounce.

use crate::frame::Frame;
use crate::scene::{Look, RasterScene};
use crate::view::{Lens, View};
use nalgebra::Vector3;
use rayon::prelude::*;
use scene_document::{BakedLight, LightKind};
use std::f64::consts::PI;

/// Linear light, one value per pixel of the frame; 0 where nothing is seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Lit {
    /// cd/m²: irradiance · albedo / π + emission.
    pub luminance: Vec<f64>,
    pub rgb: Vec<[f32; 3]>,
    /// Per light of the baked scene: lux that arrive at each pixel from it alone, shadows included.
    pub by_light: Vec<Vec<f64>>,
}

/// Of linear RGB with Rec. 709 primaries.
fn luminance([red, green, blue]: [f64; 3]) -> f64 {
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// A point to be lit.
struct Surfel<'a> {
    position: Vector3<f64>,
    /// Unit, for shading.
    normal: Vector3<f64>,
    /// Where shadow rays start: a little above the face, on the viewer's side.
    lifted: Vector3<f64>,
    look: &'a Look,
}

impl RasterScene {
    /// Lights what `frame` shows; `frame` is this scene's, taken with `view`.
    #[must_use]
    pub fn light(&self, view: &View, frame: &Frame) -> Lit {
        let surfels = self.surfels(view, frame);
        let arriving: Vec<Vec<f64>> = self
            .lights
            .iter()
            .map(|light| {
                surfels.par_iter().map(|surfel| surfel.as_ref().map_or(0.0, |at| self.arriving(light, at))).collect()
            })
            .collect();
        let radiance: Vec<[f64; 3]> = surfels
            .iter()
            .enumerate()
            .map(|(pixel, surfel)| {
                let Some(surfel) = surfel else { return [0.0; 3] };
                let mut rgb = surfel.look.emissive;
                for (light, arriving) in self.lights.iter().zip(&arriving) {
                    for (channel, value) in rgb.iter_mut().enumerate() {
                        *value += arriving[pixel] * light.light.color[channel] * surfel.look.albedo[channel] / PI;
                    }
                }
                rgb
            })
            .collect();
        let by_light = self.lights.iter().zip(arriving).map(|(light, arriving)| {
            let weight = luminance(light.light.color);
            arriving.into_iter().map(|value| value * weight).collect::<Vec<f64>>()
        });
        Lit {
            luminance: radiance.iter().map(|rgb| luminance(*rgb)).collect(),
            rgb: radiance.iter().map(|rgb| rgb.map(|value| value as f32)).collect(),
            by_light: by_light.collect(),
        }
    }

    /// One per pixel. Normals are computed afresh: the frame's are f32.
    fn surfels(&self, view: &View, frame: &Frame) -> Vec<Option<Surfel<'_>>> {
        let Some(lens) = Lens::new(view, self.tolerances.least_near_m) else {
            return frame.triangle.iter().map(|_| None).collect();
        };
        let pixels = (0..frame.height).flat_map(|row| (0..frame.width).map(move |column| (column, row)));
        let seen = frame.triangle.iter().zip(&frame.depth_m);
        pixels
            .zip(seen)
            .map(|((column, row), (id, depth_m))| {
                let triangle = self.triangles.get(id.checked_sub(1)? as usize)?;
                let sight = lens.sight(column, row);
                let position = sight.at(*depth_m);
                let from_behind = triangle.face_normal.dot(&sight.direction) > 0.0;
                let toward_viewer = if from_behind { -triangle.face_normal } else { triangle.face_normal };
                Some(Surfel {
                    position,
                    normal: self.shading_normal(triangle, &position, &sight.direction),
                    lifted: position + toward_viewer * self.tolerances.shadow_offset_m,
                    look: self.look(triangle),
                })
            })
            .collect()
    }

    /// Lux that a light of white colour brings to a point; 0 in shadow, or where it is not a finite number.
    fn arriving(&self, light: &BakedLight, at: &Surfel) -> f64 {
        let slack = self.tolerances.shadow_edge_slack;
        let lux = |unshadowed: f64, to_light: &Vector3<f64>, t_max: f64| {
            let counts = unshadowed > 0.0 && unshadowed.is_finite();
            if counts && !self.shadows.occluded(&at.lifted, to_light, t_max, slack) { unshadowed } else { 0.0 }
        };
        if light.light.kind == LightKind::Directional {
            let to_light = -light.direction;
            return lux(light.light.intensity * at.normal.dot(&to_light), &to_light, f64::INFINITY);
        }
        let to_light = light.position.coords - at.position;
        let distance_m = to_light.norm().max(self.tolerances.least_light_distance_m);
        let direction = to_light / distance_m;
        let cone = match light.light.kind {
            LightKind::Spot { inner_cone_rad, outer_cone_rad } => {
                angular_attenuation(-light.direction.dot(&direction), inner_cone_rad, outer_cone_rad)
            }
            LightKind::Point | LightKind::Directional => 1.0,
        };
        let window = light.light.range_m.map_or(1.0, |range_m| range_window(distance_m / range_m));
        let candela = light.light.intensity * cone * window;
        let cosine = at.normal.dot(&direction);
        lux(candela * cosine / (distance_m * distance_m), &(light.position.coords - at.lifted), 1.0)
    }
}

/// KHR_lights_punctual's recommended range attenuation without its 1/d²; `share` is distance / range.
fn range_window(share: f64) -> f64 {
    let squared = share * share;
    (1.0 - squared * squared).clamp(0.0, 1.0)
}

/// KHR_lights_punctual's recommended spot falloff; `cosine` is of the angle off the light's axis.
fn angular_attenuation(cosine: f64, inner_cone_rad: f64, outer_cone_rad: f64) -> f64 {
    let cosine_outer = libm::cos(outer_cone_rad);
    let scale = 1.0 / (libm::cos(inner_cone_rad) - cosine_outer).max(0.001);
    let falloff = ((cosine - cosine_outer) * scale).clamp(0.0, 1.0);
    falloff * falloff
}
