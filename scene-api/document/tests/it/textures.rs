//! Textures and material extensions: edits, and a file's there and back.

use crate::glb::{chunks, glb_of};
use crate::gltf_data::{cases, error_codes, with_file};
use crate::gltf_read::triangle;
use crate::images::{checker, jpeg};
use crate::scenes::{cuboid, edited, id_of, named, of_geometry, with_mesh};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use scene_document::gltf::{Limits, ReadError, Severity, check, read, write_glb, write_gltf};
use scene_document::{
    Anisotropy, Clearcoat, Dispersion, Edit, EditError, Filter, Geometry, Image, ImageError, Ior, Iridescence, Kept,
    Material, MaterialExtensions, MaterialId, Sampler, Scene, Sheen, Specular, Texels, TextureId, TextureSlot,
    TextureUse, Transmission, Triangles, Unlit, UvTransform, Volume, Wrap, apply,
};
use serde_json::{Value, json};
use std::sync::Arc;

fn with_texture(scene: &Scene, name: &str, image: Image, sampler: Sampler) -> (Scene, TextureId) {
    let done = edited(scene, Edit::CreateTexture { name: name.into(), image: Arc::new(image), sampler });
    (done.scene, done.changed.textures[0])
}

fn every_extension() -> MaterialExtensions {
    MaterialExtensions {
        anisotropy: Some(Anisotropy { strength: 0.5, rotation_rad: -1.0 }),
        clearcoat: Some(Clearcoat { factor: 0.75, roughness: 0.25 }),
        dispersion: Some(Dispersion { factor: 0.1 }),
        ior: Some(Ior { ior: 1.33 }),
        iridescence: Some(Iridescence { factor: 1.0, ior: 1.4, thickness_min_nm: 200.0, thickness_max_nm: 300.0 }),
        sheen: Some(Sheen { color: [0.1, 0.2, 0.3], roughness: 0.4 }),
        specular: Some(Specular { factor: 0.5, color: [1.0, 2.0, 0.5] }),
        transmission: Some(Transmission { factor: 0.9 }),
        unlit: Some(Unlit {}),
        volume: Some(Volume {
            thickness_m: 0.01,
            attenuation_distance_m: Some(0.5),
            attenuation_color: [0.5, 0.75, 1.0],
        }),
    }
}

/// A square with texture coordinates, whose material has a texture in every slot and every extension.
fn textured() -> (Scene, Material) {
    let clamped = Sampler { wrap_u: Wrap::ClampToEdge, wrap_v: Wrap::MirroredRepeat, filter: Filter::Nearest };
    let (scene, first) = with_texture(&Scene::default(), "squares", checker(), Sampler::default());
    let (scene, second) = with_texture(&scene, "", Image::new(jpeg(3, 5)).unwrap(), clamped);
    let (scene, third) = with_texture(&scene, "again", checker(), clamped);
    let transform = UvTransform { offset: [0.5, 0.25], rotation_rad: 0.3, scale: [2.0, 3.0], ..UvTransform::default() };
    let material = Material {
        name: "all".into(),
        emissive: [0.5; 3],
        textures: [
            (TextureSlot::BaseColor, TextureUse { transform: Some(transform), ..TextureUse::of(first) }),
            (TextureSlot::MetallicRoughness, TextureUse::of(second)),
            (TextureSlot::Normal, TextureUse { amount: 0.5, ..TextureUse::of(third) }),
            (TextureSlot::Occlusion, TextureUse { amount: 0.75, ..TextureUse::of(first) }),
            (TextureSlot::Emissive, TextureUse { tex_coord: 1, ..TextureUse::of(second) }),
        ]
        .into(),
        extensions: every_extension(),
        ..Material::default()
    };
    let scene = edited(&scene, Edit::CreateMaterial(material.clone())).scene;
    let square = Triangles {
        positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
        uvs: Some(vec![[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]),
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        ..Triangles::default()
    };
    let (scene, node) = with_mesh(&scene, named("square"), of_geometry(Geometry::Raw(Arc::new(square))));
    (edited(&scene, Edit::AssignMaterial { node, material: MaterialId(1) }).scene, material)
}

fn read_back(scene: &Scene) -> Scene {
    let glb = write_glb(scene).unwrap();
    assert_eq!(glb, write_glb(scene).unwrap(), "the same scene is the same bytes");
    let errors: Vec<_> = check(&glb, &|_| None).into_iter().filter(|issue| issue.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    read(&glb, &|_| None, &Limits::default()).unwrap().scene
}

/// The bytes of each texture's image, and its sampler.
fn shown(json: &Value, blob: &[u8]) -> Vec<(Vec<u8>, Value)> {
    let at = |value: &Value| value.as_u64().unwrap() as usize;
    let textures = json["textures"].as_array().unwrap().iter().map(|texture| {
        let view = &json["bufferViews"][at(&json["images"][at(&texture["source"])]["bufferView"])];
        let start = at(&view["byteOffset"]);
        (blob[start..start + at(&view["byteLength"])].to_vec(), json["samplers"][at(&texture["sampler"])].clone())
    });
    textures.collect()
}

#[test]
fn every_slot_and_every_extension_is_read_back() {
    let (scene, material) = textured();
    let again = read_back(&scene);
    assert_eq!(**again.materials().get(&MaterialId(1)).unwrap(), material);
    assert_eq!(read_back(&again).materials(), again.materials());

    let (json, blob) = write_gltf(&again).unwrap();
    let found = shown(&json, &blob);
    let images = [checker().bytes().to_vec(), jpeg(3, 5), checker().bytes().to_vec()];
    assert_eq!(found.iter().map(|(bytes, _)| bytes.clone()).collect::<Vec<_>>(), images);
    let clamped = json!({"magFilter": 9728, "minFilter": 9984, "wrapS": 33071, "wrapT": 33648});
    assert_eq!((&found[1].1, &found[2].1), (&clamped, &clamped));
    assert_eq!(json["images"].as_array().unwrap().len(), 2, "equal images are written once");
    assert_eq!(json["samplers"].as_array().unwrap().len(), 2);
    let names: Vec<&str> = again.textures().values().map(|texture| texture.name.as_str()).collect();
    assert_eq!(names, ["squares", "", "again"]);

    let triangles = again.meshes().values().next().unwrap().primitives[0].geometry.triangles();
    assert_eq!(triangles.uvs.as_ref().unwrap()[1], [1.0, 1.0]);
    let attributes = &json["meshes"][0]["primitives"][0]["attributes"];
    assert!(attributes["TEXCOORD_1"].is_u64(), "the second set is there, all zeros: {attributes}");
    let used = json["extensionsUsed"].as_array().unwrap();
    assert_eq!(used.len(), 11, "ten of materials and the transform: {used:?}");
}

#[test]
fn what_a_file_says_beside_factors_is_kept() {
    let (mut json, bin) = triangle();
    json["extensionsUsed"] = json!(["KHR_materials_clearcoat", "KHR_materials_ior", "KHR_texture_transform"]);
    json["images"] = json!([{"uri": "a.png", "name": "wood"}]);
    json["textures"] = json!([{"source": 0}]);
    let material = json!({
        "name": "varnish",
        "pbrMetallicRoughness": {
            "baseColorFactor": [1.0, 1.0, 1.0, 1.0], "metallicFactor": 0.0, "roughnessFactor": 1.0,
            "baseColorTexture": {
                "index": 0, "extras": {"a": 1},
                "extensions": {"KHR_texture_transform": {"offset": [0.5, 0.0], "extras": {"b": 2}}},
            },
        },
        "extensions": {
            "KHR_materials_clearcoat": {
                "clearcoatFactor": 0.5, "clearcoatRoughnessFactor": 0.0, "clearcoatTexture": {"index": 0},
                "extras": {"c": 3},
            },
            "KHR_materials_ior": {"ior": "high"},
        },
    });
    json["materials"] = json!([material]);
    let image = checker();
    let resolve = |_: &str| Some(image.bytes().to_vec());
    let import = read(&glb_of(&json, &bin), &resolve, &Limits::default()).unwrap();
    let read_material = import.scene.materials().get(&MaterialId(1)).unwrap();
    assert_eq!(read_material.extensions.clearcoat, Some(Clearcoat { factor: 0.5, roughness: 0.0 }));
    assert_eq!(read_material.extensions.ior, None, "what is malformed stays as it stands");
    let texture = import.scene.textures().get(&TextureId(1)).unwrap();
    assert_eq!((texture.name.as_str(), &texture.texels), ("wood", &Texels::Imported(0)));
    assert_eq!(write_gltf(&import.scene).unwrap().0["materials"][0], material);
}

#[test]
fn textures_of_a_file_have_their_images_and_samplers() {
    let (mut json, bin) = triangle();
    let in_text = format!("data:image/jpeg;base64,{}", STANDARD.encode(jpeg(3, 5)));
    let mut vast = checker().bytes().to_vec();
    vast[16..24].copy_from_slice(&[0, 0, 0x20, 1, 0, 0, 0, 4]);
    let resolve = |uri: &str| match uri {
        "a.png" => Some(checker().bytes().to_vec()),
        "vast.png" => Some(vast.clone()),
        "a.webp" => Some(b"RIFF\x04\0\0\0WEBP".to_vec()),
        _ => None,
    };
    json["extensionsUsed"] = json!(["KHR_texture_basisu"]);
    json["images"] = json!([{"uri": "a.png"}, {"uri": in_text}, {"uri": "a.webp"}, {"uri": "vast.png"}]);
    json["samplers"] = json!([
        {"wrapS": 33071, "wrapT": 33648, "magFilter": 9728, "minFilter": 9987},
        {"minFilter": 9984},
        {"wrapT": 10497, "magFilter": 9729, "minFilter": 9728},
    ]);
    json["textures"] = json!([
        {"source": 0, "sampler": 0}, {"source": 1, "sampler": 1}, {"source": 2, "sampler": 2}, {"source": 3},
        {"extensions": {"KHR_texture_basisu": {"source": 0}}},
    ]);
    let scene = read(&glb_of(&json, &bin), &resolve, &Limits::default()).unwrap().scene;
    let shown = |scene: &Scene| -> Vec<Option<Vec<u8>>> {
        let source = scene.source().map(AsRef::as_ref);
        let images = scene.textures().values().map(|texture| texture.image(source));
        images.map(|image| Some(image?.bytes().to_vec())).collect()
    };
    let expected = [Some(checker().bytes().to_vec()), Some(jpeg(3, 5)), None, Some(vast.clone()), None];
    assert_eq!(shown(&scene), expected);
    let again = read(&write_glb(&scene).unwrap(), &|_| None, &Limits::default()).unwrap().scene;
    assert_eq!(shown(&again), expected);

    let source = scene.source().map(AsRef::as_ref);
    let samplers: Vec<Sampler> = scene.textures().values().map(|texture| texture.sampler(source)).collect();
    let clamped = Sampler { wrap_u: Wrap::ClampToEdge, wrap_v: Wrap::MirroredRepeat, filter: Filter::Nearest };
    let near = Sampler { filter: Filter::Nearest, ..Sampler::default() };
    let usual = Sampler::default();
    assert_eq!(samplers, [clamped, near, usual, usual, usual]);
    let refused = scene.textures().get(&TextureId(4)).unwrap().image(source).unwrap().rgba8();
    assert_eq!(refused, Err(ImageError::TooLarge { width: 8193, height: 4, most: 8192 }));

    let (made, id) = with_texture(&scene, "made", checker(), clamped);
    let texture = made.textures().get(&id).unwrap();
    assert_eq!(texture.image(None).map(|image| image.bytes().to_vec()), Some(checker().bytes().to_vec()));
    assert_eq!(texture.sampler(None), clamped);
    assert_eq!(scene.textures().get(&TextureId(1)).unwrap().image(None), None);
}

#[test]
fn numbers_that_an_edit_may_not_bring_are_read_as_they_are() {
    let (mut json, bin) = triangle();
    json["extensionsUsed"] = json!(["KHR_materials_ior", "KHR_materials_emissive_strength"]);
    let extensions = json!({
        "KHR_materials_ior": {"ior": 1e39}, "KHR_materials_emissive_strength": {"emissiveStrength": 1e39},
    });
    json["materials"] = json!([{"emissiveFactor": [1.0, 1.0, 1.0], "extensions": extensions}]);
    let scene = read(&glb_of(&json, &bin), &|_| None, &Limits::default()).unwrap().scene;
    let material = scene.materials().get(&MaterialId(1)).unwrap();
    assert_eq!((material.emissive_strength, material.extensions.ior), (1e39, Some(Ior { ior: 1e39 })));
    assert_eq!(write_gltf(&scene).unwrap().0["materials"][0]["extensions"], extensions);
}

#[test]
fn what_is_made_goes_out_after_what_was_read() {
    let (scene, _) = textured();
    let old = read_back(&scene);
    let sampler = Sampler { filter: Filter::Nearest, ..Sampler::default() };
    let (scene, made) = with_texture(&old, "new", Image::new(jpeg(1, 1)).unwrap(), sampler);
    assert_eq!(made, TextureId(4));
    let used = [(TextureSlot::BaseColor, TextureUse::of(made))].into();
    let scene = edited(&scene, Edit::CreateMaterial(Material { textures: used, ..Material::default() })).scene;
    let (scene, node) = with_mesh(&scene, named("bare"), cuboid([1.0; 3]));
    let scene = edited(&scene, Edit::AssignMaterial { node, material: MaterialId(2) }).scene;
    let (json, blob) = write_gltf(&scene).unwrap();
    assert_eq!(json["materials"][1]["pbrMetallicRoughness"]["baseColorTexture"], json!({"index": 3}));
    assert_eq!(shown(&json, &blob)[3].0, jpeg(1, 1));
    let list = |json: &Value| json["textures"].as_array().unwrap().clone();
    assert_eq!(list(&json)[..3], list(&write_gltf(&old).unwrap().0));
    let bare = read_back(&scene);
    let mesh = bare.node(id_of(&bare, "bare")).unwrap().mesh.unwrap();
    let uvs = bare.meshes().get(&mesh).unwrap().primitives[0].geometry.triangles().uvs.clone().unwrap();
    assert!(uvs.iter().flatten().all(|part| *part == 0.0), "without texture coordinates all are 0: {uvs:?}");
}

#[test]
fn a_material_says_what_the_reader_lists() {
    let (scene, material) = textured();
    let import = read(&write_glb(&scene).unwrap(), &|_| None, &Limits::default()).unwrap();
    let listed: Vec<&str> = import.not_evaluated.iter().map(|feature| feature.what).collect();
    assert_eq!(material.not_evaluated(), listed);
    let extensions = ["anisotropy", "clearcoat", "ior", "iridescence", "sheen", "specular", "transmission", "unlit"];
    let names: Vec<String> = extensions.iter().map(|name| format!("KHR_materials_{name}")).collect();
    assert_eq!(listed[4..listed.len() - 1], names);
    assert_eq!((listed.len(), listed.last()), (13, Some(&"emissiveTexture")));
    assert_eq!(Material::default().not_evaluated(), Vec::<&str>::new());
}

#[test]
fn textures_and_their_uses_are_in_the_hash() {
    let (scene, material) = textured();
    let hash = scene.state_hash();
    assert_eq!(textured().0.state_hash(), hash);
    let (other, _) = with_texture(&scene, "x", checker(), Sampler::default());
    assert_ne!(other.state_hash(), hash);
    let changed = |change: fn(&mut Material)| {
        let mut to = material.clone();
        change(&mut to);
        edited(&scene, Edit::SetMaterial { material: MaterialId(1), to }).scene.state_hash()
    };
    assert_eq!(changed(|_| {}), hash);
    assert_ne!(changed(|material| material.extensions.ior = None), hash);
    assert_ne!(changed(|material| material.extensions.unlit = None), hash);
    assert_ne!(changed(|material| drop(material.textures.remove(&TextureSlot::Normal))), hash);
    assert!(!Scene::default().to_canonical_json().contains("texture"), "a member only where there are any");
}

#[test]
fn edits_refuse_what_no_material_can_have() {
    let (scene, material) = textured();
    let refusal = |change: &dyn Fn(&mut Material)| {
        let mut to = material.clone();
        change(&mut to);
        apply(&scene, Edit::SetMaterial { material: MaterialId(1), to }).unwrap_err().to_string()
    };
    let in_normal = |used: TextureUse| {
        move |material: &mut Material| drop(material.textures.insert(TextureSlot::Normal, used.clone()))
    };
    let missing = refusal(&in_normal(TextureUse::of(TextureId(9))));
    assert_eq!(missing, EditError::Dangling { what: "texture", id: "tex_9".into() }.to_string());
    let used = TextureUse::of(TextureId(1));
    let endless = refusal(&in_normal(TextureUse { amount: f64::NAN, ..used.clone() }));
    assert!(endless.starts_with("amount is not finite"), "{endless}");
    let far = refusal(&in_normal(TextureUse { tex_coord: 8, ..used.clone() }));
    assert!(far.starts_with("tex_coord is 8"), "{far}");
    let turned = UvTransform { rotation_rad: f64::INFINITY, ..UvTransform::default() };
    let turned = refusal(&in_normal(TextureUse { transform: Some(turned), ..used.clone() }));
    assert!(turned.starts_with("rotation_rad is not finite"), "{turned}");
    let scaled = refusal(&|material: &mut Material| {
        material.textures.insert(TextureSlot::BaseColor, TextureUse { amount: 2.0, ..used.clone() });
    });
    assert!(scaled.starts_with("amount is 2"), "{scaled}");
    let moved = |transform: UvTransform| refusal(&in_normal(TextureUse { transform: Some(transform), ..used.clone() }));
    let usual = UvTransform::default();
    for (refused, named) in [
        (refusal(&in_normal(TextureUse { amount: -1001.0, ..used.clone() })), "amount is -1001; allowed: -1000 to"),
        (moved(UvTransform { offset: [0.0, 1e39], ..usual }), "offset is 1"),
        (moved(UvTransform { scale: [-2e6, 1.0], ..usual }), "scale is -2000000; allowed: -1e6 to"),
        (moved(UvTransform { rotation_rad: 2e6, ..usual }), "rotation_rad is 2000000; allowed: -1e6 to"),
    ] {
        assert!(refused.starts_with(named), "{refused}");
    }
    let glass = refusal(&|material: &mut Material| material.extensions.ior = Some(Ior { ior: 0.5 }));
    assert!(glass.starts_with("extensions/ior is 0.5"), "{glass}");
    let diamond = refusal(&|material: &mut Material| material.extensions.ior = Some(Ior { ior: 1e39 }));
    assert!(diamond.ends_with("allowed: 0, or 1 to 1e6"), "{diamond}");
    for attenuation_distance_m in [1e39, 1e-39] {
        let murk = refusal(&|material: &mut Material| {
            let attenuation_distance_m = Some(attenuation_distance_m);
            material.extensions.volume = Some(Volume { attenuation_distance_m, ..Volume::default() });
        });
        assert!(murk.starts_with("extensions/attenuation_distance_m is "), "{murk}");
    }
    let fog = refusal(&|material: &mut Material| {
        material.extensions.volume = Some(Volume { thickness_m: f64::NAN, ..Volume::default() });
    });
    assert!(fog.starts_with("extensions/thickness_m is not finite"), "{fog}");

    let node = id_of(&scene, "square");
    let square = |uvs: Vec<[f32; 2]>| {
        let positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let triangles = Triangles { positions, uvs: Some(uvs), triangles: vec![[0, 1, 2]], ..Triangles::default() };
        let mesh = of_geometry(Geometry::Raw(Arc::new(triangles)));
        apply(&scene, Edit::SetMesh { node, mesh }).err()
    };
    assert_eq!(square(vec![[0.0; 2]; 2]), Some(EditError::UvCount { uvs: 2, positions: 3 }));
    assert_eq!(square(vec![[f32::NAN; 2]; 3]), Some(EditError::NotFinite { what: "uvs" }));
    assert_eq!(square(vec![[7.0, -7.0]; 3]), None);
}

#[test]
fn hostile_images_and_texture_coordinates_are_named() {
    let (mut json, bin) = triangle();
    json["images"] = json!([{"uri": "a.png"}]);
    json["textures"] = json!([{"source": 0}]);
    let file = glb_of(&json, &bin);
    let png = checker().bytes().to_vec();
    let cut = check(&file, &|_| Some(png[..20].to_vec()));
    assert!(error_codes(&cut).contains("IMAGE_UNEXPECTED_EOS"), "{cut:#?}");
    let mut other = png.clone();
    other[12] = b'X';
    assert!(error_codes(&check(&file, &|_| Some(other.clone()))).contains("IMAGE_DATA_INVALID"));
    let mut vast = png.clone();
    vast[16..24].copy_from_slice(&[0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60]);
    let result = read(&file, &|_| Some(vast.clone()), &Limits::default());
    let (given, allowed) = (3_600_000_000, 256 << 20);
    assert_eq!(result.err(), Some(ReadError::LimitExceeded { what: "pixels of images", given, allowed }));
    let whole = |limits: &Limits| read(&file, &|_| Some(png.clone()), limits).err();
    assert_eq!(whole(&Limits { textures: 1, pixels: 16, ..Limits::default() }), None);
    let one_less = whole(&Limits { textures: 0, ..Limits::default() });
    assert_eq!(one_less, Some(ReadError::LimitExceeded { what: "textures", given: 1, allowed: 0 }));

    let (mut json, bin) = triangle();
    json["accessors"].as_array_mut().unwrap().push(json!({"componentType": 5126, "count": 2, "type": "VEC2"}));
    json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"] = json!(2);
    let import = read(&glb_of(&json, &bin), &|_| None, &Limits::default()).unwrap();
    assert!(error_codes(&import.issues).contains("MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT"));
    assert_eq!(import.scene.meshes().values().next().unwrap().primitives[0].geometry.triangles().uvs, None);

    json["extensionsUsed"] = json!(["KHR_materials_transmission"]);
    json["materials"] = json!([{"extensions": {"KHR_materials_transmission": {"transmissionFactor": 1.5}}}]);
    let issues = check(&glb_of(&json, &bin), &|_| None);
    let wrong = "/materials/0/extensions/KHR_materials_transmission/transmissionFactor";
    assert!(issues.iter().any(|issue| (issue.code, issue.pointer.as_str()) == ("VALUE_NOT_IN_RANGE", wrong)));
}

/// Whatever textures a real file has, its materials, texture coordinates and images come back as they were.
#[test]
#[ignore = "needs MAQUETTE_DATA"]
fn textures_of_real_files_come_back_equal() {
    let (mut files, mut textures, mut slots, mut extensions) = (0, 0, 0, 0);
    for case in cases("3d/gltf", ".validator.json") {
        let Ok(import) = with_file(&case.path, |bytes, resolve| read(bytes, resolve, &Limits::default())) else {
            continue;
        };
        let scene = import.scene;
        let is_valid = error_codes(&import.issues).is_empty();
        if !is_valid || scene.textures().is_empty() && scene.materials().is_empty() {
            continue;
        }
        let glb = write_glb(&scene).unwrap();
        let again = read(&glb, &|_| None, &Limits::default());
        let again = again.unwrap_or_else(|error| panic!("{}: {error}", case.path.display())).scene;
        let path = case.path.display();
        assert_eq!(again.materials(), scene.materials(), "{path}");
        assert_eq!(again.textures(), scene.textures(), "{path}");
        let uvs = |scene: &Scene| -> Vec<Option<Vec<[f32; 2]>>> {
            let parts = scene.meshes().values().flat_map(|mesh| &mesh.primitives);
            parts.map(|part| part.geometry.triangles().uvs.clone()).collect()
        };
        assert_eq!(uvs(&again), uvs(&scene), "{path}");
        let lists = |scene: &Scene| {
            let json = &scene.source().unwrap().json;
            ["textures", "samplers", "images"].map(|list| json[list].clone())
        };
        assert_eq!(lists(&again), lists(&scene), "{path}");
        files += 1;
        textures += scene.textures().size();
        slots += scene.materials().values().map(|material| material.textures.len()).sum::<usize>();
        extensions += scene.materials().values().filter(|m| m.extensions != MaterialExtensions::default()).count();
    }
    println!("{files} files, {textures} textures, {slots} slots, {extensions} materials with extensions");
    assert!(files > 30 && textures > 10 && slots > 10 && extensions > 2);
}

#[test]
fn a_slot_that_points_nowhere_is_kept() {
    let (mut json, bin) = triangle();
    json["materials"] = json!([{"normalTexture": {"index": 7}}]);
    let import = read(&glb_of(&json, &bin), &|_| None, &Limits::default()).unwrap();
    let material = import.scene.materials().get(&MaterialId(1)).unwrap();
    assert!(material.textures.is_empty() && material.kept != Kept::default());
    let (json, _) = chunks(&write_glb(&import.scene).unwrap());
    assert_eq!(json["materials"][0]["normalTexture"], json!({"index": 7}));
}
