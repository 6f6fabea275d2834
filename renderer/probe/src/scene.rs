//! The scene as the graphics card takes it.

use bytemuck::{Pod, Zeroable};
use scene_document::{Baked, DrawnMesh, DrawnPart, INVISIBLE_ALPHA, Surface};

/// Triangles of everything that can be seen, in one list, ready to upload. Made once, drawn from many views.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeScene {
    pub(crate) vertices: Vec<Vertex>,
    /// Three per triangle.
    pub(crate) indices: Vec<u32>,
    /// Least and greatest corner of the box around the triangles, metres; without triangles it is inside out.
    pub(crate) bounds_m: [[f32; 3]; 2],
}

#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub(crate) struct Vertex {
    pub(crate) position_m: [f32; 3],
    pub(crate) normal: [f32; 3],
    /// 1 + index into the baked meshes.
    pub(crate) mesh_id: u32,
    /// Of the base colour, 0…1.
    pub(crate) luma: f32,
}

impl ProbeScene {
    #[must_use]
    pub fn new(baked: &Baked) -> Self {
        let bounds_m = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
        let mut scene = Self { vertices: Vec::new(), indices: Vec::new(), bounds_m };
        for (mesh_id, mesh) in (1_u32..).zip(&baked.meshes) {
            let drawn = mesh.drawn(INVISIBLE_ALPHA);
            for part in &drawn.parts {
                scene.add(mesh_id, &drawn, part);
            }
        }
        scene
    }

    /// A vertex has the colour of one part, so each part takes the run of vertices that its triangles name.
    fn add(&mut self, mesh_id: u32, drawn: &DrawnMesh, part: &DrawnPart) {
        let (Some(first), Some(last)) = (part.indices.iter().min(), part.indices.iter().max()) else { return };
        let run = *first as usize..=*last as usize;
        let luma = luma(&part.surface);
        let base = self.vertices.len() as u32;
        let corners = drawn.positions_m[run.clone()].iter().zip(&drawn.normals[run]);
        self.vertices.extend(corners.map(|(position_m, normal)| Vertex {
            position_m: *position_m,
            normal: *normal,
            mesh_id,
            luma,
        }));
        for index in &part.indices {
            self.indices.push(base + (index - first));
            let position_m = drawn.positions_m[*index as usize];
            let [least, most] = self.bounds_m;
            self.bounds_m = [
                [0, 1, 2].map(|axis: usize| least[axis].min(position_m[axis])),
                [0, 1, 2].map(|axis: usize| most[axis].max(position_m[axis])),
            ];
        }
    }

    pub(crate) fn vertex_bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.vertices)
    }

    pub(crate) fn index_bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.indices)
    }
}

/// ITU-R BT.709, of linear colour.
fn luma(surface: &Surface) -> f32 {
    let [red, green, blue, _] = surface.base_color;
    let luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    if luma.is_finite() { luma.clamp(0.0, 1.0) as f32 } else { 0.0 }
}
