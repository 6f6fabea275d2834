//! The rules of the house that no compiler checks.

use cargo_metadata::{DependencyKind, MetadataCommand, Package};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use workspace_tests::root;

const LINE_LIMIT: usize = 500;
/// The only crate that may have unsafe code.
const UNSAFE: &str = "sandbox";
/// The only crate that may name tonic or prost.
const WIRE: &str = "rl-protocol";
const LICENCES: [&str; 15] = [
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "Unlicense",
    "CC0-1.0",
    "Unicode-3.0",
    "BSL-1.0",
    "CDLA-Permissive-2.0",
    // Of the fonts in epaint_default_fonts: they may be embedded in programs of any licence.
    "OFL-1.1",
    "Ubuntu-font-1.0",
];

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Files below `folder`, sorted, without build output.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !["target", "out", "build", "__pycache__", ".git"].contains(&name.as_str()) {
            found.extend(files(&path));
        } else if path.is_file() {
            found.push(path);
        }
    }
    found
}

/// Rows of the first markdown table below a heading that contains `title`, cells trimmed.
fn table(document: &str, title: &str) -> Vec<Vec<String>> {
    document
        .lines()
        .skip_while(|line| !(line.starts_with('#') && line.contains(title)))
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'))
        .skip(2)
        .map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().replace('`', "")).collect())
        .collect()
}

fn workspace_packages() -> Vec<Package> {
    let metadata = MetadataCommand::new().manifest_path(root().join("Cargo.toml")).no_deps().exec().unwrap();
    metadata.packages
}

#[test]
fn arrows_are_those_of_the_architecture() {
    let written: BTreeMap<String, BTreeSet<String>> = table(&read("ARCHITECTURE.md"), "Arrows")
        .into_iter()
        .map(|row| {
            (
                row[0].clone(),
                row[1].split(' ').map(|name| name.trim_matches(',').to_owned()).filter(|name| name != "–").collect(),
            )
        })
        .collect();
    let packages = workspace_packages();
    let ours: BTreeSet<_> = packages.iter().map(|package| package.name.to_string()).collect();
    let real: BTreeMap<String, BTreeSet<String>> = packages
        .iter()
        .map(|package| {
            let dependencies = package.dependencies.iter().filter(|d| d.kind == DependencyKind::Normal);
            (
                package.name.to_string(),
                dependencies.map(|d| d.name.clone()).filter(|name| ours.contains(name)).collect(),
            )
        })
        .collect();
    assert_eq!(written, real, "left: the table in ARCHITECTURE.md, right: Cargo.toml");
}

#[test]
fn the_wire_stays_in_the_protocol() {
    for package in workspace_packages().iter().filter(|package| package.name.as_str() != WIRE) {
        for dependency in &package.dependencies {
            let name = dependency.name.as_str();
            assert!(!name.starts_with("tonic") && !name.starts_with("prost"), "{} names {name}", package.name);
        }
    }
}

#[test]
fn every_crate_takes_the_workspace_lints() {
    for package in workspace_packages().iter().filter(|package| package.name.as_str() != UNSAFE) {
        let manifest = std::fs::read_to_string(&package.manifest_path).unwrap();
        assert!(manifest.contains("[lints]\nworkspace = true"), "{}", package.manifest_path);
    }
}

#[test]
fn the_sandbox_has_the_same_lints_and_one_file_with_unsafe_code() {
    let lints = |manifest: &str, section: &str| -> toml::Table {
        let manifest: toml::Table = read(manifest).parse().unwrap();
        let lints = if section.is_empty() { &manifest["lints"] } else { &manifest[section]["lints"] };
        lints.as_table().unwrap().clone()
    };
    let mut own = lints("rl/sandbox/Cargo.toml", "");
    let level = own["rust"].as_table_mut().unwrap().insert("unsafe_code".into(), "forbid".into()).unwrap();
    assert_eq!((level.as_str(), own), (Some("deny"), lints("Cargo.toml", "workspace")));
    for path in files(&root().join("rl/sandbox")).iter().filter(|path| path.extension().is_some_and(|end| end == "rs"))
    {
        let has = std::fs::read_to_string(path).unwrap().contains("allow(unsafe_code)");
        assert_eq!(has, path.ends_with("src/sys.rs"), "{}", path.display());
    }
}

#[test]
fn files_are_short_and_named_for_what_they_hold() {
    for path in
        files(&root()).iter().filter(|path| path.extension().is_some_and(|ending| ending == "rs" || ending == "py"))
    {
        let text = std::fs::read_to_string(path).unwrap();
        let code = text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with("//")).count();
        assert!(code <= LINE_LIMIT, "{} has {code} lines of code; split it by idea", path.display());
        let stem = path.file_stem().unwrap().to_string_lossy();
        assert!(
            !["util", "utils", "helper", "helpers", "common", "misc"].contains(&&*stem),
            "{} says nothing",
            path.display()
        );
    }
    for (document, limit) in [("README.md", 150), ("ARCHITECTURE.md", 250)] {
        let lines = read(document).lines().count();
        assert!(lines <= limit, "{document} has {lines} lines, {limit} are allowed");
    }
}

#[test]
fn every_promise_names_a_test_that_exists() {
    let rows = table(&read("SPECIFICATION.md"), "Promises");
    assert!(rows.len() > 20, "only {} promises found", rows.len());
    for row in rows {
        for name in row[1].split_whitespace() {
            let (file, function) = name.split_once("::").unwrap_or_else(|| panic!("{name} is not file::test"));
            assert!(read(file).contains(&format!("fn {function}(")), "{name} does not exist");
        }
    }
}

#[test]
fn every_asset_has_its_row() {
    let manifest: toml::Table = read("assets/manifest.toml").parse().unwrap();
    let rows = manifest["asset"].as_array().unwrap();
    let mut unlisted: BTreeSet<String> = files(&root().join("assets"))
        .iter()
        .map(|path| path.strip_prefix(root().join("assets")).unwrap().to_string_lossy().into_owned())
        .filter(|path| path != "manifest.toml")
        .collect();
    for row in rows {
        let text = |key: &str| {
            row.get(key).and_then(toml::Value::as_str).unwrap_or_else(|| panic!("{row}: no {key}")).to_owned()
        };
        let path = text("path");
        assert!(!text("source").is_empty() && !text("licence").is_empty(), "{path}: source and licence are empty");
        let bytes = std::fs::read(root().join("assets").join(&path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(text("sha256"), digest, "{path} changed: put its new sha256 into assets/manifest.toml");
        unlisted.remove(&path);
    }
    assert!(unlisted.is_empty(), "no row in assets/manifest.toml: {unlisted:?}");
}

/// An SPDX expression; what is in parentheses counts as one licence.
fn is_allowed(expression: &str) -> bool {
    if let Some((before, rest)) = expression.rsplit_once('(') {
        let (inner, after) = rest.split_once(')').unwrap();
        let verdict = if is_allowed(inner) { LICENCES[0] } else { "none" };
        return is_allowed(&format!("{before}{verdict}{after}"));
    }
    expression.split(" OR ").any(|choice| choice.split(" AND ").all(|one| LICENCES.contains(&one.trim())))
}

#[test]
fn licences_of_all_dependencies_are_allowed() {
    let metadata = MetadataCommand::new().manifest_path(root().join("Cargo.toml")).exec().unwrap();
    for package in &metadata.packages {
        let expression = package.license.as_deref().unwrap_or_default().replace('/', " OR ");
        assert!(
            is_allowed(&expression),
            "{} {}: licence {expression:?} is not on the list",
            package.name,
            package.version
        );
    }
}
