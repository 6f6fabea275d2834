//! Real files with the Khronos validator's verdicts, under `MAQUETTE_DATA`.

use scene_document::gltf::{Issue, Limits, ReadError, Severity, check, read};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) struct Case {
    pub(crate) path: PathBuf,
    /// Codes of the validator, by severity: 0 is an error.
    codes: BTreeSet<(u64, String)>,
}

impl Case {
    fn errors(&self) -> BTreeSet<&str> {
        self.codes.iter().filter(|(severity, _)| *severity == 0).map(|(_, code)| code.as_str()).collect()
    }
}

/// Every file below `folder` beside which a report with this ending lies.
pub(crate) fn cases(folder: &str, ending: &str) -> Vec<Case> {
    let data = std::env::var_os("MAQUETTE_DATA").expect("MAQUETTE_DATA names the data folder");
    let mut cases = Vec::new();
    let mut folders = vec![Path::new(&data).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if let Some(file) = path.to_str().and_then(|path| path.strip_suffix(ending)) {
                let report: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
                let messages = report["issues"]["messages"].as_array().unwrap();
                let code = |message: &Value| {
                    (message["severity"].as_u64().unwrap(), message["code"].as_str().unwrap().to_owned())
                };
                cases.push(Case { path: file.into(), codes: messages.iter().map(code).collect() });
            }
        }
    }
    cases.sort_by(|a, b| a.path.cmp(&b.path));
    cases
}

pub(crate) fn with_file<T>(path: &Path, use_it: impl FnOnce(&[u8], &dyn Fn(&str) -> Option<Vec<u8>>) -> T) -> T {
    let folder = path.parent().unwrap();
    use_it(&fs::read(path).unwrap(), &|uri: &str| fs::read(folder.join(uri)).ok())
}

pub(crate) fn error_codes(issues: &[Issue]) -> BTreeSet<&str> {
    issues.iter().filter(|issue| issue.severity == Severity::Error).map(|issue| issue.code).collect()
}

#[test]
#[ignore = "needs MAQUETTE_DATA"]
fn real_files_that_are_valid_are_read() {
    let (mut read_count, mut unsupported, mut failures) = (0, BTreeMap::new(), Vec::new());
    for case in cases("3d/gltf", ".validator.json").iter().filter(|case| case.errors().is_empty()) {
        let path = &case.path;
        let (issues, result) =
            with_file(path, |bytes, resolve| (check(bytes, resolve), read(bytes, resolve, &Limits::default())));
        for issue in issues.iter().filter(|issue| issue.severity == Severity::Error) {
            failures.push(format!("{}: {issue:?}", path.display()));
        }
        match result {
            Ok(_) => read_count += 1,
            Err(ReadError::Unsupported { what, .. }) => *unsupported.entry(what).or_insert(0) += 1,
            Err(other) => failures.push(format!("{}: {other}", path.display())),
        }
    }
    println!("valid files: {read_count} read, unsupported {unsupported:?}, failures {}", failures.len());
    assert!(read_count >= 78, "only {read_count} valid files were read");
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
#[ignore = "needs MAQUETTE_DATA"]
fn real_files_that_are_invalid_are_named_so() {
    let (mut count, mut failures) = (0, Vec::new());
    for case in cases("3d/gltf", ".validator.json").iter().filter(|case| !case.errors().is_empty()) {
        count += 1;
        let path = &case.path;
        let (issues, result) =
            with_file(path, |bytes, resolve| (check(bytes, resolve), read(bytes, resolve, &Limits::default())));
        let ours = error_codes(&issues);
        if ours.intersection(&case.errors()).next().is_none() {
            failures.push(format!("{}: {ours:?}, not any of {:?}", path.display(), case.errors()));
        }
        let gated = match &result {
            Ok(import) => !error_codes(&import.issues).is_empty(),
            Err(ReadError::Invalid { .. } | ReadError::Unsupported { .. }) => true,
            Err(_) => false,
        };
        if !gated {
            failures.push(format!("{}: {result:?}", path.display()));
        }
    }
    println!("invalid files: {count}, failures {}", failures.len());
    assert_eq!(count, 28);
    assert!(failures.is_empty(), "{failures:#?}");
}

/// The validator's own test files: how many of its error codes we report, and how many of ours it does.
#[test]
#[ignore = "needs MAQUETTE_DATA"]
fn agreement_with_the_validators_own_cases() {
    let (mut both, mut only_ours, mut only_theirs) = (0, BTreeMap::new(), BTreeMap::new());
    for case in cases("3d/gltf-validator", ".report.json") {
        if !case.path.is_file() {
            continue;
        }
        let (issues, result) =
            with_file(&case.path, |bytes, resolve| (check(bytes, resolve), read(bytes, resolve, &Limits::default())));
        let panicked = matches!(result, Err(ReadError::Panicked { .. }));
        assert!(!panicked && issues.iter().all(|issue| issue.code != "CHECKER_PANICKED"), "{}", case.path.display());
        let ours = error_codes(&issues);
        let theirs = case.errors();
        both += ours.intersection(&theirs).count();
        for code in ours.difference(&theirs) {
            *only_ours.entry((*code).to_owned()).or_insert(0) += 1;
        }
        for code in theirs.difference(&ours) {
            *only_theirs.entry((*code).to_owned()).or_insert(0) += 1;
        }
    }
    let share = |missed: &BTreeMap<String, usize>| {
        let all = both + missed.values().sum::<usize>();
        if all == 0 { 1.0 } else { both as f64 / all as f64 }
    };
    println!("error codes: precision {:.3}, recall {:.3}", share(&only_ours), share(&only_theirs));
    println!("only ours {only_ours:?}\nonly theirs {only_theirs:?}");
    assert!(both > 0, "no error code is common to both");
}
