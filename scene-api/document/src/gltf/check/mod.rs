//! What is wrong with a glTF file, with the Khronos validator's codes.

mod accessors;
mod animations;
mod attributes;
mod data;
mod data_uri;
mod document;
mod extensions;
mod format;
mod glb;
mod images;
mod keys;
mod look;
mod matrix;
mod members;
mod meshes;
mod nodes;
mod report;
mod resources;
mod schema;
mod text;
mod tolerances;
mod usage;
mod weights;

pub(super) use document::{Accessor, Document};
pub(super) use images::sniff;
pub(super) use matrix::decompose;
pub(super) use report::{Report, issue};
pub(super) use resources::Bytes;
pub(super) use schema::uint;
pub(super) use tolerances::TOLERANCES;

use crate::gltf::{Issue, Resolve, Severity};
use resources::Loader;
use schema::Schema;
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use usage::Usage;

/// Every remark about a file. A missing external resource is an error at its URI. Never panics.
#[must_use]
pub fn check(bytes: &[u8], resolve: Resolve) -> Vec<Issue> {
    catch_unwind(AssertUnwindSafe(|| examine(bytes, resolve).report.into_issues())).unwrap_or_else(|_| {
        let message = "The checker failed on this file.".into();
        vec![issue("CHECKER_PANICKED", Severity::Error, "", message)]
    })
}

/// At least as many as the JSON text has, found without parsing it: each but the root comes after one of these signs.
pub(super) fn json_values(bytes: &[u8]) -> usize {
    let container = glb::split(bytes, &mut Report::default());
    container.map_or(0, |container| container.json.iter().filter(|sign| matches!(sign, b'[' | b'{' | b',')).count())
}

pub(super) struct Examined {
    pub(super) report: Report,
    /// `None` where there is no JSON of a known version to go by.
    pub(super) document: Option<Document>,
}

pub(super) fn examine(bytes: &[u8], resolve: Resolve) -> Examined {
    let mut report = Report::default();
    let document = parse(bytes, resolve, &mut report);
    if let Some(document) = &document {
        let mut usage = Usage::new(document);
        accessors::check(document, &mut usage, &mut report);
        images::check(document, &mut usage, &mut report);
        meshes::check(document, &mut usage, &mut report);
        nodes::check(document, &mut usage, &mut report);
        animations::check(document, &mut usage, &mut report);
        look::check(document, &mut report);
        data::check(document, &mut report);
    }
    Examined { report, document }
}

fn parse(bytes: &[u8], resolve: Resolve, report: &mut Report) -> Option<Document> {
    let container = glb::split(bytes, report)?;
    let json = text::parse(&container, report)?;
    if !version_is_known(&json, report) {
        return None;
    }
    let root = json.as_object()?;
    Schema { root: &json, report: &mut *report }.members(root, members::ROOT, "");
    extensions::check(&json, report);
    let mut loader = Loader::new(&container, resolve);
    let buffers = loader.buffers(&json, report);
    let images = loader.images(&json, report);
    Some(Document::new(json, buffers, images))
}

/// The Khronos validator looks no further where it is not.
fn version_is_known(json: &Value, report: &mut Report) -> bool {
    let Some(asset) = json.get("asset") else {
        report.error("UNDEFINED_PROPERTY", "", "Property 'asset' must be defined.");
        return false;
    };
    let Some(version) = asset.get("version") else {
        report.error("UNDEFINED_PROPERTY", "/asset", "Property 'version' must be defined.");
        return false;
    };
    let Some(text) = version.as_str() else {
        report.error("TYPE_MISMATCH", "/asset/version", "Type mismatch. Property value is not a 'string'.");
        return false;
    };
    match schema::version(text) {
        Some((2, minor)) => {
            if minor > 0 {
                let message = format!("Unknown glTF minor asset version: {minor}.");
                report.warning("UNKNOWN_ASSET_MINOR_VERSION", "/asset/version", message);
            }
            true
        }
        Some((major, _)) => {
            let message = format!("Unknown glTF major asset version: {major}.");
            report.error("UNKNOWN_ASSET_MAJOR_VERSION", "/asset/version", message);
            false
        }
        None => {
            let message = format!("Value '{text}' does not match regexp pattern '^([0-9]+)\\.([0-9]+)$'.");
            report.error("PATTERN_MISMATCH", "/asset/version", message);
            false
        }
    }
}

/// A non-negative integer member used as an index.
pub(super) fn index(value: Option<&Value>) -> Option<usize> {
    usize::try_from(uint(value?)?).ok()
}

/// Position and value of every well-formed index in an array.
pub(super) fn indices(value: Option<&Value>) -> impl Iterator<Item = (usize, usize)> {
    let items = value.and_then(Value::as_array).into_iter().flatten().enumerate();
    items.filter_map(|(position, item)| Some((position, index(Some(item))?)))
}

/// An array of exactly `N` numbers.
pub(super) fn numbers<const N: usize>(value: Option<&Value>) -> Option<[f64; N]> {
    let numbers = value?.as_array()?.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>()?;
    numbers.try_into().ok()
}
