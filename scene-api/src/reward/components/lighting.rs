//! The objects are lit so that a picture with the scorer's fixed exposure shows them.

use super::{Measured, ramp};
use crate::reward::evidence::{Finding, rounded};
use crate::reward::input::Input;
use crate::reward::sight::Sight;
use rl_protocol::Evidence;

/// Exposure × clipping × contrast of the luminance (cd/m², direct light and emission only) of the required objects'
/// pixels in the model's camera; without a task, of every pixel that shows something. Lux on a matt surface of
/// albedo ρ give lux·ρ/π cd/m², so 110 lux on ρ = 0.5 are middle grey. 0 without light or without such pixels.
pub(super) fn measure(input: &Input<'_>, sight: &Sight) -> Measured {
    let t = input.thresholds;
    let mut luminance = subject_luminance(input, sight);
    luminance.sort_by(f64::total_cmp);
    let grey = t.grey * t.white_cd_m2;
    let Some(median) = percentile(&luminance, 0.5) else {
        let message = "no pixel of the active camera shows an object";
        return dark(0.0, grey, message, "point the active camera at the objects");
    };
    if luminance.last().is_none_or(|brightest| *brightest <= 0.0) {
        let what = if input.baked.lights.is_empty() { "the scene has no light" } else { "no light reaches an object" };
        return dark(0.0, grey, what, "add a light in front of the objects, and one beside the camera");
    }

    let black = t.clip_dark * t.white_cd_m2;
    let exposure_ev = libm::log2(median.max(black / 16.0) / grey);
    let exposure = ramp(exposure_ev.abs(), t.exposure_full_ev, t.exposure_zero_ev);

    let too_dark = share(&luminance, |value| value < black);
    let too_bright = share(&luminance, |value| value > t.clip_bright * t.white_cd_m2);
    let clipping = ramp(too_dark + too_bright, t.clip_share_full, t.clip_share_zero);

    let of = |rank: f64| percentile(&luminance, rank).unwrap_or(0.0).max(black / 16.0);
    let contrast_log2 = libm::log2(of(0.9) / of(0.1));
    let [low_zero, low_full, high_full, high_zero] = t.contrast_log2;
    let contrast = ramp(contrast_log2, low_full, low_zero).min(ramp(contrast_log2, high_full, high_zero));

    let mut findings = Vec::new();
    let mut note = |grade: f64, value: f64, threshold: f64, unit: &str, message: String, fix: String| {
        if grade < 1.0 {
            findings.push(Finding { badness: 1.0 - grade, evidence: evidence(value, threshold, unit, message, fix) });
        }
    };
    note(
        exposure,
        exposure_ev,
        t.exposure_full_ev,
        "EV from middle grey",
        format!("the objects' median luminance is {} cd/m²; {} cd/m² is middle grey", rounded(median), rounded(grey)),
        format!("multiply the light intensities by {}", rounded(grey / median.max(black / 16.0))),
    );
    note(
        clipping,
        too_dark + too_bright,
        t.clip_share_full,
        "share of the objects' pixels",
        format!("of the objects' pixels a share of {too_dark:.3} is black and {too_bright:.3} is white"),
        if too_dark >= too_bright {
            "add a light beside the camera for what no light reaches".into()
        } else {
            "lower the light or emission, or move the lights away".into()
        },
    );
    note(
        contrast,
        contrast_log2,
        if contrast_log2 < low_full { low_full } else { high_full },
        "log2 of 90th over 10th percentile",
        format!("the brightest tenth is 2^{contrast_log2:.2} times the darkest"),
        if contrast_log2 < low_full {
            "make one light stronger, from the side".into()
        } else {
            "add a weaker light from the other side".into()
        },
    );
    Measured::exact(exposure * clipping * contrast, findings)
}

fn subject_luminance(input: &Input<'_>, sight: &Sight) -> Vec<f64> {
    let Some((view, frame)) = &sight.model else { return Vec::new() };
    let mut subject = vec![false; input.baked.meshes.len()];
    for mesh in input.objects.iter().flat_map(|object| &object.meshes) {
        if let Some(flag) = subject.get_mut(*mesh) {
            *flag = true;
        }
    }
    let shows = |id: u32| (id as usize).checked_sub(1).and_then(|mesh| subject.get(mesh)).copied().unwrap_or(false);
    let lit = sight.raster.light(view, frame);
    lit.luminance.iter().zip(&frame.mesh).filter(|(_, id)| shows(**id)).map(|(luminance, _)| *luminance).collect()
}

fn share(values: &[f64], counts: impl Fn(f64) -> bool) -> f64 {
    values.iter().filter(|value| counts(**value)).count() as f64 / values.len() as f64
}

/// Nearest rank from below.
fn percentile(sorted: &[f64], rank: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let index = (rank * last as f64) as usize;
    sorted.get(index).copied()
}

fn dark(value: f64, threshold: f64, message: &str, fix: &str) -> Measured {
    let evidence = evidence(value, threshold, "cd/m²", message.into(), fix.into());
    Measured::exact(0.0, vec![Finding { badness: 1.0, evidence }])
}

fn evidence(value: f64, threshold: f64, unit: &str, message: String, fix: String) -> Evidence {
    Evidence { component: "lighting".into(), value, threshold, unit: unit.into(), message, fix, ..Evidence::default() }
}
