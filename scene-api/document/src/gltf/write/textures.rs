//! Textures of the scene's own after those of the file it was read from, and the uses of both in materials.

use super::buffer::Buffer;
use super::object::kept_members;
use super::{Members, overlay};
use crate::gltf::lists::{put_list, take_list};
use crate::{Filter, Image, Sampler, Scene, Texels, TextureId, TextureSlot, TextureUse, UvTransform, Wrap};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Adds to the lists in `root`; each image and each sampler is written once. The places of all textures.
pub(super) fn textures(scene: &Scene, root: &mut Members, buffer: &mut Buffer) -> BTreeMap<TextureId, usize> {
    let mut lists = Lists {
        textures: take_list(root, "textures"),
        images: take_list(root, "images"),
        samplers: take_list(root, "samplers"),
        ..Lists::default()
    };
    let mut places = BTreeMap::new();
    for (id, texture) in &scene.textures {
        let place = match &texture.texels {
            Texels::Imported(place) => *place,
            Texels::Image { image, sampler } => lists.texture(&texture.name, image, *sampler, buffer),
        };
        places.insert(*id, place);
    }
    put_list(root, "textures", lists.textures);
    put_list(root, "images", lists.images);
    put_list(root, "samplers", lists.samplers);
    places
}

#[derive(Default)]
struct Lists {
    textures: Vec<Value>,
    images: Vec<Value>,
    samplers: Vec<Value>,
    image_places: BTreeMap<[u8; 32], usize>,
    sampler_places: BTreeMap<Sampler, usize>,
}

impl Lists {
    fn texture(&mut self, name: &str, image: &Image, sampler: Sampler, buffer: &mut Buffer) -> usize {
        let Self { textures, images, samplers, image_places, sampler_places } = self;
        let source = *image_places.entry(*image.digest()).or_insert_with(|| {
            images.push(json!({"bufferView": buffer.bytes(image.bytes()), "mimeType": image.media_type().name()}));
            images.len() - 1
        });
        let sampler = *sampler_places.entry(sampler).or_insert_with(|| {
            samplers.push(sampler_json(sampler));
            samplers.len() - 1
        });
        let mut texture = json!({"source": source, "sampler": sampler});
        if !name.is_empty() {
            texture["name"] = json!(name);
        }
        textures.push(texture);
        textures.len() - 1
    }
}

fn sampler_json(sampler: Sampler) -> Value {
    let wrap = |wrap| match wrap {
        Wrap::Repeat => 10497,
        Wrap::MirroredRepeat => 33648,
        Wrap::ClampToEdge => 33071,
    };
    let (near, far) = match sampler.filter {
        Filter::Linear => (9729, 9987),
        Filter::Nearest => (9728, 9984),
    };
    json!({"magFilter": near, "minFilter": far, "wrapS": wrap(sampler.wrap_u), "wrapT": wrap(sampler.wrap_v)})
}

/// The use in its slot, as members of a material.
pub(super) fn in_slot(slot: TextureSlot, used: &TextureUse, place: usize) -> Members {
    let path = slot.pointer().rsplit('/').filter(|member| !member.is_empty());
    let nested = path.fold(used_json(slot, used, place), |inner, member| {
        Value::Object(Map::from_iter([(member.to_owned(), inner)]))
    });
    match nested {
        Value::Object(members) => members,
        _ => Members::new(),
    }
}

fn used_json(slot: TextureSlot, used: &TextureUse, place: usize) -> Value {
    let mut members = kept_members(&used.kept);
    let mut ours = Members::new();
    ours.insert("index".into(), json!(place));
    if used.tex_coord != 0 {
        ours.insert("texCoord".into(), json!(used.tex_coord));
    }
    if let Some(member) = slot.amount().filter(|_| used.amount != 1.0) {
        ours.insert(member.into(), json!(used.amount));
    }
    if let Some(transform) = &used.transform {
        ours.insert("extensions".into(), json!({"KHR_texture_transform": transform_json(transform)}));
    }
    overlay(&mut members, ours);
    Value::Object(members)
}

fn transform_json(transform: &UvTransform) -> Value {
    let mut members = Members::new();
    let UvTransform { offset, rotation_rad, scale, tex_coord } = *transform;
    let usual = UvTransform::default();
    if offset != usual.offset {
        members.insert("offset".into(), json!(offset));
    }
    if rotation_rad != usual.rotation_rad {
        members.insert("rotation".into(), json!(rotation_rad));
    }
    if scale != usual.scale {
        members.insert("scale".into(), json!(scale));
    }
    if let Some(tex_coord) = tex_coord {
        members.insert("texCoord".into(), json!(tex_coord));
    }
    Value::Object(members)
}
