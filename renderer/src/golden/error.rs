//! Why there is no comparison, or no golden.

use super::command::bless_command;
use super::files::Piece;
use crate::RenderError;
use scene_document::gltf::ReadError;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GoldenError {
    #[error("{given:?} cannot be the name of a golden; allowed: letters, digits, - and _")]
    BadName { given: String },
    #[error(
        "there is no golden in {}. A golden is a scene, NAME.glb or NAME.gltf, that was blessed: {}",
        .folder.display(), bless_command(.folder, "NAME")
    )]
    NoGoldens { folder: PathBuf },
    #[error("a golden is blessed with a reason: say why the picture should look as it does now")]
    NoReason,
    #[error("never blessed: {}", bless_command(.folder, .name))]
    NeverBlessed { folder: PathBuf, name: String },
    /// Scene, size and pictures are those of the golden that is there, which keeps its reason.
    #[error("nothing changed; not blessed")]
    Unchanged,
    #[error("the {piece} is missing: there is no {}", .path.display())]
    Missing { piece: Piece, path: PathBuf },
    #[error("there are two scenes, {} and the .gltf beside it; remove one", .path.display())]
    TwoScenes { path: PathBuf },
    #[error("{} has {bytes} bytes; at most {allowed} are allowed", .path.display())]
    TooLarge { path: PathBuf, bytes: u64, allowed: u64 },
    #[error("{}: {what}", .path.display())]
    Undecodable { path: PathBuf, what: String },
    #[error("{}: tolerance.{member} is {given:?}; allowed: 0 or more and less than 1", .path.display())]
    BadTolerance { path: PathBuf, member: &'static str, given: f64 },
    #[error(
        "{} has {} × {} pixels; the sidecar says {} × {}",
        .path.display(), .given.0, .given.1, .wanted.0, .wanted.1
    )]
    WrongSize { path: PathBuf, given: (u32, u32), wanted: (u32, u32) },
    #[error("{} is not the picture that was blessed (BLAKE3 {found} instead of {blessed})", .path.display())]
    PictureChanged { path: PathBuf, blessed: String, found: String },
    #[error("{}: {error}", .path.display())]
    BadScene { path: PathBuf, error: ReadError },
    #[error(
        "the scene has no camera {camera:?}, which the sidecar names; it has {}. Remove the sidecar to bless it \
         through another",
        listed(.found)
    )]
    NoCamera { camera: String, found: Vec<String> },
    #[error("{}: {what}", .path.display())]
    Io { path: PathBuf, what: String },
    #[error(transparent)]
    Render(#[from] RenderError),
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".into() } else { names.join(", ") }
}
