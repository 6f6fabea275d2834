//! Roughness and metallic of an object.

use super::{COMPONENT, Graded, mean_of_surface, tolerant};
use crate::reward::evidence::rounded;
use crate::reward::input::{Input, Object};
use rl_protocol::Evidence;
use scene_document::Surface;

/// The mean of both grades. `None` where the object has no area.
pub(super) fn surfaced(
    input: &Input<'_>,
    object: &Object,
    roughness: f64,
    metallic: f64,
    tolerance: f64,
) -> Option<Graded> {
    let factors = |surface: &Surface| [surface.roughness, surface.metallic];
    let [found_roughness, found_metallic] = mean_of_surface(input, object, factors)?;
    let errors = [(found_roughness - roughness).abs(), (found_metallic - metallic).abs()];
    let grade = errors.iter().map(|error| tolerant(input, *error, tolerance)).sum::<f64>() / 2.0;
    let evidence = Evidence {
        value: errors.into_iter().fold(0.0, f64::max),
        threshold: tolerance,
        unit: "of roughness or metallic".into(),
        message: format!(
            "roughness is {} and metallic {}; {roughness} and {metallic} are asked for",
            rounded(found_roughness),
            rounded(found_metallic)
        ),
        fix: format!(
            "material.create with roughness {roughness} and metallic {metallic}, then material.assign to all of {}",
            object.name
        ),
        ..input.object_evidence(COMPONENT, object)
    };
    Some(Graded::new(grade, evidence))
}
