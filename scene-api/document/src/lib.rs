//! The scene as an immutable value: nodes, meshes, skins, materials, textures, lights, cameras and animations with glTF
//! 2.0's meanings; edits; canonical JSON and state hash; glTF in and out. Knows nothing of tools, tasks, rewards or
//! rendering.

mod animation;
mod arrange;
mod bake;
mod canonical;
mod check;
mod deformation;
mod drawn;
mod edit;
mod environment;
pub mod gltf;
mod id;
mod image;
mod look;
mod material_extensions;
mod mesh;
mod pixels;
mod recipe;
mod restore;
mod sample;
mod scene;
mod shape;
mod skin;
mod tessellate;
mod texture;
mod transform;
mod view;

pub use animation::{Animation, Channel, ChannelPath, Interpolation};
pub use bake::{Baked, BakedCamera, BakedLight, BakedMesh, INVISIBLE_ALPHA, Surface};
pub use canonical::StateHash;
pub use deformation::{Deformation, Influence, MorphTarget};
pub use drawn::{DrawnMesh, DrawnPart};
pub use edit::{Applied, Changed, Edit, EditError, apply};
pub use environment::Environment;
pub use gltf::Source;
pub use id::{AnimationId, CameraId, IdError, LightId, MaterialId, MeshId, NodeId, SkinId, TextureId};
pub use image::{Image, ImageError, MediaType};
pub use look::{AlphaMode, Camera, Light, LightKind, Material, Projection};
pub use material_extensions::{
    Anisotropy, Clearcoat, Dispersion, Ior, Iridescence, MaterialExtensions, Sheen, Specular, Transmission, Unlit,
    Volume,
};
pub use mesh::{Geometry, Mesh, Primitive, Triangles};
pub use recipe::{Pattern, Recipe};
pub use sample::{Pose, sample};
pub use scene::{Kept, Node, Scene, Table};
pub use shape::Shape;
pub use skin::Skin;
pub use texture::{Filter, Sampler, Texels, Texture, TextureSlot, TextureUse, Textures, UvTransform, Wrap};
pub use transform::Trs;
pub use view::{LEAST_NEAR_M, View};
