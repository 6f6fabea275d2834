//! Cameras, lights and materials: values that contradict each other.

use super::document::Document;
use super::report::Report;
use serde_json::Value;
use std::f64::consts::{FRAC_PI_4, PI};

pub(super) fn check(document: &Document, report: &mut Report) {
    for (index, camera) in document.list("cameras").iter().enumerate() {
        check_camera(camera, &format!("/cameras/{index}"), report);
    }
    for (index, light) in document.lights().iter().enumerate() {
        check_light(light, &format!("/extensions/KHR_lights_punctual/lights/{index}"), report);
    }
    for (index, material) in document.list("materials").iter().enumerate() {
        if material.get("alphaCutoff").is_some() && material.get("alphaMode").and_then(Value::as_str) != Some("MASK") {
            let pointer = format!("/materials/{index}/alphaCutoff");
            let message = "Alpha cutoff is supported only for 'MASK' alpha mode.";
            report.warning("MATERIAL_ALPHA_CUTOFF_INVALID_MODE", &pointer, message);
        }
    }
}

fn check_camera(camera: &Value, pointer: &str, report: &mut Report) {
    if camera.get("orthographic").is_some() && camera.get("perspective").is_some() {
        let message = "Exactly one of ('orthographic', 'perspective') properties must be defined.";
        report.error("ONE_OF_MISMATCH", pointer, message);
    }
    let Some(kind) = camera.get("type").and_then(Value::as_str) else { return };
    if !matches!(kind, "orthographic" | "perspective") {
        return;
    }
    let Some(projection) = camera.get(kind) else {
        return report.error("UNDEFINED_PROPERTY", pointer, format!("Property '{kind}' must be defined."));
    };
    let place = format!("{pointer}/{kind}");
    let number = |member: &str| projection.get(member).and_then(Value::as_f64);
    if let (Some(zfar), Some(znear)) = (number("zfar"), number("znear"))
        && zfar <= znear
    {
        let message = format!("zfar must be greater than znear; they are {zfar} and {znear}.");
        report.error("CAMERA_ZFAR_LEQUAL_ZNEAR", &place, message);
    }
    for member in ["xmag", "ymag"] {
        let at = format!("{place}/{member}");
        match number(member) {
            Some(0.0) => report.error("CAMERA_XMAG_YMAG_ZERO", &at, "xmag and ymag must not be zero."),
            Some(given) if given < 0.0 => {
                report.warning("CAMERA_XMAG_YMAG_NEGATIVE", &at, "xmag and ymag should not be negative.");
            }
            _ => {}
        }
    }
    if number("yfov").is_some_and(|yfov| yfov >= PI) {
        report.warning("CAMERA_YFOV_GEQUAL_PI", &place, "yfov should be less than Pi.");
    }
}

fn check_light(light: &Value, pointer: &str, report: &mut Report) {
    let is_spot = light.get("type").and_then(Value::as_str) == Some("spot");
    match light.get("spot") {
        None if is_spot => report.error("UNDEFINED_PROPERTY", pointer, "Property 'spot' must be defined."),
        Some(spot) if is_spot => {
            let angle = |member: &str, default: f64| spot.get(member).and_then(Value::as_f64).unwrap_or(default);
            let (inner, outer) = (angle("innerConeAngle", 0.0), angle("outerConeAngle", FRAC_PI_4));
            if outer <= inner {
                let place = format!("{pointer}/spot/outerConeAngle");
                let message = format!("outerConeAngle ({outer}) is less than or equal to innerConeAngle ({inner}).");
                report.error("KHR_LIGHTS_PUNCTUAL_LIGHT_SPOT_ANGLES", &place, message);
            }
        }
        _ => {}
    }
}
