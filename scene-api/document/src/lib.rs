//! The scene as an immutable value: nodes, meshes, materials, lights and cameras with glTF 2.0's meanings; edits;
//! canonical JSON and state hash; glTF in and out. Knows nothing of tools, tasks, rewards or rendering.

mod arrange;
mod bake;
mod canonical;
mod check;
mod drawn;
mod edit;
pub mod gltf;
mod id;
mod look;
mod mesh;
mod restore;
mod scene;
mod shape;
mod tessellate;
mod transform;
mod view;

pub use bake::{Baked, BakedCamera, BakedLight, BakedMesh, INVISIBLE_ALPHA, Surface};
pub use canonical::StateHash;
pub use drawn::{DrawnMesh, DrawnPart};
pub use edit::{Applied, Changed, Edit, EditError, apply};
pub use gltf::Source;
pub use id::{CameraId, IdError, LightId, MaterialId, MeshId, NodeId};
pub use look::{AlphaMode, Camera, Light, LightKind, Material, Projection};
pub use mesh::{Geometry, Mesh, Primitive, Triangles};
pub use scene::{Kept, Node, Scene, Table};
pub use shape::Shape;
pub use transform::Trs;
pub use view::{LEAST_NEAR_M, View};
