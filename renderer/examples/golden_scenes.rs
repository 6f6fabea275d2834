//! Writes the scenes of the golden renders as `NAME.glb`, the same bytes on every machine.
//!
//! cargo run -p renderer --example golden_scenes -- [FOLDER]    (default: assets/goldens)

#[path = "../tests/it/golden_scenes/mod.rs"]
mod golden_scenes;

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("assets/goldens"), PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    for golden in golden_scenes::all() {
        let path = folder.join(format!("{}.glb", golden.name));
        let bytes = scene_document::gltf::write_glb(&golden.scene)?;
        std::fs::write(&path, &bytes)?;
        println!("{} ({} bytes; subject: {})", path.display(), bytes.len(), golden.subject);
    }
    Ok(())
}
