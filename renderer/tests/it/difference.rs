//! A picture does not depend on what was drawn before: scenes come in by difference, and nothing of the others stays.

use crate::scenes::{ball, cuboid, draw, draw_by, light, matt, overview, scene, solids, soon};
use renderer::{AdapterChoice, Pass, Pixels, Renderer, Shot};
use scene_document::{AlphaMode, Baked, BakedLight, BakedMesh, LightKind, Surface};
use std::sync::Arc;

const WIDTH: u32 = 160;
const HEIGHT: u32 = 120;

/// Two plates in one place, of which one is seen, and two panes that are seen through each other.
fn ambiguous() -> Vec<BakedMesh> {
    let pane = |red: f64, blue: f64| Surface {
        base_color: [red, 0.1, blue, 0.5],
        alpha_mode: AlphaMode::Blend,
        double_sided: true,
        ..matt([0.0; 3])
    };
    let plate = |colour: [f64; 3]| cuboid([-0.4, 0.0, 0.2], [0.2, 0.05, 1.4], matt(colour));
    vec![
        plate([0.9, 0.1, 0.1]),
        plate([0.1, 0.1, 0.9]),
        cuboid([-0.2, 0.0, -0.4], [0.4, 1.2, -0.3], pane(0.9, 0.1)),
        cuboid([-0.2, 0.0, -0.4], [0.4, 1.2, -0.3], pane(0.1, 0.9)),
    ]
}

fn lights() -> Vec<BakedLight> {
    vec![
        light(LightKind::Directional, 150.0, [-2.0, 4.0, 1.0]),
        light(LightKind::Point, 1500.0, [2.0, 3.0, -1.0]),
        light(LightKind::Spot { inner_cone_rad: 0.1, outer_cone_rad: 0.5 }, 3000.0, [0.0, 6.0, 2.0]),
        light(LightKind::Directional, 70.0, [1.0, 4.0, 3.0]),
    ]
}

fn subject() -> Arc<Baked> {
    scene([solids(), ambiguous()].concat(), lights())
}

/// The same but for one ball.
fn subject_moved() -> Arc<Baked> {
    let mut meshes = [solids(), ambiguous()].concat();
    meshes[3] = ball([0.9, 0.45, 1.1], 0.45, matt([0.6, 0.8, 0.5]));
    scene(meshes, lights())
}

/// More and fewer rows, other lights, other passes, another size.
fn disturb(renderer: &Renderer) {
    let crowd = (0..40).map(|index| ball([0.1 * f64::from(index), 0.3, 0.0], 0.2, matt([0.5; 3]))).collect();
    let bulbs = (0..6).map(|index| light(LightKind::Point, 300.0, [f64::from(index) - 3.0, 3.0, 1.0])).collect();
    let scenes = [
        scene(crowd, bulbs),
        scene(vec![], vec![]),
        scene(ambiguous(), lights().into_iter().rev().take(2).collect()),
        scene(solids().into_iter().rev().collect(), vec![]),
    ];
    for (scene, pass) in scenes.iter().zip([Pass::Beauty, Pass::Depth, Pass::Hdr, Pass::Beauty]) {
        draw_by(renderer, scene, &overview(90, 70), pass);
        draw_by(renderer, scene, &overview(WIDTH, HEIGHT), Pass::Id);
    }
}

fn all_passes(renderer: &Renderer, scene: &Arc<Baked>) -> Vec<Pixels> {
    Pass::ALL.iter().map(|pass| draw_by(renderer, scene, &overview(WIDTH, HEIGHT), *pass).pixels).collect()
}

#[test]
fn a_picture_is_the_same_after_others_and_by_a_fresh_renderer() {
    let fresh = Renderer::new(AdapterChoice::Auto);
    let (subject, moved) = (subject(), subject_moved());
    let first = all_passes(&fresh, &subject);
    disturb(&fresh);
    let after = all_passes(&fresh, &subject);
    let by_difference = all_passes(&fresh, &moved);
    let back = all_passes(&fresh, &subject);
    drop(fresh);
    let another = Renderer::new(AdapterChoice::Auto);
    disturb(&another);
    let moved_first = all_passes(&another, &moved);
    let second = all_passes(&another, &subject);
    for (index, pass) in Pass::ALL.iter().enumerate() {
        // Not `assert_eq`: it would print every pixel.
        assert!(first[index] == after[index], "{pass}: other pictures in between");
        assert!(first[index] == back[index], "{pass}: there and back");
        assert!(first[index] == second[index], "{pass}: another renderer");
        assert!(by_difference[index] == moved_first[index], "{pass}: by difference");
        assert!(first[index] != by_difference[index], "{pass}: nothing moved");
    }
}

/// All tests draw with this renderer, in any order.
#[test]
fn two_frames_of_a_scene_do_not_differ() {
    let subject = subject();
    for pass in Pass::ALL {
        let shot = Shot { twice: true, ..Shot::new(Arc::clone(&subject), overview(WIDTH, HEIGHT), pass) };
        let picture = crate::golden::renderer().picture(shot, soon()).unwrap();
        assert_eq!((picture.width, picture.height, picture.pass), (WIDTH, HEIGHT, pass));
        assert!(picture.pixels == draw(&subject, &overview(WIDTH, HEIGHT), pass).pixels, "{pass}");
    }
}
