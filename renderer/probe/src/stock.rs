//! What is drawn, on the graphics card: the scenes of one call and the views of them, in buffers that are used again.

use crate::gpu::Gpu;
use crate::sight::Sight;
use crate::{ProbeScene, RenderError};
use std::ops::Range;

/// A buffer larger than this is given back before the next call.
const KEPT_BYTES_MAX: u64 = 64 << 20;

pub(crate) struct Stock {
    vertices: Store,
    indices: Store,
    sights: Store,
}

/// Where a scene lies in the stock.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    pub(crate) indices: Range<u32>,
    pub(crate) base_vertex: i32,
}

struct Store {
    what: &'static str,
    usage: wgpu::BufferUsages,
    buffer: Option<wgpu::Buffer>,
}

impl Stock {
    pub(crate) fn new() -> Self {
        let store = |what, usage| Store { what, usage, buffer: None };
        Self {
            vertices: store("vertices", wgpu::BufferUsages::VERTEX),
            indices: store("indices", wgpu::BufferUsages::INDEX),
            sights: store("views", wgpu::BufferUsages::VERTEX),
        }
    }

    /// In place of what was loaded before; the places are those of `scenes`, in order.
    pub(crate) fn load(
        &mut self,
        gpu: &Gpu,
        scenes: &[&ProbeScene],
        sights: &[Sight],
    ) -> Result<Vec<Place>, RenderError> {
        self.vertices.fill(gpu, &scenes.iter().map(|scene| scene.vertex_bytes()).collect::<Vec<_>>())?;
        self.indices.fill(gpu, &scenes.iter().map(|scene| scene.index_bytes()).collect::<Vec<_>>())?;
        self.sights.fill(gpu, &[bytemuck::cast_slice::<Sight, u8>(sights)])?;
        let (mut first_vertex, mut first_index) = (0_usize, 0_u32);
        let places = scenes.iter().map(|scene| {
            let place = Place {
                indices: first_index..first_index + scene.indices.len() as u32,
                base_vertex: first_vertex as i32,
            };
            first_vertex += scene.vertices.len();
            first_index = place.indices.end;
            place
        });
        Ok(places.collect())
    }

    pub(crate) fn bind(&self, pass: &mut wgpu::RenderPass<'_>) {
        if let (Some(vertices), Some(indices), Some(sights)) =
            (&self.vertices.buffer, &self.indices.buffer, &self.sights.buffer)
        {
            pass.set_vertex_buffer(0, vertices.slice(..));
            pass.set_vertex_buffer(1, sights.slice(..));
            pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint32);
        }
    }
}

impl Store {
    /// With the parts, one after another.
    fn fill(&mut self, gpu: &Gpu, parts: &[&[u8]]) -> Result<(), RenderError> {
        let bytes: u64 = parts.iter().map(|part| part.len() as u64).sum();
        let Some(size) = wgpu::BufferSize::new(bytes) else { return Ok(()) };
        let bytes_max = gpu.device.limits().max_buffer_size;
        if bytes > bytes_max {
            let what = format!("{} take {bytes} bytes, a buffer of this adapter holds {bytes_max}", self.what);
            return Err(RenderError::Device { what });
        }
        let kept = self.buffer.take().filter(|buffer| (bytes..=KEPT_BYTES_MAX).contains(&buffer.size()));
        let buffer = kept.unwrap_or_else(|| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(self.what),
                size: bytes.next_power_of_two().min(bytes_max),
                usage: self.usage | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        });
        let Some(mut staged) = gpu.queue.write_buffer_with(&buffer, 0, size) else {
            return Err(gpu.failure(&format!("{bytes} bytes of {} could not be uploaded", self.what)));
        };
        let mut start = 0;
        for part in parts {
            staged.slice(start..start + part.len()).copy_from_slice(part);
            start += part.len();
        }
        drop(staged);
        self.buffer = Some(buffer);
        Ok(())
    }
}
