//! What a material has beside its factors, as far as it is drawn: index of refraction, specular, clear coat, unlit
//! (KHR_materials_*), and where its textures are.

use scene_document::{Clearcoat, Material, MaterialExtensions};

/// As the shader takes it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Finish {
    /// Bevy's: the light that comes straight back is 0.16 times its square, per channel.
    pub(crate) reflectance: [f64; 3],
    pub(crate) clearcoat: Clearcoat,
    pub(crate) unlit: bool,
    /// Index of the first of its slots; 0 without textures.
    pub(crate) first_slot: u32,
}

impl Finish {
    pub(crate) fn of(material: Option<&Material>, first_slot: u32) -> Self {
        let extensions = material.map(|material| material.extensions).unwrap_or_default();
        Self {
            reflectance: reflectance(&extensions),
            clearcoat: clearcoat(&extensions),
            unlit: extensions.unlit.is_some(),
            first_slot,
        }
    }

    /// Whether it takes the pipelines for what is more than factors. Plain rows have others, to be drawn as fast as if
    /// there were nothing else.
    pub(crate) fn is_layered(&self) -> bool {
        self.unlit || self.clearcoat.factor > 0.0 || self.first_slot > 0
    }
}

/// Files may say more than there is.
fn clearcoat(extensions: &MaterialExtensions) -> Clearcoat {
    let Clearcoat { factor, roughness } = extensions.clearcoat.unwrap_or_default();
    Clearcoat { factor: factor.clamp(0.0, 1.0), roughness: roughness.clamp(0.0, 1.0) }
}

/// KHR_materials_ior and KHR_materials_specular: a dielectric reflects ((ior − 1) / (ior + 1))² times the specular
/// colour, 1 at most, times the specular factor.
fn reflectance(extensions: &MaterialExtensions) -> [f64; 3] {
    let ior = extensions.ior.unwrap_or_default().ior;
    let specular = extensions.specular.unwrap_or_default();
    let factor = specular.factor.clamp(0.0, 1.0);
    let root = (ior - 1.0) / (ior + 1.0);
    specular.color.map(|part| ((root * root * part).min(1.0) * factor / 0.16).max(0.0).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use scene_document::{Ior, Specular};

    fn reflected(ior: Option<f64>, specular: Option<Specular>) -> [f64; 3] {
        let extensions = MaterialExtensions { ior: ior.map(|ior| Ior { ior }), specular, ..Default::default() };
        let material = Material { extensions, ..Material::default() };
        Finish::of(Some(&material), 0).reflectance.map(|part| 0.16 * part * part)
    }

    #[test]
    fn a_clear_coat_is_whole_at_most() {
        let clearcoat = Some(Clearcoat { factor: 1e308, roughness: -1.0 });
        let extensions = MaterialExtensions { clearcoat, ..Default::default() };
        let finish = Finish::of(Some(&Material { extensions, ..Material::default() }), 0);
        assert_eq!(finish.clearcoat, Clearcoat { factor: 1.0, roughness: 0.0 });
    }

    #[test]
    fn dielectrics_reflect_what_the_extensions_say() {
        let near = |given: [f64; 3], expected: [f64; 3]| given.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(near(reflected(None, None), [0.04; 3]));
        assert!(near(reflected(Some(2.0), None), [1.0 / 9.0; 3]));
        // 0 is a mirror.
        assert!(near(reflected(Some(0.0), None), [1.0; 3]));
        let tinted = Specular { factor: 0.5, color: [1.0, 0.5, 100.0] };
        assert!(near(reflected(None, Some(tinted)), [0.02, 0.01, 0.5]));
        assert!(near(reflected(None, Some(Specular { factor: 1e308, ..Specular::default() })), [0.04; 3]));
        // What Bevy takes where nothing is said, to the last bit: plain pictures stay as they are.
        assert_eq!(Finish::of(None, 0).reflectance.map(|part| part as f32), [0.5; 3]);
        assert!(!Finish::of(None, 0).is_layered());
    }
}
