//! What goes wrong with a graphics device, as values: neither an error that it reports nor a panic of wgpu ends the
//! program.

use crate::RenderError;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// No wait for a picture lasts longer; a device that has not answered by then counts as lost. Long, because a device that
/// is dropped while it still draws can take the process with it; who asked for the picture has a deadline of his own.
const PATIENCE: Duration = Duration::from_secs(600);

/// Listens to one device. What was reported once stays: nothing that is drawn afterwards can be trusted.
#[derive(Debug)]
pub struct Faults {
    device: wgpu::Device,
    reported: Arc<Mutex<Option<RenderError>>>,
}

impl Faults {
    /// From now on, and in place of whoever listened before. An error that nobody listens to is a panic of wgpu.
    #[must_use]
    pub fn watch(device: &wgpu::Device) -> Self {
        let reported: Arc<Mutex<Option<RenderError>>> = Arc::default();
        let lost = Arc::clone(&reported);
        device.set_device_lost_callback(move |reason, message| {
            *lock(&lost) = Some(RenderError::DeviceLost { what: format!("{reason:?} {message}").trim().to_owned() });
        });
        let failed = Arc::clone(&reported);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            // The first one explains the others.
            lock(&failed).get_or_insert(RenderError::Device { what: error.to_string() });
        }));
        Self { device: device.clone(), reported }
    }

    /// # Errors
    /// `Device` or `DeviceLost`, where the device has ever reported one.
    pub fn check(&self) -> Result<(), RenderError> {
        self.poll(wgpu::PollType::Poll)
    }

    /// Until the submission is done and its buffers are mapped, at most ten minutes.
    ///
    /// # Errors
    /// As `check`; `DeviceLost` where the device does not answer.
    pub fn wait(&self, submission: wgpu::SubmissionIndex) -> Result<(), RenderError> {
        self.poll(wgpu::PollType::Wait { submission_index: Some(submission), timeout: Some(PATIENCE) })
    }

    /// A device reports its loss only while it is polled, and wgpu panics where the poll itself finds it lost.
    fn poll(&self, poll: wgpu::PollType) -> Result<(), RenderError> {
        let lost = |what: String| Err(RenderError::DeviceLost { what });
        let polled = match catch_unwind(AssertUnwindSafe(|| self.device.poll(poll))) {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => lost(format!("no answer: {error}")),
            Err(_) => lost("it could not be asked".to_owned()),
        };
        // A report says more than the way in which the poll failed.
        lock(&self.reported).clone().map_or(polled, Err)
    }
}

fn lock(reported: &Mutex<Option<RenderError>>) -> MutexGuard<'_, Option<RenderError>> {
    reported.lock().unwrap_or_else(PoisonError::into_inner)
}
