//! The document from outside: edits, shapes, world space, canonical form, glTF.

mod bake;
mod canonical;
mod edits;
mod glb;
mod glb_imported;
mod gltf_data;
mod gltf_read;
mod scenes;
mod tessellation;
