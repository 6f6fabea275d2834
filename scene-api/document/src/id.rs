//! Typed ids, written `n_7`, `m_3`, `mat_2`, `lgt_1`, `cam_4`, `anm_5`, `tex_6`, `skn_1`: opaque, never reused within a
//! scene.

use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// The text was not an id of the kind asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a {kind} id: {given:?} (such ids look like {prefix}12)")]
pub struct IdError {
    pub kind: &'static str,
    pub prefix: &'static str,
    pub given: String,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $prefix:literal $kind:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                text.strip_prefix($prefix)
                    .filter(|digits| !digits.starts_with('+'))
                    .and_then(|digits| digits.parse().ok())
                    .map(Self)
                    .ok_or_else(|| IdError { kind: $kind, prefix: $prefix, given: text.into() })
            }
        }

        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    )*};
}

ids! {
    /// A node of the hierarchy.
    NodeId "n_" "node";
    /// A mesh: one or more primitives.
    MeshId "m_" "mesh";
    /// A PBR metallic-roughness material.
    MaterialId "mat_" "material";
    /// A punctual light.
    LightId "lgt_" "light";
    /// A camera.
    CameraId "cam_" "camera";
    /// An animation: channels on one clock.
    AnimationId "anm_" "animation";
    /// A texture: an image and how it is sampled.
    TextureId "tex_" "texture";
    /// A skin: joints that move meshes.
    SkinId "skn_" "skin";
}
