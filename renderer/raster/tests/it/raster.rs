use crate::scenes::{at, cuboid, floor, grey, mesh, orthographic, perspective, quad, scene, with_surface};
use nalgebra::{Point3, Vector3};
use scene_document::{AlphaMode, Projection, Surface, View};
use scene_raster::RasterScene;

fn shown(mesh: &[u32]) -> usize {
    mesh.iter().filter(|id| **id > 0).count()
}

#[test]
fn unit_box_covers_the_pixels_of_its_front_face() {
    let boxes = scene(vec![cuboid([-0.5; 3], [0.5; 3])], vec![]);
    let (raster, view) = (RasterScene::new(&boxes), perspective(at(0.0, 0.0, 5.0), 200, 200));
    let frame = raster.frame(&view);
    let shade = raster.shade(&view, &frame);
    // Half the side is 100 · 0.5 / 4.5 = 11.1 pixels: centres at ±0.5 … ±10.5.
    for (pixel, id) in frame.mesh.iter().enumerate() {
        let inside = (89..111).contains(&(pixel % 200)) && (89..111).contains(&(pixel / 200));
        assert_eq!(*id, u32::from(inside), "pixel {pixel}");
    }
    let centre = 100 * 200 + 100;
    assert!((frame.depth_m[centre] - 4.5).abs() < 1e-12);
    assert_eq!(shade.normal[centre], [0.0, 0.0, 1.0]);
    assert_eq!(shade.albedo[centre], [0.5; 3]);
    assert_eq!(shade.emissive[centre], [0.0; 3]);
    assert_eq!(frame.depth_m[0], f64::INFINITY);
    assert_eq!([shade.normal[0], shade.albedo[0]], [[0.0; 3]; 2]);
}

#[test]
fn slanted_box_has_the_area_of_its_projected_hull() {
    let (eye, yfov_rad, side) = (Point3::new(3.0, 2.0, 4.0), 0.6, 128_u32);
    let boxes = scene(vec![cuboid([-0.5; 3], [0.5; 3])], vec![]);
    let view = View::looking_at(eye, Point3::origin(), yfov_rad, side, side);
    let count = shown(&RasterScene::new(&boxes).frame(&view).mesh) as f64;

    let back = eye.coords.normalize();
    let right = Vector3::new(0.0, 1.0, 0.0).cross(&back).normalize();
    let up = back.cross(&right);
    let focal = f64::from(side) / 2.0 / libm::tan(yfov_rad / 2.0);
    let mut corners: Vec<[f64; 2]> = (0..8_usize)
        .map(|bits| {
            let corner = Vector3::from([0_usize, 1, 2].map(|axis| if (bits >> axis) & 1 == 1 { 0.5 } else { -0.5 }));
            let from_eye = corner - eye.coords;
            let depth = -from_eye.dot(&back);
            [focal * from_eye.dot(&right) / depth, focal * from_eye.dot(&up) / depth]
        })
        .collect();
    corners.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let turn = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let chain = |points: Vec<[f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for point in points {
            while chain.len() > 1 && turn(chain[chain.len() - 2], chain[chain.len() - 1], point) <= 0.0 {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let hull = [chain(corners.clone()), chain(corners.into_iter().rev().collect())].concat();
    let sides = (0..hull.len()).map(|i| (hull[i], hull[(i + 1) % hull.len()]));
    let area = sides.clone().map(|(a, b)| (a[0] * b[1] - b[0] * a[1]) / 2.0).sum::<f64>();
    let perimeter = sides.map(|(a, b)| (Vector3::new(b[0] - a[0], b[1] - a[1], 0.0)).norm()).sum::<f64>();
    assert!(area > 400.0, "area {area}");
    assert!((count - area).abs() < perimeter / 20.0, "{count} pixels, area {area}, perimeter {perimeter}");
}

#[test]
fn looking_at_puts_plus_y_up_and_its_target_in_the_middle() {
    let marks =
        scene(vec![cuboid([-0.1, 0.9, -0.1], [0.1, 1.1, 0.1]), cuboid([-0.1, -0.1, -0.1], [0.1, 0.1, 0.1])], vec![]);
    let view = View::looking_at(Point3::new(4.0, 0.0, 0.0), Point3::origin(), 1.0, 101, 51);
    let frame = RasterScene::new(&marks).frame(&view);
    assert_eq!(frame.mesh[25 * 101 + 50], 2);
    let rows_of_first: Vec<usize> =
        (0..frame.mesh.len()).filter(|pixel| frame.mesh[*pixel] == 1).map(|pixel| pixel / 101).collect();
    assert!(!rows_of_first.is_empty() && rows_of_first.iter().all(|row| *row < 25));
    let down = View::looking_at(Point3::new(0.0, 4.0, 0.0), Point3::origin(), 1.0, 11, 11);
    assert_eq!(RasterScene::new(&marks).frame(&down).mesh[60], 1);
}

#[test]
fn floor_through_the_camera_plane_is_clipped_not_dropped() {
    let ground = scene(vec![floor(0.0, 500.0)], vec![]);
    let frame = RasterScene::new(&ground).frame(&perspective(at(0.0, 1.0, 0.0), 100, 100));
    for (pixel, (id, depth_m)) in frame.mesh.iter().zip(&frame.depth_m).enumerate() {
        let below_horizon = (pixel / 100) as f64 + 0.5 - 50.0;
        if below_horizon > 0.0 {
            assert_eq!(*id, 1, "pixel {pixel}");
            let expected = 50.0 / below_horizon;
            assert!((depth_m - expected).abs() < 1e-9 * expected, "pixel {pixel}: {depth_m}, not {expected}");
        } else {
            assert_eq!(*id, 0, "pixel {pixel}");
        }
    }
}

#[test]
fn nothing_is_drawn_before_near_or_beyond_far() {
    let boxes = scene(vec![cuboid([-0.5; 3], [0.5; 3])], vec![]);
    let boxes = RasterScene::new(&boxes);
    let within = |znear_m: f64, zfar_m: f64| {
        let perspective = Projection::Perspective { yfov_rad: 1.0, aspect: None, znear_m, zfar_m: Some(zfar_m) };
        let orthographic = Projection::Orthographic { xmag_m: 1.0, ymag_m: 1.0, znear_m, zfar_m };
        [perspective, orthographic].map(|projection| {
            let view = View { world_from_camera: at(0.0, 0.0, 5.0), projection, width: 31, height: 31 };
            boxes.frame(&view).depth_m[15 * 31 + 15]
        })
    };
    for depth in within(0.1, 10.0) {
        assert!((depth - 4.5).abs() < 1e-12);
    }
    // The front face is clipped away: the inside of the back face shows.
    for depth in within(4.6, 10.0) {
        assert!((depth - 5.5).abs() < 1e-12);
    }
    assert_eq!(within(0.1, 4.4), [f64::INFINITY; 2]);
    assert_eq!(within(6.0, 10.0), [f64::INFINITY; 2]);
}

/// Edges and diagonal pass through pixel centres: top and left ones belong to the quad, bottom and right ones do not.
#[test]
fn two_triangles_of_a_quad_take_each_centre_once() {
    let corners = [[-3.5, -2.5, 0.0], [2.5, -2.5, 0.0], [2.5, 3.5, 0.0], [-3.5, 3.5, 0.0]];
    let halves = scene(vec![mesh(&corners, &[[0, 1, 2]]), mesh(&corners, &[[0, 2, 3]])], vec![]);
    let halves = RasterScene::new(&halves);
    let view = orthographic(8.0, 16);
    let frame = halves.frame(&view);
    for (pixel, id) in frame.mesh.iter().enumerate() {
        let inside = (4..10).contains(&(pixel % 16)) && (4..10).contains(&(pixel / 16));
        assert_eq!(*id > 0, inside, "pixel {pixel}");
    }
    let alone = [0, 1].map(|half| halves.coverage(&view, &frame, &[half]).alone_px);
    // The diagonal's five centres are on the left edge of the first.
    assert_eq!(alone, [10 + 5, 21]);
}

#[test]
fn fan_has_no_cracks_and_no_pixel_twice_even_where_it_is_clipped() {
    let rim_and_hub = [
        [-9.0, 1.3, -7.1],
        [-2.2, 6.7, -5.9],
        [4.1, 5.3, -3.0],
        [8.7, -1.1, -2.2],
        [1.9, -4.0, 6.1],
        [0.37, 0.51, -4.13],
    ];
    let fan = (0..5).map(|side| mesh(&rim_and_hub, &[[side, (side + 1) % 5, 5]])).collect();
    let fan = RasterScene::new(&scene(fan, vec![]));
    let view = perspective(at(0.0, 0.0, 0.0), 128, 128);
    let frame = fan.frame(&view);
    let alone: u32 = (0..5).map(|side| fan.coverage(&view, &frame, &[side]).alone_px).sum();
    assert_eq!(alone as usize, shown(&frame.mesh));
    assert!(alone > 10_000, "{alone}");
    // Each row of this outline is one run; a crack would be a hole in it.
    for row in frame.mesh.chunks(128) {
        let runs = row.chunk_by(|a, b| (*a > 0) == (*b > 0)).filter(|run| run[0] > 0).count();
        assert!(runs <= 1, "{row:?}");
    }
}

#[test]
fn orthographic_pixels_are_metres() {
    let boxes = scene(vec![cuboid([-1.0, -0.5, -3.0], [1.0, 0.5, 4.0])], vec![]);
    let frame = RasterScene::new(&boxes).frame(&orthographic(5.0, 100));
    assert_eq!(shown(&frame.mesh), 20 * 10);
    assert_eq!(frame.depth_m[50 * 100 + 50], 6.0);
}

#[test]
fn nearest_wins_in_any_order() {
    let near = || cuboid([-0.5, -0.5, 1.0], [0.5, 0.5, 2.0]);
    let far = || cuboid([-1.0, -1.0, -2.0], [1.0, 1.0, -1.0]);
    for (meshes, expected) in [(vec![near(), far()], 1), (vec![far(), near()], 2)] {
        let frame = RasterScene::new(&scene(meshes, vec![])).frame(&orthographic(2.0, 40));
        assert_eq!(frame.mesh[20 * 40 + 20], expected);
        assert_eq!(shown(&frame.mesh), 20 * 20);
        assert_eq!(frame.mesh.iter().filter(|id| **id == expected).count(), 10 * 10);
    }
}

#[test]
fn back_faces_are_drawn_with_their_normal_turned_to_the_viewer() {
    let away = quad([[-1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [1.0, -1.0, 0.0]]);
    let raster = RasterScene::new(&scene(vec![away], vec![]));
    for view in [orthographic(2.0, 40), perspective(at(0.0, 0.0, 2.0), 40, 40)] {
        let frame = raster.frame(&view);
        assert_eq!(shown(&frame.mesh), 400);
        assert!(frame.mesh.iter().zip(&frame.from_behind).all(|(id, from_behind)| (*id > 0) == *from_behind));
        assert_eq!(raster.shade(&view, &frame).normal[20 * 40 + 20], [0.0, 0.0, 1.0]);
    }
}

#[test]
fn closed_body_shows_no_back_from_outside() {
    let raster = RasterScene::new(&scene(vec![cuboid([-0.5; 3], [0.5; 3]), floor(-0.5, 40.0)], vec![]));
    for eye in [[3.0, 2.0, 4.0], [-1.0, 0.3, 0.1], [0.51, 5.0, -0.2], [-7.0, -0.4, -7.0]] {
        let frame = raster.frame(&View::looking_at(Point3::from(eye), Point3::origin(), 0.9, 96, 96));
        assert!(shown(&frame.mesh) > 100 && !frame.from_behind.contains(&true), "{eye:?}");
    }
}

/// The boxes around these slivers are the whole picture: 65,536 tests each, so the budget holds 1,525 of them.
#[test]
fn overdraw_stops_at_the_budget() {
    let sliver = [[-2.0, -2.0, 0.0], [2.0, 1.99, 0.0], [2.0, 2.0, 0.0]];
    let mark = || quad([[-1.0, 0.5, 1.0], [-0.5, 0.5, 1.0], [-0.5, 1.0, 1.0], [-1.0, 1.0, 1.0]]);
    let view = orthographic(2.0, 256);
    for (slivers, over_budget) in [(1_524, false), (1_526, true)] {
        let raster = RasterScene::new(&scene(vec![mesh(&sliver, &vec![[0, 1, 2]; slivers]), mark()], vec![]));
        let frame = raster.frame(&view);
        assert_eq!(frame.over_budget, over_budget);
        assert!(frame.mesh.contains(&1));
        assert_eq!(frame.mesh.contains(&2), !over_budget);
        assert!(frame == raster.frame(&view));
        let coverage = raster.coverage(&view, &frame, &[1]);
        assert_eq!(coverage.over_budget, over_budget);
        assert_eq!(coverage.visible_px, if over_budget { 0 } else { 32 * 32 });
        assert_eq!(raster.light(&view, &frame).over_budget, over_budget);
    }
}

#[test]
fn normals_are_interpolated_where_the_mesh_has_them() {
    let mut facet = quad([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]]);
    let (left, right) = (Vector3::new(-0.6, 0.0, 0.8), Vector3::new(0.6, 0.0, 0.8));
    facet.normals = Some(vec![left, right, right, left]);
    let (raster, view) = (RasterScene::new(&scene(vec![facet], vec![])), orthographic(1.0, 3));
    let shade = raster.shade(&view, &raster.frame(&view));
    for (column, x) in [-0.4_f64, 0.0, 0.4].into_iter().enumerate() {
        let length = (x * x + 0.64).sqrt();
        let normal = shade.normal[3 + column];
        assert!((f64::from(normal[0]) - x / length).abs() < 1e-6, "column {column}: {normal:?}");
        assert!((f64::from(normal[2]) - 0.8 / length).abs() < 1e-6, "column {column}: {normal:?}");
    }
}

#[test]
fn surfaces_that_cannot_be_seen_are_not_there() {
    let count = |alpha_mode: AlphaMode, alpha: f64| {
        let surface = Surface { base_color: [1.0, 1.0, 1.0, alpha], alpha_mode, ..grey() };
        let boxes = scene(vec![with_surface(cuboid([-1.0; 3], [1.0; 3]), surface)], vec![]);
        shown(&RasterScene::new(&boxes).frame(&orthographic(2.0, 20)).mesh)
    };
    assert_eq!(count(AlphaMode::Blend, 0.04), 0);
    assert_eq!(count(AlphaMode::Blend, 0.06), 100);
    assert_eq!(count(AlphaMode::Mask, 0.4), 0);
    assert_eq!(count(AlphaMode::Mask, 0.6), 100);
    assert_eq!(count(AlphaMode::Opaque, 0.0), 100);
}
