//! Two drawings of one scene, compared.

use super::moved::{Moved, moved};
use super::planes::{DEPTH_STEP_RELATIVE, Planes};
use super::sidecar::Sidecar;
use crate::{AdapterInfo, AdapterKind};
use nv_flip::{DEFAULT_PIXELS_PER_DEGREE, FlipImageFloat, FlipImageRgb8, flip, magma_lut};
use scene_document::BakedMesh;
use serde::Serialize;

/// Of 255, in a channel. CPUs of different makes approximate 1/x and 1/√x differently, which software drawing shows.
const ROUNDING_STEPS: u8 = 1;

/// A golden and the scene drawn anew, in the sidecar's size. Pictures are row-major from the top left; they are not in
/// its JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    pub passed: bool,
    /// The scene file is not the one that was blessed, so this cannot pass, whatever the picture looks like.
    pub scene_changed: bool,
    /// Both were drawn by software, so every pixel has to be the same but for rounding; else the sidecar's tolerance
    /// decides.
    pub exact: bool,
    /// Mean FLIP error, 0 to 1, for a viewer who sees 67 pixels per degree.
    pub flip_mean: f64,
    /// FLIP error that 99 of 100 pixels do not exceed.
    pub flip_p99: f64,
    /// Pixels of another colour, by more than `ROUNDING_STEPS`.
    pub colours_differing: u64,
    /// Pixels that show another node.
    pub ids_differing: u64,
    /// Pixels at another depth (beyond `depth_relative` where the comparison is not exact).
    pub depth_differing: u64,
    #[serde(skip)]
    pub reference_rgb: Vec<[u8; 3]>,
    #[serde(skip)]
    pub actual_rgb: Vec<[u8; 3]>,
    /// FLIP's error as colours from black to yellow (magma).
    #[serde(skip)]
    pub flip_map_rgb: Vec<[u8; 3]>,
    /// The likeliest cause first. Empty where only the background differs. Names are those of the scene as it is now: if
    /// meshes were added or removed since it was blessed, a node may stand for the one before or after it.
    pub moved: Vec<Moved>,
    /// That drew the scene anew.
    pub adapter: AdapterInfo,
    /// Of the golden.
    pub sidecar: Sidecar,
}

/// `reference` was blessed with `sidecar`; `actual` was drawn by `adapter` in the same size from a scene whose meshes are
/// `meshes`.
pub(super) fn compare(
    sidecar: Sidecar,
    reference: Planes,
    actual: Planes,
    adapter: AdapterInfo,
    meshes: &[BakedMesh],
    scene_changed: bool,
) -> Compared {
    let exact = [&sidecar.adapter, &adapter].iter().all(|adapter| adapter.kind == AdapterKind::Software);
    let error_map = flip(flip_image(&reference), flip_image(&actual), DEFAULT_PIXELS_PER_DEGREE);
    let errors = error_map.to_vec();
    let depth_relative = if exact { 0.0 } else { sidecar.tolerance.depth_relative };
    let mut compared = Compared {
        passed: false,
        scene_changed,
        exact,
        flip_mean: errors.iter().map(|error| f64::from(*error)).sum::<f64>() / errors.len().max(1) as f64,
        flip_p99: percentile(&errors, 0.99),
        colours_differing: differing(&reference.rgb, &actual.rgb, is_recoloured),
        ids_differing: differing(&reference.ids, &actual.ids, |a, b| a != b),
        depth_differing: differing(&reference.depth, &actual.depth, |a, b| is_elsewhere(*a, *b, depth_relative)),
        moved: moved(&reference, &actual, &errors, meshes),
        reference_rgb: reference.rgb,
        actual_rgb: actual.rgb,
        flip_map_rgb: coloured(&error_map),
        adapter,
        sidecar,
    };
    compared.passed = !scene_changed && looks_the_same(&compared);
    compared
}

fn looks_the_same(compared: &Compared) -> bool {
    let Compared { ids_differing, depth_differing, .. } = compared;
    if compared.exact {
        return compared.colours_differing == 0 && *ids_differing == 0 && *depth_differing == 0;
    }
    let tolerance = &compared.sidecar.tolerance;
    let pixels = compared.reference_rgb.len() as f64;
    compared.flip_mean <= tolerance.flip_mean
        && compared.flip_p99 <= tolerance.flip_p99
        && *ids_differing as f64 <= tolerance.ids_share * pixels
        && *depth_differing as f64 <= tolerance.depth_share * pixels
}

fn differing<T>(reference: &[T], actual: &[T], differ: impl Fn(&T, &T) -> bool) -> u64 {
    reference.iter().zip(actual).filter(|(a, b)| differ(a, b)).count() as u64
}

fn is_recoloured(a: &[u8; 3], b: &[u8; 3]) -> bool {
    a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > ROUNDING_STEPS)
}

/// Whether two depth codes differ by more than `relative`; something always differs from nothing.
fn is_elsewhere(a: u16, b: u16, relative: f64) -> bool {
    (a == 0) != (b == 0) || f64::from(a.abs_diff(b)) * DEPTH_STEP_RELATIVE > relative
}

/// By nearest rank.
fn percentile(values: &[f32], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    let rank = (share * sorted.len() as f64).ceil() as usize;
    rank.checked_sub(1).and_then(|place| sorted.get(place)).map_or(0.0, |value| f64::from(*value))
}

fn flip_image(planes: &Planes) -> FlipImageRgb8 {
    FlipImageRgb8::with_data(planes.width, planes.height, planes.rgb.as_flattened())
}

fn coloured(error_map: &FlipImageFloat) -> Vec<[u8; 3]> {
    error_map.apply_color_lut(&magma_lut()).to_vec().as_chunks::<3>().0.to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::{Images, Tolerance, Versions};
    use scene_document::{MeshId, NodeId};

    fn adapter(kind: AdapterKind) -> AdapterInfo {
        let [name, backend, driver, driver_info] = ["some", "Vulkan", "driver", "1.0"].map(str::to_owned);
        AdapterInfo { name, kind, backend, driver, driver_info }
    }

    fn sidecar(kind: AdapterKind) -> Sidecar {
        let digest = || String::from("0");
        Sidecar {
            scene_blake3: digest(),
            camera: None,
            width: 64,
            height: 48,
            adapter: adapter(kind),
            versions: Versions::current(),
            ev100: 6.0,
            white_cd_m2: 100.0,
            tonemapping: "none".into(),
            tolerance: Tolerance::default(),
            reason: "a test".into(),
            images: Images { beauty: digest(), ids: digest(), depth: digest() },
            previous: None,
        }
    }

    /// 64 × 48: a red box, 16 pixels wide from `left_px` on, before a grey slope.
    fn picture(left_px: usize) -> Planes {
        let at = |pixel: usize| (pixel % 64, pixel / 64);
        let in_box = |pixel: usize| (left_px..left_px + 16).contains(&at(pixel).0) && (12..36).contains(&at(pixel).1);
        let grey = |pixel: usize| [60 + at(pixel).0 as u8; 3];
        let pixels = 0..64 * 48_usize;
        Planes {
            width: 64,
            height: 48,
            rgb: pixels.clone().map(|pixel| if in_box(pixel) { [200, 40, 40] } else { grey(pixel) }).collect(),
            ids: pixels.clone().map(|pixel| if in_box(pixel) { 1 } else { 2 }).collect(),
            depth: pixels.map(|pixel| if in_box(pixel) { 20_000 } else { 30_000 + at(pixel).0 as u16 }).collect(),
        }
    }

    fn mesh(node: u32, name: &str) -> BakedMesh {
        BakedMesh {
            node: NodeId(node),
            name: name.into(),
            mesh: MeshId(node),
            positions: vec![],
            normals: None,
            uvs: None,
            triangles: vec![],
            triangle_surface: vec![],
            surfaces: vec![],
        }
    }

    /// Against the picture with the box at 16, blessed by `by[0]` and drawn by `by[1]`.
    fn compared(actual: Planes, by: [AdapterKind; 2]) -> Compared {
        let meshes = [mesh(7, "box"), mesh(9, "slope")];
        compare(sidecar(by[0]), picture(16), actual, adapter(by[1]), &meshes, false)
    }

    const EXACT: [AdapterKind; 2] = [AdapterKind::Software, AdapterKind::Software];
    const TOLERANT: [[AdapterKind; 2]; 3] = [
        [AdapterKind::Software, AdapterKind::Gpu],
        [AdapterKind::Gpu, AdapterKind::Software],
        [AdapterKind::Gpu, AdapterKind::Gpu],
    ];

    #[test]
    fn equal_pictures_pass_on_any_adapters() {
        for by in TOLERANT.into_iter().chain([EXACT]) {
            let same = compared(picture(16), by);
            assert!(same.passed && same.exact == (by == EXACT));
            assert_eq!((same.flip_mean, same.flip_p99, same.moved.len()), (0.0, 0.0, 0));
        }
    }

    #[test]
    fn another_scene_file_never_passes() {
        for by in TOLERANT.into_iter().chain([EXACT]) {
            let same = compare(sidecar(by[0]), picture(16), picture(16), adapter(by[1]), &[], true);
            assert!(!same.passed && same.scene_changed && same.colours_differing == 0);
        }
    }

    #[test]
    fn software_must_give_every_pixel() {
        let mut rounded = picture(16);
        rounded.rgb.as_flattened_mut().iter_mut().for_each(|value| *value += 1);
        assert!(compared(rounded, EXACT).passed);
        let mut colour = picture(16);
        colour.rgb[5][1] += 2;
        let mut id = picture(16);
        id.ids[5] = 0;
        let mut depth = picture(16);
        depth.depth[5] += 1;
        for actual in [colour, id, depth] {
            assert!(!compared(actual.clone(), EXACT).passed);
            assert!(TOLERANT.iter().all(|by| compared(actual.clone(), *by).passed));
        }
    }

    #[test]
    fn a_little_noise_passes_where_a_graphics_card_drew() {
        let mut noisy = picture(16);
        for (place, value) in noisy.rgb.as_flattened_mut().iter_mut().step_by(29).enumerate() {
            *value = if place % 3 == 0 { *value - 2 } else { *value + 2 };
        }
        for by in TOLERANT {
            let noise = compared(noisy.clone(), by);
            assert!(noise.passed && noise.flip_mean > 0.0, "{}", noise.flip_mean);
        }
        assert!(!compared(noisy, EXACT).passed);
    }

    #[test]
    fn a_moved_box_fails_everywhere_and_is_the_first_cause() {
        for by in TOLERANT.into_iter().chain([EXACT]) {
            let shifted = compared(picture(20), by);
            assert!(!shifted.passed);
            let [first, second] = shifted.moved.as_slice() else { panic!("{:?}", shifted.moved) };
            assert_eq!((first.node, first.name.as_str()), (NodeId(7), "box"));
            assert_eq!((first.pixels_reference, first.pixels_actual, first.pixels_moved), (384, 384, 192));
            assert_eq!((second.name.as_str(), second.pixels_moved), ("slope", 192));
            assert_eq!(shifted.ids_differing, 192);
            assert!(first.mean_flip > second.mean_flip);
        }
    }

    #[test]
    fn a_recoloured_box_fails_by_flip_alone() {
        let mut recoloured = picture(16);
        for color in recoloured.rgb.iter_mut().filter(|color| **color == [200, 40, 40]) {
            *color = [40, 200, 40];
        }
        let result = compared(recoloured, TOLERANT[0]);
        assert!(!result.passed && result.ids_differing == 0 && result.depth_differing == 0);
        let [only] = result.moved.as_slice() else { panic!("{:?}", result.moved) };
        assert_eq!((only.name.as_str(), only.pixels_moved, only.pixels_changed), ("box", 0, 384));
        assert!(result.flip_p99 > 0.1 && result.flip_map_rgb.len() == 64 * 48);
    }

    /// A thousandth of 3072 pixels is three.
    #[test]
    fn three_pixels_may_show_another_node_or_depth_and_four_may_not() {
        let other_ids = |count: usize| {
            let mut planes = picture(16);
            planes.ids[..count].fill(0);
            planes
        };
        let other_depth = |count: usize, codes: u16| {
            let mut planes = picture(16);
            planes.depth[..count].iter_mut().for_each(|depth| *depth += codes);
            planes
        };
        for by in TOLERANT {
            assert!(compared(other_ids(3), by).passed && !compared(other_ids(4), by).passed);
            assert!(compared(other_depth(3, 4), by).passed && !compared(other_depth(4, 4), by).passed);
            assert!(compared(other_depth(3072, 3), by).passed);
            let mut absent = picture(16);
            absent.depth[..4].fill(0);
            assert!(!compared(absent, by).passed);
        }
    }

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let hundred: Vec<f32> = (1..=100).rev().map(|value| value as f32).collect();
        assert_eq!(percentile(&hundred, 0.99), 99.0);
        assert_eq!((percentile(&[0.25], 0.99), percentile(&[], 0.99)), (0.25, 0.0));
    }
}
