//! The factors of the material extensions that Khronos ratified, under glTF's names and with its defaults. Their
//! textures are kept as they are. Pictures show clearcoat, ior, specular and unlit; no task judges any of them.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// `None`: the material is without the extension.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct MaterialExtensions {
    #[serde(rename = "KHR_materials_anisotropy", skip_serializing_if = "Option::is_none")]
    pub anisotropy: Option<Anisotropy>,
    #[serde(rename = "KHR_materials_clearcoat", skip_serializing_if = "Option::is_none")]
    pub clearcoat: Option<Clearcoat>,
    #[serde(rename = "KHR_materials_dispersion", skip_serializing_if = "Option::is_none")]
    pub dispersion: Option<Dispersion>,
    #[serde(rename = "KHR_materials_ior", skip_serializing_if = "Option::is_none")]
    pub ior: Option<Ior>,
    #[serde(rename = "KHR_materials_iridescence", skip_serializing_if = "Option::is_none")]
    pub iridescence: Option<Iridescence>,
    #[serde(rename = "KHR_materials_sheen", skip_serializing_if = "Option::is_none")]
    pub sheen: Option<Sheen>,
    #[serde(rename = "KHR_materials_specular", skip_serializing_if = "Option::is_none")]
    pub specular: Option<Specular>,
    #[serde(rename = "KHR_materials_transmission", skip_serializing_if = "Option::is_none")]
    pub transmission: Option<Transmission>,
    #[serde(rename = "KHR_materials_unlit", skip_serializing_if = "Option::is_none")]
    pub unlit: Option<Unlit>,
    #[serde(rename = "KHR_materials_volume", skip_serializing_if = "Option::is_none")]
    pub volume: Option<Volume>,
}

/// A highlight that is longer across brushed grooves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Anisotropy {
    /// In [0, 1].
    #[serde(rename = "anisotropyStrength")]
    pub strength: f64,
    /// Counter-clockwise from the tangent.
    #[serde(rename = "anisotropyRotation")]
    pub rotation_rad: f64,
}

/// A clear layer on top, as of varnish.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Clearcoat {
    /// In [0, 1].
    #[serde(rename = "clearcoatFactor")]
    pub factor: f64,
    /// In [0, 1].
    #[serde(rename = "clearcoatRoughnessFactor")]
    pub roughness: f64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Dispersion {
    /// 20 over the Abbe number; at least 0.
    #[serde(rename = "dispersion")]
    pub factor: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ior {
    /// Index of refraction, at least 1; 0 mirrors everything.
    pub ior: f64,
}

/// A thin film, as of a soap bubble.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Iridescence {
    /// In [0, 1].
    #[serde(rename = "iridescenceFactor")]
    pub factor: f64,
    /// Of the film, at least 1.
    #[serde(rename = "iridescenceIor")]
    pub ior: f64,
    #[serde(rename = "iridescenceThicknessMinimum")]
    pub thickness_min_nm: f64,
    #[serde(rename = "iridescenceThicknessMaximum")]
    pub thickness_max_nm: f64,
}

/// Fibres that catch the light at grazing angles, as of velvet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sheen {
    /// Linear RGB in [0, 1].
    #[serde(rename = "sheenColorFactor")]
    pub color: [f64; 3],
    /// In [0, 1].
    #[serde(rename = "sheenRoughnessFactor")]
    pub roughness: f64,
}

/// Of what is no metal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Specular {
    /// In [0, 1].
    #[serde(rename = "specularFactor")]
    pub factor: f64,
    /// Linear RGB, at least 0.
    #[serde(rename = "specularColorFactor")]
    pub color: [f64; 3],
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Transmission {
    /// The share of light that goes through, in [0, 1].
    #[serde(rename = "transmissionFactor")]
    pub factor: f64,
}

/// The base colour as it is, whatever the light.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Unlit {}

/// What is behind a surface that lets light through.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Volume {
    /// In the mesh's frame, at least 0; 0 is a thin wall.
    #[serde(rename = "thicknessFactor")]
    pub thickness_m: f64,
    /// More than 0; `None` is infinite.
    #[serde(rename = "attenuationDistance", skip_serializing_if = "Option::is_none")]
    pub attenuation_distance_m: Option<f64>,
    /// What white light becomes over that distance; linear RGB in [0, 1].
    #[serde(rename = "attenuationColor")]
    pub attenuation_color: [f64; 3],
}

impl Default for Ior {
    fn default() -> Self {
        Self { ior: 1.5 }
    }
}

impl Default for Iridescence {
    fn default() -> Self {
        Self { factor: 0.0, ior: 1.3, thickness_min_nm: 100.0, thickness_max_nm: 400.0 }
    }
}

impl Default for Specular {
    fn default() -> Self {
        Self { factor: 1.0, color: [1.0; 3] }
    }
}

impl Default for Volume {
    fn default() -> Self {
        Self { thickness_m: 0.0, attenuation_distance_m: None, attenuation_color: [1.0; 3] }
    }
}

impl MaterialExtensions {
    /// Of a glTF material's `extensions`, those that are well-formed.
    pub(crate) fn from_gltf(extensions: &Value) -> Self {
        Self {
            anisotropy: typed(extensions, "KHR_materials_anisotropy"),
            clearcoat: typed(extensions, "KHR_materials_clearcoat"),
            dispersion: typed(extensions, "KHR_materials_dispersion"),
            ior: typed(extensions, "KHR_materials_ior"),
            iridescence: typed(extensions, "KHR_materials_iridescence"),
            sheen: typed(extensions, "KHR_materials_sheen"),
            specular: typed(extensions, "KHR_materials_specular"),
            transmission: typed(extensions, "KHR_materials_transmission"),
            unlit: typed(extensions, "KHR_materials_unlit"),
            volume: typed(extensions, "KHR_materials_volume"),
        }
    }

    /// glTF's names of those that change how the surface looks; dispersion and volume do so by transmission alone.
    pub(crate) fn in_effect(&self) -> impl Iterator<Item = &'static str> {
        let looks = [
            ("KHR_materials_anisotropy", self.anisotropy.is_some_and(|anisotropy| anisotropy.strength != 0.0)),
            ("KHR_materials_clearcoat", self.clearcoat.is_some_and(|clearcoat| clearcoat.factor != 0.0)),
            ("KHR_materials_ior", self.ior.is_some_and(|ior| ior != Ior::default())),
            ("KHR_materials_iridescence", self.iridescence.is_some_and(|film| film.factor != 0.0)),
            ("KHR_materials_sheen", self.sheen.is_some_and(|sheen| sheen.color != [0.0; 3])),
            ("KHR_materials_specular", self.specular.is_some_and(|specular| specular != Specular::default())),
            ("KHR_materials_transmission", self.transmission.is_some_and(|transmission| transmission.factor != 0.0)),
            ("KHR_materials_unlit", self.unlit.is_some()),
        ];
        looks.into_iter().filter(|(_, is_in_effect)| *is_in_effect).map(|(name, _)| name)
    }

    /// One member for each extension that is there, an object of its factors. Numbers are finite, so none is lost.
    #[must_use]
    pub fn to_gltf(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(members)) => members,
            _ => Map::new(),
        }
    }
}

fn typed<T: DeserializeOwned>(extensions: &Value, name: &str) -> Option<T> {
    let members = extensions.get(name).filter(|members| members.is_object())?;
    T::deserialize(members).ok()
}
