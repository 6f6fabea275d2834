//! What Maquette reads in a glTF file, as JSON for a program that reads the same file with something else:
//! `summary SCENE.glb`. `make blender` runs it.

use nalgebra::Matrix4;
use scene_document::gltf;
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, input] = args.as_slice() else { return Err("usage: summary SCENE.glb".into()) };
    let scene = gltf::read(&std::fs::read(input)?, &|_| None, &gltf::Limits::default())?.scene;

    let baked = scene.bake();
    let nodes: Vec<Value> = scene
        .nodes()
        .iter()
        .map(|(id, node)| {
            let parent = node.parent.and_then(|parent| scene.node(parent));
            let mesh = baked.meshes.iter().find(|mesh| mesh.node == *id);
            json!({
                "name": node.name,
                "parent": parent.map(|parent| &parent.name),
                "world_from_node": rows(&scene.world_from_node(*id)),
                "bounds_m": mesh.map(|mesh| bounds(mesh.positions.iter().map(|point| [point.x, point.y, point.z]))),
                "light": node.light.and_then(|light| scene.lights().get(&light)).map(|light| json!({
                    "kind": light.kind, "color": light.color, "intensity": light.intensity,
                })),
                "camera": node.camera.and_then(|camera| scene.cameras().get(&camera)).map(|camera| json!(camera.projection)),
            })
        })
        .collect();
    let materials: Vec<Value> = scene
        .materials()
        .values()
        .map(|material| {
            json!({
                "name": material.name, "base_color": material.base_color, "metallic": material.metallic,
                "roughness": material.roughness, "emissive": material.emissive,
                "emissive_strength": material.emissive_strength, "double_sided": material.double_sided,
            })
        })
        .collect();
    println!("{}", json!({ "nodes": nodes, "materials": materials }));
    Ok(())
}

fn rows(matrix: &Matrix4<f64>) -> Vec<Vec<f64>> {
    matrix.row_iter().map(|row| row.iter().copied().collect()).collect()
}

/// Least and greatest corner.
fn bounds(points: impl Iterator<Item = [f64; 3]>) -> [[f64; 3]; 2] {
    points.fold([[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]], |[least, most], point| {
        [
            std::array::from_fn(|axis| least[axis].min(point[axis])),
            std::array::from_fn(|axis| most[axis].max(point[axis])),
        ]
    })
}
