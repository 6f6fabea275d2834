//! The textures of a scene as the shader takes them: all texels in one list, where the slots of each material say which
//! of them they show.
//!
//! The list holds for each image its levels one after the other, from the image itself down to one texel, row by row.
//! So rows of one class share a material, whatever they show, and are drawn in their order.

use crate::finish::Finish;
use crate::mips::{levels, mip_chain, texel_count};
use bevy::render::render_resource::{Buffer, BufferInitDescriptor, BufferUsages};
use bevy::render::renderer::RenderDevice;
use scene_document::{
    Baked, Filter, Image, Material, MaterialId, Sampler, Texture, TextureId, TextureSlot, TextureUse, Wrap,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const SIDE_PX_MAX: u32 = 2048;
/// Of one scene, levels included: 64 MiB, half of what a buffer may have on any graphics card.
const TEXELS_MAX: usize = 16 << 20;

/// Of each number of a texture transform, of either sign: past it single precision knows no place in an image.
const TRANSFORM_MAX: f64 = 1e6;

/// 32-bit words of the shader's `Slot`, padding included.
pub(crate) const SLOT_WORDS: usize = 12;
pub(crate) type Slot = [u32; SLOT_WORDS];

const EMPTY: Slot = [0; SLOT_WORDS];
/// Of a material without textures. The slots of a scene begin with them.
pub(crate) const NO_SLOTS: [Slot; TextureSlot::ALL.len()] = [EMPTY; TextureSlot::ALL.len()];

/// The digest of an image, and whether its colours are sRGB-encoded.
type Key = ([u8; 32], bool);

/// What of the scene that is shown has been decoded: the next one is likely to show it too.
#[derive(Debug, Default)]
pub(crate) struct Texels {
    images: BTreeMap<TextureId, (Arc<Texture>, Option<Arc<Image>>)>,
    /// Texels of every level, or why there are none.
    decoded: BTreeMap<Key, Result<Vec<u32>, String>>,
    /// In the order of the list.
    listed: Vec<Key>,
    /// The list on the graphics card.
    buffer: Option<Buffer>,
}

/// Slots of the materials that are in use.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    /// Five for each material with textures, in the order of `TextureSlot::ALL`.
    pub(crate) slots: Vec<Slot>,
    /// Index of a material's first one.
    pub(crate) first: BTreeMap<MaterialId, u32>,
    /// What is not drawn, and why.
    pub(crate) notes: Vec<String>,
}

impl Slots {
    pub(crate) fn finish(&self, scene: &Baked, material: Option<MaterialId>) -> Finish {
        let first_slot = material.and_then(|id| self.first.get(&id).copied()).unwrap_or(0);
        let material = material.and_then(|id| scene.materials.get(&id));
        Finish::of(material.map(Arc::as_ref), first_slot)
    }
}

impl Texels {
    /// Decodes what these materials show and was not decoded for the scene before.
    pub(crate) fn lay_out(&mut self, scene: &Baked, materials: &BTreeSet<MaterialId>) -> Slots {
        let mut list =
            List { scene, before: std::mem::take(self), now: Self::default(), places: BTreeMap::new(), end: 0 };
        let mut laid = Slots { slots: NO_SLOTS.to_vec(), ..Slots::default() };
        for id in materials {
            let Some(material) = scene.materials.get(id) else { continue };
            let slots = TextureSlot::ALL.map(|slot| {
                let used = material.textures.get(&slot).filter(|used| shows(material, slot, used));
                used.map_or(Ok(EMPTY), |used| list.slot(slot, used)).unwrap_or_else(|why| {
                    laid.notes.push(format!("the {} of {id} is not drawn: {why}", slot.member()));
                    EMPTY
                })
            });
            if slots != NO_SLOTS {
                laid.first.insert(*id, laid.slots.len() as u32);
                laid.slots.extend(slots);
            }
        }
        let List { before, now, .. } = list;
        *self = now;
        self.buffer = before.buffer.filter(|_| before.listed == self.listed);
        laid
    }

    /// The list, uploaded unless it is the one that was uploaded last.
    pub(crate) fn buffer(&mut self, device: &RenderDevice) -> Buffer {
        let Self { decoded, listed, buffer, .. } = self;
        let upload = || {
            let chains = listed.iter().filter_map(|key| decoded.get(key)?.as_ref().ok());
            let mut texels = chains.map(Vec::as_slice).collect::<Vec<_>>().concat();
            // A buffer cannot be empty.
            texels.resize(texels.len().max(1), 0);
            device.create_buffer_with_data(&BufferInitDescriptor {
                label: Some("texels"),
                contents: bytemuck::cast_slice(&texels),
                usage: BufferUsages::STORAGE,
            })
        };
        buffer.get_or_insert_with(upload).clone()
    }
}

/// Whether the texture changes anything.
fn shows(material: &Material, slot: TextureSlot, used: &TextureUse) -> bool {
    used.amount != 0.0 && (slot != TextureSlot::Emissive || material.emissive != [0.0; 3])
}

/// The list as it is made.
struct List<'a> {
    scene: &'a Baked,
    before: Texels,
    now: Texels,
    /// Where the texels of an image begin.
    places: BTreeMap<Key, usize>,
    end: usize,
}

impl List<'_> {
    /// # Errors
    /// Why it is not drawn.
    fn slot(&mut self, slot: TextureSlot, used: &TextureUse) -> Result<Slot, String> {
        let transform = used.transform.unwrap_or_default();
        let tex_coord = transform.tex_coord.unwrap_or(used.tex_coord);
        if tex_coord != 0 {
            return Err(format!("of texture coordinates only TEXCOORD_0 are read, and it has TEXCOORD_{tex_coord}"));
        }
        // What an edit may bring.
        let amounts = match slot {
            TextureSlot::Normal => -1e3..=1e3,
            TextureSlot::Occlusion => 0.0..=1.0,
            TextureSlot::BaseColor | TextureSlot::MetallicRoughness | TextureSlot::Emissive => 1.0..=1.0,
        };
        if !amounts.contains(&used.amount) {
            let (least, most) = (amounts.start(), amounts.end());
            return Err(format!("its amount is {:e}; {least} to {most} are drawn", used.amount));
        }
        let ([scale_u, scale_v], [offset_u, offset_v]) = (transform.scale, transform.offset);
        let numbers = [scale_u, scale_v, offset_u, offset_v, transform.rotation_rad];
        if let Some(number) = numbers.into_iter().find(|number| !(-TRANSFORM_MAX..=TRANSFORM_MAX).contains(number)) {
            return Err(format!(
                "its texture transform has the number {number:e}; -{TRANSFORM_MAX:e} to {TRANSFORM_MAX:e} are drawn"
            ));
        }
        let (image, sampler) = self.image(used.texture)?;
        let is_srgb = matches!(slot, TextureSlot::BaseColor | TextureSlot::Emissive);
        let first = self.place(&image, is_srgb)?;
        let [width, height] = image.size_px();
        let bits = |value: f64| (value as f32).to_bits();
        // KHR_texture_transform: counter-clockwise where v grows downwards.
        let (sine, cosine) = libm::sincos(transform.rotation_rad);
        let [u_u, u_v, u] = [cosine * scale_u, sine * scale_v, offset_u].map(bits);
        let [v_u, v_v, v] = [-sine * scale_u, cosine * scale_v, offset_v].map(bits);
        let levels = levels(width, height);
        Ok([first as u32, width, height, levels, u_u, u_v, u, sampling(sampler), v_u, v_v, v, bits(used.amount)])
    }

    fn image(&mut self, id: TextureId) -> Result<(Arc<Image>, Sampler), String> {
        let texture = self.scene.textures.get(&id).ok_or_else(|| format!("there is no {id}"))?;
        let source = self.scene.source.as_deref();
        let (_, image) = self.now.images.entry(id).or_insert_with(|| {
            let known = self.before.images.remove(&id).filter(|(before, _)| Arc::ptr_eq(before, texture));
            known.unwrap_or_else(|| (Arc::clone(texture), texture.image(source)))
        });
        let image = image.clone().ok_or_else(|| format!("{id} has no image that can be read"))?;
        Ok((image, texture.sampler(source)))
    }

    /// Where the image begins in the list, which it is put into.
    fn place(&mut self, image: &Image, is_srgb: bool) -> Result<usize, String> {
        let key = (*image.digest(), is_srgb);
        if let Some(place) = self.places.get(&key) {
            return Ok(*place);
        }
        let [width, height] = image.size_px();
        if width.max(height) > SIDE_PX_MAX {
            return Err(format!("its image has {width} × {height} pixels; at most {SIDE_PX_MAX} a side are drawn"));
        }
        let end = self.end + texel_count(width, height);
        if end > TEXELS_MAX {
            return Err(format!("the images of the scene are more than {TEXELS_MAX} texels, levels included"));
        }
        let chain = self.now.decoded.entry(key).or_insert_with(|| {
            let known = self.before.decoded.remove(&key);
            known.unwrap_or_else(|| {
                let rgba = image.rgba8().map_err(|error| error.to_string())?;
                mip_chain([width, height], &rgba, is_srgb).ok_or_else(|| "its image is not whole".to_owned())
            })
        });
        if let Err(why) = chain {
            return Err(why.clone());
        }
        self.now.listed.push(key);
        self.places.insert(key, self.end);
        Ok(std::mem::replace(&mut self.end, end))
    }
}

/// As the shader has it: two bits for each wrap, then one for the filter.
fn sampling(sampler: Sampler) -> u32 {
    let wrap = |wrap: Wrap| match wrap {
        Wrap::Repeat => 0,
        Wrap::MirroredRepeat => 1,
        Wrap::ClampToEdge => 2,
    };
    let nearest = u32::from(sampler.filter == Filter::Nearest);
    wrap(sampler.wrap_u) | wrap(sampler.wrap_v) << 2 | nearest << 4
}
