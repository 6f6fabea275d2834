//! Textures of the file and their uses in materials. What is malformed is kept as it stands; the report has it.

use super::super::check::{Document, index};
use super::{kept, look, within};
use crate::gltf::{Limits, ReadError};
use crate::texture::TEX_COORDS;
use crate::{Texels, Texture, TextureId, TextureSlot, TextureUse, Textures, UvTransform};
use serde::Deserialize;
use serde_json::Value;

/// In the file's order.
///
/// # Errors
/// `LimitExceeded` for their number, and for the pixels that the headers of all images say.
pub(super) fn textures(document: &Document, limits: &Limits) -> Result<Vec<Texture>, ReadError> {
    let textures = document.list("textures");
    within("textures", textures.len(), limits.textures)?;
    let images = document.list("images");
    let headers = (0..images.len()).filter_map(|place| crate::image::header(document.image(place)?)?.1.ok());
    let pixels = headers.map(|[width, height]| u64::from(width) * u64::from(height)).fold(0, u64::saturating_add);
    within("pixels of images", pixels, limits.pixels)?;
    let named = |texture: &Value| {
        let image = index(texture.get("source")).and_then(|place| images.get(place));
        let own = look::name(texture);
        if own.is_empty() { image.map(look::name).unwrap_or_default() } else { own }
    };
    let read = textures.iter().enumerate();
    Ok(read.map(|(place, texture)| Texture { name: named(texture), texels: Texels::Imported(place) }).collect())
}

/// Those of a material whose texture is there.
pub(super) fn uses(document: &Document, material: &Value) -> Textures {
    let there = document.list("textures").len();
    let used = TextureSlot::ALL.into_iter().filter_map(|slot| {
        let json = material.pointer(slot.pointer())?;
        Some((slot, texture_use(slot, json, there)?))
    });
    used.collect()
}

fn texture_use(slot: TextureSlot, json: &Value, there: usize) -> Option<TextureUse> {
    let texture = index(json.get("index")).filter(|place| *place < there)?;
    let tex_coord = match json.get("texCoord") {
        None => 0,
        Some(set) => u32::try_from(index(Some(set))?).ok()?,
    };
    let amount = match slot.amount().and_then(|member| json.get(member)) {
        None => 1.0,
        Some(amount) => amount.as_f64()?,
    };
    let transform = json.pointer("/extensions/KHR_texture_transform").filter(|transform| transform.is_object());
    let transform = transform.map(UvTransform::deserialize).transpose().ok()?;
    let sets = [Some(tex_coord), transform.and_then(|transform| transform.tex_coord)];
    if sets.into_iter().flatten().any(|set| set >= TEX_COORDS) {
        return None;
    }
    let of_transform = |member| ["extensions", "KHR_texture_transform", member];
    let members = ["offset", "rotation", "scale", "texCoord"].map(of_transform);
    let mut covered: Vec<&[&str]> = vec![&["index"], &["texCoord"]];
    covered.extend(members.iter().map(<[&str; 3]>::as_slice));
    let amount_path = slot.amount().map(|member| [member]);
    covered.extend(amount_path.iter().map(<[&str; 1]>::as_slice));
    let texture = TextureId(super::ordinal(texture));
    Some(TextureUse { texture, tex_coord, amount, transform, kept: kept(json, &covered) })
}
