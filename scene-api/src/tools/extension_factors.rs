//! Factors of material extensions, as a model writes them. Anisotropy is not among them: it needs tangents, which no
//! mesh made here has.

use super::ranges::positive;
use scene_document::{
    Clearcoat, Dispersion, Ior, Iridescence, MaterialExtensions, Sheen, Specular, Transmission, Unlit, Volume,
};
use schemars::JsonSchema;
use serde::Deserialize;

/// An absent one keeps what is there; the first factor given of an extension adds the extension.
#[derive(Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExtensionFactors {
    /// Whether the base colour is shown as it is, without light.
    unlit: Option<bool>,
    /// Index of refraction: 0, or at least 1; 1.5 where nothing says it.
    #[schemars(range(min = 0, max = 1_000_000))]
    ior: Option<f64>,
    /// The share of light that goes through, in [0, 1].
    #[schemars(range(min = 0, max = 1))]
    transmission: Option<f64>,
    /// Of what lets light through: 20 over the Abbe number, at least 0.
    #[schemars(range(min = 0, max = 1_000_000))]
    dispersion: Option<f64>,
    /// Of the volume behind the surface, in the mesh's frame; 0 is a thin wall.
    #[schemars(range(min = 0, max = 1_000_000))]
    thickness_m: Option<f64>,
    /// Over which white light becomes `attenuation_color`.
    #[schemars(range(max = 1_000_000), transform = positive)]
    attenuation_distance_m: Option<f64>,
    /// Linear red, green, blue, each in [0, 1].
    #[schemars(inner(range(min = 0, max = 1)))]
    attenuation_color: Option<[f64; 3]>,
    /// Strength of a clear layer on top, in [0, 1].
    #[schemars(range(min = 0, max = 1))]
    clearcoat: Option<f64>,
    /// In [0, 1].
    #[schemars(range(min = 0, max = 1))]
    clearcoat_roughness: Option<f64>,
    /// Strength of the reflection of what is no metal, in [0, 1].
    #[schemars(range(min = 0, max = 1))]
    specular: Option<f64>,
    /// Linear red, green, blue, each at least 0.
    #[schemars(inner(range(min = 0, max = 1_000_000)))]
    specular_color: Option<[f64; 3]>,
    /// Of fibres, as of velvet: linear red, green, blue, each in [0, 1].
    #[schemars(inner(range(min = 0, max = 1)))]
    sheen_color: Option<[f64; 3]>,
    /// In [0, 1].
    #[schemars(range(min = 0, max = 1))]
    sheen_roughness: Option<f64>,
    /// Strength of a thin film, as of a soap bubble, in [0, 1].
    #[schemars(range(min = 0, max = 1))]
    iridescence: Option<f64>,
    /// Of the film, at least 1.
    #[schemars(range(min = 1, max = 1_000_000))]
    iridescence_ior: Option<f64>,
    /// Of the film: least and most, nanometres.
    #[schemars(inner(range(min = 0, max = 1_000_000)))]
    iridescence_thickness_nm: Option<[f64; 2]>,
}

impl ExtensionFactors {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn onto(self, mut base: MaterialExtensions) -> MaterialExtensions {
        match self.unlit {
            Some(true) => base.unlit = Some(Unlit {}),
            Some(false) => base.unlit = None,
            None => {}
        }
        if let Some(ior) = self.ior {
            base.ior = Some(Ior { ior });
        }
        if let Some(factor) = self.transmission {
            base.transmission = Some(Transmission { factor });
        }
        if let Some(factor) = self.dispersion {
            base.dispersion = Some(Dispersion { factor });
        }
        if self.thickness_m.is_some() || self.attenuation_distance_m.is_some() || self.attenuation_color.is_some() {
            let volume = base.volume.unwrap_or_default();
            base.volume = Some(Volume {
                thickness_m: self.thickness_m.unwrap_or(volume.thickness_m),
                attenuation_distance_m: self.attenuation_distance_m.or(volume.attenuation_distance_m),
                attenuation_color: self.attenuation_color.unwrap_or(volume.attenuation_color),
            });
        }
        if self.clearcoat.is_some() || self.clearcoat_roughness.is_some() {
            let clearcoat = base.clearcoat.unwrap_or_default();
            base.clearcoat = Some(Clearcoat {
                factor: self.clearcoat.unwrap_or(clearcoat.factor),
                roughness: self.clearcoat_roughness.unwrap_or(clearcoat.roughness),
            });
        }
        if self.specular.is_some() || self.specular_color.is_some() {
            let specular = base.specular.unwrap_or_default();
            base.specular = Some(Specular {
                factor: self.specular.unwrap_or(specular.factor),
                color: self.specular_color.unwrap_or(specular.color),
            });
        }
        if self.sheen_color.is_some() || self.sheen_roughness.is_some() {
            let sheen = base.sheen.unwrap_or_default();
            base.sheen = Some(Sheen {
                color: self.sheen_color.unwrap_or(sheen.color),
                roughness: self.sheen_roughness.unwrap_or(sheen.roughness),
            });
        }
        if self.iridescence.is_some() || self.iridescence_ior.is_some() || self.iridescence_thickness_nm.is_some() {
            let film = base.iridescence.unwrap_or_default();
            let [thickness_min_nm, thickness_max_nm] =
                self.iridescence_thickness_nm.unwrap_or([film.thickness_min_nm, film.thickness_max_nm]);
            base.iridescence = Some(Iridescence {
                factor: self.iridescence.unwrap_or(film.factor),
                ior: self.iridescence_ior.unwrap_or(film.ior),
                thickness_min_nm,
                thickness_max_nm,
            });
        }
        base
    }
}
