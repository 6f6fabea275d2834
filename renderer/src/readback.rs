//! The texture that a picture is drawn into, and how its bytes come back.

use crate::shot::Pass;
use bevy::app::App;
use bevy::asset::{Assets, Handle};
use bevy::ecs::world::World;
use bevy::image::Image;
use bevy::render::RenderApp;
use bevy::render::render_asset::RenderAssets;
use bevy::render::render_resource::{
    BufferDescriptor, BufferUsages, CommandEncoderDescriptor, MapMode, TexelCopyBufferInfo, TexelCopyBufferLayout,
    TextureFormat, TextureUsages,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bevy::render::texture::GpuImage;
use scene_document::View;
use scene_probe::{Faults, RenderError};
use std::sync::mpsc;

/// A new texture for each picture, all zeros, so that no other picture can be read from it.
pub(crate) fn target(world: &mut World, view: &View, pass: Pass) -> Handle<Image> {
    let format = match pass {
        Pass::Beauty => TextureFormat::Rgba8UnormSrgb,
        Pass::Hdr | Pass::Albedo | Pass::Normal | Pass::Depth | Pass::Id => TextureFormat::Rgba32Float,
    };
    let mut image = Image::new_target_texture(view.width, view.height, format, None);
    image.texture_descriptor.usage |= TextureUsages::COPY_SRC;
    // It is all zeros without these bytes, which would be uploaded.
    image.data = None;
    image.copy_on_resize = false;
    world.resource_mut::<Assets<Image>>().add(image)
}

/// The pixels that the last update drew, rows without padding.
///
/// # Errors
/// `DeviceLost` where they do not come in time, `Device` where there are none, and what the device has reported.
pub(crate) fn read(app: &App, faults: &Faults, target: &Handle<Image>) -> Result<Vec<u8>, RenderError> {
    let failed = |what: &str| RenderError::Device { what: what.to_owned() };
    let world = app.sub_app(RenderApp).world();
    let (device, queue) = (world.resource::<RenderDevice>(), world.resource::<RenderQueue>());
    let image = world.resource::<RenderAssets<GpuImage>>().get(target).ok_or_else(|| failed("nothing to draw into"))?;
    let size = image.texture_descriptor.size;
    let pixel_bytes = image.texture_descriptor.format.block_copy_size(None).ok_or_else(|| failed("no pixel format"))?;
    let row_bytes = size.width as usize * pixel_bytes as usize;
    let padded_bytes = RenderDevice::align_copy_bytes_per_row(row_bytes);
    let buffer = device.create_buffer(&BufferDescriptor {
        label: Some("picture"),
        size: (padded_bytes * size.height as usize) as u64,
        usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&CommandEncoderDescriptor { label: Some("picture") });
    let layout = TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(padded_bytes as u32), rows_per_image: None };
    encoder.copy_texture_to_buffer(
        image.texture.as_image_copy(),
        TexelCopyBufferInfo { buffer: &buffer, layout },
        size,
    );
    let submission = queue.submit([encoder.finish()]);
    let slice = buffer.slice(..);
    let (answer, answered) = mpsc::sync_channel(1);
    slice.map_async(MapMode::Read, move |mapped| {
        answer.try_send(mapped).ok();
    });
    faults.wait(submission)?;
    match answered.try_recv() {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Err(failed(&error.to_string())),
        Err(_) => return Err(failed("the picture was not copied")),
    }
    let mut pixels = Vec::with_capacity(row_bytes * size.height as usize);
    for row in slice.get_mapped_range().chunks_exact(padded_bytes) {
        pixels.extend_from_slice(&row[..row_bytes]);
    }
    Ok(pixels)
}
