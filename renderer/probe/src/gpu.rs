//! An opened graphics card whose faults become values.

use crate::RenderError;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// No wait for a picture lasts longer; a device that has not answered by then counts as lost.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    /// What the device reported; it stays, for nothing drawn afterwards can be trusted.
    fault: Fault,
}

type Fault = Arc<Mutex<Option<RenderError>>>;

impl Gpu {
    pub(crate) fn open(adapter: &wgpu::Adapter) -> Result<Self, RenderError> {
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("scene-probe"),
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))
            .map_err(|error| RenderError::Device { what: error.to_string() })?;
        let fault = Fault::default();
        let lost = Arc::clone(&fault);
        device.set_device_lost_callback(move |reason, message| {
            *lock(&lost) = Some(RenderError::DeviceLost { what: format!("{reason:?} {message}").trim().to_owned() });
        });
        let failed = Arc::clone(&fault);
        // Without a handler of its own wgpu panics.
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let mut fault = lock(&failed);
            if fault.is_none() {
                *fault = Some(RenderError::Device { what: error.to_string() });
            }
        }));
        Ok(Self { device, queue, fault })
    }

    pub(crate) fn check(&self) -> Result<(), RenderError> {
        lock(&self.fault).clone().map_or(Ok(()), Err)
    }

    /// Why a step did not work: what the device reported, else `what`.
    pub(crate) fn failure(&self, what: &str) -> RenderError {
        // A loss is reported only when the device is asked. It may panic, which then says no more than the report.
        let _ = catch_unwind(AssertUnwindSafe(|| self.device.poll(wgpu::PollType::Poll)));
        self.check().err().unwrap_or_else(|| RenderError::Device { what: what.to_owned() })
    }

    /// Until the submission is done and its buffers are mapped.
    pub(crate) fn wait(&self, submission: wgpu::SubmissionIndex) -> Result<(), RenderError> {
        let poll = wgpu::PollType::Wait { submission_index: Some(submission), timeout: Some(PATIENCE) };
        // wgpu panics where the wait itself finds the device lost.
        let waited = catch_unwind(AssertUnwindSafe(|| self.device.poll(poll)));
        self.check()?;
        match waited {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(RenderError::DeviceLost { what: format!("no answer: {error}") }),
            Err(_) => Err(RenderError::DeviceLost { what: "waiting for it failed".to_owned() }),
        }
    }
}

fn lock(fault: &Mutex<Option<RenderError>>) -> MutexGuard<'_, Option<RenderError>> {
    fault.lock().unwrap_or_else(PoisonError::into_inner)
}
