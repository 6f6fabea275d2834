//! The light of a picture: the scene's lights and environment, or a studio's.
//!
//! Lux are handed over as they are. Candela become lumens, which Bevy divides by 4π for points and spots alike, times
//! the square of the units per metre, because light falls off with the square of a distance in units. Towards the end
//! of a light's range Bevy dims it by a window, the square of the one that glTF recommends.

use crate::extent::Extent;
use crate::shot::{LitBy, Shot};
use bevy::color::Color;
use bevy::ecs::entity::Entity;
use bevy::ecs::world::World;
use bevy::light::{CascadeShadowConfig, DirectionalLight, PointLight, SpotLight};
use bevy::math::Vec3;
use bevy::pbr::MAX_DIRECTIONAL_LIGHTS;
use bevy::render::sync_world::{RenderEntity, SyncToRenderWorld};
use bevy::transform::components::Transform;
use nalgebra::{Point3, Vector3};
use scene_document::{BakedLight, Environment, Kept, Light, LightKind, NodeId, View};
use std::f64::consts::PI;

/// As many as the lighting measure evaluates.
const LIGHTS_MAX: usize = 64;
/// Directional and spot lights with a shadow; the map of each takes 16 MiB.
const FLAT_SHADOWS_MAX: usize = 8;
/// Point lights with a shadow; the map of each takes 24 MiB.
const CUBE_SHADOWS_MAX: usize = 4;

/// The range of a light without one, as a multiple of the distance from it to the far side of the scene: so far away
/// that its window (see above) is 1 on all of the scene.
const BEYOND: f32 = 100.0;
/// Radians; Bevy needs less than a right angle.
const WIDEST_CONE: f32 = 1.55;
/// In Bevy's units: about three texels of a shadow map that covers a scene.
const FLAT_DEPTH_BIAS: f32 = 0.05;
/// In texels of a point light's shadow map, as wide as they are at the surface. With less, surfaces that are lit at a
/// flat angle are striped.
const CUBE_NORMAL_BIAS: f32 = 1.8;
/// In Bevy's units: what is nearer to a point or spot light throws no shadow.
const SHADOW_NEAR: f32 = 0.01;

/// The two suns of the studio: lux, and the direction in which they shine, in the camera's frame (x right, y up, z
/// back). The stronger is above the camera on its left, the weaker on its right.
const KEY: (f64, [f64; 3]) = (250.0, [0.6, -0.8, -1.0]);
const FILL: (f64, [f64; 3]) = (60.0, [-0.9, -0.1, -0.5]);
/// The studio's light from all sides: what white reflects of it, cd/m². With it and both suns, what is white is just
/// below the white of the picture.
const STUDIO_AMBIENT_CD_M2: f32 = 15.0;

/// All light of one picture.
#[derive(Debug)]
pub(crate) struct Lighting {
    pub(crate) lit_by: LitBy,
    lights: Vec<SceneLight>,
    pub(crate) ambient_cd_m2: f32,
    /// Linear RGB of the scene's environment; `None` where it has none or is not lit.
    pub(crate) environment_cd_m2: Option<Vec3>,
}

#[derive(Debug)]
struct SceneLight {
    light: BakedLight,
    throws_shadow: bool,
}

impl Lighting {
    /// Of a pass that shows no light: none.
    pub(crate) fn of(shot: &Shot) -> Self {
        let scene = &shot.scene;
        let is_dark = scene.lights.is_empty() && scene.environment.is_none();
        let lit_by = shot.lit_by.unwrap_or(if is_dark { LitBy::Studio } else { LitBy::Scene });
        let (lights, ambient_cd_m2, environment) = match lit_by {
            _ if !shot.pass.is_lit() => (Vec::new(), 0.0, None),
            LitBy::Scene => {
                let lights = scene.lights.iter().map(|light| SceneLight { light: light.clone(), throws_shadow: true });
                (lights.collect(), 0.0, scene.environment)
            }
            LitBy::Studio => {
                let lights = vec![studio_light(&shot.view, KEY, true), studio_light(&shot.view, FILL, false)];
                (lights, STUDIO_AMBIENT_CD_M2, None)
            }
        };
        Self { lit_by, lights, ambient_cd_m2, environment_cd_m2: environment.map(radiance_cd_m2) }
    }
}

/// What is not finite is dark.
fn radiance_cd_m2(environment: Environment) -> Vec3 {
    let parts = environment.radiance_cd_m2().map(|part| part as f32);
    Vec3::from_array(parts.map(|part| if part.is_finite() { part } else { 0.0 }))
}

fn studio_light(view: &View, (lux, shines): (f64, [f64; 3]), throws_shadow: bool) -> SceneLight {
    let axes = view.world_from_camera.fixed_view::<3, 3>(0, 0).into_owned();
    let light = Light {
        name: String::new(),
        kind: LightKind::Directional,
        color: [1.0; 3],
        intensity: lux,
        range_m: None,
        kept: Kept::default(),
    };
    let direction = (axes * Vector3::from(shines)).normalize();
    SceneLight { light: BakedLight { node: NodeId(0), light, position: Point3::origin(), direction }, throws_shadow }
}

/// Entities for as many lights as may shine, a light each. They are the same for every picture: Bevy adds light up in
/// the order of the entities, which must not depend on the pictures before.
#[derive(Debug)]
pub(crate) struct LightSlots(Vec<Entity>);

/// How many lights of a kind there are already.
#[derive(Default)]
struct Used {
    directional: usize,
    flat_shadows: usize,
    cube_shadows: usize,
}

impl LightSlots {
    pub(crate) fn new(world: &mut World) -> Self {
        Self((0..LIGHTS_MAX).map(|_| world.spawn(SyncToRenderWorld).id()).collect())
    }

    /// Into the order in which Bevy adds lights up, which is that of their entities in the render world. To be called
    /// once those exist, after an update.
    pub(crate) fn sort(&mut self, world: &World) {
        self.0.sort_by_key(|slot| world.get::<RenderEntity>(*slot).map(RenderEntity::id));
    }

    pub(crate) fn clear(&self, world: &mut World) {
        for slot in &self.0 {
            world.entity_mut(*slot).retain::<(SyncToRenderWorld, RenderEntity)>();
        }
    }

    /// Puts lights into slots that are clear. Answers what could not be done.
    pub(crate) fn fill(&self, world: &mut World, lighting: &Lighting, extent: &Extent) -> Vec<String> {
        let mut notes = Vec::new();
        let mut used = Used::default();
        let mut slots = self.0.iter();
        for SceneLight { light, throws_shadow } in &lighting.lights {
            let node = light.node;
            let is_directional = light.light.kind == LightKind::Directional;
            if !is_finite(light) {
                notes.push(format!("the light of {node} is not drawn: it is not finite"));
                continue;
            }
            if is_directional && used.directional == MAX_DIRECTIONAL_LIGHTS {
                notes.push(format!(
                    "the light of {node} is not drawn: there are {MAX_DIRECTIONAL_LIGHTS} directional ones"
                ));
                continue;
            }
            let Some(slot) = slots.next() else {
                notes.push(format!("the light of {node} is not drawn: there are {LIGHTS_MAX}"));
                continue;
            };
            let shadow = *throws_shadow && used.take_shadow(light.light.kind);
            if *throws_shadow && !shadow {
                notes.push(format!("the light of {node} throws no shadow: too many do"));
            }
            used.directional += usize::from(is_directional);
            put(world, *slot, light, shadow, extent);
        }
        notes
    }
}

impl Used {
    /// Whether one more light of this kind may throw a shadow; it then counts.
    fn take_shadow(&mut self, kind: LightKind) -> bool {
        let (used, most) = match kind {
            LightKind::Point => (&mut self.cube_shadows, CUBE_SHADOWS_MAX),
            LightKind::Directional | LightKind::Spot { .. } => (&mut self.flat_shadows, FLAT_SHADOWS_MAX),
        };
        let free = *used < most;
        *used += usize::from(free);
        free
    }
}

fn is_finite(light: &BakedLight) -> bool {
    let mut values = light.light.color.iter().chain(light.position.iter()).chain(light.direction.iter());
    values.all(|value| value.is_finite()) && light.light.intensity.is_finite()
}

fn put(world: &mut World, slot: Entity, light: &BakedLight, shadow: bool, extent: &Extent) {
    let mut slot = world.entity_mut(slot);
    let transform = transform(light, extent);
    match light.light.kind {
        LightKind::Directional => slot.insert((directional(light, shadow), one_shadow_map(), transform)),
        LightKind::Point => slot.insert((point(light, shadow, extent), transform)),
        LightKind::Spot { inner_cone_rad, outer_cone_rad } => {
            slot.insert((spot(light, [inner_cone_rad, outer_cone_rad], shadow, extent), transform))
        }
    };
}

fn directional(light: &BakedLight, shadow: bool) -> DirectionalLight {
    DirectionalLight {
        color: color(light),
        illuminance: light.light.intensity as f32,
        shadow_maps_enabled: shadow,
        shadow_depth_bias: FLAT_DEPTH_BIAS,
        ..Default::default()
    }
}

/// One for the whole scene, whatever the camera sees of it.
fn one_shadow_map() -> CascadeShadowConfig {
    CascadeShadowConfig { bounds: vec![f32::MAX], overlap_proportion: 0.0, minimum_distance: 0.0 }
}

fn point(light: &BakedLight, shadow: bool, extent: &Extent) -> PointLight {
    PointLight {
        color: color(light),
        intensity: lumens(light, extent),
        range: range(light, extent),
        shadow_maps_enabled: shadow,
        shadow_normal_bias: CUBE_NORMAL_BIAS,
        shadow_map_near_z: SHADOW_NEAR,
        ..Default::default()
    }
}

fn spot(light: &BakedLight, cones_rad: [f64; 2], shadow: bool, extent: &Extent) -> SpotLight {
    let [inner_angle, outer_angle] = cones_rad.map(|angle_rad| (angle_rad as f32).min(WIDEST_CONE));
    SpotLight {
        color: color(light),
        intensity: lumens(light, extent),
        range: range(light, extent),
        shadow_maps_enabled: shadow,
        shadow_depth_bias: FLAT_DEPTH_BIAS,
        shadow_map_near_z: SHADOW_NEAR,
        inner_angle,
        outer_angle,
        ..Default::default()
    }
}

fn color(light: &BakedLight) -> Color {
    let [red, green, blue] = light.light.color.map(|part| part as f32);
    Color::linear_rgb(red, green, blue)
}

fn transform(light: &BakedLight, extent: &Extent) -> Transform {
    let [x, y, z] = [light.direction.x, light.direction.y, light.direction.z].map(|part| part as f32);
    Transform::from_translation(extent.point(&light.position.coords)).looking_to(Vec3::new(x, y, z), Vec3::Y)
}

fn lumens(light: &BakedLight, extent: &Extent) -> f32 {
    (light.light.intensity * extent.units_per_metre * extent.units_per_metre * 4.0 * PI) as f32
}

/// In Bevy's units.
fn range(light: &BakedLight, extent: &Extent) -> f32 {
    let to_centre = (extent.point(&light.position.coords) - extent.point(&extent.centre_m)).length();
    light.light.range_m.map_or(BEYOND * (to_centre + extent.radius), |range_m| extent.units(range_m))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shot::Pass;
    use nalgebra::Matrix4;
    use scene_document::{Baked, Projection};
    use std::sync::Arc;

    const EXTENT: Extent = Extent { units_per_metre: 4.0, centre_m: Vector3::new(0.0, 0.0, 0.0), radius: 8.0 };

    fn light(kind: LightKind) -> SceneLight {
        let light =
            Light { name: String::new(), kind, color: [1.0; 3], intensity: 10.0, range_m: None, kept: Kept::default() };
        let position = Point3::new(0.0, 2.0, 0.0);
        let direction = Vector3::new(0.0, -1.0, 0.0);
        SceneLight { light: BakedLight { node: NodeId(7), light, position, direction }, throws_shadow: true }
    }

    fn lit(lights: Vec<SceneLight>) -> (World, LightSlots, Vec<String>) {
        let mut world = World::new();
        let slots = LightSlots::new(&mut world);
        let lighting = Lighting { lit_by: LitBy::Scene, lights, ambient_cd_m2: 0.0, environment_cd_m2: None };
        let notes = slots.fill(&mut world, &lighting, &EXTENT);
        (world, slots, notes)
    }

    #[test]
    fn candela_become_lumens_of_the_scaled_scene() {
        let (world, LightSlots(slots), notes) = lit(vec![light(LightKind::Point), light(LightKind::Directional)]);
        assert!(notes.is_empty());
        let point = world.get::<PointLight>(slots[0]).unwrap();
        // 4 units are a metre, so a unit's square is 1/16 of a square metre.
        assert!((f64::from(point.intensity) - 10.0 * 16.0 * 4.0 * PI).abs() < 1e-2);
        assert_eq!(world.get::<Transform>(slots[0]).unwrap().translation, Vec3::new(0.0, 8.0, 0.0));
        assert_eq!(world.get::<DirectionalLight>(slots[1]).unwrap().illuminance, 10.0);
    }

    #[test]
    fn what_is_past_a_limit_is_said() {
        let lights = |kind: LightKind, count: usize| (0..count).map(move |_| light(kind));
        let spot = LightKind::Spot { inner_cone_rad: 0.1, outer_cone_rad: 0.2 };
        let (world, LightSlots(slots), notes) = lit(lights(LightKind::Directional, MAX_DIRECTIONAL_LIGHTS + 1)
            .chain(lights(spot, 1))
            .chain(lights(LightKind::Point, LIGHTS_MAX))
            .collect());
        let no_shadow = MAX_DIRECTIONAL_LIGHTS - FLAT_SHADOWS_MAX + 1;
        let points = LIGHTS_MAX - MAX_DIRECTIONAL_LIGHTS - 1;
        assert_eq!(
            notes.iter().filter(|note| note.contains("no shadow")).count(),
            no_shadow + points - CUBE_SHADOWS_MAX
        );
        assert_eq!(notes.iter().filter(|note| note.contains("not drawn")).count(), 1 + LIGHTS_MAX - points);
        assert!(notes.iter().all(|note| note.contains("n_7")));
        let shadows = slots.iter().filter_map(|slot| world.get::<PointLight>(*slot));
        assert_eq!(shadows.filter(|point| point.shadow_maps_enabled).count(), CUBE_SHADOWS_MAX);
    }

    fn lighting(lights: Vec<BakedLight>, lit_by: Option<LitBy>, pass: Pass) -> Lighting {
        let projection = Projection::Perspective { yfov_rad: 1.0, aspect: None, znear_m: 0.1, zfar_m: None };
        let view = View { world_from_camera: Matrix4::identity(), projection, width: 4, height: 3 };
        let scene = Arc::new(Baked { lights, ..Baked::default() });
        Lighting::of(&Shot { lit_by, ..Shot::new(scene, view, pass) })
    }

    #[test]
    fn the_studio_shines_from_the_camera_where_a_scene_has_no_lights_or_where_it_is_asked_for() {
        let bulb = || vec![light(LightKind::Point).light];
        for studio in [lighting(vec![], None, Pass::Beauty), lighting(bulb(), Some(LitBy::Studio), Pass::Hdr)] {
            assert_eq!(studio.lit_by, LitBy::Studio);
            assert!(studio.ambient_cd_m2 > 0.0);
            assert!(studio.lights.iter().all(|light| light.light.direction.z < 0.0));
        }
        for (lights, lit_by) in [(bulb(), None), (bulb(), Some(LitBy::Scene)), (vec![], Some(LitBy::Scene))] {
            let count = lights.len();
            let own = lighting(lights, lit_by, Pass::Beauty);
            assert_eq!((own.lit_by, own.lights.len(), own.ambient_cd_m2), (LitBy::Scene, count, 0.0));
        }
    }

    #[test]
    fn an_environment_is_light_of_the_scene() {
        let view = View::looking_at(Point3::new(0.0, 0.0, 5.0), Point3::origin(), 0.8, 4, 3);
        let environment = Some(Environment { color: [1.0, 0.5, 0.0], luminance_cd_m2: 80.0 });
        let shot = |lit_by: Option<LitBy>, pass: Pass| {
            let scene = Arc::new(Baked { environment, ..Baked::default() });
            Lighting::of(&Shot { lit_by, ..Shot::new(scene, view, pass) })
        };
        let own = shot(None, Pass::Beauty);
        assert_eq!((own.lit_by, own.environment_cd_m2), (LitBy::Scene, Some(Vec3::new(80.0, 40.0, 0.0))));
        assert_eq!(shot(Some(LitBy::Studio), Pass::Beauty).environment_cd_m2, None);
        assert_eq!(shot(None, Pass::Albedo).environment_cd_m2, None);
    }

    #[test]
    fn facts_are_shown_without_light() {
        let studio = lighting(vec![], None, Pass::Id);
        assert_eq!((studio.lights.len(), studio.ambient_cd_m2), (0, 0.0));
    }
}
