//! A renderer's error as the protocol's.

use renderer::RenderError;
use rl_protocol::{Code, DomainError};

const RETRY_AFTER_MS: u64 = 500;
/// The queue was long; it is not shorter a moment later.
const RETRY_AFTER_DEADLINE_MS: u64 = 5000;

pub(super) fn refusal(error: RenderError) -> DomainError {
    if error.is_ours() {
        tracing::warn!(%error, "no picture");
    }
    let message = error.to_string();
    match error {
        RenderError::QueueFull { .. } => {
            DomainError::new(Code::ResourceExhausted, "RENDER_QUEUE_FULL", message).retry_after(RETRY_AFTER_MS)
        }
        RenderError::DeadlineExceeded => {
            DomainError::new(Code::DeadlineExceeded, "RENDER_DEADLINE", message).retry_after(RETRY_AFTER_DEADLINE_MS)
        }
        RenderError::NoPixels { .. } => DomainError::new(Code::FailedPrecondition, "NO_PIXELS", message),
        RenderError::BeyondSinglePrecision => {
            DomainError::new(Code::FailedPrecondition, "BEYOND_SINGLE_PRECISION", message)
        }
        RenderError::NoAdapter { .. } => DomainError::new(Code::FailedPrecondition, "NO_ADAPTER", message),
        RenderError::DeviceLost { .. }
        | RenderError::Panicked { .. }
        | RenderError::Device { .. }
        | RenderError::Unsteady => DomainError::new(Code::Unavailable, "RENDERER_FAILED", message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_camera_that_cannot_see_is_the_callers_affair() {
        let lost = refusal(RenderError::DeviceLost { what: "gone".into() });
        assert_eq!((lost.code, lost.reason.as_ref()), (Code::Unavailable, "RENDERER_FAILED"));
        let full = refusal(RenderError::QueueFull { waiting: 9 });
        assert_eq!((full.code, full.retry_after_ms), (Code::ResourceExhausted, Some(500)));
        let late = refusal(RenderError::DeadlineExceeded);
        assert_eq!((late.code, late.reason.as_ref()), (Code::DeadlineExceeded, "RENDER_DEADLINE"));
        let blind = refusal(RenderError::NoPixels { width: 0, height: 4 });
        assert_eq!(blind.code, Code::FailedPrecondition);
        let far = refusal(RenderError::BeyondSinglePrecision);
        assert_eq!((far.code, far.reason.as_ref()), (Code::FailedPrecondition, "BEYOND_SINGLE_PRECISION"));
    }
}
