//! The pictures that visibility, lighting and the foreground gate look at: one through the model's camera, and a few
//! through cameras that the model cannot know.

use super::delivered::Delivered;
use super::fix::point;
use super::input::{Input, extent, id_of};
use super::thresholds::Thresholds;
use geometry_checks::Body;
use nalgebra::{Point3, Vector3};
use scene_document::{Baked, BakedCamera, NodeId, Projection, View};
use scene_raster::{Frame, RasterScene};
use std::f64::consts::TAU;

/// Of a picture that is not looked at.
pub(crate) const OVER_BUDGET: &str = "the triangles cover too many pixels, one behind another, for a picture";

pub(crate) struct Sight {
    pub(crate) raster: RasterScene,
    /// `None` where a task's scene has no camera.
    pub(crate) model: Option<ModelView>,
    pub(crate) hidden: Vec<(View, Frame)>,
}

pub(crate) struct ModelView {
    pub(crate) view: View,
    pub(crate) frame: Frame,
    /// `None` where the file, scored without a task, has none: the view frames all of it.
    pub(crate) camera: Option<NodeId>,
    /// The file says that this camera is the one to look through.
    pub(crate) named: bool,
}

impl Sight {
    /// Of a profile that judges nothing by pictures.
    pub(crate) fn none() -> Self {
        Self { raster: RasterScene::new(&Baked::default()), model: None, hidden: Vec::new() }
    }

    pub(crate) fn new(input: &Input<'_>, seed: u64) -> Self {
        let raster = RasterScene::new(&input.baked);
        let (target, radius_m) = surroundings(input);
        let hidden = hidden_views(target, radius_m, seed, input.thresholds);
        let frames = raster.frames(&hidden);
        let hidden = hidden.into_iter().zip(frames).collect();
        let framed = || (auto_framed(target, radius_m, input.thresholds), None);
        let model = model_view(input).or_else(|| input.task.is_none().then(framed)).map(|(view, camera)| ModelView {
            frame: raster.frame(&view),
            view,
            camera,
            named: names_a_camera(input.import),
        });
        Self { raster, model, hidden }
    }
}

/// The active camera's view in the scorer's resolution; the first camera's where none is active.
fn model_view(input: &Input<'_>) -> Option<(View, Option<NodeId>)> {
    let camera = input.baked.camera()?;
    let (width, height) = picture_size(camera, input.thresholds);
    Some((camera.view(width, height), Some(camera.node)))
}

/// Whether the scene's extras do, where the exporter puts the active camera.
fn names_a_camera(import: &Delivered) -> bool {
    let Some(source) = import.scene.source() else { return false };
    let scene = source.json.get("scene").and_then(serde_json::Value::as_u64).unwrap_or(0);
    source.json.pointer(&format!("/scenes/{scene}/extras/active_camera")).is_some()
}

/// The mesh that each pixel shows; none where that is a closed body from inside.
pub(crate) fn shown(input: &Input<'_>, frame: &Frame) -> impl Iterator<Item = Option<usize>> {
    frame.mesh.iter().zip(&frame.from_behind).map(move |(id, from_behind)| {
        let mesh = (*id as usize).checked_sub(1)?;
        let inside = *from_behind && input.bodies.get(mesh).is_some_and(Body::closed);
        (!inside).then_some(mesh)
    })
}

/// A call that turns the model's camera to the middle of the objects, or adds one that shows them.
pub(crate) fn look_at_objects(input: &Input<'_>, sight: &Sight) -> String {
    let (target, radius_m) = subject(input);
    let at = point(target.coords.into());
    match sight.model.as_ref().and_then(|model| model.camera) {
        Some(camera) => format!(r#"camera.look_at {{"camera":"{}","target":{at}}}"#, id_of(input.import, camera)),
        None => {
            let view = auto_framed(target, radius_m, input.thresholds);
            let from = point(view.world_from_camera.fixed_view::<3, 1>(0, 3).into_owned().into());
            format!(r#"camera.add {{"name":"camera","translation":{from},"target":{at}}}"#)
        }
    }
}

/// Centre and radius of the sphere around the objects that are there; around the surroundings where there are none.
pub(crate) fn subject(input: &Input<'_>) -> (Point3<f64>, f64) {
    let boxes = input.objects.iter().filter_map(|object| object.aabb);
    let around = boxes.reduce(|all, one| all.union(&one));
    around.map_or_else(|| surroundings(input), |aabb| (aabb.centre(), aabb.diagonal() / 2.0))
}

pub(crate) fn picture_size(camera: &BakedCamera, t: &Thresholds) -> (u32, u32) {
    let aspect = match camera.projection {
        Projection::Perspective { aspect, .. } => aspect.unwrap_or(t.model_view_aspect),
        Projection::Orthographic { xmag_m, ymag_m, .. } => xmag_m / ymag_m,
    };
    let aspect = if aspect.is_finite() { aspect.abs() } else { t.model_view_aspect };
    let aspect = aspect.clamp(t.model_view_aspect_min, t.model_view_aspect_max);
    (t.model_view_width_px, (f64::from(t.model_view_width_px) / aspect).round() as u32)
}

/// Centre and radius of the sphere around the task's bounds; without a task, around everything in the file.
fn surroundings(input: &Input<'_>) -> (Point3<f64>, f64) {
    let everything: Vec<usize> = (0..input.baked.meshes.len()).collect();
    match input.task {
        Some(task) => {
            let (min, max) = (Point3::from(task.bounds_m.min), Point3::from(task.bounds_m.max));
            (nalgebra::center(&min, &max), (max - min).norm() / 2.0)
        }
        None => extent(&input.baked, &everything)
            .map_or((Point3::origin(), 1.0), |aabb| (aabb.centre(), aabb.diagonal() / 2.0)),
    }
}

/// Three-quarter view from above that holds the whole sphere.
fn auto_framed(target: Point3<f64>, radius_m: f64, t: &Thresholds) -> View {
    let towards_eye = Vector3::new(1.0, 0.8, 1.5);
    let width = t.model_view_width_px;
    let height = (f64::from(width) / t.model_view_aspect).round() as u32;
    View::framing(target, radius_m, towards_eye, t.hidden_yfov_rad, width, height)
}

/// Each looks at the centre from its own sector of the compass, at a height uniform on the sphere's zone, from where
/// the sphere just fits.
fn hidden_views(target: Point3<f64>, radius_m: f64, seed: u64, t: &Thresholds) -> Vec<View> {
    (0..t.hidden_views)
        .map(|index| {
            let azimuth = TAU * (f64::from(index) + unit(seed, 2 * u64::from(index))) / f64::from(t.hidden_views);
            let share = unit(seed, 2 * u64::from(index) + 1);
            let up = t.hidden_sine_min + (t.hidden_sine_max - t.hidden_sine_min) * share;
            let level = (1.0 - up * up).sqrt();
            let towards_eye = Vector3::new(level * libm::cos(azimuth), up, level * libm::sin(azimuth));
            View::framing(target, radius_m, towards_eye, t.hidden_yfov_rad, t.hidden_view_px, t.hidden_view_px)
        })
        .collect()
}

/// The `counter`-th number in [0, 1) of a seed.
fn unit(seed: u64, counter: u64) -> f64 {
    let bits = (splitmix64(seed, counter) >> 11) as f64;
    bits / 9_007_199_254_740_992.0
}

/// SplitMix64 (Steele, Lea, Flood 2014), by counter: no state to share.
fn splitmix64(seed: u64, counter: u64) -> u64 {
    let z = seed.wrapping_add(counter.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published first outputs for seed 1234567.
    #[test]
    fn splitmix64_gives_the_published_sequence() {
        let first: Vec<u64> = (0..3).map(|counter| splitmix64(1_234_567, counter)).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }
}
