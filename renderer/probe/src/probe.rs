//! Many views in few submits.

use crate::canvas::{Canvas, Shown};
use crate::gpu::Gpu;
use crate::pipeline::pipeline;
use crate::sight::Sight;
use crate::stock::{Place, Stock};
use crate::{AdapterChoice, AdapterInfo, Lane, ProbeFrame, ProbeScene, RenderError, choose};
use scene_document::View;
use std::collections::BTreeMap;
use std::sync::Arc;

const QUEUE_MAX: usize = 1024;
const BATCH_MAX: usize = 64;
/// Canvases of other sizes that wait to be used again.
const CANVASES_MAX: usize = 4;
/// Vertices of all scenes that are loaded together; a larger scene is loaded alone.
const LOAD_BYTES_MAX: usize = 256 << 20;

/// Keeps its buffers between calls. After a `DeviceLost` or `Device` error it is of no further use.
pub struct Probe {
    adapter: AdapterInfo,
    gpu: Gpu,
    pipeline: wgpu::RenderPipeline,
    stock: Stock,
    /// Last used last.
    canvases: Vec<Canvas>,
}

#[derive(Debug, Clone)]
pub struct ProbeShot {
    pub scene: Arc<ProbeScene>,
    pub view: View,
}

/// A shot whose scene may be in the picture.
struct Drawn<'a> {
    shot: usize,
    scene: &'a Arc<ProbeScene>,
    size: (u32, u32),
    sight: Sight,
}

/// One probe for many callers: what waits is drawn together. Nothing starts before the first shot.
#[must_use]
pub fn lane(choice: AdapterChoice) -> Lane<ProbeShot, ProbeFrame> {
    Lane::new("scene-probe", QUEUE_MAX, BATCH_MAX, move || Probe::new(&choice), Probe::frames)
}

impl Probe {
    /// # Errors
    /// `NoAdapter`, or `Device` where the adapter cannot be opened.
    pub fn new(choice: &AdapterChoice) -> Result<Self, RenderError> {
        let chosen = choose(choice)?;
        let gpu = Gpu::open(&chosen.adapter)?;
        let pipeline = pipeline(&gpu)?;
        Ok(Self { adapter: chosen.info, gpu, pipeline, stock: Stock::new(), canvases: Vec::new() })
    }

    #[must_use]
    pub fn adapter(&self) -> &AdapterInfo {
        &self.adapter
    }

    /// One frame per shot, in order; each the same, to the bit, as it would be alone. A scene (by `Arc::ptr_eq`) is
    /// uploaded once, however many of the shots show it.
    ///
    /// # Errors
    /// `NoPixels` where one of the views has none; then nothing is drawn. `Device` for a scene that is larger than the
    /// adapter's buffers, and `Device` or `DeviceLost` as the device reports.
    pub fn frames(&mut self, shots: &[ProbeShot]) -> Result<Vec<ProbeFrame>, RenderError> {
        self.gpu.check()?;
        let mut drawn = Vec::new();
        for (shot, ProbeShot { scene, view }) in shots.iter().enumerate() {
            if let Some(sight) = Sight::new(view, scene)? {
                drawn.push(Drawn { shot, scene, size: (view.width, view.height), sight });
            }
        }
        let mut frames: Vec<Option<ProbeFrame>> = vec![None; shots.len()];
        self.draw(&drawn, &mut frames)?;
        let frames = frames.into_iter().zip(shots);
        Ok(frames
            .map(|(frame, ProbeShot { view, .. })| frame.unwrap_or_else(|| ProbeFrame::empty(view.width, view.height)))
            .collect())
    }

    fn draw(&mut self, drawn: &[Drawn<'_>], frames: &mut [Option<ProbeFrame>]) -> Result<(), RenderError> {
        let (scenes, scene_of) = distinct(drawn);
        let bytes: usize = scenes.iter().map(|scene| scene.vertex_bytes().len()).sum();
        if scenes.len() > 1 && bytes > LOAD_BYTES_MAX {
            let (first, rest) = drawn.split_at(drawn.len() / 2);
            self.draw(first, frames)?;
            return self.draw(rest, frames);
        }
        let sights: Vec<Sight> = drawn.iter().map(|drawn| drawn.sight).collect();
        let places = self.stock.load(&self.gpu, &scenes, &sights)?;
        let mut by_size: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
        for (index, drawn) in drawn.iter().enumerate() {
            by_size.entry(drawn.size).or_default().push(index);
        }
        for (size, members) in &by_size {
            let canvas = self.take_canvas(*size, members.len())?;
            let place_of = |index: usize| &places[scene_of[index]];
            self.draw_on(&canvas, members, place_of, |index, frame| frames[drawn[index].shot] = Some(frame))?;
            self.keep(canvas);
        }
        Ok(())
    }

    /// While one submit is read the next is drawn.
    fn draw_on<'a>(
        &self,
        canvas: &Canvas,
        members: &[usize],
        place_of: impl Fn(usize) -> &'a Place,
        mut give: impl FnMut(usize, ProbeFrame),
    ) -> Result<(), RenderError> {
        let mut under_way = None;
        let chunks = members.chunks(canvas.layers()).map(Some).chain([None]);
        for (turn, chunk) in chunks.enumerate() {
            let submitted = chunk.map(|chunk| {
                let pictures: Vec<Shown<'_>> =
                    chunk.iter().map(|index| Shown { place: place_of(*index), sight: *index as u32 }).collect();
                (chunk, canvas.submit(&self.gpu, &self.pipeline, &self.stock, &pictures, turn))
            });
            if let Some((chunk, pending)) = std::mem::replace(&mut under_way, submitted) {
                let frames = canvas.collect(&self.gpu, pending)?;
                chunk.iter().zip(frames).for_each(|(index, frame)| give(*index, frame));
            }
        }
        Ok(())
    }

    /// The canvas is given back by `keep` once it is done with; after an error it may still be in use, and is dropped.
    fn take_canvas(&mut self, (width, height): (u32, u32), wanted: usize) -> Result<Canvas, RenderError> {
        match self.canvases.iter().position(|canvas| canvas.serves(width, height, wanted)) {
            Some(index) => Ok(self.canvases.remove(index)),
            None => Canvas::new(&self.gpu, width, height, wanted),
        }
    }

    fn keep(&mut self, canvas: Canvas) {
        if canvas.is_worth_keeping() {
            self.canvases.push(canvas);
        }
        if self.canvases.len() > CANVASES_MAX {
            self.canvases.remove(0);
        }
    }
}

/// Each scene once, and for each shot the index of its own.
fn distinct<'a>(drawn: &[Drawn<'a>]) -> (Vec<&'a ProbeScene>, Vec<usize>) {
    let mut scenes: Vec<&ProbeScene> = Vec::new();
    let mut known: BTreeMap<*const ProbeScene, usize> = BTreeMap::new();
    let indices = drawn.iter().map(|drawn| {
        *known.entry(Arc::as_ptr(drawn.scene)).or_insert_with(|| {
            scenes.push(drawn.scene);
            scenes.len() - 1
        })
    });
    let indices = indices.collect();
    (scenes, indices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Point3, Vector3};
    use scene_document::{Baked, BakedMesh, MeshId, NodeId, Surface};

    fn triangle() -> ProbeShot {
        let mesh = BakedMesh {
            node: NodeId(1),
            name: String::new(),
            mesh: MeshId(1),
            positions: vec![Point3::new(-1.0, -1.0, 0.0), Point3::new(1.0, -1.0, 0.0), Point3::new(0.0, 1.0, 0.0)],
            normals: None,
            triangles: vec![[0, 1, 2]],
            triangle_surface: vec![0],
            surfaces: vec![Surface::WITHOUT_MATERIAL],
        };
        let scene = Arc::new(ProbeScene::new(&Baked { meshes: vec![mesh], ..Baked::default() }));
        let view = View::framing(Point3::origin(), 1.5, Vector3::new(0.0, 0.0, 1.0), 1.0, 32, 24);
        ProbeShot { scene, view }
    }

    #[test]
    fn a_lost_device_is_an_error_and_never_a_panic() {
        let mut probe = Probe::new(&AdapterChoice::Auto).unwrap();
        let shot = triangle();
        assert!(probe.frames(std::slice::from_ref(&shot)).unwrap()[0].mesh.contains(&1));
        probe.gpu.device.destroy();
        for _ in 0..2 {
            let lost = probe.frames(std::slice::from_ref(&shot));
            assert!(matches!(lost, Err(RenderError::DeviceLost { .. })), "{lost:?}");
        }
    }

    #[test]
    fn canvases_are_used_again_and_few_are_kept() {
        let mut probe = Probe::new(&AdapterChoice::Auto).unwrap();
        let shot = triangle();
        for side in (8..40).chain([8; 3]) {
            let view = View { width: side, height: side, ..shot.view };
            probe.frames(&[ProbeShot { scene: Arc::clone(&shot.scene), view }]).unwrap();
        }
        assert_eq!(probe.canvases.len(), CANVASES_MAX);
        assert_eq!(probe.canvases.iter().filter(|canvas| canvas.serves(8, 8, 1)).count(), 1);
    }
}
