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
    #[error("{}", no_pixels(*.width, *.height))]
    NoPixels { width: u32, height: u32 },
    /// The view sees, but cameras are drawn in 32-bit numbers.
    #[error("the camera is too far from the origin, or what it shows too far from it; at most 3.4e38 m are allowed")]
    BeyondSinglePrecision,
}

impl RenderError {
    /// A failure of this program or its machine, not a mistake of the caller.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        !matches!(self, Self::NoPixels { .. } | Self::BeyondSinglePrecision)
    }
}

fn no_pixels(width: u32, height: u32) -> String {
    let sides = 1..=View::MAX_SIDE_PX;
    if sides.contains(&width) && sides.contains(&height) {
        return "the camera sees nothing: it needs a matrix with a finite inverse, and a field of view between 0 and \
                180° or extents more than 0"
            .into();
    }
    format!("a picture of {width}×{height} pixels cannot be drawn: a side has 1 to {} pixels", View::MAX_SIDE_PX)
}

fn no_adapter(asked: &AdapterChoice, found: &[String]) -> String {
    const LAVAPIPE: &str =
        "lavapipe draws without a graphics card (Debian: apt-get install mesa-vulkan-drivers libvulkan1)";
    if found.is_empty() {
        return format!("no graphics adapter was found; {LAVAPIPE}");
    }
    let is_software = |name: &String| SOFTWARE.iter().any(|part| name.to_lowercase().contains(part));
    let hint = if found.iter().any(is_software) { String::new() } else { format!("{LAVAPIPE}; ") };
    format!(
        "no graphics adapter is named \"{asked}\"; {hint}there is {}: give a part of one of these names, or auto",
        found.join(", ")
    )
}

/// In the names of adapters that draw on the processor: Mesa's lavapipe, SwiftShader, Microsoft's WARP.
const SOFTWARE: [&str; 4] = ["llvmpipe", "lavapipe", "swiftshader", "basic render"];

#[cfg(test)]
mod tests {
    use super::*;

    fn text(found: &[&str]) -> String {
        let found = found.iter().map(|name| (*name).to_owned()).collect();
        RenderError::NoAdapter { asked: AdapterChoice::Named("card".into()), found }.to_string()
    }

    #[test]
    fn the_size_is_blamed_only_where_it_is_at_fault() {
        let told = |width, height| RenderError::NoPixels { width, height }.to_string();
        assert_eq!(told(0, 30), "a picture of 0×30 pixels cannot be drawn: a side has 1 to 4096 pixels");
        assert!(told(40, 4097).starts_with("a picture of 40×4097 pixels"), "{}", told(40, 4097));
        let blind = told(40, 30);
        assert!(blind.starts_with("the camera sees nothing") && !blind.contains("40"), "{blind}");
    }

    #[test]
    fn how_to_get_lavapipe_is_said_only_where_nothing_draws_on_the_processor() {
        let names = "give a part of one of these names, or auto";
        let software = text(&["NVIDIA H200", "llvmpipe (LLVM 15.0.6, 256 bits)"]);
        assert!(!software.contains("apt-get") && software.ends_with(names), "{software}");
        let cards_only = text(&["NVIDIA H200"]);
        assert!(cards_only.contains("apt-get") && cards_only.ends_with(names), "{cards_only}");
        let none = text(&[]);
        assert!(none.contains("apt-get") && !none.contains(names), "{none}");
    }
}
