//! Vertices and a view in, planes out: the pipeline of every picture.

use crate::RenderError;
use crate::gpu::Gpu;
use crate::scene::Vertex;
use crate::view_instance::ViewInstance;

/// Ids, depths, normals with luminance; four bytes a pixel each.
pub(crate) const PLANES: [wgpu::TextureFormat; 3] =
    [wgpu::TextureFormat::R32Uint, wgpu::TextureFormat::R32Float, wgpu::TextureFormat::Rgba8Unorm];
pub(crate) const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

const VERTEX: [wgpu::VertexAttribute; 4] =
    wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Uint32, 3 => Float32];
const VIEW_INSTANCE: [wgpu::VertexAttribute; 6] = wgpu::vertex_attr_array![
    4 => Float32x4, 5 => Float32x4, 6 => Float32x4, 7 => Float32x4, 8 => Float32x4, 9 => Float32x4
];

/// Vertices in slot 0, views in slot 1: which instance is drawn says through which view.
pub(crate) fn pipeline(gpu: &Gpu) -> Result<wgpu::RenderPipeline, RenderError> {
    let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("probe"),
        source: wgpu::ShaderSource::Wgsl(include_str!("probe.wgsl").into()),
    });
    let buffers = [
        wgpu::VertexBufferLayout {
            array_stride: size_of::<Vertex>() as wgpu::BufferAddress,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &VERTEX,
        },
        wgpu::VertexBufferLayout {
            array_stride: size_of::<ViewInstance>() as wgpu::BufferAddress,
            step_mode: wgpu::VertexStepMode::Instance,
            attributes: &VIEW_INSTANCE,
        },
    ];
    let targets = PLANES.map(|format| Some(wgpu::ColorTargetState::from(format)));
    let pipeline = gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("probe"),
        layout: None,
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("place"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &buffers,
        },
        // Triangles, counter-clockwise in front, no side culled.
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Greater),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some("show"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &targets,
        }),
        multiview_mask: None,
        cache: None,
    });
    gpu.faults.check()?;
    Ok(pipeline)
}
