//! What the passes show, against the reference rasteriser and the probe.

use crate::scenes::{agreeing, cuboid, draw, ids, light, linear, matt, overview, scene, solids};
use nalgebra::{Point3, Vector3};
use renderer::{AdapterChoice, Pass, Pixels};
use scene_document::{AlphaMode, Baked, LightKind, Surface, View};
use scene_probe::{Probe, ProbeScene, ProbeShot};
use scene_raster::RasterScene;
use std::sync::Arc;

const WIDTH: u32 = 320;
const HEIGHT: u32 = 240;

/// Neither the pixel nor a neighbour of it is on an edge between ids.
fn is_inside(ids: &[u32], pixel: usize) -> bool {
    let (width, height) = (WIDTH as usize, HEIGHT as usize);
    let (column, row) = (pixel % width, pixel / width);
    let columns = column.saturating_sub(1)..=(column + 1).min(width - 1);
    let mut rows = row.saturating_sub(1)..=(row + 1).min(height - 1);
    rows.all(|row| columns.clone().all(|column| ids[row * width + column] == ids[pixel]))
}

#[test]
fn ids_depths_normals_and_colours_are_those_of_the_rasteriser() {
    let (scene, view) = (scene(solids(), vec![]), overview(WIDTH, HEIGHT));
    let raster = RasterScene::new(&scene);
    let frame = raster.frame(&view);
    let shade = raster.shade(&view, &frame);

    let ids = ids(&scene, &view);
    assert!(agreeing(&ids, &frame.mesh) >= 0.999, "{}", agreeing(&ids, &frame.mesh));
    let Pixels::DepthM(depth_m) = draw(&scene, &view, Pass::Depth).pixels else { panic!("no depths") };
    let normals = linear(&scene, &view, Pass::Normal);
    let colours = linear(&scene, &view, Pass::Albedo);
    let same: Vec<usize> = (0..ids.len()).filter(|pixel| ids[*pixel] == frame.mesh[*pixel]).collect();
    let share =
        |holds: &dyn Fn(usize) -> bool| same.iter().filter(|pixel| holds(**pixel)).count() as f64 / same.len() as f64;
    let depths_agree = share(&|pixel| {
        let (drawn, expected) = (f64::from(depth_m[pixel]), frame.depth_m[pixel]);
        drawn == expected || (drawn - expected).abs() <= 1e-3 * expected
    });
    let near = |a: &[f32; 3], b: &[f32; 3], most: f32| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= most);
    let normals_agree = share(&|pixel| near(&normals[pixel], &shade.normal[pixel], 0.02));
    let colours_agree = share(&|pixel| near(&colours[pixel], &shade.albedo[pixel], 1e-3));
    assert!(depths_agree >= 0.999, "depths {depths_agree}");
    assert!(normals_agree >= 0.998, "normals {normals_agree}");
    assert!(colours_agree >= 0.999, "colours {colours_agree}");
}

/// Every surface in the picture is lit by a lamp at the eye, so no object is as dark as the background.
#[test]
fn silhouettes_are_those_of_the_rasteriser_and_of_the_probe() {
    let view = overview(WIDTH, HEIGHT);
    let eye = [view.world_from_camera[(0, 3)], view.world_from_camera[(1, 3)], view.world_from_camera[(2, 3)]];
    let scene = scene(solids(), vec![light(LightKind::Point, 2000.0, eye)]);
    let seen = |ids: &[u32]| ids.iter().map(|id| *id > 0).collect::<Vec<bool>>();
    let raster = seen(&RasterScene::new(&scene).frame(&view).mesh);
    let mut probe = Probe::new(&AdapterChoice::Auto).unwrap();
    let shot = ProbeShot { scene: Arc::new(ProbeScene::new(&scene)), view };
    let probe = seen(&probe.frames(&[shot]).unwrap()[0].mesh);
    let ids = ids(&scene, &view);
    let by_id = seen(&ids);
    let light: Vec<bool> =
        linear(&scene, &view, Pass::Hdr).iter().map(|rgb| rgb.iter().any(|part| *part > 0.0)).collect();
    for (name, expected) in [("raster", &raster), ("probe", &probe), ("ids", &by_id)] {
        assert!(agreeing(&light, expected) >= 0.999, "{name}: {}", agreeing(&light, expected));
    }

    // Four samples a pixel: on an edge it is a mixture.
    let background = Arc::new(Baked::default());
    let clear = draw(&background, &view, Pass::Beauty).rgb()[0];
    assert_eq!(clear, [96; 3]);
    // Glowing, no surface is as grey as the background.
    let mut glowing = Baked::clone(&scene);
    for surface in glowing.meshes.iter_mut().flat_map(|mesh| &mut mesh.surfaces) {
        surface.emissive = [300.0; 3];
    }
    let beauty = draw(&Arc::new(glowing), &view, Pass::Beauty).rgb();
    let inside: Vec<usize> = (0..ids.len()).filter(|pixel| is_inside(&ids, *pixel)).collect();
    assert!(inside.len() > ids.len() * 3 / 4);
    for pixel in inside {
        assert_eq!(beauty[pixel] != clear, by_id[pixel], "pixel {pixel}");
    }
}

/// A wall one triangle thick, seen from its back.
#[test]
fn one_sided_surfaces_are_culled_and_two_sided_ones_are_not() {
    let behind = View::looking_at(Point3::new(0.0, 0.0, -5.0), Point3::origin(), 0.8, 64, 64);
    let count = |double_sided: bool| {
        let mut wall = cuboid([-1.0, -1.0, 0.0], [1.0, 1.0, 0.0], Surface { double_sided, ..matt([0.5; 3]) });
        // Of the flat box, the face that looks to +z.
        wall.triangles = vec![[4, 5, 7], [4, 7, 6]];
        let wall = scene(vec![wall], vec![]);
        let normals = linear(&wall, &behind, Pass::Normal);
        let facing = normals.iter().filter(|normal| normal[2] == -1.0).count();
        assert_eq!(facing, ids(&wall, &behind).iter().filter(|id| **id > 0).count());
        facing
    };
    assert_eq!(count(false), 0);
    assert!(count(true) > 500);
}

#[test]
fn blended_surfaces_are_opaque_facts_and_faint_ones_are_not_there() {
    let view = View::looking_at(Point3::new(0.0, 0.0, 5.0), Point3::origin(), 0.8, 64, 48);
    let centre = 24 * 64 + 32;
    let panes = |alpha: f64, alpha_mode: AlphaMode| {
        let pane = Surface { base_color: [1.0, 0.0, 0.0, alpha], alpha_mode, ..matt([0.0; 3]) };
        let behind = cuboid([-1.0, -1.0, -2.0], [1.0, 1.0, -1.0], matt([0.0, 0.0, 1.0]));
        // From the side, past the pane, whose shadow is as dark as that of any other body.
        let lamp = light(LightKind::Point, 1000.0, [3.0, 0.0, 1.0]);
        scene(vec![cuboid([-1.0, -1.0, 0.0], [1.0, 1.0, 0.1], pane), behind], vec![lamp])
    };
    for (alpha, alpha_mode, expected) in [
        (0.5, AlphaMode::Blend, 1),
        (0.04, AlphaMode::Blend, 2),
        (0.4, AlphaMode::Mask, 2),
        (0.6, AlphaMode::Mask, 1),
        (0.0, AlphaMode::Opaque, 1),
    ] {
        let scene = panes(alpha, alpha_mode);
        assert_eq!(ids(&scene, &view)[centre], expected, "{alpha} {alpha_mode:?}");
        let [red, _, blue] = linear(&scene, &view, Pass::Hdr)[centre];
        let mixed = alpha_mode == AlphaMode::Blend && expected == 1;
        assert_eq!(red > 10.0 * blue, expected == 1 && !mixed, "{alpha} {alpha_mode:?}: {red} {blue}");
        assert!(!mixed || (red > 1.0 && blue > 1.0), "{red} {blue}");
    }
}

#[test]
fn emission_is_in_nits() {
    let glow = Surface { emissive: [40.0, 80.0, 120.0], ..matt([0.0; 3]) };
    let dark = light(LightKind::Directional, 0.0, [0.0, 0.0, 5.0]);
    let scene = scene(vec![cuboid([-1.0; 3], [1.0; 3], glow)], vec![dark]);
    let view = View::framing(Point3::origin(), 1.8, Vector3::new(0.0, 0.0, 1.0), 0.8, 32, 32);
    let [red, green, blue] = linear(&scene, &view, Pass::Hdr)[16 * 32 + 16];
    for (drawn, expected) in [(red, 40.0), (green, 80.0), (blue, 120.0)] {
        assert!((drawn / expected - 1.0).abs() < 2e-3, "{drawn}, not {expected}");
    }
}
