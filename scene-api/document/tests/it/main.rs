//! The document from outside: edits, shapes, world space, canonical form, glTF.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod animations;
mod arrange;
mod bake;
mod canonical;
mod deformations;
mod drawn;
mod edits;
mod environment;
mod glb;
mod glb_imported;
mod gltf_animations;
mod gltf_data;
mod gltf_deformations;
mod gltf_limits;
mod gltf_read;
mod images;
mod material_extensions;
mod pixels;
mod scenes;
mod tessellation;
mod textures;
mod view;
