//! What a texture of the file shows: its image and its sampler.

use super::check::{index, uint};
use crate::{Filter, Image, Sampler, Source, Wrap};
use serde_json::Value;

/// `None` where the file names none, or one that is neither a PNG nor a JPEG.
pub(crate) fn image(source: &Source, texture: usize) -> Option<Image> {
    let image = in_list(source, "images", texture_of(source, texture)?.get("source"))?;
    // Reading has moved images that URIs name into the blob.
    let view = in_list(source, "bufferViews", image.get("bufferView"))?;
    let start = index(view.get("byteOffset"))?;
    let end = start.checked_add(index(view.get("byteLength"))?)?;
    Image::by_header(source.blob.get(start..end)?.to_vec()).ok()
}

/// glTF 2.0 §3.8.4.1; of two filters the one for near is taken.
pub(crate) fn sampler(source: &Source, texture: usize) -> Sampler {
    let json = texture_of(source, texture).and_then(|texture| in_list(source, "samplers", texture.get("sampler")));
    let Some(json) = json else { return Sampler::default() };
    let wrap = |member| match json.get(member).and_then(uint) {
        Some(33071) => Wrap::ClampToEdge,
        Some(33648) => Wrap::MirroredRepeat,
        _ => Wrap::Repeat,
    };
    let filter = match json.get("magFilter").or(json.get("minFilter")).and_then(uint) {
        Some(9728 | 9984 | 9986) => Filter::Nearest,
        _ => Filter::Linear,
    };
    Sampler { wrap_u: wrap("wrapS"), wrap_v: wrap("wrapT"), filter }
}

fn texture_of(source: &Source, place: usize) -> Option<&Value> {
    source.json.get("textures")?.get(place)
}

fn in_list<'a>(source: &'a Source, list: &str, place: Option<&Value>) -> Option<&'a Value> {
    source.json.get(list)?.get(index(place)?)
}
