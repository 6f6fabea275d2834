//! An opened graphics card.

use crate::{Faults, RenderError};

pub(crate) struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) faults: Faults,
}

impl Gpu {
    pub(crate) fn open(adapter: &wgpu::Adapter) -> Result<Self, RenderError> {
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("scene-probe"),
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))
            .map_err(|error| RenderError::Device { what: error.to_string() })?;
        let faults = Faults::watch(&device);
        Ok(Self { device, queue, faults })
    }

    /// Why a step did not work: what the device reported, else `what`.
    pub(crate) fn failure(&self, what: &str) -> RenderError {
        self.faults.check().err().unwrap_or_else(|| RenderError::Device { what: what.to_owned() })
    }
}
