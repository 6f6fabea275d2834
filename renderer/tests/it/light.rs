//! How bright things are, against the reference rasteriser. Bevy's diffuse light is Disney's and has a sheen of 4 %; on
//! rough and pale things that are seen and lit from above both come within a few percent of Lambert's.

use crate::golden::renderer;
use crate::scenes::{draw, light, linear, matt, overview, scene, solids, soon};
use nalgebra::Point3;
use renderer::{LitBy, Pass, Shot};
use scene_document::{Baked, BakedLight, BakedMesh, LightKind, View};
use scene_raster::RasterScene;
use std::sync::Arc;

/// How far the median may be off, relative.
const MEDIAN_OFF_MAX: f64 = 0.05;
/// Darker than this share of the median counts as unlit.
const UNLIT: f64 = 0.02;
/// Of the objects' pixels, those that are lit, or unlit, in both pictures. The others are edges of shadows.
const LIT_ALIKE_MIN: f64 = 0.97;

pub(crate) fn pale() -> Vec<BakedMesh> {
    let mut meshes = solids();
    for mesh in &mut meshes {
        mesh.surfaces = vec![matt([0.8; 3])];
    }
    meshes
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Luminances of the objects' pixels in cd/m², drawn and of the reference: their medians are alike.
pub(crate) fn assert_as_bright_as_the_reference(scene: &Arc<Baked>, view: &View) -> (Vec<f64>, Vec<f64>) {
    let raster = RasterScene::new(scene);
    let frame = raster.frame(view);
    let expected = raster.light(view, &frame).luminance;
    let drawn = linear(scene, view, Pass::Hdr).into_iter().map(|rgb| {
        let [red, green, blue] = rgb.map(f64::from);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    });
    let objects = drawn.zip(expected).zip(&frame.mesh).filter(|(_, mesh)| **mesh > 0).map(|(pair, _)| pair);
    let (drawn, expected): (Vec<f64>, Vec<f64>) = objects.unzip();
    let (drawn_median, expected_median) = (median(drawn.clone()), median(expected.clone()));
    let off = (drawn_median / expected_median - 1.0).abs();
    assert!(off <= MEDIAN_OFF_MAX, "{drawn_median} cd/m², not {expected_median}");
    (drawn, expected)
}

fn assert_lit_as_the_reference(lights: Vec<BakedLight>) {
    let (drawn, expected) = assert_as_bright_as_the_reference(&scene(pale(), lights), &overview(320, 240));
    let unlit_below = UNLIT * median(expected.clone());
    let is_lit = |luminance: &f64| *luminance > unlit_below;
    let alike = drawn.iter().zip(&expected).filter(|(drawn, expected)| is_lit(drawn) == is_lit(expected)).count();
    let alike = alike as f64 / drawn.len() as f64;
    assert!(alike >= LIT_ALIKE_MIN, "{alike} lit alike");
    // Else the shadows would not have been compared.
    let unlit = expected.iter().filter(|expected| !is_lit(expected)).count();
    assert!(unlit * 50 > expected.len(), "{unlit} of {} in shadow", expected.len());
}

fn sun() -> BakedLight {
    light(LightKind::Directional, 400.0, [-2.0, 4.0, 1.0])
}

fn bulb() -> BakedLight {
    light(LightKind::Point, 4000.0, [-2.0, 5.0, -1.0])
}

#[test]
fn a_sun_is_as_bright_as_it_should_be() {
    assert_lit_as_the_reference(vec![sun()]);
}

#[test]
fn a_bulb_is_as_bright_as_it_should_be() {
    assert_lit_as_the_reference(vec![bulb()]);
}

/// The rim of its cone is on the slab.
#[test]
fn a_spot_is_as_bright_as_it_should_be() {
    let cone = LightKind::Spot { inner_cone_rad: 0.1, outer_cone_rad: 0.35 };
    assert_lit_as_the_reference(vec![light(cone, 9000.0, [-2.0, 6.0, -1.0])]);
}

#[test]
fn a_sun_and_a_bulb_add_up() {
    let (both, view) = (scene(pale(), vec![sun(), bulb()]), overview(160, 120));
    let each = [sun(), bulb()].map(|light| linear(&scene(pale(), vec![light]), &view, Pass::Hdr));
    let sum = each[0].iter().zip(&each[1]).map(|(a, b)| [a[0] + b[0], a[1] + b[1], a[2] + b[2]]);
    // A picture has the eleven bits of half floats.
    for (pixel, (drawn, sum)) in linear(&both, &view, Pass::Hdr).iter().zip(sum).enumerate() {
        let near = |(drawn, sum): (&f32, f32)| (drawn - sum).abs() <= 2e-3 * sum + 1e-4;
        assert!(drawn.iter().zip(sum).all(near), "pixel {pixel}: {drawn:?}, not {sum:?}");
    }
    // From about the same place, so that some shadows are of both.
    assert_lit_as_the_reference(vec![sun(), light(LightKind::Point, 3000.0, [-2.0, 4.0, 1.0])]);
}

/// A factor of a power of two rounds nothing, so the pictures are the same to the last bit.
#[test]
fn scenes_of_any_size_are_lit_alike() {
    let sized = |size: f64| {
        let mut meshes = pale();
        for position in meshes.iter_mut().flat_map(|mesh| &mut mesh.positions) {
            *position *= size;
        }
        let mut bulb = bulb();
        bulb.position *= size;
        bulb.light.intensity *= size * size;
        let (eye, target) = (Point3::new(2.0, 5.0, 4.0) * size, Point3::new(0.0, 0.25, 0.0) * size);
        let view = View::looking_at(eye, target, 0.8, 96, 72);
        linear(&scene(meshes, vec![sun(), bulb]), &view, Pass::Hdr)
    };
    let metres = sized(1.0);
    assert!(metres.iter().flatten().any(|part| *part > 10.0));
    assert!(sized(1.0 / 1024.0) == metres);
    assert!(sized(1024.0) == metres);
}

#[test]
fn a_scene_without_lights_is_shown_by_a_studio_that_says_so() {
    let (dark, view) = (scene(vec![pale().remove(0)], vec![]), overview(96, 72));
    let picture = draw(&dark, &view, Pass::Beauty);
    assert_eq!((picture.lit_by, picture.lit_by.to_string().as_str()), (LitBy::Studio, "by studio lights"));
    let centre = picture.rgb()[36 * 96 + 48];
    // Pale, neither black nor burnt out.
    assert!(centre.iter().all(|part| (130..250).contains(part)), "{centre:?}");

    let lit = scene(vec![pale().remove(0)], vec![light(LightKind::Directional, 0.0, [0.0, 1.0, 0.0])]);
    let picture = draw(&lit, &view, Pass::Hdr);
    assert_eq!(picture.lit_by, LitBy::Scene);
    assert!(picture.rgb().iter().flatten().all(|part| *part == 0));
}

#[test]
fn a_scene_with_lights_is_shown_by_the_studio_where_that_is_asked_for() {
    let (lit, unlit, view) = (scene(pale(), vec![sun(), bulb()]), scene(pale(), vec![]), overview(96, 72));
    let shot = Shot { lit_by: Some(LitBy::Studio), ..Shot::new(lit, view, Pass::Beauty) };
    let picture = renderer().picture(shot, soon()).unwrap();
    assert_eq!(picture.lit_by, LitBy::Studio);
    assert!(picture.pixels == draw(&unlit, &view, Pass::Beauty).pixels);

    let shot = Shot { lit_by: Some(LitBy::Scene), ..Shot::new(unlit, view, Pass::Hdr) };
    let picture = renderer().picture(shot, soon()).unwrap();
    assert_eq!(picture.lit_by, LitBy::Scene);
    assert!(picture.rgb().iter().flatten().all(|part| *part == 0));
}

#[test]
fn lights_past_a_limit_are_named() {
    let bulbs = vec![bulb(); 70];
    let notes = draw(&scene(pale(), bulbs), &overview(16, 12), Pass::Hdr).notes;
    assert_eq!(notes.iter().filter(|note| note.contains("is not drawn")).count(), 70 - 64);
    assert!(notes.iter().any(|note| note.contains("throws no shadow")));
    assert!(draw(&scene(pale(), vec![bulb()]), &overview(16, 12), Pass::Hdr).notes.is_empty());
}
