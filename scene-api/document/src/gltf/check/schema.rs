//! Types, ranges and references of JSON members, driven by the tables of `members.rs`.

use super::report::Report;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// What a member may hold. References name the root collection they point into; `""` is resolved elsewhere.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Index(&'static str),
    /// Distinct indices.
    Indices(&'static str),
    /// Attribute semantics to accessors.
    IndexMap(&'static str),
    IndexMaps(&'static str),
    UInt {
        min: u64,
        max: u64,
    },
    /// One of these; another value is a warning.
    UIntOf(&'static [u64]),
    Number {
        min: f64,
        above: f64,
        max: f64,
    },
    /// `length` 0: any.
    Numbers {
        length: usize,
        min: f64,
        max: f64,
    },
    /// So many arrays of so many numbers.
    NumberRows {
        rows: usize,
        length: usize,
    },
    /// Arrays of so many indices, which need not differ.
    IndexRows {
        length: usize,
        target: &'static str,
    },
    Boolean,
    Text,
    /// One of these; another value is a warning.
    TextOf(&'static [&'static str]),
    /// Distinct texts.
    Texts,
    /// `major.minor`.
    Version,
    Object(&'static [Member]),
    Objects(&'static [Member]),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) required: bool,
}

pub(super) struct Schema<'a> {
    pub(super) root: &'a Value,
    pub(super) report: &'a mut Report,
}

impl Schema<'_> {
    /// Checks the members of `object`, which stands at `pointer`.
    pub(super) fn members(&mut self, object: &Map<String, Value>, members: &'static [Member], pointer: &str) {
        for name in object.keys() {
            let known = members.iter().any(|member| member.name == name) || name == "extensions" || name == "extras";
            if !known {
                self.report.warning("UNEXPECTED_PROPERTY", &join(pointer, name), "Unexpected property.");
            }
        }
        for member in members {
            match object.get(member.name) {
                Some(value) => self.value(value, member.kind, &join(pointer, member.name)),
                None if member.required => {
                    let message = format!("Property '{}' must be defined.", member.name);
                    self.report.error("UNDEFINED_PROPERTY", pointer, message);
                }
                None => {}
            }
        }
        if object.get("extras").is_some_and(|extras| !extras.is_object()) {
            let message = "Prefer JSON Objects for extras.";
            self.report.information("NON_OBJECT_EXTRAS", &join(pointer, "extras"), message);
        }
    }

    fn value(&mut self, value: &Value, kind: Kind, pointer: &str) {
        match kind {
            Kind::Index(target) => match uint(value) {
                Some(index) => self.reference(index, target, pointer),
                None if is_integer(value) => self.invalid_index(pointer),
                None => self.mismatch(value, "integer", pointer),
            },
            Kind::Indices(target) => {
                let mut seen = BTreeSet::new();
                for (position, item) in self.array(value, pointer).iter().enumerate() {
                    let at = format!("{pointer}/{position}");
                    match uint(item) {
                        Some(index) => {
                            if !seen.insert(index) {
                                self.report.error("DUPLICATE_ELEMENTS", &at, "Duplicate element.");
                            }
                            self.reference(index, target, &at);
                        }
                        None => self.invalid_index(&at),
                    }
                }
            }
            Kind::IndexMap(target) => self.index_map(value, target, pointer),
            Kind::IndexMaps(target) => {
                for (position, item) in self.array(value, pointer).iter().enumerate() {
                    self.index_map(item, target, &format!("{pointer}/{position}"));
                }
            }
            Kind::UInt { min, max } => match uint(value) {
                Some(given) if (min..=max).contains(&given) => {}
                None if !is_integer(value) => self.mismatch(value, "integer", pointer),
                _ => self.out_of_range(value, pointer),
            },
            Kind::UIntOf(allowed) => match uint(value) {
                Some(given) if allowed.contains(&given) => {}
                None if !is_integer(value) => self.mismatch(value, "integer", pointer),
                _ => self.not_in_list(value, &format!("{allowed:?}"), pointer),
            },
            Kind::Number { min, above, max } => match value.as_f64() {
                Some(given) if given >= min && given > above && given <= max => {}
                Some(_) => self.out_of_range(value, pointer),
                None => self.mismatch(value, "number", pointer),
            },
            Kind::Numbers { length, min, max } => self.numbers(value, length, min, max, pointer),
            Kind::NumberRows { rows, length } => {
                let items = self.array(value, pointer);
                if self.is_long(items, rows, pointer) {
                    for (position, row) in items.iter().enumerate() {
                        let at = format!("{pointer}/{position}");
                        self.numbers(row, length, f64::NEG_INFINITY, f64::INFINITY, &at);
                    }
                }
            }
            Kind::IndexRows { length, target } => {
                for (position, row) in self.array(value, pointer).iter().enumerate() {
                    let at = format!("{pointer}/{position}");
                    let items = self.array(row, &at);
                    if self.is_long(items, length, &at) {
                        for (place, item) in items.iter().enumerate() {
                            self.index(item, target, &format!("{at}/{place}"));
                        }
                    }
                }
            }
            Kind::Boolean => {
                if !value.is_boolean() {
                    self.mismatch(value, "boolean", pointer);
                }
            }
            Kind::Text => {
                if !value.is_string() {
                    self.mismatch(value, "string", pointer);
                }
            }
            Kind::TextOf(allowed) => match value.as_str() {
                Some(given) if allowed.contains(&given) => {}
                Some(_) => self.not_in_list(value, &format!("{allowed:?}"), pointer),
                None => self.mismatch(value, "string", pointer),
            },
            Kind::Version => match value.as_str() {
                Some(text) if version(text).is_some() => {}
                Some(text) => {
                    let message = format!("Value '{text}' does not match regexp pattern '^([0-9]+)\\.([0-9]+)$'.");
                    self.report.error("PATTERN_MISMATCH", pointer, message);
                }
                None => self.mismatch(value, "string", pointer),
            },
            Kind::Texts => {
                let mut seen = BTreeSet::new();
                for (position, item) in self.array(value, pointer).iter().enumerate() {
                    let at = format!("{pointer}/{position}");
                    match item.as_str() {
                        Some(text) if seen.insert(text) => {}
                        Some(_) => self.report.error("DUPLICATE_ELEMENTS", &at, "Duplicate element."),
                        None => self.array_mismatch(item, "string", &at),
                    }
                }
            }
            Kind::Object(members) => match value.as_object() {
                Some(object) => self.members(object, members, pointer),
                None => self.mismatch(value, "object", pointer),
            },
            Kind::Objects(members) => {
                let is_root_collection = pointer.rfind('/') == Some(0);
                for (position, item) in self.array(value, pointer).iter().enumerate() {
                    match item.as_object() {
                        Some(object) => self.members(object, members, &format!("{pointer}/{position}")),
                        None if is_root_collection => self.mismatch(item, "object", &format!("{pointer}/{position}")),
                        None => self.array_mismatch(item, "object", pointer),
                    }
                }
            }
        }
    }

    /// The items of a non-empty array, or none and a remark.
    fn array<'v>(&mut self, value: &'v Value, pointer: &str) -> &'v [Value] {
        match value.as_array() {
            Some(items) => {
                if items.is_empty() {
                    self.report.error("EMPTY_ENTITY", pointer, "Entity cannot be empty.");
                }
                items
            }
            None => {
                self.mismatch(value, "array", pointer);
                &[]
            }
        }
    }

    fn index_map(&mut self, value: &Value, target: &'static str, pointer: &str) {
        let Some(map) = value.as_object() else { return self.mismatch(value, "object", pointer) };
        if map.is_empty() {
            self.report.error("EMPTY_ENTITY", pointer, "Entity cannot be empty.");
        }
        for (name, item) in map {
            self.index(item, target, &join(pointer, name));
        }
    }

    fn index(&mut self, item: &Value, target: &'static str, pointer: &str) {
        match uint(item) {
            Some(index) => self.reference(index, target, pointer),
            None => self.invalid_index(pointer),
        }
    }

    /// Whether there are so many; that there are none is remarked on elsewhere.
    fn is_long(&mut self, items: &[Value], length: usize, pointer: &str) -> bool {
        let is_long = items.is_empty() || items.len() == length;
        if !is_long {
            let message = format!("Invalid array length {}. Valid lengths are: ({length}).", items.len());
            self.report.error("ARRAY_LENGTH_NOT_IN_LIST", pointer, message);
        }
        is_long
    }

    fn numbers(&mut self, value: &Value, length: usize, min: f64, max: f64, pointer: &str) {
        let items = self.array(value, pointer);
        if length != 0 && !self.is_long(items, length, pointer) {
            return;
        }
        for (position, item) in items.iter().enumerate() {
            match item.as_f64() {
                Some(given) if (min..=max).contains(&given) => {}
                Some(_) => self.out_of_range(item, &format!("{pointer}/{position}")),
                None => self.array_mismatch(item, "number", pointer),
            }
        }
    }

    fn reference(&mut self, index: u64, target: &'static str, pointer: &str) {
        if target.is_empty() {
            return;
        }
        let collection = match target {
            "lights" => self.root.pointer("/extensions/KHR_lights_punctual/lights"),
            "image-based lights" => self.root.pointer("/extensions/EXT_lights_image_based/lights"),
            _ => self.root.get(target),
        };
        let length = collection.and_then(Value::as_array).map_or(0, Vec::len);
        match usize::try_from(index) {
            Ok(index) if index < length => {}
            _ => self.report.error("UNRESOLVED_REFERENCE", pointer, format!("Unresolved reference: {index}.")),
        }
    }

    fn invalid_index(&mut self, pointer: &str) {
        self.report.error("INVALID_INDEX", pointer, "Index must be a non-negative integer.");
    }

    fn mismatch(&mut self, value: &Value, wanted: &str, pointer: &str) {
        let message = format!("Type mismatch. Property value {} is not a '{wanted}'.", brief(value));
        self.report.error("TYPE_MISMATCH", pointer, message);
    }

    fn array_mismatch(&mut self, value: &Value, wanted: &str, pointer: &str) {
        let message = format!("Type mismatch. Array element {} is not a '{wanted}'.", brief(value));
        self.report.error("ARRAY_TYPE_MISMATCH", pointer, message);
    }

    fn out_of_range(&mut self, value: &Value, pointer: &str) {
        self.report.error("VALUE_NOT_IN_RANGE", pointer, format!("Value {} is out of range.", brief(value)));
    }

    fn not_in_list(&mut self, value: &Value, allowed: &str, pointer: &str) {
        let message = format!("Invalid value {}. Valid values are {allowed}.", brief(value));
        self.report.warning("VALUE_NOT_IN_LIST", pointer, message);
    }
}

/// A non-negative integer, also where it is written as `1.0`.
pub(crate) fn uint(value: &Value) -> Option<u64> {
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    value.as_u64().or_else(|| {
        value
            .as_f64()
            .filter(|number| number.fract() == 0.0 && (0.0..=LARGEST).contains(number))
            .map(|number| number as u64)
    })
}

fn is_integer(value: &Value) -> bool {
    value.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// `2.0` as (2, 0).
pub(super) fn version(text: &str) -> Option<(u64, u64)> {
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok()).flatten();
    let (major, minor) = text.split_once('.')?;
    Some((digits(major)?, digits(minor)?))
}

/// Scalars as they are; the kind of anything larger.
fn brief(value: &Value) -> String {
    match value {
        Value::Array(_) => "[…]".into(),
        Value::Object(_) => "{…}".into(),
        Value::String(text) => format!("'{}'", text.chars().take(80).collect::<String>()),
        scalar => scalar.to_string(),
    }
}

/// A JSON pointer one level down.
pub(crate) fn join(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}
