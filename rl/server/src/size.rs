//! The size of a picture on the command line: `512x384`.

use scene_document::View;
use std::fmt;
use std::str::FromStr;

/// Pixels; each side in 1…`View::MAX_SIDE_PX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let side = |text: &str| text.parse().ok().filter(|side| (1..=View::MAX_SIDE_PX).contains(side));
        let sides = text.split_once('x').and_then(|(width, height)| Some((side(width)?, side(height)?)));
        let (width, height) = sides.ok_or_else(|| {
            format!("a size is WIDTHxHEIGHT in pixels, each from 1 to {}, e.g. 512x384", View::MAX_SIDE_PX)
        })?;
        Ok(Self { width, height })
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_bounded() {
        assert_eq!("640x480".parse(), Ok(Size { width: 640, height: 480 }));
        for wrong in ["", "640", "640x", "x480", "0x4", "640x-1", "640x480x3", "4097x1", "1e3x4", "640×480"] {
            assert!(wrong.parse::<Size>().unwrap_err().contains("512x384"), "{wrong}");
        }
    }
}
