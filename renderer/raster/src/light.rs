//! Light that arrives at what a frame shows: punctual lights with shadow rays, Lambert, emission, and an environment
//! that nothing stands in the way of. No second bounce.

use crate::frame::Frame;
use crate::scene::RasterScene;
use crate::shade::Surfel;
use nalgebra::Vector3;
use rayon::prelude::*;
use scene_document::{BakedLight, LightKind, View};
use std::f64::consts::PI;

/// Linear light, one value per pixel of the frame; 0 where nothing is seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Lit {
    /// cd/m²: irradiance · albedo / π + environment · albedo + emission.
    pub luminance: Vec<f64>,
    pub rgb: Vec<[f32; 3]>,
    /// Per light of the baked scene, in order: lux that arrive at each pixel from it alone, shadows included.
    pub by_light: Vec<Vec<f64>>,
    /// Of the environment itself; it arrives at every pixel alike, since nothing is taken to stand in its way.
    /// 0 without one.
    pub environment_cd_m2: f64,
    /// Light is missing: there are more lights or longer shadow rays than are evaluated, or the frame is over budget.
    pub over_budget: bool,
}

/// Of linear RGB with Rec. 709 primaries.
fn luminance([red, green, blue]: [f64; 3]) -> f64 {
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// Pixels whose shadow rays are cast together, between two looks at the budget.
const BATCH: usize = 1024;

impl RasterScene {
    /// Lights what `frame` shows; `frame` is this scene's, taken with `view`.
    #[must_use]
    pub fn light(&self, view: &View, frame: &Frame) -> Lit {
        let surfels: Vec<Option<Surfel>> = self.surfels(view, frame).flat_map_iter(|row| row).collect();
        let lights = &self.lights[..self.lights.len().min(self.tolerances.lights_max)];
        let mut nodes_left = self.tolerances.shadow_budget_nodes;
        let arriving: Vec<Vec<f64>> = lights.iter().map(|light| self.lux(light, &surfels, &mut nodes_left)).collect();
        let around = self.environment.map(|environment| environment.radiance_cd_m2());
        let radiance: Vec<[f64; 3]> = surfels
            .iter()
            .enumerate()
            .map(|(pixel, surfel)| {
                let Some(surfel) = surfel else { return [0.0; 3] };
                let mut rgb = surfel.look.emissive;
                for (light, arriving) in lights.iter().zip(&arriving) {
                    for (channel, value) in rgb.iter_mut().enumerate() {
                        *value += arriving[pixel] * light.light.color[channel] * surfel.look.albedo[channel] / PI;
                    }
                }
                if let Some(around) = around {
                    for (channel, value) in rgb.iter_mut().enumerate() {
                        *value += around[channel] * surfel.look.albedo[channel];
                    }
                }
                rgb
            })
            .collect();
        let by_light = lights.iter().zip(arriving).map(|(light, arriving)| {
            let weight = luminance(light.light.color);
            arriving.into_iter().map(|value| value * weight).collect::<Vec<f64>>()
        });
        Lit {
            luminance: radiance.iter().map(|rgb| luminance(*rgb)).collect(),
            rgb: radiance.iter().map(|rgb| rgb.map(|value| value as f32)).collect(),
            by_light: by_light.collect(),
            environment_cd_m2: around.map_or(0.0, luminance),
            over_budget: frame.over_budget || lights.len() < self.lights.len() || nodes_left == 0,
        }
    }

    /// Lux of one light at every surfel; 0 from where the budget of shadow rays is spent.
    fn lux(&self, light: &BakedLight, surfels: &[Option<Surfel>], nodes_left: &mut usize) -> Vec<f64> {
        let mut lux = Vec::with_capacity(surfels.len());
        for batch in surfels.chunks(BATCH) {
            if *nodes_left == 0 {
                break;
            }
            let (arriving, nodes): (Vec<f64>, Vec<usize>) =
                batch.par_iter().map(|at| at.as_ref().map_or((0.0, 0), |at| self.arriving(light, at))).unzip();
            lux.extend(arriving);
            *nodes_left = nodes_left.saturating_sub(nodes.iter().sum());
        }
        lux.resize(surfels.len(), 0.0);
        lux
    }

    /// Lux that a light of white colour brings to a point, 0 in shadow or where it is not a finite number; and the
    /// nodes that its shadow ray visited.
    fn arriving(&self, light: &BakedLight, at: &Surfel) -> (f64, usize) {
        let slack = self.tolerances.shadow_edge_slack;
        let lux = |unshadowed: f64, to_light: &Vector3<f64>, t_max: f64| {
            let counts = unshadowed > 0.0 && unshadowed.is_finite();
            if !counts {
                return (0.0, 0);
            }
            let (occluded, nodes) = self.shadows.occluded(&at.lifted, to_light, t_max, slack);
            (if occluded { 0.0 } else { unshadowed }, nodes)
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

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Point3;
    use scene_document::{Baked, BakedMesh, Kept, Light, MeshId, NodeId};

    #[test]
    fn no_light_arrives_once_the_shadow_rays_are_spent() {
        let floor = BakedMesh {
            node: NodeId(1),
            name: String::new(),
            mesh: MeshId(1),
            positions: vec![Point3::new(-50.0, 0.0, 50.0), Point3::new(50.0, 0.0, 50.0), Point3::new(0.0, 0.0, -50.0)],
            normals: None,
            uvs: None,
            triangles: vec![[0, 1, 2]],
            triangle_surface: vec![],
            surfaces: vec![],
        };
        let lamp = Light {
            name: String::new(),
            kind: LightKind::Directional,
            color: [1.0; 3],
            intensity: 10.0,
            range_m: None,
            kept: Kept::default(),
        };
        let lamp = BakedLight {
            node: NodeId(2),
            light: lamp,
            position: Point3::origin(),
            direction: Vector3::new(0.0, -1.0, 0.0),
        };
        let mut scene = RasterScene::new(&Baked { meshes: vec![floor], lights: vec![lamp; 2], ..Baked::default() });
        let view = View::looking_at(Point3::new(0.0, 5.0, 0.0), Point3::origin(), 1.0, 64, 64);
        let frame = scene.frame(&view);
        let all = scene.light(&view, &frame);
        assert!(!all.over_budget && all.by_light.iter().flatten().all(|lux| (lux - 10.0).abs() < 1e-9));

        // One node a ray: the budget ends within the second batch of the first light.
        scene.tolerances.shadow_budget_nodes = BATCH + 1;
        let some = scene.light(&view, &frame);
        assert!(some.over_budget);
        assert_eq!(some.by_light[0][..2 * BATCH], all.by_light[0][..2 * BATCH]);
        assert!(some.by_light[0][2 * BATCH..].iter().chain(&some.by_light[1]).all(|lux| *lux == 0.0));
    }
}
