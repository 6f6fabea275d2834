//! The list of remarks that every check adds to.

use crate::gltf::{Issue, Severity};
use std::collections::BTreeMap;

/// Of each code; a file can have a fault in every member.
const LISTED: usize = 100;

#[derive(Debug, Default)]
pub(crate) struct Report {
    issues: Vec<Issue>,
    /// Those not listed included.
    counts: BTreeMap<(Severity, &'static str), usize>,
}

impl Report {
    pub(crate) fn error(&mut self, code: &'static str, pointer: &str, message: impl Into<String>) {
        self.add(code, Severity::Error, pointer, message);
    }

    pub(crate) fn warning(&mut self, code: &'static str, pointer: &str, message: impl Into<String>) {
        self.add(code, Severity::Warning, pointer, message);
    }

    pub(crate) fn information(&mut self, code: &'static str, pointer: &str, message: impl Into<String>) {
        self.add(code, Severity::Information, pointer, message);
    }

    pub(crate) fn unresolved(&mut self, pointer: &str, index: usize) {
        self.error("UNRESOLVED_REFERENCE", pointer, format!("Unresolved reference: {index}."));
    }

    pub(crate) fn has_error(&self, code: &'static str) -> bool {
        self.counts.contains_key(&(Severity::Error, code))
    }

    /// Those listed so far.
    pub(crate) fn issues(&self) -> &[Issue] {
        &self.issues
    }

    /// Where there are more of a code than are listed, one more issue of that code says how many.
    pub(crate) fn into_issues(mut self) -> Vec<Issue> {
        for ((severity, code), count) in self.counts {
            if count > LISTED {
                let message = format!("{} more are not listed.", count - LISTED);
                self.issues.push(issue(code, severity, "", message));
            }
        }
        self.issues
    }

    fn add(&mut self, code: &'static str, severity: Severity, pointer: &str, message: impl Into<String>) {
        let count = self.counts.entry((severity, code)).or_default();
        *count += 1;
        if *count <= LISTED {
            self.issues.push(issue(code, severity, pointer, message.into()));
        }
    }
}

/// The Khronos validator writes the root as `/`.
pub(crate) fn issue(code: &'static str, severity: Severity, pointer: &str, message: String) -> Issue {
    let pointer = if pointer.is_empty() { "/" } else { pointer };
    Issue { code, severity, pointer: pointer.into(), message }
}
