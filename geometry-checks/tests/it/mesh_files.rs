//! The folder of real meshes, and readers of OBJ, OFF and STL, just good enough for the files that the tests compare.

use std::path::{Path, PathBuf};

use geometry_checks::Mesh;

use crate::shapes::mesh;

/// `3d` in the folder that `MAQUETTE_DATA` names.
pub(crate) fn real_meshes() -> PathBuf {
    PathBuf::from(std::env::var_os("MAQUETTE_DATA").expect("MAQUETTE_DATA names the data folder")).join("3d")
}

/// `None` for other formats and unreadable files. Relative indices and comments are understood, materials ignored.
pub(crate) fn read_mesh(path: &Path) -> Option<Mesh> {
    let bytes = std::fs::read(path).ok()?;
    match path.extension()?.to_string_lossy().to_lowercase().as_str() {
        "obj" => Some(read_obj(&String::from_utf8_lossy(&bytes))),
        "off" => read_off(&String::from_utf8_lossy(&bytes)),
        "stl" => Some(read_stl(&bytes)),
        _ => None,
    }
}

/// Polygons are cut to fans, as the peers did.
fn fan(polygon: &[u32], triangles: &mut Vec<[u32; 3]>) {
    for pair in polygon.windows(2).skip(1) {
        triangles.push([polygon[0], pair[0], pair[1]]);
    }
}

fn numbers(words: &[&str]) -> Option<[f64; 3]> {
    let [x, y, z] = [0, 1, 2].map(|axis: usize| words.get(axis).and_then(|word| word.parse::<f64>().ok()));
    Some([x?, y?, z?])
}

fn read_obj(text: &str) -> Mesh {
    let (mut positions, mut triangles): (Vec<[f64; 3]>, Vec<[u32; 3]>) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.split_first() {
            Some((&"v", rest)) => positions.extend(numbers(rest)),
            Some((&"f", rest)) => {
                let polygon: Vec<u32> = rest
                    .iter()
                    .filter_map(|corner| corner.split('/').next()?.parse::<i64>().ok())
                    .map(|index| if index < 0 { positions.len() as i64 + index } else { index - 1 })
                    .filter_map(|index| u32::try_from(index).ok())
                    .collect();
                fan(&polygon, &mut triangles);
            }
            _ => {}
        }
    }
    mesh(&positions, &triangles)
}

fn read_off(text: &str) -> Option<Mesh> {
    let body = text.trim_start().strip_prefix("OFF")?;
    let mut lines = body
        .lines()
        .map(|line| line.split('#').next().unwrap_or("").split_whitespace().collect::<Vec<_>>())
        .filter(|words| !words.is_empty());
    let counts = numbers(&lines.next()?)?;
    let (mut positions, mut triangles): (Vec<[f64; 3]>, Vec<[u32; 3]>) = (Vec::new(), Vec::new());
    for words in lines.by_ref().take(counts[0] as usize) {
        positions.push(numbers(&words)?);
    }
    for words in lines.take(counts[1] as usize) {
        let (sides, rest) = words.split_first()?;
        let polygon: Vec<u32> =
            rest.iter().take(sides.parse().ok()?).map(|word| word.parse::<u32>().ok()).collect::<Option<_>>()?;
        fan(&polygon, &mut triangles);
    }
    Some(mesh(&positions, &triangles))
}

fn read_stl(bytes: &[u8]) -> Mesh {
    let count = bytes.get(80..84).map_or(0, |n| u32::from_le_bytes([n[0], n[1], n[2], n[3]]) as usize);
    let positions: Vec<[f64; 3]> = if bytes.len() == 84 + 50 * count {
        bytes[84..]
            .chunks_exact(50)
            .flat_map(|facet| facet[12..48].chunks_exact(12))
            .map(|corner| {
                let at = |k: usize| f32::from_le_bytes([corner[k], corner[k + 1], corner[k + 2], corner[k + 3]]);
                [f64::from(at(0)), f64::from(at(4)), f64::from(at(8))]
            })
            .collect()
    } else {
        let text = String::from_utf8_lossy(bytes);
        text.lines()
            .filter_map(|line| line.trim().strip_prefix("vertex"))
            .filter_map(|rest| numbers(&rest.split_whitespace().collect::<Vec<_>>()))
            .collect()
    };
    let triangles: Vec<[u32; 3]> = (0..positions.len() as u32 / 3).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
    mesh(&positions, &triangles)
}
