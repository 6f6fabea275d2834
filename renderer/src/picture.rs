//! What was drawn: planes for those who compute, a PNG for people.

use crate::shot::{LitBy, Pass};
use crate::{BEVY_VERSION, WHITE_CD_M2};
use scene_picture::PngError;
use scene_probe::AdapterInfo;
use std::sync::Arc;

/// Row-major from the top-left pixel.
#[derive(Debug, Clone, PartialEq)]
pub enum Pixels {
    /// Beauty.
    Srgb(Vec<[u8; 3]>),
    /// Hdr: cd/m², 0 where nothing is. Albedo: linear, 0 to 1. Normal: world space, −1 to 1, zero where nothing is.
    Linear(Vec<[f32; 3]>),
    /// Metres along the view axis; +∞ where nothing is.
    DepthM(Vec<f32>),
    /// 0 where nothing is, else 1 + index into the baked meshes.
    Ids(Vec<u32>),
}

#[derive(Debug, Clone)]
pub struct Picture {
    pub width: u32,
    pub height: u32,
    pub pass: Pass,
    pub pixels: Pixels,
    pub lit_by: LitBy,
    pub adapter: Arc<AdapterInfo>,
    /// What could not be drawn, such as lights and textures past a limit.
    pub notes: Vec<String>,
}

impl Picture {
    /// For people: light is clipped at the white of the exposure, each id has a colour, the nearest depth is white.
    #[must_use]
    pub fn rgb(&self) -> Vec<[u8; 3]> {
        match (&self.pixels, self.pass) {
            (Pixels::Srgb(pixels), _) => pixels.clone(),
            (Pixels::Linear(normals), Pass::Normal) => scene_picture::normals(normals),
            (Pixels::Linear(light), Pass::Hdr) => scene_picture::light(light, WHITE_CD_M2),
            (Pixels::Linear(albedo), _) => scene_picture::albedo(albedo),
            (Pixels::DepthM(depth_m), _) => scene_picture::depths(depth_m),
            (Pixels::Ids(ids), _) => scene_picture::ids(ids),
        }
    }

    /// A PNG of `rgb`; its text says what drew and what lit it.
    ///
    /// # Errors
    /// That the planes do not have `width` · `height` values, or the encoder's.
    pub fn png(&self) -> Result<Vec<u8>, PngError> {
        let software = format!("Maquette {}, Bevy {BEVY_VERSION}", env!("CARGO_PKG_VERSION"));
        let (pass, adapter, lit) = (self.pass.to_string(), self.adapter.to_string(), self.lit_by.to_string());
        let text = [("Software", software.as_str()), ("Pass", &pass), ("Adapter", &adapter), ("Lit", &lit)];
        scene_picture::png(self.width, self.height, &self.rgb(), &text)
    }

    /// Whether every pixel has the same colour: the picture shows nothing.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.rgb().windows(2).all(|neighbours| neighbours[0] == neighbours[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use scene_probe::AdapterKind;

    fn picture(pass: Pass, pixels: Pixels) -> Picture {
        let adapter = AdapterInfo {
            name: "a card".to_owned(),
            kind: AdapterKind::Gpu,
            backend: "Vulkan".to_owned(),
            driver: String::new(),
            driver_info: String::new(),
        };
        let adapter = Arc::new(adapter);
        Picture { width: 2, height: 1, pass, pixels, lit_by: LitBy::Studio, adapter, notes: vec![] }
    }

    #[test]
    fn each_pass_has_its_colours() {
        let hdr = picture(Pass::Hdr, Pixels::Linear(vec![[1e6, 100.0, 0.0], [21.22; 3]]));
        assert_eq!(hdr.rgb(), [[255, 255, 0], [127; 3]]);
        let albedo = picture(Pass::Albedo, Pixels::Linear(vec![[0.0, 0.5, 1.0], [0.0; 3]]));
        assert_eq!(albedo.rgb(), [[0, 188, 255], [0; 3]]);
        let depth = picture(Pass::Depth, Pixels::DepthM(vec![2.0, f32::INFINITY]));
        assert_eq!(depth.rgb(), [[255; 3], [0; 3]]);
        let normal = picture(Pass::Normal, Pixels::Linear(vec![[0.0, 0.0, 1.0], [0.0; 3]]));
        assert_eq!(normal.rgb(), [[128, 128, 255], [0; 3]]);
        let ids = picture(Pass::Id, Pixels::Ids(vec![1, 2])).rgb();
        assert!(ids[0] != ids[1] && ids.iter().flatten().all(|part| *part >= 64));
    }

    #[test]
    fn a_picture_of_one_colour_is_blank() {
        assert!(picture(Pass::Beauty, Pixels::Srgb(vec![[96; 3]; 2])).is_blank());
        assert!(!picture(Pass::Beauty, Pixels::Srgb(vec![[96; 3], [96, 96, 97]])).is_blank());
    }

    #[test]
    fn the_file_says_what_drew_it() {
        let file = picture(Pass::Beauty, Pixels::Srgb(vec![[1, 2, 3], [4, 5, 6]])).png().unwrap();
        let reader = png::Decoder::new(std::io::Cursor::new(&file)).read_info().unwrap();
        let text = |keyword: &str| {
            let found = reader.info().uncompressed_latin1_text.iter().find(|text| text.keyword == keyword);
            found.unwrap().text.clone()
        };
        assert!(text("Software").starts_with("Maquette ") && text("Software").ends_with(BEVY_VERSION));
        assert_eq!((text("Pass"), text("Adapter")), ("beauty".into(), "a card, Vulkan, GPU".into()));
        assert_eq!(text("Lit"), "by studio lights");
    }
}
