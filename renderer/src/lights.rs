//! The scene's lights in Bevy's world, or those of a studio where it has none.
//!
//! Candela and lux are taken as they are: Bevy's lumens are candela · 4π for points and spots alike, and a length in
//! its units counts squared. Its falloff towards a light's range is the square of the one that glTF recommends.

use crate::extent::Extent;
use bevy::color::Color;
use bevy::ecs::entity::Entity;
use bevy::ecs::world::World;
use bevy::light::{CascadeShadowConfig, DirectionalLight, PointLight, SpotLight};
use bevy::math::Vec3;
use bevy::pbr::MAX_DIRECTIONAL_LIGHTS;
use bevy::render::sync_world::{RenderEntity, SyncToRenderWorld};
use bevy::transform::components::Transform;
use nalgebra::{Point3, Vector3};
use scene_document::{Baked, BakedLight, Kept, Light, LightKind, NodeId, View};
use std::f64::consts::PI;

/// As many as the lighting measure evaluates.
const LIGHTS_MAX: usize = 64;
/// Directional and spot lights with a shadow; the map of each takes 16 MiB.
const FLAT_SHADOWS_MAX: usize = 8;
/// Point lights with a shadow; the map of each takes 24 MiB.
const CUBE_SHADOWS_MAX: usize = 4;

/// A light without a range shines this many times as far as the scene reaches: there the falloff is still 1.
const BEYOND: f32 = 100.0;
/// Bevy needs less than a right angle, radians.
const WIDEST_CONE: f32 = 1.55;
/// Lengths in Bevy's units, about three texels of the shadow map of a scene.
const FLAT_DEPTH_BIAS: f32 = 0.05;
/// Of the width of a texel of a point light's map, where the surface is: less, and what is lit aslant is striped.
const CUBE_NORMAL_BIAS: f32 = 1.8;
/// What is nearer to a lamp than this throws no shadow, in Bevy's units.
const SHADOW_NEAR: f32 = 0.01;

/// Lux, and the way they shine in the camera's frame (x right, y up, z back): from above the photographer's left
/// shoulder and, weakly, from the right.
const KEY: (f64, [f64; 3]) = (250.0, [0.6, -0.8, -1.0]);
const FILL: (f64, [f64; 3]) = (60.0, [-0.9, -0.1, -0.5]);
/// From all sides, cd/m² on white. Together they show white just below the white of the picture.
const STUDIO_AMBIENT_CD_M2: f32 = 15.0;

/// What the lights of one picture are.
#[derive(Debug)]
pub(crate) struct Lighting {
    lamps: Vec<Lamp>,
    pub(crate) ambient_cd_m2: f32,
}

#[derive(Debug)]
struct Lamp {
    light: BakedLight,
    throws_shadow: bool,
}

impl Lighting {
    pub(crate) fn of(scene: &Baked, view: &View) -> Self {
        if scene.lights.is_empty() {
            let lamps = vec![studio_lamp(view, KEY, true), studio_lamp(view, FILL, false)];
            return Self { lamps, ambient_cd_m2: STUDIO_AMBIENT_CD_M2 };
        }
        let lamps = scene.lights.iter().map(|light| Lamp { light: light.clone(), throws_shadow: true });
        Self { lamps: lamps.collect(), ambient_cd_m2: 0.0 }
    }
}

fn studio_lamp(view: &View, (lux, shines): (f64, [f64; 3]), throws_shadow: bool) -> Lamp {
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
    Lamp { light: BakedLight { node: NodeId(0), light, position: Point3::origin(), direction }, throws_shadow }
}

/// Entities for lights, as many as may shine. They stay: Bevy adds light up in their order, which must not depend on
/// the pictures before.
#[derive(Debug)]
pub(crate) struct Sockets(Vec<Entity>);

/// How many lights of a kind there are already.
#[derive(Default)]
struct Used {
    directional: usize,
    flat_shadows: usize,
    cube_shadows: usize,
}

impl Sockets {
    pub(crate) fn new(world: &mut World) -> Self {
        Self((0..LIGHTS_MAX).map(|_| world.spawn(SyncToRenderWorld).id()).collect())
    }

    /// To be called once the renderer knows them: its entities are what it sorts by.
    pub(crate) fn sort(&mut self, world: &World) {
        self.0.sort_by_key(|socket| world.get::<RenderEntity>(*socket).map(RenderEntity::id));
    }

    pub(crate) fn clear(&self, world: &mut World) {
        for socket in &self.0 {
            world.entity_mut(*socket).retain::<(SyncToRenderWorld, RenderEntity)>();
        }
    }

    /// Into cleared sockets. Answers what could not be done.
    pub(crate) fn light(&self, world: &mut World, lighting: &Lighting, extent: &Extent) -> Vec<String> {
        let mut notes = Vec::new();
        let mut used = Used::default();
        let mut sockets = self.0.iter();
        for Lamp { light, throws_shadow } in &lighting.lamps {
            if !is_finite(light) {
                notes.push(format!("the light of {} is not drawn: it is not finite", light.node));
                continue;
            }
            if light.light.kind == LightKind::Directional && used.directional == MAX_DIRECTIONAL_LIGHTS {
                let node = light.node;
                notes.push(format!(
                    "the light of {node} is not drawn: there are {MAX_DIRECTIONAL_LIGHTS} directional ones"
                ));
                continue;
            }
            let Some(socket) = sockets.next() else {
                notes.push(format!("the light of {} is not drawn: there are {LIGHTS_MAX}", light.node));
                continue;
            };
            let shadow = *throws_shadow && used.take_shadow(light.light.kind);
            if *throws_shadow && !shadow {
                notes.push(format!("the light of {} throws no shadow: too many do", light.node));
            }
            used.directional += usize::from(light.light.kind == LightKind::Directional);
            put(world, *socket, light, shadow, extent);
        }
        notes
    }
}

impl Used {
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

fn put(world: &mut World, socket: Entity, baked: &BakedLight, shadow: bool, extent: &Extent) {
    let mut socket = world.entity_mut(socket);
    let light = &baked.light;
    let [red, green, blue] = light.color.map(|part| part as f32);
    let color = Color::linear_rgb(red, green, blue);
    let place = extent.point(&baked.position.coords);
    let [x, y, z] = [baked.direction.x, baked.direction.y, baked.direction.z].map(|part| part as f32);
    let transform = Transform::from_translation(place).looking_to(Vec3::new(x, y, z), Vec3::Y);
    let lumens = (light.intensity * extent.units_per_metre * extent.units_per_metre * 4.0 * PI) as f32;
    let reach = (place - extent.point(&extent.centre_m)).length() + extent.radius;
    let range = light.range_m.map_or(BEYOND * reach, |range_m| extent.units(range_m));
    match light.kind {
        LightKind::Directional => socket.insert((
            DirectionalLight {
                color,
                illuminance: light.intensity as f32,
                shadow_maps_enabled: shadow,
                shadow_depth_bias: FLAT_DEPTH_BIAS,
                ..Default::default()
            },
            // One map for all of the scene.
            CascadeShadowConfig { bounds: vec![f32::MAX], overlap_proportion: 0.0, minimum_distance: 0.0 },
            transform,
        )),
        LightKind::Point => socket.insert((
            PointLight {
                color,
                intensity: lumens,
                range,
                shadow_maps_enabled: shadow,
                shadow_normal_bias: CUBE_NORMAL_BIAS,
                shadow_map_near_z: SHADOW_NEAR,
                ..Default::default()
            },
            transform,
        )),
        LightKind::Spot { inner_cone_rad, outer_cone_rad } => socket.insert((
            SpotLight {
                color,
                intensity: lumens,
                range,
                shadow_maps_enabled: shadow,
                shadow_depth_bias: FLAT_DEPTH_BIAS,
                shadow_map_near_z: SHADOW_NEAR,
                inner_angle: (inner_cone_rad as f32).min(WIDEST_CONE),
                outer_angle: (outer_cone_rad as f32).min(WIDEST_CONE),
                ..Default::default()
            },
            transform,
        )),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Matrix4;
    use scene_document::Projection;

    const EXTENT: Extent = Extent { units_per_metre: 4.0, centre_m: Vector3::new(0.0, 0.0, 0.0), radius: 8.0 };

    fn lamp(kind: LightKind) -> Lamp {
        let light =
            Light { name: String::new(), kind, color: [1.0; 3], intensity: 10.0, range_m: None, kept: Kept::default() };
        let position = Point3::new(0.0, 2.0, 0.0);
        let direction = Vector3::new(0.0, -1.0, 0.0);
        Lamp { light: BakedLight { node: NodeId(7), light, position, direction }, throws_shadow: true }
    }

    fn lit(lamps: Vec<Lamp>) -> (World, Sockets, Vec<String>) {
        let mut world = World::new();
        let sockets = Sockets::new(&mut world);
        let notes = sockets.light(&mut world, &Lighting { lamps, ambient_cd_m2: 0.0 }, &EXTENT);
        (world, sockets, notes)
    }

    #[test]
    fn candela_become_lumens_of_the_scaled_scene() {
        let (world, Sockets(sockets), notes) = lit(vec![lamp(LightKind::Point), lamp(LightKind::Directional)]);
        assert!(notes.is_empty());
        let point = world.get::<PointLight>(sockets[0]).unwrap();
        // 4 units are a metre, so a unit's square is 1/16 of a square metre.
        assert!((f64::from(point.intensity) - 10.0 * 16.0 * 4.0 * PI).abs() < 1e-2);
        assert_eq!(world.get::<Transform>(sockets[0]).unwrap().translation, Vec3::new(0.0, 8.0, 0.0));
        assert_eq!(world.get::<DirectionalLight>(sockets[1]).unwrap().illuminance, 10.0);
    }

    #[test]
    fn what_is_past_a_limit_is_said() {
        let lamps = |kind: LightKind, count: usize| (0..count).map(move |_| lamp(kind));
        let spot = LightKind::Spot { inner_cone_rad: 0.1, outer_cone_rad: 0.2 };
        let (world, Sockets(sockets), notes) = lit(lamps(LightKind::Directional, MAX_DIRECTIONAL_LIGHTS + 1)
            .chain(lamps(spot, 1))
            .chain(lamps(LightKind::Point, LIGHTS_MAX))
            .collect());
        let no_shadow = MAX_DIRECTIONAL_LIGHTS - FLAT_SHADOWS_MAX + 1;
        let points = LIGHTS_MAX - MAX_DIRECTIONAL_LIGHTS - 1;
        assert_eq!(
            notes.iter().filter(|note| note.contains("no shadow")).count(),
            no_shadow + points - CUBE_SHADOWS_MAX
        );
        assert_eq!(notes.iter().filter(|note| note.contains("not drawn")).count(), 1 + LIGHTS_MAX - points);
        assert!(notes.iter().all(|note| note.contains("n_7")));
        let shadows = sockets.iter().filter_map(|socket| world.get::<PointLight>(*socket));
        assert_eq!(shadows.filter(|point| point.shadow_maps_enabled).count(), CUBE_SHADOWS_MAX);
    }

    #[test]
    fn a_scene_without_lights_is_lit_from_the_camera() {
        let projection = Projection::Perspective { yfov_rad: 1.0, aspect: None, znear_m: 0.1, zfar_m: None };
        let view = View { world_from_camera: Matrix4::identity(), projection, width: 4, height: 3 };
        let studio = Lighting::of(&Baked::default(), &view);
        assert!(studio.ambient_cd_m2 > 0.0);
        assert!(studio.lamps.iter().all(|lamp| lamp.light.direction.z < 0.0));
        let lights = vec![lamp(LightKind::Point).light];
        let own = Lighting::of(&Baked { lights, ..Baked::default() }, &view);
        assert_eq!((own.lamps.len(), own.ambient_cd_m2), (1, 0.0));
    }
}
