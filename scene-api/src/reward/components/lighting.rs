//! The objects are lit so that a picture with the scorer's fixed exposure shows them.

use super::{Measured, ramp};
use crate::reward::evidence::{Finding, rounded};
use crate::reward::fix::point;
use crate::reward::input::{Input, evidence_of, id_of};
use crate::reward::luminance::{Luminance, Reading};
use crate::reward::sight::{ModelView, Sight, look_at_objects, shown, subject};
use crate::tools::Group;
use rl_protocol::Evidence;
use scene_document::{Environment, NodeId};
use std::f64::consts::PI;

/// What a fix of the exposure aims at: this far inside the band that is full.
const INSIDE: f64 = 1.05;
/// Of a matt surface that a proposed light is reckoned for.
const ALBEDO: f64 = 0.5;

/// Exposure × clipping × contrast of the luminance (cd/m²) of the required objects' pixels in the model's camera;
/// without a task, of every pixel that shows something. Exposure and contrast are of reflected light alone, since a
/// surface that glows by itself shows no shape; clipping is of that and emission. Lux on a matt surface of albedo ρ
/// give lux·ρ/π cd/m², so 110 lux on ρ = 0.5 are middle grey. The environment's light is reflected like any other, but
/// shows no shape: under one, contrast is no more than that of the light that arrives, whatever the colours. 0 where no
/// punctual light reaches an object, without such pixels, or where there is more light than can be evaluated.
pub(super) fn measure(input: &Input<'_>, sight: &Sight) -> Measured {
    let t = input.thresholds;
    let light = subject_luminance(input, sight);
    let grey = t.grey * t.white_cd_m2;
    let Some(reading) = light.reading(t) else {
        let message = "no pixel of the active camera shows an object".into();
        return nothing(evidence(input, 0.0, grey, "cd/m²", message, look_at_objects(input, sight)));
    };
    if light.over_budget {
        let message = "there are more lights, or more triangles in the light's way, than are evaluated".into();
        let fix = "use fewer lights and fewer triangles".into();
        return nothing(evidence(input, 0.0, grey, "cd/m²", message, fix));
    }
    if !light.is_directed || light.reflected.last().is_none_or(|brightest| *brightest <= 0.0) {
        let what = match (input.baked.environment, input.baked.lights.is_empty()) {
            (Some(_), true) => "the scene has no light but its environment, which shows no shape",
            (Some(_), false) => "no light but the environment, which shows no shape, reaches an object",
            (None, true) => "the scene has no light",
            (None, false) => "no light reaches an object",
        };
        return nothing(evidence(input, 0.0, grey, "cd/m²", what.into(), add_light(input, sight)));
    }

    let Reading { median_cd_m2, exposure_ev, too_dark, too_bright, contrast_log2 } = reading;
    let exposure = ramp(exposure_ev.abs(), t.exposure_full_ev, t.exposure_zero_ev);
    let clipping = ramp(too_dark + too_bright, t.clip_share_full, t.clip_share_zero);
    let [low_zero, low_full, high_full, high_zero] = t.contrast_log2;
    let contrast = ramp(contrast_log2, low_full, low_zero).min(ramp(contrast_log2, high_full, high_zero));

    let mut findings = Vec::new();
    let mut note = |grade: f64, value: f64, threshold: f64, unit: &str, message: String, fix: String| {
        if grade < 1.0 {
            let evidence = evidence(input, value, threshold, unit, message, fix);
            findings.push(Finding { badness: 1.0 - grade, evidence });
        }
    };
    note(
        exposure,
        exposure_ev,
        t.exposure_full_ev.copysign(exposure_ev),
        "EV from middle grey",
        format!(
            "the objects' median reflected luminance is {} cd/m²; {} cd/m² is middle grey",
            rounded(median_cd_m2),
            rounded(grey)
        ),
        brighter(input, exposure_ev),
    );
    note(
        clipping,
        too_dark + too_bright,
        t.clip_share_full,
        "share of the objects' pixels",
        format!(
            "of the objects' pixels a share of {} is black and {} is white",
            rounded(too_dark),
            rounded(too_bright)
        ),
        if too_dark >= too_bright {
            add_light(input, sight)
        } else {
            "lower the light or emission, or move the lights away".into()
        },
    );
    let of_white = if input.baked.environment.is_some() { ", or that of white in its place," } else { "" };
    note(
        contrast,
        contrast_log2,
        if contrast_log2 < low_full { low_full } else { high_full },
        "log2 of bright over dark",
        format!(
            "the luminance{of_white} that a tenth exceeds is 2^{} times the one that a tenth stays below",
            rounded(contrast_log2)
        ),
        if contrast_log2 < low_full {
            "make one light stronger, from the side".into()
        } else {
            "add a weaker light from the other side with light.add".into()
        },
    );
    Measured::exact(exposure * clipping * contrast, findings)
}

/// Brings the median just inside the full band.
fn brighter(input: &Input<'_>, exposure_ev: f64) -> String {
    let off = libm::exp2((exposure_ev.abs() - input.thresholds.exposure_full_ev).max(0.0)) * INSIDE;
    let factor = rounded(if exposure_ev < 0.0 { off } else { 1.0 / off });
    let updates = input.import.groups.has(Group::Look);
    let changed = input.baked.lights.iter().map(|light| {
        let (id, intensity) = (id_of(input.import, light.node), rounded(light.light.intensity * factor));
        if updates {
            format!(r#"light.update {{"node":"{id}","intensity":{intensity}}}"#)
        } else {
            format!("{id} with intensity {intensity}")
        }
    });
    let around = input.baked.environment.map(|Environment { color, luminance_cd_m2 }| {
        let luminance_cd_m2 = rounded(luminance_cd_m2 * factor);
        if updates {
            let color = color.map(rounded);
            format!(r#"light.set_environment {{"luminance_cd_m2":{luminance_cd_m2},"color":{color:?}}}"#)
        } else {
            format!("the environment with {luminance_cd_m2} cd/m²")
        }
    });
    let again = if updates { "" } else { "node.delete and light.add again " };
    format!("multiply all light by {factor}: {again}{}", changed.chain(around).collect::<Vec<_>>().join(", "))
}

/// A light at the camera that alone makes a matt surface at the objects' middle grey.
fn add_light(input: &Input<'_>, sight: &Sight) -> String {
    let Some(model) = &sight.model else { return look_at_objects(input, sight) };
    let eye_m = model.view.world_from_camera.fixed_view::<3, 1>(0, 3).into_owned();
    let (target, _) = subject(input);
    let distance_m = (target.coords - eye_m).norm();
    let grey = input.thresholds.grey * input.thresholds.white_cd_m2;
    let candela = rounded(grey * PI / ALBEDO * distance_m * distance_m);
    let at = point(eye_m.into());
    format!(
        r#"light.add {{"name":"beside_camera","light":{{"kind":"point"}},"intensity":{candela},"translation":{at}}}"#
    )
}

fn subject_luminance(input: &Input<'_>, sight: &Sight) -> Luminance {
    let Some(ModelView { view, frame, .. }) = &sight.model else { return Luminance::default() };
    let mut subject = vec![false; input.baked.meshes.len()];
    for mesh in input.objects.iter().flat_map(|object| &object.meshes) {
        if let Some(flag) = subject.get_mut(*mesh) {
            *flag = true;
        }
    }
    let shows_subject: Vec<bool> =
        shown(input, frame).map(|mesh| mesh.is_some_and(|mesh| subject.get(mesh) == Some(&true))).collect();
    Luminance::of(&sight.raster, view, frame, |pixel| shows_subject.get(pixel) == Some(&true))
}

fn nothing(evidence: Evidence) -> Measured {
    Measured::exact(0.0, vec![Finding { badness: 1.0, evidence }])
}

/// Names the lights.
fn evidence(input: &Input<'_>, value: f64, threshold: f64, unit: &str, message: String, fix: String) -> Evidence {
    let lights: Vec<NodeId> = input.baked.lights.iter().map(|light| light.node).collect();
    Evidence { value, threshold, unit: unit.into(), message, fix, ..evidence_of(input.import, "lighting", &lights) }
}
