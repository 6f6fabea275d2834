//! Which rules were kept and which broken.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub rule: String,
    /// What was expected and what was found.
    pub text: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use]
pub struct Report {
    /// Names of the rules kept.
    pub kept: Vec<String>,
    pub violations: Vec<Violation>,
}

impl Report {
    pub(crate) fn add(&mut self, rule: &str, verdict: Result<(), String>) {
        match verdict {
            Ok(()) => self.kept.push(rule.to_owned()),
            Err(text) => self.violations.push(Violation { rule: rule.to_owned(), text }),
        }
    }

    pub(crate) fn append(&mut self, mut other: Self) {
        self.kept.append(&mut other.kept);
        self.violations.append(&mut other.violations);
    }

    /// Every rule named with the place where it was played.
    pub(crate) fn within(mut self, place: &str) -> Self {
        let rules = self.kept.iter_mut().chain(self.violations.iter_mut().map(|violation| &mut violation.rule));
        for rule in rules {
            *rule = format!("{place}: {rule}");
        }
        self
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{} rules kept, {} broken", self.kept.len(), self.violations.len())?;
        self.violations.iter().try_for_each(|violation| writeln!(formatter, "  {}: {}", violation.rule, violation.text))
    }
}
