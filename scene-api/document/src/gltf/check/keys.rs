//! Values of animations: key times that grow, as many values as the keys need, rotations of unit length.

use super::document::{Accessor, Document, list};
use super::report::Report;
use super::tolerances::TOLERANCES;
use serde_json::Value;

/// What animations ask of one accessor; pointers of the samplers' members.
#[derive(Debug, Clone, Default)]
pub(super) struct Keys {
    times: Vec<String>,
    rotations: Vec<Rotations>,
}

#[derive(Debug, Clone)]
struct Rotations {
    pointer: String,
    /// With tangents: of three elements the second is a rotation.
    has_tangents: bool,
}

/// By accessor. Counts are checked on the way.
pub(super) fn keys(document: &Document, report: &mut Report) -> Vec<Keys> {
    let mut keys = vec![Keys::default(); document.accessors.len()];
    for (index, animation) in document.list("animations").iter().enumerate() {
        let samplers = list(animation, "samplers");
        for (sampler_index, sampler) in samplers.iter().enumerate() {
            let pointer = format!("/animations/{index}/samplers/{sampler_index}");
            if let Some(keys) = super::index(sampler.get("input")).and_then(|input| keys.get_mut(input)) {
                keys.times.push(format!("{pointer}/input"));
            }
        }
        for (channel_index, channel) in list(animation, "channels").iter().enumerate() {
            let Some(place) = super::index(channel.get("sampler")) else { continue };
            let Some(sampler) = samplers.get(place) else { continue };
            let pointer = format!("/animations/{index}/channels/{channel_index}/sampler");
            check_count(document, channel, sampler, &pointer, report);
            let is_rotation = channel.pointer("/target/path").and_then(Value::as_str) == Some("rotation");
            let output = super::index(sampler.get("output")).and_then(|output| keys.get_mut(output));
            if let Some(keys) = output.filter(|_| is_rotation) {
                keys.rotations.push(Rotations { pointer, has_tangents: has_tangents(sampler) });
            }
        }
    }
    keys
}

fn has_tangents(sampler: &Value) -> bool {
    sampler.get("interpolation").and_then(Value::as_str) == Some("CUBICSPLINE")
}

fn check_count(document: &Document, channel: &Value, sampler: &Value, pointer: &str, report: &mut Report) {
    let accessor = |member: &str| document.accessor(super::index(sampler.get(member))?);
    let (Some(input), Some(output)) = (accessor("input"), accessor("output")) else { return };
    let node = super::index(channel.pointer("/target/node")).and_then(|node| document.list("nodes").get(node));
    let path = channel.pointer("/target/path").and_then(Value::as_str);
    let per_row = match (path, node) {
        (Some("translation" | "rotation" | "scale"), _) => 1,
        (Some("weights"), Some(node)) => {
            let mesh = super::index(node.get("mesh")).and_then(|mesh| document.list("meshes").get(mesh));
            let targets = mesh.and_then(|mesh| mesh.pointer("/primitives/0/targets")).and_then(Value::as_array);
            let Some(targets) = targets else { return };
            targets.len() as u64
        }
        _ => return,
    };
    let per_key = if has_tangents(sampler) { 3 } else { 1 };
    let wanted = input.count.saturating_mul(per_row).saturating_mul(per_key);
    if output.count != wanted {
        let message = format!("Animation sampler output accessor of count {wanted} expected. Found {}.", output.count);
        report.error("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT", pointer, message);
    }
}

pub(super) fn check(accessor: &Accessor, values: &[f64], keys: &Keys, report: &mut Report) {
    let negative = values.iter().enumerate().find(|(_, time_s)| **time_s < 0.0);
    let stuck = values.windows(2).position(|pair| pair[1] <= pair[0]);
    for pointer in &keys.times {
        if let Some((index, time_s)) = negative {
            let message = format!("Animation input accessor element at index {index} is negative: {time_s}.");
            report.error("ACCESSOR_ANIMATION_INPUT_NEGATIVE", pointer, message);
        }
        if let Some(index) = stuck {
            let message =
                format!("Animation input accessor element at index {} is not above the one before.", index + 1);
            report.error("ACCESSOR_ANIMATION_INPUT_NON_INCREASING", pointer, message);
        }
    }
    let format = accessor.format;
    for Rotations { pointer, has_tangents } in keys.rotations.iter().filter(|_| format.components() == 4) {
        let length = |element: &[f64]| {
            element.iter().map(|part| format.decode(*part)).map(|part| part * part).sum::<f64>().sqrt()
        };
        let rotations = values.chunks_exact(4).enumerate().filter(|(index, _)| !has_tangents || index % 3 == 1);
        let mut off = rotations.map(|(index, element)| (index, length(element)));
        if let Some((index, length)) = off.find(|(_, length)| (length - 1.0).abs() > TOLERANCES.unit_quaternion) {
            let message = format!("Animation sampler output element {index} is not of unit length: {length}.");
            report.error("ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION", pointer, message);
        }
    }
}
