//! Many views in few submits.

use crate::gpu::Gpu;
use crate::layer_targets::{LayerDraw, LayerTargets};
use crate::pipeline::pipeline;
use crate::scene_buffers::{DrawRange, SceneBuffers};
use crate::view_instance::ViewInstance;
use crate::{AdapterChoice, AdapterInfo, Lane, ProbeFrame, ProbeScene, RenderError, choose};
use scene_document::View;
use std::collections::BTreeMap;
use std::sync::Arc;

const QUEUE_MAX: usize = 1024;
const BATCH_MAX: usize = 64;
/// Of the targets that are kept for the next call.
const TARGETS_MAX: usize = 4;
/// Vertices of all scenes that are loaded together; a larger scene is loaded alone.
const LOAD_BYTES_MAX: usize = 256 << 20;

/// Keeps its buffers between calls. After a `DeviceLost` or `Device` error it is of no further use.
pub struct Probe {
    adapter: AdapterInfo,
    gpu: Gpu,
    pipeline: wgpu::RenderPipeline,
    buffers: SceneBuffers,
    /// Of several sizes; the last used come last.
    targets: Vec<LayerTargets>,
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
    view: ViewInstance,
}

/// One probe for many callers: what waits is drawn together. Nothing starts before the first shot. Who asks
/// `View::sees` first keeps a blind view from being queued: it would fail its batch, which is then drawn one by one.
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
        Ok(Self { adapter: chosen.info, gpu, pipeline, buffers: SceneBuffers::new(), targets: Vec::new() })
    }

    #[must_use]
    pub fn adapter(&self) -> &AdapterInfo {
        &self.adapter
    }

    /// One frame per shot, in order; each the same, to the bit, as it would be alone. A scene (by `Arc::ptr_eq`) is
    /// uploaded once, however many of the shots show it.
    ///
    /// # Errors
    /// `NoPixels` where one of the views does not see; then nothing is drawn. `Device` for a scene that is larger than
    /// the adapter's buffers, and `Device` or `DeviceLost` as the device reports.
    pub fn frames(&mut self, shots: &[ProbeShot]) -> Result<Vec<ProbeFrame>, RenderError> {
        self.gpu.faults.check()?;
        let mut drawn = Vec::new();
        for (shot, ProbeShot { scene, view }) in shots.iter().enumerate() {
            if let Some(instance) = ViewInstance::new(view, scene)? {
                drawn.push(Drawn { shot, scene, size: (view.width, view.height), view: instance });
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
        let views: Vec<ViewInstance> = drawn.iter().map(|drawn| drawn.view).collect();
        let ranges = self.buffers.load(&self.gpu, &scenes, &views)?;
        let mut by_size: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
        for (index, drawn) in drawn.iter().enumerate() {
            by_size.entry(drawn.size).or_default().push(index);
        }
        for (size, members) in &by_size {
            let targets = self.take_targets(*size, members.len())?;
            let range_of = |index: usize| &ranges[scene_of[index]];
            self.draw_on(&targets, members, range_of, |index, frame| frames[drawn[index].shot] = Some(frame))?;
            self.keep(targets);
        }
        Ok(())
    }

    /// While one submit is read the next is drawn.
    fn draw_on<'a>(
        &self,
        targets: &LayerTargets,
        members: &[usize],
        range_of: impl Fn(usize) -> &'a DrawRange,
        mut give: impl FnMut(usize, ProbeFrame),
    ) -> Result<(), RenderError> {
        let mut under_way = None;
        let chunks = members.chunks(targets.layers()).map(Some).chain([None]);
        for (turn, chunk) in chunks.enumerate() {
            let submitted = chunk.map(|chunk| {
                let pictures: Vec<LayerDraw<'_>> =
                    chunk.iter().map(|index| LayerDraw { range: range_of(*index), view: *index as u32 }).collect();
                (chunk, targets.submit(&self.gpu, &self.pipeline, &self.buffers, &pictures, turn))
            });
            if let Some((chunk, pending)) = std::mem::replace(&mut under_way, submitted) {
                let frames = targets.collect(&self.gpu, pending)?;
                chunk.iter().zip(frames).for_each(|(index, frame)| give(*index, frame));
            }
        }
        Ok(())
    }

    /// Taken out, so that after an error, when a submit may still draw into them, they are dropped and not kept.
    fn take_targets(&mut self, (width, height): (u32, u32), wanted: usize) -> Result<LayerTargets, RenderError> {
        match self.targets.iter().position(|targets| targets.serves(width, height, wanted)) {
            Some(index) => Ok(self.targets.remove(index)),
            None => LayerTargets::new(&self.gpu, width, height, wanted),
        }
    }

    fn keep(&mut self, targets: LayerTargets) {
        if targets.is_worth_keeping() {
            self.targets.push(targets);
        }
        if self.targets.len() > TARGETS_MAX {
            self.targets.remove(0);
        }
    }
}

/// Each scene once, and for each shot the index of its own.
fn distinct<'a>(drawn: &[Drawn<'a>]) -> (Vec<&'a Arc<ProbeScene>>, Vec<usize>) {
    let mut scenes = Vec::new();
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
            uvs: None,
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
    fn targets_are_used_again_and_few_are_kept() {
        let mut probe = Probe::new(&AdapterChoice::Auto).unwrap();
        let shot = triangle();
        for side in (8..40).chain([8; 3]) {
            let view = View { width: side, height: side, ..shot.view };
            probe.frames(&[ProbeShot { scene: Arc::clone(&shot.scene), view }]).unwrap();
        }
        assert_eq!(probe.targets.len(), TARGETS_MAX);
        assert_eq!(probe.targets.iter().filter(|targets| targets.serves(8, 8, 1)).count(), 1);
    }
}
