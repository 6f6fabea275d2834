//! The one error of the renderers that draw on a graphics card.

use crate::AdapterChoice;
use scene_document::View;
use thiserror::Error;

#[derive(Clone, Debug, PartialEq, Error)]
pub enum RenderError {
    #[error("{}", no_adapter(.asked, .found))]
    NoAdapter { asked: AdapterChoice, found: Vec<String> },
    #[error("{waiting} pictures wait to be drawn already, no more are taken; ask again later")]
    QueueFull { waiting: usize },
    /// Nobody waits for it any more: it was not drawn.
    #[error("the picture was not drawn before its deadline")]
    DeadlineExceeded,
    #[error("the graphics device was lost: {what}")]
    DeviceLost { what: String },
    #[error("drawing panicked: {what}")]
    Panicked { what: String },
    /// A use that is not valid, no memory left, or no start.
    #[error("the graphics device failed: {what}")]
    Device { what: String },
    #[error("two pictures of one scene differ")]
    Unsteady,
    /// A side is 0 or too long, or the camera cannot see.
    #[error(
        "nothing can be seen in {width}×{height} pixels: a side has 1 to {} pixels, and the camera needs a matrix with \
         an inverse and a field of view between 0 and 180°",
        View::MAX_SIDE_PX
    )]
    NoPixels { width: u32, height: u32 },
}

impl RenderError {
    /// A failure of this program or its machine, not a mistake of the caller.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        !matches!(self, Self::NoPixels { .. })
    }
}

fn no_adapter(asked: &AdapterChoice, found: &[String]) -> String {
    let missing = match asked {
        AdapterChoice::Named(part) if !found.is_empty() => {
            format!("no graphics adapter is named {part:?}; there is {}", found.join(", "))
        }
        _ => "no graphics adapter was found".to_owned(),
    };
    format!(
        "{missing}; lavapipe draws without a graphics card (Debian: apt-get install mesa-vulkan-drivers libvulkan1)"
    )
}
