use crate::scenes::{cuboid, edited, face, lamp, lens, named, of_geometry, signed_volume, table, with_mesh, with_node};
use nalgebra::{Matrix3, Point3, Vector3};
use scene_document::{
    Edit, Geometry, Material, MaterialId, Mesh, Node, Pattern, Primitive, Recipe, Sampler, Scene, TextureSlot,
    TextureUse, Textures, Triangles, Trs,
};
use std::f64::consts::FRAC_1_SQRT_2;
use std::sync::Arc;

/// +90° about +Y: +X goes to −Z, +Z to +X.
const QUARTER_TURN: [f64; 4] = [0.0, FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2];

fn one_triangle(normals: Option<Vec<[f32; 3]>>) -> Mesh {
    of_geometry(Geometry::Raw(Arc::new(Triangles {
        positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        normals,
        triangles: vec![[0, 1, 2]],
        ..Triangles::default()
    })))
}

#[test]
fn transforms_nest() {
    let above = Trs { translation: [1.0, 2.0, 3.0], rotation: QUARTER_TURN, scale: [2.0; 3] };
    let (scene, parent) = with_node(&Scene::default(), Node { transform: above, ..named("parent") });
    let child = Node { parent: Some(parent), transform: Trs::from_translation([1.0, 0.0, 0.0]), ..named("child") };
    let (scene, node) = with_mesh(&scene, child, cuboid([0.5, 1.0, 1.5]));

    let baked = scene.bake();
    let mesh = &baked.meshes[0];
    assert_eq!((baked.meshes.len(), mesh.node, mesh.name.as_str()), (1, node, "child"));
    let centre = mesh.positions.iter().fold(Vector3::zeros(), |sum, p| sum + p.coords) / mesh.positions.len() as f64;
    assert!((centre - Vector3::new(1.0, 2.0, 1.0)).norm() < 1e-12, "{centre}");
    let width = mesh.positions.iter().map(|p| p.x - centre.x).fold(0.0, f64::max);
    assert!((width - 1.5).abs() < 1e-12, "the box's depth lies along X: {width}");
    assert!((signed_volume(&mesh.positions, &mesh.triangles) - 6.0).abs() < 1e-12);
    let origin = scene.world_from_node(node).transform_point(&Point3::origin());
    assert!((origin.coords - centre).norm() < 1e-12);
}

#[test]
fn a_mirror_keeps_the_outside_outside() {
    for scale in [[-1.0, 1.0, 1.0], [1.0, -2.0, 1.0], [-1.0, -1.0, -1.0], [-1.0, -1.0, 1.0]] {
        let node = Node { transform: Trs { scale, ..Trs::IDENTITY }, ..named("mirrored") };
        let (scene, _) = with_mesh(&Scene::default(), node, cuboid([1.0, 2.0, 3.0]));
        let baked = scene.bake();
        let mesh = &baked.meshes[0];
        let volume = 6.0 * scale.iter().product::<f64>().abs();
        assert!((signed_volume(&mesh.positions, &mesh.triangles) - volume).abs() < 1e-12, "{scale:?}");
        let normals = mesh.normals.as_ref().unwrap();
        for corners in &mesh.triangles {
            let face = face(&mesh.positions, corners).normalize();
            for corner in corners {
                assert!((normals[*corner as usize] - face).norm() < 1e-12, "{scale:?}");
            }
        }
    }
}

#[test]
fn normals_follow_the_surface_and_keep_their_length() {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let slanted = one_triangle(Some(vec![[half, half, 0.0], [1.005 * half, 1.005 * half, 0.0], [half, half, 0.0]]));
    let node = Node { transform: Trs { scale: [2.0, 1.0, 1.0], ..Trs::IDENTITY }, ..named("stretched") };
    let (scene, _) = with_mesh(&Scene::default(), node, slanted);
    let baked = scene.bake();
    let normals = baked.meshes[0].normals.as_ref().unwrap();
    // A plane with the normal (1, 1, 0), stretched by 2 along X, has the normal (1/2, 1, 0).
    let expected = Vector3::new(0.2_f64.sqrt(), 0.8_f64.sqrt(), 0.0);
    assert!((normals[0] - expected).norm() < 1e-7, "{}", normals[0]);
    assert!((normals[1] - expected * 1.005).norm() < 1e-6, "{}", normals[1]);
}

#[test]
fn a_flattened_normal_is_zero_and_nothing_is_nan() {
    let node = Node { transform: Trs { scale: [0.0; 3], ..Trs::IDENTITY }, ..named("point") };
    let (scene, _) = with_mesh(&Scene::default(), node, cuboid([1.0; 3]));
    let baked = scene.bake();
    assert!(baked.meshes[0].normals.as_ref().unwrap().iter().all(|normal| *normal == Vector3::zeros()));
    assert!(baked.meshes[0].positions.iter().all(|position| *position == Point3::origin()));
}

#[test]
fn primitives_without_normals_beside_others_are_flat() {
    let normals = Some(vec![[0.0, 0.0, 1.0]; 3]);
    let mut mesh = one_triangle(normals);
    mesh.primitives.extend(cuboid([1.0; 3]).primitives);
    mesh.primitives.extend(one_triangle(None).primitives);
    let (scene, _) = with_mesh(&Scene::default(), named("mixed"), mesh);
    let baked = scene.bake();
    let mesh = &baked.meshes[0];
    assert_eq!((mesh.triangles.len(), mesh.surfaces.len()), (14, 3));
    assert_eq!(mesh.triangle_surface, [&[0_u32; 1][..], &[1; 12], &[2]].concat());
    let normals = mesh.normals.as_ref().unwrap();
    assert_eq!((normals.len(), mesh.positions.len()), (30, 30));
    assert_eq!(normals[29], Vector3::z());

    let (scene, _) = with_mesh(&Scene::default(), named("bare"), one_triangle(None));
    assert!(scene.bake().meshes[0].normals.is_none());
}

#[test]
fn surfaces_are_materials() {
    let baked = table().bake();
    let of = |name: &str| baked.meshes.iter().find(|mesh| mesh.name == name).unwrap().surfaces[0];
    assert_eq!(of("top").base_color, [0.8, 0.1, 0.1, 1.0]);
    assert_eq!(of("top").emissive, [2.0, 0.0, 0.0]);
    assert_eq!(of("ball").base_color, [1.0; 4]);
    assert_eq!(of("ball").emissive, [0.0; 3]);
}

#[test]
fn each_primitive_has_its_own_surface() {
    let done = edited(&Scene::default(), Edit::CreateMaterial(Material { double_sided: true, ..Material::default() }));
    let mut mesh = one_triangle(None);
    let material = Some(done.changed.materials[0]);
    mesh.primitives.push(Primitive { material, ..mesh.primitives[0].clone() });
    let (scene, _) = with_mesh(&done.scene, named("two"), mesh);
    let baked = scene.bake();
    let sides: Vec<bool> = baked.meshes[0].surfaces.iter().map(|surface| surface.double_sided).collect();
    assert_eq!(sides, [false, true]);
    assert_eq!(baked.meshes[0].triangles, [[0, 1, 2], [3, 4, 5]]);
}

#[test]
fn texture_coordinates_are_baked_where_a_surface_has_textures() {
    let recipe = Recipe { pattern: Pattern::Checker { squares: 2 }, size_px: 2, colors: [[0.0; 3], [1.0; 3]] };
    let image = Arc::new(recipe.image().unwrap());
    let create = Edit::CreateTexture { name: "checker".into(), image, sampler: Sampler::default() };
    let textured = edited(&Scene::default(), create);
    let textures = Textures::from([(TextureSlot::BaseColor, TextureUse::of(textured.changed.textures[0]))]);
    let shown = edited(&textured.scene, Edit::CreateMaterial(Material { textures, ..Material::default() }));
    let plain = edited(&shown.scene, Edit::CreateMaterial(Material::default()));
    let uvs = vec![[0.0, 1.0], [0.5, 0.25], [1.0, 0.0]];
    let triangle = Triangles {
        positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        uvs: Some(uvs.clone()),
        triangles: vec![[2, 0, 1]],
        ..Triangles::default()
    };
    let of = |material: MaterialId, with_box: bool| {
        let mut mesh = of_geometry(Geometry::Raw(Arc::new(triangle.clone())));
        if with_box {
            mesh.primitives.extend(cuboid([1.0; 3]).primitives);
        }
        mesh.primitives[0].material = Some(material);
        with_mesh(&plain.scene, named("wall"), mesh).0.bake()
    };
    let [shown, plain] = [shown.changed.materials[0], plain.changed.materials[0]];
    let baked = of(shown, false);
    assert_eq!(baked.meshes[0].uvs.as_ref(), Some(&uvs));
    let surface = baked.meshes[0].surfaces[0];
    assert_eq!(surface.material, Some(shown));
    assert!(baked.materials[&shown].textures.values().all(|used| baked.textures.contains_key(&used.texture)));
    // Beside a box, which has normals, the triangle has faces of its own, with corners in the order of the triangle.
    let mixed = of(shown, true);
    let mixed = mixed.meshes[0].uvs.as_ref().unwrap();
    assert_eq!(mixed.len(), 3 + 24);
    assert_eq!(mixed[..3], [uvs[2], uvs[0], uvs[1]]);
    assert!(mixed[3..].iter().all(|uv| *uv == [0.0; 2]));
    assert!(of(plain, true).meshes[0].uvs.is_none());
}

#[test]
fn lights_shine_along_the_turned_minus_z() {
    let transform = Trs { translation: [1.0, 2.0, 3.0], rotation: QUARTER_TURN, scale: [3.0, 1.0, 2.0] };
    let (scene, node) = with_node(&Scene::default(), Node { transform, ..named("lamp") });
    let scene = edited(&scene, Edit::SetLight { node, light: lamp() }).scene;
    let light = &scene.bake().lights[0];
    assert_eq!(light.node, node);
    assert_eq!(light.position, Point3::new(1.0, 2.0, 3.0));
    assert!((light.direction + Vector3::x()).norm() < 1e-12, "{}", light.direction);
}

#[test]
fn cameras_are_rigid() {
    for (scale, degenerate) in [([3.0, 0.5, 2.0], false), ([-1.0, 1.0, 1.0], false), ([0.0; 3], true)] {
        let transform = Trs { translation: [1.0, 2.0, 3.0], rotation: QUARTER_TURN, scale };
        let (scene, node) = with_node(&Scene::default(), Node { transform, ..named("eye") });
        let scene = edited(&scene, Edit::SetCamera { node, camera: lens() }).scene;
        let scene = edited(&scene, Edit::SetActiveCamera { node }).scene;
        let baked = scene.bake();
        assert_eq!((baked.active_camera, baked.cameras[0].name.as_str()), (Some(0), "eye"));
        let matrix = baked.cameras[0].world_from_camera;
        let rotation: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
        assert!((rotation.transpose() * rotation - Matrix3::identity()).norm() < 1e-12, "{scale:?}");
        assert!((rotation.determinant() - 1.0).abs() < 1e-12, "{scale:?}");
        let back = if degenerate { Vector3::z() } else { Vector3::x() };
        assert!((rotation.column(2) - back).norm() < 1e-12, "{scale:?}");
        assert_eq!(matrix.transform_point(&Point3::origin()), Point3::new(1.0, 2.0, 3.0));
    }
}
