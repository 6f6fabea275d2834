//! The environment as the file's only image-based light.

use super::buffer::Buffer;
use super::{Members, overlay};
use crate::Scene;
use crate::gltf::check::index;
use crate::gltf::environment::{IMAGE_BASED, light_json, picture};
use crate::gltf::lists::{put_list, take_list};
use serde_json::json;

/// Puts the light into `root`, and its picture among the images unless that is one of them already.
pub(super) fn put_environment(scene: &Scene, root: &mut Members, buffer: &mut Buffer) {
    let Some(environment) = scene.environment() else { return };
    let picture = picture(&environment);
    let mut images = take_list(root, "images");
    let known = images.iter().position(|image| {
        let view = index(image.get("bufferView"));
        view.and_then(|view| buffer.content(view)) == Some(picture.bytes())
    });
    let place = known.unwrap_or_else(|| {
        images.push(json!({"bufferView": buffer.bytes(picture.bytes()), "mimeType": picture.media_type().name()}));
        images.len() - 1
    });
    put_list(root, "images", images);
    let lights = json!([light_json(&environment, place)]);
    overlay(root, Members::from_iter([("extensions".to_owned(), json!({IMAGE_BASED: {"lights": lights}}))]));
}
