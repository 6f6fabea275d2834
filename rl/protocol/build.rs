//! Compiles `proto/` without a system `protoc`, and keeps the descriptors for server reflection.

use prost::Message as _;
use std::{env, error::Error, fs, path::PathBuf};

const PROTOS: [&str; 4] = [
    "maquette/v1/catalog.proto",
    "maquette/v1/episodes.proto",
    "maquette/v1/reward.proto",
    "maquette/v1/rewards.proto",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=proto");
    let descriptors = protox::compile(PROTOS, ["proto"])?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("maquette.bin"), descriptors.encode_to_vec())?;
    // A repeated request shares its artifact with the first try.
    tonic_prost_build::configure().bytes(".maquette.v1.Artifact.data").compile_fds(descriptors)?;
    Ok(())
}
