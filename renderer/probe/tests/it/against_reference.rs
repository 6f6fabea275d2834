//! The probe draws what the reference rasteriser draws.

use crate::scenes::{probe, random_scene, random_view, shot};
use nalgebra::Vector3;
use scene_document::{Baked, Projection, View};
use scene_probe::{AdapterKind, Probe, ProbeFrame, ProbeShot};
use scene_raster::{Frame, RasterScene};

const SCENES: u64 = 100;
const SIDE_PX: u32 = 128;
/// Share of pixels that may differ: cards place triangle corners on a grid of 1/256 pixel, the reference does not.
const DIFFERING: f64 = 0.0005;
/// Eight bits hold −1…1 in steps of 1/127.5; two of them for rounding and for interpolation.
const NORMAL_STEPS: f64 = 2.0 / 127.5;

/// Of depths. Cards measure slopes from corners on their grid, lavapipe from where the corners are.
fn depth_tolerance(kind: AdapterKind) -> f64 {
    match kind {
        AdapterKind::Software => 1e-4,
        AdapterKind::Gpu => 3e-3,
    }
}

struct Pair {
    reference: Frame,
    drawn: ProbeFrame,
}

fn scenes() -> Vec<(Baked, View)> {
    (0..SCENES).map(|seed| (random_scene(seed), random_view(seed, SIDE_PX, SIDE_PX))).collect()
}

fn pairs(probe: &mut Probe, scenes: &[(Baked, View)]) -> Vec<Pair> {
    let shots: Vec<ProbeShot> = scenes.iter().map(|(scene, view)| shot(scene, *view)).collect();
    let drawn = probe.frames(&shots).unwrap();
    let pair = |((scene, view), drawn): (&(Baked, View), ProbeFrame)| Pair {
        reference: RasterScene::new(scene).frame(view),
        drawn,
    };
    scenes.iter().zip(drawn).map(pair).collect()
}

/// Pixels that show the same mesh in both.
fn shared(pair: &Pair) -> impl Iterator<Item = usize> {
    let ids = pair.reference.mesh.iter().zip(&pair.drawn.mesh).enumerate();
    ids.filter_map(|(pixel, (reference, drawn))| (reference == drawn && *drawn > 0).then_some(pixel))
}

#[test]
fn ids_and_depths_are_those_of_the_reference() {
    let scenes = scenes();
    let orthographic = scenes.iter().filter(|(_, view)| matches!(view.projection, Projection::Orthographic { .. }));
    assert!((20..80).contains(&orthographic.count()));
    let (mut pixels, mut seen, mut ids_differ, mut depths_differ, mut worst) = (0_usize, 0, 0, 0, 0.0_f64);
    let mut probe = probe();
    let tolerance = depth_tolerance(probe.adapter().kind);
    for pair in pairs(&mut probe, &scenes) {
        let Pair { reference, drawn } = &pair;
        assert_eq!((drawn.width, drawn.height), (reference.width, reference.height));
        pixels += drawn.mesh.len();
        ids_differ += drawn.mesh.iter().zip(&reference.mesh).filter(|(drawn, reference)| drawn != reference).count();
        for pixel in shared(&pair) {
            let relative = (f64::from(drawn.depth_m[pixel]) / reference.depth_m[pixel] - 1.0).abs();
            seen += 1;
            depths_differ += usize::from(relative > tolerance);
            worst = worst.max(relative);
        }
        let nothing = |pixel: &usize| drawn.mesh[*pixel] == 0;
        assert!((0..drawn.mesh.len()).filter(nothing).all(|pixel| drawn.depth_m[pixel] == f32::INFINITY));
    }
    println!(
        "{}: {SCENES} scenes, {pixels} pixels, {seen} show the same mesh in both: {ids_differ} ids differ ({:.4} %), \
         {depths_differ} depths differ by more than {tolerance}, the worst by {worst:.1e}",
        probe.adapter(),
        100.0 * ids_differ as f64 / pixels as f64
    );
    assert!(seen > pixels / 10, "the scenes are hardly in the pictures: {seen} of {pixels} pixels");
    // A depth that differs is counted as a pixel that differs.
    assert!((ids_differ + depths_differ) as f64 <= DIFFERING * pixels as f64);
}

#[test]
fn normals_and_luminance_are_those_of_the_reference() {
    let scenes = scenes();
    let (mut seen, mut normals_differ, mut luminances_differ) = (0_usize, 0, 0);
    for ((scene, view), pair) in scenes.iter().zip(pairs(&mut probe(), &scenes)) {
        let shade = RasterScene::new(scene).shade(view, &pair.reference);
        for pixel in shared(&pair) {
            let expected = Vector3::from(shade.normal[pixel].map(f64::from));
            let drawn = Vector3::from(pair.drawn.normal[pixel].map(|part| f64::from(part) / 127.5 - 1.0));
            seen += 1;
            normals_differ += usize::from((drawn - expected).amax() > NORMAL_STEPS);
            let facing = expected.dot(&towards_viewer(view, pixel)).abs();
            let [albedo, ..] = shade.albedo[pixel].map(f64::from);
            let luminance = 255.0 * albedo * (0.25 + 0.75 * facing);
            luminances_differ += usize::from((f64::from(pair.drawn.luminance[pixel]) - luminance).abs() > 2.0);
        }
    }
    println!("{seen} pixels: {normals_differ} normals differ, {luminances_differ} luminances");
    // Next to an edge the pixel may be one of the face beyond it.
    let few = 0.005 * seen as f64;
    assert!((normals_differ as f64) < few && (luminances_differ as f64) < few);
}

/// Unit, from what a pixel shows to the eye.
fn towards_viewer(view: &View, pixel: usize) -> Vector3<f64> {
    let axis = |column: usize| view.world_from_camera.fixed_view::<3, 1>(0, column).into_owned();
    let Projection::Perspective { yfov_rad, .. } = view.projection else { return axis(2) };
    let half_px = f64::from(view.height) / 2.0;
    let tangent_per_px = libm::tan(yfov_rad / 2.0) / half_px;
    let x = ((pixel as u32 % view.width) as f64 + 0.5 - f64::from(view.width) / 2.0) * tangent_per_px;
    let y = (half_px - (pixel as u32 / view.width) as f64 - 0.5) * tangent_per_px;
    (axis(2) - axis(0) * x - axis(1) * y).normalize()
}
