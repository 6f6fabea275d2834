use crate::scenes::{cuboid, floor, grey, light, scene, with_surface};
use nalgebra::Point3;
use scene_document::{AlphaMode, Baked, BakedLight, Environment, LightKind, Surface, View};
use scene_raster::{Lit, RasterScene};
use std::f64::consts::{FRAC_PI_2, PI};

const SIDE: u32 = 101;
const CENTRE: usize = 50 * 101 + 50;
const DOWN: [f64; 3] = [0.0, -1.0, 0.0];

fn lit(baked: &Baked, eye: [f64; 3]) -> Lit {
    let raster = RasterScene::new(baked);
    let view = View::looking_at(Point3::from(eye), Point3::origin(), FRAC_PI_2, SIDE, SIDE);
    raster.light(&view, &raster.frame(&view))
}

/// A grey floor seen from 5 m above; the pixel `steps` right of the centre shows x = `offset_m(steps)`.
fn floor_under(light: BakedLight) -> Lit {
    lit(&scene(vec![floor(0.0, 20.0)], vec![light]), [0.0, 5.0, 0.0])
}

fn offset_m(steps: usize) -> f64 {
    5.0 * steps as f64 / 50.5
}

fn close(given: f64, expected: f64) {
    assert!((given - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{given}, not {expected}");
}

#[test]
fn point_light_follows_inverse_square_and_cosine() {
    let lit = floor_under(light(LightKind::Point, 100.0, [0.0, 2.0, 0.0], DOWN));
    close(lit.by_light[0][CENTRE], 25.0);
    close(lit.luminance[CENTRE], 25.0 * 0.5 / PI);
    assert!((f64::from(lit.rgb[CENTRE][1]) - 25.0 * 0.5 / PI).abs() < 1e-6);
    let squared = 4.0 + offset_m(30) * offset_m(30);
    close(lit.by_light[0][CENTRE + 30], 100.0 / squared * (2.0 / squared.sqrt()));
}

#[test]
fn coloured_light_counts_by_its_luminance() {
    let mut red = light(LightKind::Point, 100.0, [0.0, 2.0, 0.0], DOWN);
    red.light.color = [1.0, 0.0, 0.0];
    let lit = floor_under(red);
    close(lit.by_light[0][CENTRE], 25.0 * 0.2126);
    assert_eq!(lit.rgb[CENTRE][1], 0.0);
}

#[test]
fn directional_light_follows_the_cosine_only() {
    let lit = floor_under(light(LightKind::Directional, 1000.0, [0.0; 3], [0.6, -0.8, 0.0]));
    close(lit.by_light[0][CENTRE], 800.0);
    close(lit.by_light[0][CENTRE + 40], 800.0);
    let from_below = floor_under(light(LightKind::Directional, 1000.0, [0.0; 3], [0.0, 1.0, 0.0]));
    assert_eq!(from_below.by_light[0][CENTRE], 0.0);
}

#[test]
fn spot_is_full_inside_its_inner_cone_and_dark_outside_its_outer() {
    let kind = LightKind::Spot { inner_cone_rad: 0.2, outer_cone_rad: 0.4 };
    let lit = floor_under(light(kind, 100.0, [0.0, 2.0, 0.0], DOWN));
    close(lit.by_light[0][CENTRE], 25.0);
    assert_eq!(lit.by_light[0][CENTRE + 9], 0.0);
    // 0.2887 rad off the axis, between the cones.
    let squared = 4.0 + offset_m(6) * offset_m(6);
    let cosine = 2.0 / squared.sqrt();
    let (inner, outer) = (0.980_066_577_841_241_6, 0.921_060_994_002_885_1);
    let falloff = (cosine - outer) / (inner - outer);
    close(lit.by_light[0][CENTRE + 6], 100.0 / squared * cosine * falloff * falloff);
}

#[test]
fn range_cuts_light_off_smoothly() {
    let with_range = |range_m: f64| {
        let mut lamp = light(LightKind::Point, 100.0, [0.0, 2.0, 0.0], DOWN);
        lamp.light.range_m = Some(range_m);
        floor_under(lamp).by_light[0][CENTRE]
    };
    close(with_range(4.0), 25.0 * 0.9375);
    close(with_range(2.0), 0.0);
    assert_eq!(with_range(1.0), 0.0);
}

#[test]
fn what_stands_between_makes_shadow() {
    let blocker = || cuboid([-0.5, 1.9, -0.5], [0.5, 2.1, 0.5]);
    let lamps = || {
        vec![
            light(LightKind::Point, 100.0, [0.0, 4.0, 0.0], DOWN),
            light(LightKind::Directional, 10.0, [0.0; 3], DOWN),
            light(LightKind::Point, 100.0, [0.0, 1.0, 0.0], DOWN),
        ]
    };
    let eye = [0.0, 1.0, 6.0];
    let open = lit(&scene(vec![floor(0.0, 20.0)], lamps()), eye);
    close(open.by_light[0][CENTRE], 100.0 / 16.0);
    close(open.by_light[1][CENTRE], 10.0);
    let shaded = lit(&scene(vec![floor(0.0, 20.0), blocker()], lamps()), eye);
    assert_eq!(shaded.by_light[0][CENTRE], 0.0);
    assert_eq!(shaded.by_light[1][CENTRE], 0.0);
    close(shaded.by_light[2][CENTRE], 100.0);
    let glass = Surface { base_color: [1.0, 1.0, 1.0, 0.01], alpha_mode: AlphaMode::Blend, ..grey() };
    let clear = lit(&scene(vec![floor(0.0, 20.0), with_surface(blocker(), glass)], lamps()), eye);
    assert_eq!(clear.by_light, open.by_light);
}

#[test]
fn light_in_a_closed_box_stays_there() {
    let lamp = light(LightKind::Point, 100.0, [0.0, 1.0, 0.0], DOWN);
    let boxed = scene(vec![floor(0.0, 20.0), cuboid([-0.2, 0.8, -0.2], [0.2, 1.2, 0.2])], vec![lamp]);
    let lit = lit(&boxed, [3.0, 3.0, 3.0]);
    assert!(lit.by_light[0].iter().all(|lux| *lux == 0.0));
}

#[test]
fn emission_needs_no_light() {
    let glow = Surface { emissive: [2.0, 3.0, 4.0], ..grey() };
    let lit = lit(&scene(vec![with_surface(floor(0.0, 1.0), glow)], vec![]), [0.0, 5.0, 0.0]);
    close(lit.luminance[CENTRE], 0.4252 + 2.1456 + 0.2888);
    assert_eq!(lit.rgb[CENTRE], [2.0, 3.0, 4.0]);
    assert!(lit.by_light.is_empty());
    assert_eq!(lit.luminance[0], 0.0);
}

#[test]
fn lights_past_the_most_bring_nothing() {
    let lamps = |count: usize| vec![light(LightKind::Point, 100.0, [0.0, 2.0, 0.0], DOWN); count];
    let most = lit(&scene(vec![floor(0.0, 20.0)], lamps(64)), [0.0, 5.0, 0.0]);
    let more = lit(&scene(vec![floor(0.0, 20.0)], lamps(66)), [0.0, 5.0, 0.0]);
    close(most.luminance[CENTRE], 64.0 * 25.0 * 0.5 / PI);
    assert!(more.over_budget && !most.over_budget);
    assert_eq!((more.luminance, more.by_light.len()), (most.luminance, 64));
}

#[test]
fn an_environment_reaches_every_surface_alike() {
    let glow = Surface { base_color: [0.2, 0.5, 0.8, 1.0], emissive: [0.0, 0.0, 3.0], ..grey() };
    let around = |environment: Option<Environment>, lights: Vec<BakedLight>| {
        // Below a roof, which takes nothing away.
        let meshes = vec![with_surface(floor(0.0, 20.0), glow), floor(6.0, 20.0)];
        lit(&Baked { environment, ..scene(meshes, lights) }, [0.0, 5.0, 0.0])
    };
    let environment = Some(Environment { color: [1.0, 0.5, 0.25], luminance_cd_m2: 40.0 });
    let alone = around(environment, vec![]);
    assert_eq!(alone.rgb[CENTRE], [8.0, 10.0, 11.0]);
    close(alone.luminance[CENTRE], 0.2126 * 8.0 + 0.7152 * 10.0 + 0.0722 * 11.0);
    close(alone.environment_cd_m2, 40.0 * (0.2126 + 0.5 * 0.7152 + 0.25 * 0.0722));
    assert!(alone.by_light.is_empty());

    let lamps = || vec![light(LightKind::Point, 100.0, [0.0, 2.0, 0.0], DOWN)];
    let (without, with) = (around(None, lamps()), around(environment, lamps()));
    assert_eq!((without.environment_cd_m2, &without.by_light), (0.0, &with.by_light));
    let glowing = around(None, vec![]);
    for pixel in [CENTRE, CENTRE + 30, 0] {
        close(
            with.luminance[pixel] - glowing.luminance[pixel],
            without.luminance[pixel] + alone.luminance[pixel] - 2.0 * glowing.luminance[pixel],
        );
    }
}
