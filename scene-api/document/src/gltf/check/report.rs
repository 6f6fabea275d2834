//! The list of remarks that every check adds to.

use crate::gltf::{Issue, Severity};

#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) issues: Vec<Issue>,
}

impl Report {
    pub(crate) fn error(&mut self, code: &'static str, pointer: &str, message: impl Into<String>) {
        self.issues.push(issue(code, Severity::Error, pointer, message.into()));
    }

    pub(crate) fn warning(&mut self, code: &'static str, pointer: &str, message: impl Into<String>) {
        self.issues.push(issue(code, Severity::Warning, pointer, message.into()));
    }

    pub(crate) fn information(&mut self, code: &'static str, pointer: &str, message: impl Into<String>) {
        self.issues.push(issue(code, Severity::Information, pointer, message.into()));
    }

    pub(crate) fn unresolved(&mut self, pointer: &str, index: usize) {
        self.error("UNRESOLVED_REFERENCE", pointer, format!("Unresolved reference: {index}."));
    }
}

/// The Khronos validator writes the root as `/`.
pub(crate) fn issue(code: &'static str, severity: Severity, pointer: &str, message: String) -> Issue {
    let pointer = if pointer.is_empty() { "/" } else { pointer };
    Issue { code, severity, pointer: pointer.into(), message }
}
