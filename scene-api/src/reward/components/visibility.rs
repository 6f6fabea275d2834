//! The objects can be seen: in the model's camera, and in cameras that it does not know.

use super::{Measured, mean};
use crate::reward::evidence::Finding;
use crate::reward::input::{Input, Object};
use crate::reward::sight::Sight;
use rl_protocol::Evidence;
use scene_raster::{Coverage, Frame, View};

/// Mean over the required objects of min(1, px/px_min) · min(1, unoccluded/0.3) · min(1, in frame/0.7) in the model's
/// camera, times the median over the hidden cameras of the first two factors. Without a task the whole file is one
/// object; points and lines alone show nothing.
pub(super) fn measure(input: &Input<'_>, sight: &Sight) -> Measured {
    let mut findings = Vec::new();
    let grades: Vec<f64> = if input.task.is_some() {
        input.present().map(|object| grade(input, sight, Some(object), &object.meshes, &mut findings)).collect()
    } else {
        let everything: Vec<usize> = (0..input.baked.meshes.len()).collect();
        vec![grade(input, sight, None, &everything, &mut findings)]
    };
    Measured::exact(mean(&grades).unwrap_or(0.0), findings)
}

fn grade(
    input: &Input<'_>,
    sight: &Sight,
    object: Option<&Object>,
    meshes: &[usize],
    findings: &mut Vec<Finding>,
) -> f64 {
    let t = input.thresholds;
    let describe = |badness: f64, value: f64, threshold: f64, unit: &str, message: String, fix: &str| Finding {
        badness,
        evidence: Evidence {
            value,
            threshold,
            unit: unit.into(),
            message,
            fix: fix.into(),
            ..match object {
                Some(object) => input.object_evidence("visibility", object),
                None => Evidence { component: "visibility".into(), ..Evidence::default() },
            }
        },
    };
    let name = object.map_or("the file", |object| object.name.as_str());

    let seen = match &sight.model {
        None => {
            let message = format!("no camera shows {name}");
            findings.push(describe(1.0, 0.0, t.visible_px_share, "share of the picture", message, "add a camera"));
            0.0
        }
        Some((view, frame)) => {
            let coverage = sight.raster.coverage(view, frame, meshes);
            let px_share = pixel_share(view, &coverage);
            let factors = [
                (px_share, t.visible_px_share, "of the picture shows", "move the camera closer or look at it"),
                (coverage.unoccluded, t.unoccluded_min, "of the pixels are not hidden for", "move what hides it"),
                (coverage.in_frame, t.in_frame_min, "is inside the picture of", "look at it or move the camera back"),
            ];
            let mut seen = 1.0;
            for (value, threshold, what, fix) in factors {
                let factor = (value / threshold).min(1.0);
                seen *= factor;
                if factor < 1.0 {
                    let message = format!("in the active camera a share of {value:.3} {what} {name}");
                    findings.push(describe(1.0 - factor, value, threshold, "share", message, fix));
                }
            }
            seen
        }
    };

    let mut hidden: Vec<f64> =
        sight.hidden.iter().map(|(view, frame)| hidden_grade(input, sight, view, frame, meshes)).collect();
    let hidden = median(&mut hidden);
    if hidden < 1.0 {
        let message = format!("from most sides {name} is hidden or too small");
        findings.push(describe(1.0 - hidden, hidden, 1.0, "grade", message, "uncover it"));
    }
    seen * hidden
}

fn hidden_grade(input: &Input<'_>, sight: &Sight, view: &View, frame: &Frame, meshes: &[usize]) -> f64 {
    let t = input.thresholds;
    let coverage = sight.raster.coverage(view, frame, meshes);
    (pixel_share(view, &coverage) / t.visible_px_share).min(1.0) * (coverage.unoccluded / t.unoccluded_min).min(1.0)
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
