//! Checks on the textures that a material uses: they are there, and their numbers are in range.

use super::{Checked, number, unit, within_million};
use crate::texture::TEX_COORDS;
use crate::{EditError, Scene, TextureSlot, TextureUse, Textures};

pub(crate) fn textures(scene: &Scene, textures: &Textures) -> Checked {
    textures.iter().try_for_each(|(slot, used)| texture_use(scene, *slot, used))
}

fn texture_use(scene: &Scene, slot: TextureSlot, used: &TextureUse) -> Checked {
    if !scene.textures().contains_key(&used.texture) {
        return Err(EditError::Dangling { what: "texture", id: used.texture.to_string() });
    }
    match slot {
        TextureSlot::Normal => number("amount", used.amount, "-1000 to 1000", |amount| amount.abs() <= 1000.0)?,
        TextureSlot::Occlusion => unit("amount", used.amount)?,
        TextureSlot::BaseColor | TextureSlot::MetallicRoughness | TextureSlot::Emissive => {
            number("amount", used.amount, "1 in this slot", |amount| amount == 1.0)?;
        }
    }
    tex_coord(used.tex_coord)?;
    let Some(transform) = used.transform else { return Ok(()) };
    transform.offset.iter().try_for_each(|part| within_million("offset", *part))?;
    within_million("rotation_rad", transform.rotation_rad)?;
    transform.scale.iter().try_for_each(|part| within_million("scale", *part))?;
    transform.tex_coord.map_or(Ok(()), tex_coord)
}

fn tex_coord(given: u32) -> Checked {
    number("tex_coord", f64::from(given), "0 to 7", |given| given < f64::from(TEX_COORDS))
}
