//! What is drawn, on the graphics card: the scenes of one call and the views of them, in buffers that the next call
//! uses again. Scenes that are the last call's stay where they are.

use crate::gpu::Gpu;
use crate::view_instance::ViewInstance;
use crate::{ProbeScene, RenderError};
use std::ops::Range;
use std::sync::{Arc, Weak};

/// A larger buffer is replaced in the next call, so that one large scene does not hold its memory for ever.
const KEPT_BYTES_MAX: u64 = 64 << 20;

pub(crate) struct SceneBuffers {
    vertices: GrowableBuffer,
    indices: GrowableBuffer,
    views: GrowableBuffer,
    /// In order. Weak, so that a scene that nobody draws any more frees its memory, and no other takes its address.
    loaded: Vec<Weak<ProbeScene>>,
}

/// Where a scene lies in the buffers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DrawRange {
    pub(crate) indices: Range<u32>,
    pub(crate) base_vertex: i32,
}

/// Made anew, larger, where it is too small.
struct GrowableBuffer {
    what: &'static str,
    usage: wgpu::BufferUsages,
    buffer: Option<wgpu::Buffer>,
}

impl SceneBuffers {
    pub(crate) fn new() -> Self {
        let empty = |what, usage| GrowableBuffer { what, usage, buffer: None };
        Self {
            vertices: empty("vertices", wgpu::BufferUsages::VERTEX),
            indices: empty("indices", wgpu::BufferUsages::INDEX),
            views: empty("views", wgpu::BufferUsages::VERTEX),
            loaded: Vec::new(),
        }
    }

    /// In place of what was loaded before; answers where each of the scenes lies, in order.
    pub(crate) fn load(
        &mut self,
        gpu: &Gpu,
        scenes: &[&Arc<ProbeScene>],
        views: &[ViewInstance],
    ) -> Result<Vec<DrawRange>, RenderError> {
        let known = self.loaded.iter().map(Weak::as_ptr).eq(scenes.iter().map(|scene| Arc::as_ptr(scene)));
        if !known {
            self.loaded.clear();
            self.vertices.fill(gpu, &scenes.iter().map(|scene| scene.vertex_bytes()).collect::<Vec<_>>())?;
            self.indices.fill(gpu, &scenes.iter().map(|scene| scene.index_bytes()).collect::<Vec<_>>())?;
            self.loaded = scenes.iter().map(|scene| Arc::downgrade(scene)).collect();
        }
        self.views.fill(gpu, &[bytemuck::cast_slice::<ViewInstance, u8>(views)])?;
        let (mut first_vertex, mut first_index) = (0_usize, 0_u32);
        let ranges = scenes.iter().map(|scene| {
            let range = DrawRange {
                indices: first_index..first_index + scene.indices.len() as u32,
                base_vertex: first_vertex as i32,
            };
            first_vertex += scene.vertices.len();
            first_index = range.indices.end;
            range
        });
        Ok(ranges.collect())
    }

    pub(crate) fn bind(&self, pass: &mut wgpu::RenderPass<'_>) {
        if let (Some(vertices), Some(indices), Some(views)) =
            (&self.vertices.buffer, &self.indices.buffer, &self.views.buffer)
        {
            pass.set_vertex_buffer(0, vertices.slice(..));
            pass.set_vertex_buffer(1, views.slice(..));
            pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint32);
        }
    }
}

impl GrowableBuffer {
    /// With the parts one after another, in place of what it held.
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
