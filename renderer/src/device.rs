//! The device that Bevy draws with, on the adapter that was chosen.

use bevy::render::renderer::{
    RenderAdapter, RenderAdapterInfo, RenderDevice, RenderInstance, RenderQueue, WgpuWrapper,
};
use bevy::render::settings::RenderCreation;
use scene_probe::{Chosen, RenderError};
use std::sync::Arc;

/// # Errors
/// `Device` where the adapter cannot be opened.
pub(crate) fn open(chosen: Chosen) -> Result<RenderCreation, RenderError> {
    let Chosen { instance, adapter, .. } = chosen;
    let descriptor = wgpu::DeviceDescriptor {
        label: Some("renderer"),
        required_features: features(&adapter),
        required_limits: adapter.limits(),
        ..Default::default()
    };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))
        .map_err(|error| RenderError::Device { what: error.to_string() })?;
    Ok(RenderCreation::manual(
        RenderDevice::from(device),
        RenderQueue(Arc::new(WgpuWrapper::new(queue))),
        RenderAdapterInfo(WgpuWrapper::new(adapter.get_info())),
        RenderAdapter(Arc::new(WgpuWrapper::new(adapter))),
        RenderInstance(Arc::new(WgpuWrapper::new(instance))),
    ))
}

/// All that the adapter has, but for three: nothing experimental; no draws that the graphics card itself puts into a
/// list, since their order, which says what is seen of surfaces in the same place, would be chance; and on a discrete
/// card no buffers in mapped memory, which it reads slowly.
fn features(adapter: &wgpu::Adapter) -> wgpu::Features {
    let mut features = adapter.features();
    features.remove(wgpu::Features::all_experimental_mask() | wgpu::Features::MULTI_DRAW_INDIRECT_COUNT);
    if adapter.get_info().device_type == wgpu::DeviceType::DiscreteGpu {
        features.remove(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS);
    }
    features
}
