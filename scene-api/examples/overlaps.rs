//! Overlapping pairs of a GLB as JSON, with stage times: `overlaps SCENE.glb OUT.json`. `make bench` runs it beside peers.

use geometry_checks::{Body, Mesh, Tolerances};
use rayon::prelude::*;
use scene_document::gltf;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, input, output] = args.as_slice() else { return Err("usage: overlaps SCENE.glb OUT.json".into()) };
    let tolerances = Tolerances::default();

    let start = Instant::now();
    let bytes = std::fs::read(input)?;
    let limits = gltf::Limits { nodes: 100_000, ..gltf::Limits::default() };
    let baked = gltf::read(&bytes, &|_| None, &limits)?.scene.bake();
    let load_ms = start.elapsed().as_secs_f64() * 1e3;

    let start = Instant::now();
    let names: Vec<_> = baked.meshes.iter().map(|mesh| mesh.name.clone()).collect();
    let bodies: Vec<Body> = baked
        .meshes
        .into_par_iter()
        .map(|mesh| Mesh { positions: mesh.positions, normals: mesh.normals, triangles: mesh.triangles })
        .map(|mesh| Body::new(mesh, &tolerances))
        .collect();
    let build_ms = start.elapsed().as_secs_f64() * 1e3;

    let start = Instant::now();
    let found = geometry_checks::overlaps(&bodies, &tolerances);
    let query_ms = start.elapsed().as_secs_f64() * 1e3;

    let pairs: Vec<_> = found
        .iter()
        .map(|(a, b, overlap)| serde_json::json!({ "a": names[*a], "b": names[*b], "volume": overlap.volume_m3 }))
        .collect();
    let stages = serde_json::json!({ "load_ms": load_ms, "build_ms": build_ms, "query_ms": query_ms });
    std::fs::write(output, serde_json::json!({ "pairs": pairs, "stages_ms": stages }).to_string())?;
    Ok(())
}
