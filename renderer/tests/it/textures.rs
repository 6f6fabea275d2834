//! Textures and what else a material has beside its factors: against colours reckoned by hand, and against plain
//! materials that must look the same.

use crate::golden::renderer;
use crate::golden_scenes::stage::{Stage, at, one, turned};
use crate::scenes::{draw, draw_by, ids, light, linear, overview, scene, solids};
use nalgebra::{Matrix4, Vector3};
use renderer::{AdapterChoice, Pass, Pixels, Renderer};
use scene_document::{
    AlphaMode, Baked, BakedLight, Clearcoat, Environment, Filter, Geometry, Image, Ior, LightKind, Material,
    MaterialExtensions, Projection, Sampler, Specular, TextureSlot, TextureUse, Triangles, Trs, Unlit, UvTransform,
    View, Wrap, gltf,
};
use std::sync::Arc;

const SIDE: u32 = 64;
const RED: [u8; 4] = [255, 0, 0, 255];
const GREEN: [u8; 4] = [0, 255, 0, 255];
const BLUE: [u8; 4] = [0, 0, 255, 255];
const WHITE: [u8; 4] = [255; 4];
const BLACK: [u8; 4] = [0, 0, 0, 255];

/// A texture in a slot of the wall's material.
#[derive(Clone)]
struct Shows {
    slot: TextureSlot,
    image: Arc<Image>,
    sampler: Sampler,
    transform: Option<UvTransform>,
    amount: f64,
}

fn image<const WIDTH: usize>(rows: &[[[u8; 4]; WIDTH]]) -> Arc<Image> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, WIDTH as u32, rows.len() as u32);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(rows.as_flattened().as_flattened()).unwrap();
    writer.finish().unwrap();
    Arc::new(Image::new(file).unwrap())
}

/// Unfiltered, as often as it takes.
fn shows(slot: TextureSlot, image: Arc<Image>) -> Shows {
    let sampler = Sampler { filter: Filter::Nearest, ..Sampler::default() };
    Shows { slot, image, sampler, transform: None, amount: 1.0 }
}

/// Of one colour.
fn plain(slot: TextureSlot, texel: [u8; 4]) -> Shows {
    shows(slot, image(&[[texel]]))
}

/// One-sided, 2 m a side, seen by `front` from where u goes to the right and v downwards over all of the picture.
fn wall(transform: Trs, mut material: Material, textures: &[Shows]) -> Baked {
    let mut stage = Stage::default();
    for Shows { slot, image, sampler, transform, amount } in textures.iter().cloned() {
        let create = scene_document::Edit::CreateTexture { name: String::new(), image, sampler };
        let texture = stage.edit(create).textures[0];
        material.textures.insert(slot, TextureUse { transform, amount, ..TextureUse::of(texture) });
    }
    let material = stage.material(material);
    let triangles = Triangles {
        positions: vec![[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]],
        uvs: Some(vec![[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]),
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        ..Triangles::default()
    };
    stage.mesh(None, "wall", transform, one(Geometry::Raw(Arc::new(triangles)), material));
    stage.scene.bake()
}

fn lit(lights: Vec<BakedLight>, baked: Baked) -> Arc<Baked> {
    Arc::new(Baked { lights, ..baked })
}

/// From the front, without perspective: pixel (x, y) shows u = (x + 0.5) / SIDE, v = (y + 0.5) / SIDE.
fn front() -> View {
    let projection = Projection::Orthographic { xmag_m: 1.0, ymag_m: 1.0, znear_m: 0.1, zfar_m: 10.0 };
    let world_from_camera = Matrix4::new_translation(&Vector3::new(0.0, 0.0, 4.0));
    View { world_from_camera, projection, width: SIDE, height: SIDE }
}

fn pixel(u: f64, v: f64) -> usize {
    let at = |part: f64| (part * f64::from(SIDE)) as usize;
    at(v) * SIDE as usize + at(u)
}

/// Base colours at places (u, v), as bytes of linear light.
fn base_colours<const N: usize>(baked: Baked, places: [[f64; 2]; N]) -> [[u8; 3]; N] {
    let pixels = linear(&Arc::new(baked), &front(), Pass::Albedo);
    places.map(|[u, v]| pixels[pixel(u, v)].map(|part| (part * 255.0).round() as u8))
}

/// cd/m² near the middle, off the edge between the triangles.
fn luminance(scene: &Arc<Baked>) -> [f64; 3] {
    linear(scene, &front(), Pass::Hdr)[pixel(0.6, 0.7)].map(f64::from)
}

fn assert_near(drawn: [f64; 3], expected: [f64; 3], tolerance: f64) {
    let near = |(drawn, expected): (&f64, &f64)| (drawn - expected).abs() <= tolerance * expected.abs() + 1e-3;
    assert!(drawn.iter().zip(&expected).all(near), "{drawn:?}, not {expected:?}");
}

fn rgb([red, green, blue, _]: [u8; 4]) -> [u8; 3] {
    [red, green, blue]
}

fn four() -> Arc<Image> {
    image(&[[RED, GREEN], [BLUE, WHITE]])
}

/// Lux of a sun that shines against the wall from its front.
fn sun(from: [f64; 3]) -> Vec<BakedLight> {
    vec![light(LightKind::Directional, 100.0, from)]
}

fn matt(grey: f64) -> Material {
    Material { base_color: [grey, grey, grey, 1.0], ..Material::default() }
}

#[test]
fn an_image_is_where_the_texture_coordinates_say() {
    let baked = wall(Trs::IDENTITY, Material::default(), &[shows(TextureSlot::BaseColor, four())]);
    let seen = base_colours(baked, [[0.25, 0.25], [0.75, 0.25], [0.25, 0.75], [0.75, 0.75]]);
    assert_eq!(seen, [RED, GREEN, BLUE, WHITE].map(rgb));
    let tinted = Material { base_color: [1.0, 0.4, 0.2, 1.0], ..Material::default() };
    let baked = wall(Trs::IDENTITY, tinted, &[shows(TextureSlot::BaseColor, four())]);
    assert_eq!(base_colours(baked, [[0.75, 0.25], [0.75, 0.75]]), [[0, 102, 0], [255, 102, 51]]);
}

#[test]
fn beyond_its_edges_an_image_goes_on_as_its_sampler_says() {
    let stretched = |wrap: Wrap, offset: f64, places: [f64; 2]| {
        let sampler = Sampler { wrap_u: wrap, filter: Filter::Nearest, ..Sampler::default() };
        let transform = Some(UvTransform { scale: [2.0, 1.0], offset: [offset, 0.0], ..UvTransform::default() });
        let texture = Shows { sampler, transform, ..shows(TextureSlot::BaseColor, image(&[[RED, GREEN]])) };
        base_colours(wall(Trs::IDENTITY, Material::default(), &[texture]), places.map(|u| [u, 0.5]))
    };
    for (wrap, after, before) in [
        (Wrap::Repeat, [RED, GREEN], [RED, GREEN]),
        (Wrap::MirroredRepeat, [GREEN, RED], [GREEN, RED]),
        (Wrap::ClampToEdge, [GREEN, GREEN], [RED, RED]),
    ] {
        assert_eq!(stretched(wrap, 0.0, [0.625, 0.875]), after.map(rgb), "{wrap:?}");
        assert_eq!(stretched(wrap, -1.0, [0.125, 0.375]), before.map(rgb), "{wrap:?}");
    }
}

/// Two texels, so that between their centres light grows evenly with u.
#[test]
fn between_texels_light_is_mixed() {
    let across = |wrap: Wrap| {
        let sampler = Sampler { wrap_u: wrap, ..Sampler::default() };
        let texture = Shows { sampler, ..shows(TextureSlot::BaseColor, image(&[[BLACK, WHITE]])) };
        let baked = wall(Trs::IDENTITY, Material::default(), &[texture]);
        let pixels = linear(&Arc::new(baked), &front(), Pass::Albedo);
        (0..SIDE as usize).map(|column| f64::from(pixels[32 * SIDE as usize + column][0])).collect::<Vec<f64>>()
    };
    for (wrap, at_the_edge) in [(Wrap::ClampToEdge, 0.0), (Wrap::MirroredRepeat, 0.0), (Wrap::Repeat, 0.484_375)] {
        let seen = across(wrap);
        for (column, seen) in seen.iter().enumerate().skip(16).take(32) {
            let expected = 2.0 * (column as f64 + 0.5) / f64::from(SIDE) - 0.5;
            assert!((seen - expected).abs() < 2e-3, "{wrap:?}, column {column}: {seen}, not {expected}");
        }
        assert!((seen[0] - at_the_edge).abs() < 2e-3, "{wrap:?}: {}", seen[0]);
    }
}

/// Far away only the mean of an image is left, and it is a mean of light.
#[test]
fn an_image_seen_from_afar_is_its_mean() {
    let transform = Some(UvTransform { scale: [64.0; 2], ..UvTransform::default() });
    let checker = image(&[[BLACK, WHITE], [WHITE, BLACK]]);
    let texture = Shows { sampler: Sampler::default(), transform, ..shows(TextureSlot::BaseColor, checker) };
    let pixels = linear(&Arc::new(wall(Trs::IDENTITY, Material::default(), &[texture])), &front(), Pass::Albedo);
    // The mean is stored in eight bits of sRGB.
    assert!(pixels.iter().flatten().all(|part| (part - 0.5).abs() < 0.005), "{:?}", pixels[0]);
}

/// By hand: with a quarter turn u' = v and v' = −u.
#[test]
fn coordinates_are_scaled_then_turned_then_moved() {
    let transformed = |transform: UvTransform, places: [[f64; 2]; 4]| {
        let texture = Shows { transform: Some(transform), ..shows(TextureSlot::BaseColor, four()) };
        base_colours(wall(Trs::IDENTITY, Material::default(), &[texture]), places)
    };
    let turn = UvTransform { rotation_rad: std::f64::consts::FRAC_PI_2, ..UvTransform::default() };
    let quarters = [[0.25, 0.25], [0.75, 0.25], [0.25, 0.75], [0.75, 0.75]];
    // The image is turned clockwise.
    assert_eq!(transformed(turn, quarters), [BLUE, RED, WHITE, GREEN].map(rgb));
    // u' = v + 0.5, v' = −2 u.
    let all = UvTransform { scale: [2.0, 1.0], offset: [0.5, 0.0], ..turn };
    let places = [[0.1, 0.1], [0.3, 0.1], [0.1, 0.6], [0.3, 0.6]];
    assert_eq!(transformed(all, places), [WHITE, GREEN, BLUE, RED].map(rgb));
}

#[test]
fn a_grey_image_looks_like_the_grey_that_it_encodes() {
    let grey = libm::pow((128.0 / 255.0 + 0.055) / 1.055, 2.4);
    let textured = wall(Trs::IDENTITY, Material::default(), &[plain(TextureSlot::BaseColor, [128, 128, 128, 255])]);
    let (textured, factor) = (Arc::new(textured), Arc::new(wall(Trs::IDENTITY, matt(grey), &[])));
    let [textured, factor] = [textured, factor].map(|scene| draw(&scene, &front(), Pass::Beauty).rgb());
    assert!(factor.iter().flatten().all(|part| *part > 50));
    for (textured, factor) in textured.iter().flatten().zip(factor.iter().flatten()) {
        assert!(textured.abs_diff(*factor) <= 1, "{textured}, not {factor}");
    }
}

#[test]
fn green_is_roughness_and_blue_is_metalness() {
    let factors = |metallic: f64, roughness: f64, textures: &[Shows]| {
        let material = Material { metallic, roughness, ..matt(0.6) };
        luminance(&lit(sun([1.0, 1.5, 4.0]), wall(Trs::IDENTITY, material, textures)))
    };
    let textured = factors(0.8, 0.9, &[plain(TextureSlot::MetallicRoughness, [17, 128, 200, 99])]);
    let expected = factors(0.8 * 200.0 / 255.0, 0.9 * 128.0 / 255.0, &[]);
    assert_near(textured, expected, 5e-3);
    let untextured = factors(0.8, 0.9, &[]);
    assert!((untextured[0] / expected[0] - 1.0).abs() > 0.1, "{untextured:?} and {expected:?} are alike");
}

#[test]
fn an_emissive_image_is_decoded_and_multiplied() {
    let material = Material { emissive: [1.0, 0.5, 1.0], emissive_strength: 50.0, ..matt(0.0) };
    let glow = wall(Trs::IDENTITY, material, &[plain(TextureSlot::Emissive, [128, 255, 0, 255])]);
    let dark = vec![light(LightKind::Directional, 0.0, [0.0, 0.0, 4.0])];
    assert_near(luminance(&lit(dark, glow)), [0.215_86 * 50.0, 25.0, 0.0], 3e-3);
}

#[test]
fn occlusion_takes_its_strength_of_the_light_from_all_sides() {
    let occlusion = Shows { amount: 0.5, ..plain(TextureSlot::Occlusion, [128, 0, 255, 255]) };
    let environment = Some(Environment { color: [1.0; 3], luminance_cd_m2: 80.0 });
    let scene = Arc::new(Baked { environment, ..wall(Trs::IDENTITY, matt(0.5), &[occlusion]) });
    assert_near(luminance(&scene), [0.5 * 80.0 * (1.0 + 0.5 * (128.0 / 255.0 - 1.0)); 3], 3e-3);
}

/// A wall whose map tilts its normal is lit as one that is tilted, seen from the same side.
#[test]
fn a_normal_map_tilts_towards_the_right_and_the_top_of_its_image() {
    let from = [2.0, 1.0, 3.0];
    let flat = luminance(&lit(sun(from), wall(Trs::IDENTITY, matt(0.8), &[])));
    // Unit vectors at 30° from z, as stored.
    for (texel, axis, angle_deg) in
        [([191, 128, 238, 255], [0.0, 1.0, 0.0], 30.0), ([128, 191, 238, 255], [1.0, 0.0, 0.0], -30.0)]
    {
        let mapped = |amount: f64| {
            let map = Shows { amount, ..plain(TextureSlot::Normal, texel) };
            luminance(&lit(sun(from), wall(Trs::IDENTITY, matt(0.8), &[map])))
        };
        let tilted = |angle_deg: f64| {
            let transform = turned(at(0.0, 0.0, 0.0), axis, angle_deg);
            luminance(&lit(sun(from), wall(transform, matt(0.8), &[])))
        };
        assert_near(mapped(1.0), tilted(angle_deg), 0.01);
        assert_near(mapped(-1.0), tilted(-angle_deg), 0.01);
        assert_near(mapped(0.0), flat, 0.01);
        assert!((mapped(1.0)[0] / mapped(-1.0)[0] - 1.0).abs() > 0.1);
    }
}

#[test]
fn what_a_mask_or_a_faint_image_hides_is_not_there() {
    let half = || image(&[[[255, 255, 255, 0], WHITE]]);
    for (alpha_mode, expected) in [(AlphaMode::Mask, 0), (AlphaMode::Blend, 0), (AlphaMode::Opaque, 1)] {
        let material = Material { base_color: [0.8, 0.8, 0.8, 0.9], alpha_mode, ..Material::default() };
        let scene = Arc::new(wall(Trs::IDENTITY, material, &[shows(TextureSlot::BaseColor, half())]));
        let [left, right] = [pixel(0.25, 0.5), pixel(0.75, 0.5)];
        let ids = ids(&scene, &front());
        assert_eq!([ids[left], ids[right]], [expected, 1], "{alpha_mode:?}");
        let Pixels::DepthM(depth_m) = draw(&scene, &front(), Pass::Depth).pixels else { panic!("no depths") };
        assert_eq!([depth_m[left].is_finite(), depth_m[right].is_finite()], [expected == 1, true], "{alpha_mode:?}");
        let beauty = draw(&scene, &front(), Pass::Beauty).rgb();
        assert_eq!([beauty[left] == [96; 3], beauty[right] == [96; 3]], [expected == 0, false], "{alpha_mode:?}");
    }
}

#[test]
fn what_is_unlit_has_its_base_colour_whatever_the_light() {
    let extensions = MaterialExtensions { unlit: Some(Unlit {}), ..MaterialExtensions::default() };
    let material = Material { base_color: [0.2, 0.5, 1.0, 1.0], extensions, ..Material::default() };
    for lights in [vec![], sun([1.0, 1.0, 1.0]), sun([0.0, 0.0, -1.0])] {
        let scene = lit(lights, wall(Trs::IDENTITY, material.clone(), &[]));
        assert_near(luminance(&scene), [20.0, 50.0, 100.0], 2e-3);
        let drawn = draw(&scene, &front(), Pass::Beauty).rgb()[pixel(0.6, 0.7)];
        assert!(drawn.into_iter().zip([124_u8, 188, 255]).all(|(part, of)| part.abs_diff(of) <= 1), "{drawn:?}");
    }
}

/// A black wall that mirrors a sun behind the camera.
fn mirrored(roughness: f64, extensions: MaterialExtensions) -> f64 {
    let material = Material { roughness, extensions, ..matt(0.0) };
    luminance(&lit(sun([0.0, 0.0, 4.0]), wall(Trs::IDENTITY, material, &[])))[0]
}

#[test]
fn highlights_are_as_strong_as_specular_and_index_of_refraction_say() {
    let none = MaterialExtensions::default();
    let plain = mirrored(0.3, none);
    assert!(plain > 1.0, "{plain}");
    let specular = |factor: f64| MaterialExtensions { specular: Some(Specular { factor, color: [1.0; 3] }), ..none };
    let ior = |ior: f64| MaterialExtensions { ior: Some(Ior { ior }), ..none };
    assert_eq!(mirrored(0.3, specular(0.0)), 0.0);
    assert_eq!(mirrored(0.3, ior(1.0)), 0.0);
    assert!((mirrored(0.3, specular(0.5)) / plain - 0.5).abs() < 0.02);
    // ((2 − 1) / (2 + 1))² instead of 0.04.
    assert!((mirrored(0.3, ior(2.0)) / plain * 0.04 * 9.0 - 1.0).abs() < 0.05);
}

#[test]
fn a_clear_coat_adds_a_highlight() {
    let coated = |factor: f64| {
        let clearcoat = Some(Clearcoat { factor, roughness: 0.2 });
        mirrored(1.0, MaterialExtensions { clearcoat, ..MaterialExtensions::default() })
    };
    let [bare, half, full] = [0.0, 0.5, 1.0].map(coated);
    assert!(half > 5.0 * bare && full > 1.5 * half, "{bare} {half} {full}");
}

/// Such images come in files only.
#[test]
fn an_image_that_is_too_large_is_named_and_everything_else_is_drawn() {
    const FILE: &str = r#"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [0.4, 0.6, 0.8, 1], "metallicFactor": 0,
            "baseColorTexture": {"index": 0}}, "emissiveFactor": [1, 1, 1], "emissiveTexture": {"index": 1}}],
        "textures": [{"source": 0}, {"source": 1}], "images": [{"uri": "wide.png"}, {"uri": "black.png"}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [-1, -1, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC2"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 24}],
        "buffers": [{"uri": "wall.bin", "byteLength": 60}]}"#;
    let numbers: [f32; 15] = [-1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0];
    let black = image(&[[BLACK]]);
    let beside = |uri: &str| match uri {
        "wide.png" => Some(wide_png()),
        "black.png" => Some(black.bytes().to_vec()),
        _ => Some(bytemuck::cast_slice::<f32, u8>(&numbers).to_vec()),
    };
    let import = gltf::read(FILE.as_bytes(), &beside, &gltf::Limits::default()).unwrap();
    let scene = Arc::new(import.scene.bake());
    let picture = draw(&scene, &front(), Pass::Albedo);
    let [note] = picture.notes.as_slice() else { panic!("{:?}", picture.notes) };
    assert!(note.contains("baseColorTexture of mat_1 is not drawn"), "{note}");
    let Pixels::Linear(pixels) = picture.pixels else { panic!("no colours") };
    let [red, green, blue] = pixels[pixel(0.75, 0.75)].map(f64::from);
    assert_near([red, green, blue], [0.4, 0.6, 0.8], 2e-3);
    // The other texture is drawn: it lets nothing glow.
    let lit = lit(vec![light(LightKind::Directional, 0.0, [0.0, 0.0, 4.0])], Baked::clone(&scene));
    assert_eq!(linear(&lit, &front(), Pass::Hdr)[pixel(0.75, 0.75)], [0.0; 3]);
}

/// 2049 × 1.
fn wide_png() -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 2049, 1);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[0; 2049]).unwrap();
    writer.finish().unwrap();
    file
}

/// The wall with a texture in that slot, used as only files use one.
fn misused(slot: TextureSlot, change: impl Fn(&mut TextureUse)) -> Arc<Baked> {
    let mut baked = wall(Trs::IDENTITY, Material::default(), &[plain(slot, RED)]);
    let (id, mut material) =
        baked.materials.iter().next().map(|(id, material)| (*id, Material::clone(material))).unwrap();
    material.textures.values_mut().for_each(change);
    baked.materials.insert_mut(id, Arc::new(material));
    Arc::new(baked)
}

#[test]
fn texture_coordinates_that_are_not_read_are_named() {
    let picture = draw(&misused(TextureSlot::BaseColor, |used| used.tex_coord = 1), &front(), Pass::Albedo);
    assert!(picture.notes.iter().any(|note| note.contains("TEXCOORD_1")), "{:?}", picture.notes);
}

#[test]
fn numbers_past_single_precision_are_named_and_the_texture_is_left_out() {
    let moved = |transform: UvTransform| misused(TextureSlot::BaseColor, move |used| used.transform = Some(transform));
    let usual = UvTransform::default();
    let bumpy = |amount: f64| misused(TextureSlot::Normal, move |used| used.amount = amount);
    for (scene, slot, number) in [
        (moved(UvTransform { offset: [0.0, 1e30], ..usual }), "baseColorTexture", "1e30"),
        (moved(UvTransform { scale: [-2e6, 1.0], ..usual }), "baseColorTexture", "-2e6"),
        (moved(UvTransform { rotation_rad: f64::INFINITY, ..usual }), "baseColorTexture", "inf"),
        (bumpy(1e30), "normalTexture", "1e30"),
        (bumpy(f64::NAN), "normalTexture", "NaN"),
        (misused(TextureSlot::Occlusion, |used| used.amount = -3.0), "occlusionTexture", "-3e0"),
    ] {
        let picture = draw(&scene, &front(), Pass::Albedo);
        let [note] = picture.notes.as_slice() else { panic!("{:?}", picture.notes) };
        assert!(note.contains(&format!("the {slot} of ")) && note.contains(number), "{note}");
        let Pixels::Linear(pixels) = picture.pixels else { panic!("no colours") };
        assert_near(pixels[pixel(0.6, 0.7)].map(f64::from), [1.0; 3], 2e-3);
    }
    let most = UvTransform { scale: [1e6; 2], offset: [-1e6; 2], ..usual };
    assert!(draw(&moved(most), &front(), Pass::Albedo).notes.is_empty());
}

#[test]
fn a_textured_picture_is_the_same_alone_and_after_others() {
    let subject = || {
        let material = Material { roughness: 0.4, ..Material::default() };
        let textures = [shows(TextureSlot::BaseColor, four()), plain(TextureSlot::Normal, [150, 110, 230, 255])];
        lit(sun([1.0, 1.0, 3.0]), wall(Trs::IDENTITY, material, &textures))
    };
    let fresh = Renderer::new(AdapterChoice::Auto);
    let passes = [Pass::Beauty, Pass::Hdr, Pass::Albedo, Pass::Id];
    let alone = passes.map(|pass| draw_by(&fresh, &subject(), &front(), pass).pixels);
    drop(fresh);
    let others = [
        Arc::new(wall(Trs::IDENTITY, matt(0.5), &[plain(TextureSlot::BaseColor, BLUE)])),
        Arc::new(wall(
            Trs::IDENTITY,
            matt(0.5),
            &[plain(TextureSlot::Emissive, GREEN), shows(TextureSlot::BaseColor, four())],
        )),
    ];
    for other in &others {
        draw_by(renderer(), other, &front(), Pass::Beauty);
    }
    draw_by(renderer(), &scene(solids(), vec![]), &overview(48, 32), Pass::Beauty);
    for (pass, alone) in passes.into_iter().zip(alone) {
        // Not `assert_eq`: it would print every pixel.
        assert!(draw_by(renderer(), &subject(), &front(), pass).pixels == alone, "{pass}");
    }
}
