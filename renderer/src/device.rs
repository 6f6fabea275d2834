//! The device that Bevy draws with, on the adapter that was chosen, and what goes wrong with it.

use bevy::render::renderer::{
    RenderAdapter, RenderAdapterInfo, RenderDevice, RenderInstance, RenderQueue, WgpuWrapper,
};
use bevy::render::settings::RenderCreation;
use scene_probe::{Chosen, RenderError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Opened, but nobody hears its complaints before `Device::watch`.
#[derive(Debug)]
pub(crate) struct Device {
    device: wgpu::Device,
    fault: Arc<Mutex<Option<RenderError>>>,
}

impl Device {
    /// # Errors
    /// `Device` where the adapter cannot be opened.
    pub(crate) fn open(chosen: Chosen) -> Result<(Self, RenderCreation), RenderError> {
        let Chosen { instance, adapter, .. } = chosen;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("renderer"),
            required_features: features(&adapter),
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))
            .map_err(|error| RenderError::Device { what: error.to_string() })?;
        let creation = RenderCreation::manual(
            RenderDevice::from(device.clone()),
            RenderQueue(Arc::new(WgpuWrapper::new(queue))),
            RenderAdapterInfo(WgpuWrapper::new(adapter.get_info())),
            RenderAdapter(Arc::new(WgpuWrapper::new(adapter))),
            RenderInstance(Arc::new(WgpuWrapper::new(instance))),
        );
        Ok((Self { device, fault: Arc::default() }, creation))
    }

    /// To be called once Bevy has taken the device: until then it puts callbacks of its own there, which end the app.
    pub(crate) fn watch(&self) {
        let lost = Arc::clone(&self.fault);
        self.device.set_device_lost_callback(move |reason, message| {
            *lock(&lost) = Some(RenderError::DeviceLost { what: format!("{reason:?} {message}").trim().to_owned() });
        });
        let failed = Arc::clone(&self.fault);
        self.device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            // The first one explains the others.
            lock(&failed).get_or_insert(RenderError::Device { what: error.to_string() });
        }));
    }

    /// What the device reported; it stays, for nothing drawn afterwards can be trusted.
    pub(crate) fn fault(&self) -> Option<RenderError> {
        // A loss is reported only when the device is asked. Asking may panic, which then says no more than the report.
        drop(catch_unwind(AssertUnwindSafe(|| self.device.poll(wgpu::PollType::Poll))));
        lock(&self.fault).clone()
    }

    /// For tests: as if the driver had given up.
    pub(crate) fn lose(&self) {
        self.device.destroy();
    }
}

/// All that the adapter has, but nothing experimental and no draws that the graphics card counts: those come in the
/// order in which it happens to count them, and of surfaces in one place the last drawn is seen. A discrete card would
/// be slow with memory of its own that it maps.
fn features(adapter: &wgpu::Adapter) -> wgpu::Features {
    let mut features = adapter.features();
    features.remove(wgpu::Features::all_experimental_mask() | wgpu::Features::MULTI_DRAW_INDIRECT_COUNT);
    if adapter.get_info().device_type == wgpu::DeviceType::DiscreteGpu {
        features.remove(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS);
    }
    features
}

fn lock(fault: &Mutex<Option<RenderError>>) -> MutexGuard<'_, Option<RenderError>> {
    fault.lock().unwrap_or_else(PoisonError::into_inner)
}
