//! What is drawn on: a layer for each picture, all of one size, and the buffers through which they come back.

use crate::RenderError;
use crate::frame::{Planes, ProbeFrame};
use crate::gpu::Gpu;
use crate::pipeline::{DEPTH, PLANES};
use crate::scene_buffers::{DrawRange, SceneBuffers};
use std::sync::mpsc::{self, Receiver};

/// Pictures of one submit at most. More gain nothing on lavapipe, and a lane's batch has no more.
const LAYERS_MAX: u32 = 64;
/// For one plane of all layers together. A picture that takes more is submitted alone, and its targets are not kept.
const PLANE_BYTES_MAX: u64 = 16 << 20;
const PIXEL_BYTES: u32 = 4;

pub(crate) struct LayerTargets {
    width: u32,
    height: u32,
    layers: u32,
    planes: [wgpu::Texture; 3],
    /// Of each layer: one per plane.
    views: Vec<[wgpu::TextureView; 3]>,
    /// Shared by all layers: a pass clears it first.
    depth: wgpu::TextureView,
    /// Two, so that one is read while the other is drawn into.
    readback: [wgpu::Buffer; 2],
}

/// What one layer shows: a scene of the buffers, and the index of the view through which it is seen.
pub(crate) struct LayerDraw<'a> {
    pub(crate) range: &'a DrawRange,
    pub(crate) view: u32,
}

/// Pictures under way.
pub(crate) struct Pending {
    submission: wgpu::SubmissionIndex,
    mapped: Receiver<Result<(), wgpu::BufferAsyncError>>,
    turn: usize,
    layers: u32,
}

impl LayerTargets {
    /// With `wanted` layers, rounded up to a power of two so that few sizes are ever made, or as many as fit.
    pub(crate) fn new(gpu: &Gpu, width: u32, height: u32, wanted: usize) -> Result<Self, RenderError> {
        let layers = layers(width, height, wanted);
        let attachment = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let planes = PLANES
            .map(|format| texture(gpu, format, attachment | wgpu::TextureUsages::COPY_SRC, [width, height, layers]));
        let layer_of = |plane: &wgpu::Texture, layer: u32| {
            plane.create_view(&wgpu::TextureViewDescriptor {
                dimension: Some(wgpu::TextureViewDimension::D2),
                base_array_layer: layer,
                array_layer_count: Some(1),
                ..Default::default()
            })
        };
        let views = (0..layers).map(|layer| planes.each_ref().map(|plane| layer_of(plane, layer))).collect();
        let depth = layer_of(&texture(gpu, DEPTH, attachment, [width, height, 1]), 0);
        let readback = [0, 1].map(|_| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("probe planes"),
                size: 3 * layer_bytes(width, height) * u64::from(layers),
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        });
        gpu.faults.check()?;
        Ok(Self { width, height, layers, planes, views, depth, readback })
    }

    /// Whether they do as well as new ones for `wanted` pictures.
    pub(crate) fn serves(&self, width: u32, height: u32, wanted: usize) -> bool {
        (self.width, self.height) == (width, height) && self.layers >= layers(width, height, wanted)
    }

    pub(crate) fn is_worth_keeping(&self) -> bool {
        layer_bytes(self.width, self.height) <= PLANE_BYTES_MAX
    }

    /// Pictures of one submit.
    pub(crate) fn layers(&self) -> usize {
        self.layers as usize
    }

    /// Draws one picture per layer and starts to read them back. Turns alternate between the two buffers: before turn
    /// n + 2 the pictures of turn n must have been collected.
    pub(crate) fn submit(
        &self,
        gpu: &Gpu,
        pipeline: &wgpu::RenderPipeline,
        buffers: &SceneBuffers,
        pictures: &[LayerDraw<'_>],
        turn: usize,
    ) -> Pending {
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for (picture, views) in pictures.iter().zip(&self.views) {
            let mut pass = self.pass(&mut encoder, views);
            pass.set_pipeline(pipeline);
            buffers.bind(&mut pass);
            let DrawRange { indices, base_vertex } = picture.range;
            pass.draw_indexed(indices.clone(), *base_vertex, picture.view..picture.view + 1);
        }
        let layers = pictures.len() as u32;
        let plane_bytes = self.plane_bytes(layers);
        let readback = &self.readback[turn % 2];
        for (index, plane) in (0_u64..).zip(&self.planes) {
            let layout = wgpu::TexelCopyBufferLayout {
                offset: index * plane_bytes,
                bytes_per_row: Some(row_bytes(self.width)),
                rows_per_image: Some(self.height),
            };
            let size = wgpu::Extent3d { width: self.width, height: self.height, depth_or_array_layers: layers };
            let target = wgpu::TexelCopyBufferInfo { buffer: readback, layout };
            encoder.copy_texture_to_buffer(plane.as_image_copy(), target, size);
        }
        let submission = gpu.queue.submit([encoder.finish()]);
        let (answer, mapped) = mpsc::sync_channel(1);
        readback.slice(..3 * plane_bytes).map_async(wgpu::MapMode::Read, move |result| {
            answer.try_send(result).ok();
        });
        Pending { submission, mapped, turn, layers }
    }

    /// Waits for the pictures, in the order in which they were given.
    pub(crate) fn collect(&self, gpu: &Gpu, pending: Pending) -> Result<Vec<ProbeFrame>, RenderError> {
        gpu.faults.wait(pending.submission)?;
        if !matches!(pending.mapped.try_recv(), Ok(Ok(()))) {
            return Err(gpu.failure("pictures could not be read back"));
        }
        let plane_bytes = self.plane_bytes(pending.layers);
        let readback = &self.readback[pending.turn % 2];
        let bytes = readback.slice(..3 * plane_bytes).get_mapped_range();
        let layer_bytes = layer_bytes(self.width, self.height) as usize;
        let frames = (0..pending.layers as usize).map(|layer| {
            let start = layer * layer_bytes;
            let layer_of = |plane: usize| {
                let start = plane * plane_bytes as usize + start;
                &bytes[start..start + layer_bytes]
            };
            let planes = Planes { bytes: [0, 1, 2].map(layer_of), row_bytes: row_bytes(self.width) as usize };
            ProbeFrame::read(self.width, self.height, &planes)
        });
        let frames = frames.collect();
        drop(bytes);
        readback.unmap();
        gpu.faults.check()?;
        Ok(frames)
    }

    fn pass<'a>(&self, encoder: &'a mut wgpu::CommandEncoder, views: &[wgpu::TextureView; 3]) -> wgpu::RenderPass<'a> {
        let color_attachments = views.each_ref().map(|view| {
            Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                    store: wgpu::StoreOp::Store,
                },
            })
        });
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("probe"),
            color_attachments: &color_attachments,
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.depth,
                depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(0.0), store: wgpu::StoreOp::Discard }),
                stencil_ops: None,
            }),
            timestamp_writes: None,
            occlusion_query_set: None,
            multiview_mask: None,
        })
    }

    /// Of one plane of so many layers.
    fn plane_bytes(&self, layers: u32) -> u64 {
        layer_bytes(self.width, self.height) * u64::from(layers)
    }
}

fn texture(
    gpu: &Gpu,
    format: wgpu::TextureFormat,
    usage: wgpu::TextureUsages,
    [width, height, depth_or_array_layers]: [u32; 3],
) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("probe"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}

fn layers(width: u32, height: u32, wanted: usize) -> u32 {
    let fitting = (PLANE_BYTES_MAX / layer_bytes(width, height)).clamp(1, u64::from(LAYERS_MAX)) as u32;
    u32::try_from(wanted.next_power_of_two()).map_or(fitting, |wanted| wanted.min(fitting))
}

/// A row in a buffer, padded as copies need it.
fn row_bytes(width: u32) -> u32 {
    (width * PIXEL_BYTES).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT)
}

fn layer_bytes(width: u32, height: u32) -> u64 {
    u64::from(row_bytes(width)) * u64::from(height)
}
