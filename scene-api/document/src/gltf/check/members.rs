//! The members of every glTF 2.0 object (specification §5).

use super::schema::{Kind, Member};
use std::f64::consts::FRAC_PI_2;

const fn must(name: &'static str, kind: Kind) -> Member {
    Member { name, kind, required: true }
}

const fn may(name: &'static str, kind: Kind) -> Member {
    Member { name, kind, required: false }
}

const NAME: Member = may("name", Kind::Text);
const UINT: Kind = Kind::UInt { min: 0, max: u64::MAX };
const COUNT: Kind = Kind::UInt { min: 1, max: u64::MAX };
const NUMBER: Kind = Kind::Number { min: f64::NEG_INFINITY, above: f64::NEG_INFINITY, max: f64::INFINITY };
const POSITIVE: Kind = Kind::Number { min: f64::NEG_INFINITY, above: 0.0, max: f64::INFINITY };
const NON_NEGATIVE: Kind = Kind::Number { min: 0.0, above: f64::NEG_INFINITY, max: f64::INFINITY };
const FRACTION: Kind = Kind::Number { min: 0.0, above: f64::NEG_INFINITY, max: 1.0 };

const fn numbers(length: usize) -> Kind {
    Kind::Numbers { length, min: f64::NEG_INFINITY, max: f64::INFINITY }
}

const fn fractions(length: usize) -> Kind {
    Kind::Numbers { length, min: 0.0, max: 1.0 }
}

pub(super) const ROOT: &[Member] = &[
    must("asset", Kind::Object(ASSET)),
    may("accessors", Kind::Objects(ACCESSOR)),
    may("animations", Kind::Objects(ANIMATION)),
    may("buffers", Kind::Objects(BUFFER)),
    may("bufferViews", Kind::Objects(BUFFER_VIEW)),
    may("cameras", Kind::Objects(CAMERA)),
    may("extensionsRequired", Kind::Texts),
    may("extensionsUsed", Kind::Texts),
    may("images", Kind::Objects(IMAGE)),
    may("materials", Kind::Objects(MATERIAL)),
    may("meshes", Kind::Objects(MESH)),
    may("nodes", Kind::Objects(NODE)),
    may("samplers", Kind::Objects(SAMPLER)),
    may("scene", Kind::Index("scenes")),
    may("scenes", Kind::Objects(SCENE)),
    may("skins", Kind::Objects(SKIN)),
    may("textures", Kind::Objects(TEXTURE)),
];

const ASSET: &[Member] = &[
    must("version", Kind::Version),
    may("minVersion", Kind::Version),
    may("copyright", Kind::Text),
    may("generator", Kind::Text),
];

const COMPONENT_TYPES: &[u64] = &[5120, 5121, 5122, 5123, 5125, 5126];

const ACCESSOR: &[Member] = &[
    may("bufferView", Kind::Index("bufferViews")),
    may("byteOffset", UINT),
    must("componentType", Kind::UIntOf(COMPONENT_TYPES)),
    must("count", COUNT),
    must("type", Kind::TextOf(&["SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"])),
    may("normalized", Kind::Boolean),
    may("max", numbers(0)),
    may("min", numbers(0)),
    may("sparse", Kind::Object(SPARSE)),
    NAME,
];

const SPARSE: &[Member] =
    &[must("count", COUNT), must("indices", Kind::Object(SPARSE_INDICES)), must("values", Kind::Object(SPARSE_VALUES))];

const SPARSE_INDICES: &[Member] = &[
    must("bufferView", Kind::Index("bufferViews")),
    may("byteOffset", UINT),
    must("componentType", Kind::UIntOf(&[5121, 5123, 5125])),
];

const SPARSE_VALUES: &[Member] = &[must("bufferView", Kind::Index("bufferViews")), may("byteOffset", UINT)];

const ANIMATION: &[Member] =
    &[must("channels", Kind::Objects(CHANNEL)), must("samplers", Kind::Objects(ANIMATION_SAMPLER)), NAME];

const CHANNEL: &[Member] = &[must("sampler", Kind::Index("")), must("target", Kind::Object(TARGET))];

const TARGET: &[Member] = &[
    may("node", Kind::Index("nodes")),
    must("path", Kind::TextOf(&["translation", "rotation", "scale", "weights", "pointer"])),
];

const ANIMATION_SAMPLER: &[Member] = &[
    must("input", Kind::Index("accessors")),
    may("interpolation", Kind::TextOf(&["LINEAR", "STEP", "CUBICSPLINE"])),
    must("output", Kind::Index("accessors")),
];

const BUFFER: &[Member] = &[may("uri", Kind::Text), must("byteLength", COUNT), NAME];

const BUFFER_VIEW: &[Member] = &[
    must("buffer", Kind::Index("buffers")),
    may("byteOffset", UINT),
    must("byteLength", COUNT),
    may("byteStride", Kind::UInt { min: 4, max: 252 }),
    may("target", Kind::UIntOf(&[34962, 34963])),
    NAME,
];

const CAMERA: &[Member] = &[
    must("type", Kind::TextOf(&["orthographic", "perspective"])),
    may("orthographic", Kind::Object(ORTHOGRAPHIC)),
    may("perspective", Kind::Object(PERSPECTIVE)),
    NAME,
];

const ORTHOGRAPHIC: &[Member] =
    &[must("xmag", NUMBER), must("ymag", NUMBER), must("zfar", POSITIVE), must("znear", NON_NEGATIVE)];

const PERSPECTIVE: &[Member] =
    &[may("aspectRatio", POSITIVE), must("yfov", POSITIVE), may("zfar", POSITIVE), must("znear", POSITIVE)];

const IMAGE: &[Member] = &[
    may("bufferView", Kind::Index("bufferViews")),
    may("mimeType", Kind::TextOf(&["image/jpeg", "image/png", "image/webp", "image/ktx2"])),
    may("uri", Kind::Text),
    NAME,
];

const MATERIAL: &[Member] = &[
    may("pbrMetallicRoughness", Kind::Object(METALLIC_ROUGHNESS)),
    may("normalTexture", Kind::Object(NORMAL_TEXTURE)),
    may("occlusionTexture", Kind::Object(OCCLUSION_TEXTURE)),
    may("emissiveTexture", Kind::Object(TEXTURE_INFO)),
    may("emissiveFactor", fractions(3)),
    may("alphaMode", Kind::TextOf(&["OPAQUE", "MASK", "BLEND"])),
    may("alphaCutoff", NON_NEGATIVE),
    may("doubleSided", Kind::Boolean),
    NAME,
];

const METALLIC_ROUGHNESS: &[Member] = &[
    may("baseColorFactor", fractions(4)),
    may("baseColorTexture", Kind::Object(TEXTURE_INFO)),
    may("metallicFactor", FRACTION),
    may("roughnessFactor", FRACTION),
    may("metallicRoughnessTexture", Kind::Object(TEXTURE_INFO)),
];

const INDEX: Member = must("index", Kind::Index("textures"));
const TEX_COORD: Member = may("texCoord", UINT);
const TEXTURE_INFO: &[Member] = &[INDEX, TEX_COORD];
const NORMAL_TEXTURE: &[Member] = &[INDEX, TEX_COORD, may("scale", NUMBER)];
const OCCLUSION_TEXTURE: &[Member] = &[INDEX, TEX_COORD, may("strength", FRACTION)];

const MESH: &[Member] = &[must("primitives", Kind::Objects(PRIMITIVE)), may("weights", numbers(0)), NAME];

const PRIMITIVE: &[Member] = &[
    must("attributes", Kind::IndexMap("accessors")),
    may("indices", Kind::Index("accessors")),
    may("material", Kind::Index("materials")),
    may("mode", Kind::UInt { min: 0, max: 6 }),
    may("targets", Kind::IndexMaps("accessors")),
];

const NODE: &[Member] = &[
    may("camera", Kind::Index("cameras")),
    may("children", Kind::Indices("nodes")),
    may("skin", Kind::Index("skins")),
    may("matrix", numbers(16)),
    may("mesh", Kind::Index("meshes")),
    may("rotation", Kind::Numbers { length: 4, min: -1.0, max: 1.0 }),
    may("scale", numbers(3)),
    may("translation", numbers(3)),
    may("weights", numbers(0)),
    NAME,
];

const WRAPS: Kind = Kind::UIntOf(&[33071, 33648, 10497]);

const SAMPLER: &[Member] = &[
    may("magFilter", Kind::UIntOf(&[9728, 9729])),
    may("minFilter", Kind::UIntOf(&[9728, 9729, 9984, 9985, 9986, 9987])),
    may("wrapS", WRAPS),
    may("wrapT", WRAPS),
    NAME,
];

const SCENE: &[Member] = &[may("nodes", Kind::Indices("nodes")), NAME];

const SKIN: &[Member] = &[
    may("inverseBindMatrices", Kind::Index("accessors")),
    may("skeleton", Kind::Index("nodes")),
    must("joints", Kind::Indices("nodes")),
    NAME,
];

const TEXTURE: &[Member] = &[may("sampler", Kind::Index("samplers")), may("source", Kind::Index("images")), NAME];

/// KHR_lights_punctual at the root.
pub(super) const LIGHTS: &[Member] = &[must("lights", Kind::Objects(LIGHT))];

const LIGHT: &[Member] = &[
    may("color", fractions(3)),
    may("intensity", NON_NEGATIVE),
    may("spot", Kind::Object(SPOT)),
    must("type", Kind::TextOf(&["directional", "point", "spot"])),
    may("range", POSITIVE),
    NAME,
];

const SPOT: &[Member] = &[
    may("innerConeAngle", Kind::Number { min: 0.0, above: f64::NEG_INFINITY, max: FRAC_PI_2 }),
    may("outerConeAngle", Kind::Number { min: f64::NEG_INFINITY, above: 0.0, max: FRAC_PI_2 }),
];

/// KHR_lights_punctual at a node.
pub(super) const NODE_LIGHT: &[Member] = &[must("light", Kind::Index("lights"))];

/// EXT_lights_image_based at the root.
pub(super) const IMAGE_LIGHTS: &[Member] = &[must("lights", Kind::Objects(IMAGE_LIGHT))];

const IMAGE_LIGHT: &[Member] = &[
    may("intensity", NUMBER),
    must("irradianceCoefficients", Kind::NumberRows { rows: 9, length: 3 }),
    may("rotation", Kind::Numbers { length: 4, min: -1.0, max: 1.0 }),
    must("specularImages", Kind::IndexRows { length: 6, target: "images" }),
    must("specularImageSize", COUNT),
    NAME,
];

/// EXT_lights_image_based at a scene.
pub(super) const SCENE_IMAGE_LIGHT: &[Member] = &[must("light", Kind::Index("image-based lights"))];

/// KHR_node_visibility.
pub(super) const NODE_VISIBILITY: &[Member] = &[may("visible", Kind::Boolean)];

/// KHR_materials_emissive_strength.
pub(super) const EMISSIVE_STRENGTH: &[Member] = &[may("emissiveStrength", NON_NEGATIVE)];

const TEXTURE_USE: Kind = Kind::Object(TEXTURE_INFO);
const INDEX_OF_REFRACTION: Kind = Kind::Number { min: 1.0, above: f64::NEG_INFINITY, max: f64::INFINITY };

/// KHR_materials_anisotropy.
pub(super) const ANISOTROPY: &[Member] =
    &[may("anisotropyStrength", FRACTION), may("anisotropyRotation", NUMBER), may("anisotropyTexture", TEXTURE_USE)];

/// KHR_materials_clearcoat.
pub(super) const CLEARCOAT: &[Member] = &[
    may("clearcoatFactor", FRACTION),
    may("clearcoatTexture", TEXTURE_USE),
    may("clearcoatRoughnessFactor", FRACTION),
    may("clearcoatRoughnessTexture", TEXTURE_USE),
    may("clearcoatNormalTexture", Kind::Object(NORMAL_TEXTURE)),
];

/// KHR_materials_dispersion.
pub(super) const DISPERSION: &[Member] = &[may("dispersion", NON_NEGATIVE)];

/// KHR_materials_ior: 0, or at least 1; that nothing between means anything is not checked.
pub(super) const IOR: &[Member] = &[may("ior", NON_NEGATIVE)];

/// KHR_materials_iridescence.
pub(super) const IRIDESCENCE: &[Member] = &[
    may("iridescenceFactor", FRACTION),
    may("iridescenceTexture", TEXTURE_USE),
    may("iridescenceIor", INDEX_OF_REFRACTION),
    may("iridescenceThicknessMinimum", NON_NEGATIVE),
    may("iridescenceThicknessMaximum", NON_NEGATIVE),
    may("iridescenceThicknessTexture", TEXTURE_USE),
];

/// KHR_materials_sheen.
pub(super) const SHEEN: &[Member] = &[
    may("sheenColorFactor", fractions(3)),
    may("sheenColorTexture", TEXTURE_USE),
    may("sheenRoughnessFactor", FRACTION),
    may("sheenRoughnessTexture", TEXTURE_USE),
];

/// KHR_materials_specular.
pub(super) const SPECULAR: &[Member] = &[
    may("specularFactor", FRACTION),
    may("specularTexture", TEXTURE_USE),
    may("specularColorFactor", Kind::Numbers { length: 3, min: 0.0, max: f64::INFINITY }),
    may("specularColorTexture", TEXTURE_USE),
];

/// KHR_materials_transmission.
pub(super) const TRANSMISSION: &[Member] =
    &[may("transmissionFactor", FRACTION), may("transmissionTexture", TEXTURE_USE)];

/// KHR_materials_volume.
pub(super) const VOLUME: &[Member] = &[
    may("thicknessFactor", NON_NEGATIVE),
    may("thicknessTexture", TEXTURE_USE),
    may("attenuationDistance", POSITIVE),
    may("attenuationColor", fractions(3)),
];

/// KHR_texture_transform.
pub(super) const TEXTURE_TRANSFORM: &[Member] =
    &[may("offset", numbers(2)), may("rotation", NUMBER), may("scale", numbers(2)), may("texCoord", UINT)];
