//! Animations: samplers, channels, and what they drive.

use super::document::Document;
use super::report::Report;
use super::usage::Usage;
use ::gltf::json::accessor::{ComponentType, Type};
use serde_json::Value;
use std::collections::BTreeMap;

pub(super) fn check(document: &Document, usage: &mut Usage, report: &mut Report) {
    for (index, animation) in document.list("animations").iter().enumerate() {
        let pointer = format!("/animations/{index}");
        let samplers = super::document::list(animation, "samplers");
        for (index, sampler) in samplers.iter().enumerate() {
            check_sampler(document, sampler, &format!("{pointer}/samplers/{index}"), usage, report);
        }
        check_channels(document, super::document::list(animation, "channels"), samplers, &pointer, report);
    }
}

fn check_sampler(document: &Document, sampler: &Value, pointer: &str, usage: &mut Usage, report: &mut Report) {
    for (member, purpose) in [("input", "AnimationInput"), ("output", "AnimationOutput")] {
        let Some(index) = super::index(sampler.get(member)) else { continue };
        let Some(accessor) = document.accessor(index) else { continue };
        let place = format!("{pointer}/{member}");
        usage.accessor(index, purpose, &place, report);
        if let Some(view) = accessor.view {
            usage.view(view, "Other", &place, report);
            if document.view(view).is_some_and(|view| view.stride.is_some()) {
                let message =
                    "bufferView.byteStride must not be defined for buffer views used by animation sampler accessors.";
                report.error("ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE", &place, message);
            }
        }
        if member == "output" {
            continue;
        }
        if accessor.format.kind != Type::Scalar || accessor.format.component != ComponentType::F32 {
            let message = format!("Invalid Animation sampler input accessor format {:?}.", accessor.format);
            report.error("ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT", &place, message);
        }
        if accessor.min.is_none() || accessor.max.is_none() {
            let message = "accessor.min and accessor.max must be defined for animation input accessor.";
            report.error("ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS", &place, message);
        }
    }
}

fn check_channels(document: &Document, channels: &[Value], samplers: &[Value], animation: &str, report: &mut Report) {
    let mut driven: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    for (index, channel) in channels.iter().enumerate() {
        let pointer = format!("{animation}/channels/{index}");
        let node = super::index(channel.pointer("/target/node"));
        let path = channel.pointer("/target/path").and_then(Value::as_str);
        if let (Some(node), Some(path)) = (node, path) {
            let target = format!("{pointer}/target");
            if let Some(earlier) = driven.insert((node, path), index) {
                let place = format!("{animation}/channels/{earlier}/target");
                let message = format!("Animation channel has the same target as channel {index}.");
                report.error("ANIMATION_DUPLICATE_TARGETS", &place, message);
            }
            check_target(document, node, path, &target, report);
        }
        let Some(sampler) = super::index(channel.get("sampler")) else { continue };
        let place = format!("{pointer}/sampler");
        let Some(sampler) = samplers.get(sampler) else {
            report.unresolved(&place, sampler);
            continue;
        };
        let output = super::index(sampler.get("output")).and_then(|output| document.accessor(output));
        if let (Some(path), Some(output)) = (path, output) {
            let format = output.format;
            let is_float = format.component == ComponentType::F32;
            let number = is_float || format.normalized && format.component != ComponentType::U32;
            let allowed = match path {
                "translation" | "scale" => format.kind == Type::Vec3 && is_float,
                "rotation" => format.kind == Type::Vec4 && number,
                "weights" => format.kind == Type::Scalar && number,
                _ => true,
            };
            if !allowed {
                let message = format!("Invalid animation sampler output accessor format {format:?} for path '{path}'.");
                report.error("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT", &place, message);
            }
        }
    }
}

fn check_target(document: &Document, node: usize, path: &str, pointer: &str, report: &mut Report) {
    let Some(node) = document.list("nodes").get(node) else { return };
    match path {
        "translation" | "rotation" | "scale" if node.get("matrix").is_some() => {
            let message = "Animation channel cannot target TRS properties of a node with defined matrix.";
            report.error("ANIMATION_CHANNEL_TARGET_NODE_MATRIX", pointer, message);
        }
        "weights" => {
            let mesh = super::index(node.get("mesh")).and_then(|mesh| document.list("meshes").get(mesh));
            if mesh.and_then(|mesh| mesh.pointer("/primitives/0/targets")).is_none() {
                let message = "Animation channel cannot target WEIGHTS when mesh does not have morph targets.";
                report.error("ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS", pointer, message);
            }
        }
        _ => {}
    }
}
