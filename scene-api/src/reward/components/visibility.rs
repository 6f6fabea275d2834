//! The objects can be seen: in the model's camera, and in cameras that it does not know.

use super::{Measured, mean};
use crate::reward::evidence::{Finding, rounded};
use crate::reward::input::{Input, Object, evidence_of};
use crate::reward::sight::{ModelView, OVER_BUDGET, Sight, look_at_objects, shown};
use rl_protocol::Evidence;
use scene_document::View;
use scene_raster::{Coverage, Frame};

/// What is looked at: a required object, or the whole file.
struct Subject<'a> {
    object: Option<&'a Object>,
    meshes: &'a [usize],
}

/// Mean over the required objects of min(1, px/px_min) · min(1, unoccluded/0.3) · min(1, in frame/0.7) in the model's
/// camera, times the median over the hidden cameras of the first two factors; a closed body seen from inside is not
/// seen, and a picture over its budget shows nothing. Without a task the whole file is one
/// object; points and lines alone show nothing.
pub(super) fn measure(input: &Input<'_>, sight: &Sight) -> Measured {
    let mut findings: Vec<Finding> = sight.model.iter().filter_map(|model| stand_in(input, model)).collect();
    let everything: Vec<usize> = (0..input.baked.meshes.len()).collect();
    let subjects: Vec<Subject<'_>> = if input.task.is_some() {
        input.present().map(|object| Subject { object: Some(object), meshes: &object.meshes }).collect()
    } else {
        vec![Subject { object: None, meshes: &everything }]
    };
    if subjects.is_empty() {
        let names: Vec<String> = input.objects.iter().map(|object| object.name.clone()).collect();
        let evidence = Evidence {
            component: "visibility".into(),
            value: 0.0,
            threshold: names.len() as f64,
            unit: "objects".into(),
            message: "none of the required objects is there to be seen".into(),
            fix: format!("build {}", names.join(", ")),
            names,
            ..Evidence::default()
        };
        findings.push(Finding { badness: 1.0, evidence });
    }
    let grades: Vec<f64> = subjects
        .iter()
        .map(|subject| {
            seen(input, sight, subject, &mut findings) * from_most_sides(input, sight, subject, &mut findings)
        })
        .collect();
    Measured::exact(mean(&grades).unwrap_or(0.0), findings)
}

/// Says which camera is used where the file names none; before all faults, since they follow from it.
fn stand_in(input: &Input<'_>, model: &ModelView) -> Option<Finding> {
    let message = match model.camera {
        Some(_) if model.named => return None,
        Some(_) => "the scene's extras name no active_camera, so the first camera is looked through",
        None => "the file has no camera, so all of it is looked at from the front, the right and above",
    };
    let evidence = Evidence {
        value: 0.0,
        threshold: 1.0,
        unit: "active cameras".into(),
        message: message.into(),
        fix: "add a camera with camera.add, which makes it the active one".into(),
        ..evidence_of(input.import, "visibility", model.camera.as_slice())
    };
    Some(Finding { badness: f64::INFINITY, evidence })
}

impl Subject<'_> {
    fn name(&self) -> &str {
        self.object.map_or("the file", |object| object.name.as_str())
    }

    /// `value` and `threshold` are shares.
    fn finding(
        &self,
        input: &Input<'_>,
        grade: f64,
        [value, threshold]: [f64; 2],
        message: String,
        fix: String,
    ) -> Finding {
        let evidence = match self.object {
            Some(object) => input.object_evidence("visibility", object),
            None => Evidence { component: "visibility".into(), ..Evidence::default() },
        };
        let evidence = Evidence { value, threshold, unit: "share".into(), message, fix, ..evidence };
        Finding { badness: 1.0 - grade, evidence }
    }
}

/// Grade in the model's camera.
fn seen(input: &Input<'_>, sight: &Sight, subject: &Subject<'_>, findings: &mut Vec<Finding>) -> f64 {
    let t = input.thresholds;
    let name = subject.name();
    let Some(model) = &sight.model else {
        let message = format!("no camera shows {name}");
        findings.push(subject.finding(input, 0.0, [0.0, t.visible_px_share], message, look_at_objects(input, sight)));
        return 0.0;
    };
    let coverage = covered(input, sight, &model.view, &model.frame, subject.meshes);
    if coverage.over_budget {
        let fix = "use fewer large triangles in one place".into();
        findings.push(subject.finding(input, 0.0, [0.0, t.visible_px_share], OVER_BUDGET.into(), fix));
        return 0.0;
    }
    if coverage.in_frame == 0.0 {
        let message = format!("{name} is outside the picture of the active camera");
        findings.push(subject.finding(input, 0.0, [0.0, t.in_frame_min], message, look_at_objects(input, sight)));
        return 0.0;
    }
    let look = || format!("{}, or move the camera back", look_at_objects(input, sight));
    let near = || "move the camera closer to it with node.set_transform".to_owned();
    let clear = || "move it, the camera or what hides it with node.set_transform".to_owned();
    let factors: [(f64, f64, &str, &dyn Fn() -> String); 3] = [
        (pixel_share(&model.view, &coverage), t.visible_px_share, "of the picture shows", &near),
        (coverage.unoccluded, t.unoccluded_min, "is not hidden of", &clear),
        (coverage.in_frame, t.in_frame_min, "is inside the picture of", &look),
    ];
    let mut seen = 1.0;
    for (value, threshold, what, fix) in factors {
        let factor = (value / threshold).min(1.0);
        seen *= factor;
        if factor < 1.0 {
            let message = format!("in the active camera a share of {} {what} {name}", rounded(value));
            findings.push(subject.finding(input, factor, [value, threshold], message, fix()));
        }
    }
    seen
}

/// Median grade in the hidden cameras.
fn from_most_sides(input: &Input<'_>, sight: &Sight, subject: &Subject<'_>, findings: &mut Vec<Finding>) -> f64 {
    let mut grades: Vec<f64> =
        sight.hidden.iter().map(|(view, frame)| hidden_grade(input, sight, view, frame, subject.meshes)).collect();
    let grade = median(&mut grades);
    if grade < 1.0 {
        let message = if sight.hidden.iter().any(|(_, frame)| frame.over_budget) {
            OVER_BUDGET.into()
        } else {
            format!("from most sides {} is hidden or too small", subject.name())
        };
        let fix = "uncover it: move it or what hides it with node.set_transform".into();
        findings.push(subject.finding(input, grade, [grade, 1.0], message, fix));
    }
    grade
}

fn hidden_grade(input: &Input<'_>, sight: &Sight, view: &View, frame: &Frame, meshes: &[usize]) -> f64 {
    let t = input.thresholds;
    let coverage = covered(input, sight, view, frame, meshes);
    (pixel_share(view, &coverage) / t.visible_px_share).min(1.0) * (coverage.unoccluded / t.unoccluded_min).min(1.0)
}

/// Without the pixels that show a closed body from inside.
fn covered(input: &Input<'_>, sight: &Sight, view: &View, frame: &Frame, meshes: &[usize]) -> Coverage {
    let coverage = sight.raster.coverage(view, frame, meshes);
    if coverage.behind_px == 0 {
        return coverage;
    }
    let mut chosen = vec![false; input.bodies.len()];
    for mesh in meshes {
        if let Some(chosen) = chosen.get_mut(*mesh) {
            *chosen = true;
        }
    }
    let seen = shown(input, frame).flatten().filter(|mesh| chosen.get(*mesh) == Some(&true)).count();
    let unoccluded = if coverage.alone_px == 0 { 0.0 } else { seen as f64 / f64::from(coverage.alone_px) };
    Coverage { visible_px: u32::try_from(seen).unwrap_or(u32::MAX), unoccluded, ..coverage }
}

fn pixel_share(view: &View, coverage: &Coverage) -> f64 {
    f64::from(coverage.visible_px) / (f64::from(view.width) * f64::from(view.height))
}

/// Mean of the middle two of an even number; 1 of none.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match (values.get(middle.wrapping_sub(1)), values.get(middle)) {
        (Some(low), Some(high)) if values.len().is_multiple_of(2) => (low + high) / 2.0,
        (_, Some(high)) => *high,
        _ => 1.0,
    }
}
