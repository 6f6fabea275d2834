//! The environment of a scene: light of one colour from all sides.

use crate::light::{assert_as_bright_as_the_reference, pale};
use crate::scenes::{cuboid, draw, light, linear, matt, overview, scene, solids};
use nalgebra::{Point3, Vector3};
use renderer::{LitBy, Pass};
use scene_document::{Baked, BakedMesh, Environment, LightKind, Surface, View};
use std::sync::Arc;

const DUSK: Environment = Environment { color: [1.0, 0.5, 0.25], luminance_cd_m2: 40.0 };

fn surrounded(meshes: Vec<BakedMesh>, environment: Environment) -> Arc<Baked> {
    Arc::new(Baked { environment: Some(environment), ..Baked::clone(&scene(meshes, vec![])) })
}

/// Of a box of this surface, in front and slightly from above.
fn luminance(surface: Surface) -> [f64; 3] {
    let view = View::framing(Point3::origin(), 1.8, Vector3::new(0.0, 0.2, 1.0), 0.8, 32, 32);
    let scene = surrounded(vec![cuboid([-1.0; 3], [1.0; 3], surface)], DUSK);
    linear(&scene, &view, Pass::Hdr)[16 * 32 + 16].map(f64::from)
}

#[test]
fn what_is_matt_shows_its_share_of_the_environment() {
    let expected = [40.0, 20.0, 10.0].map(|part| 0.5 * part);
    for surface in [matt([0.5; 3]), Surface { metallic: 1.0, ..matt([0.5; 3]) }] {
        for (drawn, expected) in luminance(surface).into_iter().zip(expected) {
            assert!((drawn / expected - 1.0).abs() < 0.02, "{drawn}, not {expected}");
        }
    }
    // What is smooth mirrors it too, but never more than all.
    let [smooth, ..] = luminance(Surface { roughness: 0.1, ..matt([0.5; 3]) });
    assert!(smooth > 20.4 && smooth < 40.0, "{smooth}");
}

#[test]
fn an_environment_lights_the_scene_and_is_seen_behind_it() {
    let view = overview(64, 48);
    let picture = draw(&surrounded(solids(), DUSK), &view, Pass::Beauty);
    assert_eq!(picture.lit_by, LitBy::Scene);
    // 0.4, 0.2 and 0.1 of white, in sRGB.
    for (drawn, expected) in picture.rgb()[0].into_iter().zip([170_u8, 124, 89]) {
        assert!(drawn.abs_diff(expected) <= 1, "{drawn}, not {expected}");
    }
    let bright = Environment { luminance_cd_m2: 1000.0, ..DUSK };
    assert_eq!(draw(&surrounded(vec![], bright), &view, Pass::Beauty).rgb()[0], [255; 3]);
    let hdr = linear(&surrounded(vec![], bright), &view, Pass::Hdr);
    assert!(hdr.iter().all(|pixel| *pixel == [0.0; 3]), "nothing is seen, and nothing of nothing shines");
}

#[test]
fn an_environment_is_as_bright_as_in_the_reference() {
    let sun = light(LightKind::Directional, 300.0, [-2.0, 4.0, 1.0]);
    let view = overview(160, 120);
    for lights in [vec![], vec![sun]] {
        let scene = Arc::new(Baked { environment: Some(DUSK), ..Baked::clone(&scene(pale(), lights)) });
        assert_as_bright_as_the_reference(&scene, &view);
    }
}
