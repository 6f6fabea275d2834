//! Files that nobody here wrote: each valid one is scored, each invalid one is refused with a place.

use rl_protocol::{Outcome, Reward};
use scene_api::{Profile, score_glb};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const EACH: Duration = Duration::from_secs(5);
const REFUSABLE: [&str; 3] = ["draco", "meshopt", "no mesh"];

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
        .into_iter()
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .filter(|path| path.is_dir() || path.extension().is_some_and(|ending| ending == "glb" || ending == "gltf"))
        .collect()
}

fn score(path: &Path) -> Reward {
    let folder = path.parent().unwrap();
    let bytes = std::fs::read(path).unwrap();
    score_glb(&bytes, &|uri| std::fs::read(folder.join(uri)).ok(), None, &Profile::for_task(None), 0)
}

#[test]
#[ignore = "needs MAQUETTE_DATA"]
fn files_of_sixteen_projects_are_scored_or_refused_by_name() {
    let folder = PathBuf::from(std::env::var("MAQUETTE_DATA").expect("MAQUETTE_DATA")).join("3d/gltf");
    let (mut scored, mut refused, mut invalid, mut wrong) = (0, Vec::new(), 0, Vec::new());
    for path in files(&folder) {
        let name = path.strip_prefix(&folder).unwrap().display().to_string();
        let report: Value =
            serde_json::from_slice(&std::fs::read(format!("{}.validator.json", path.display())).unwrap()).unwrap();
        let valid = report["issues"]["numErrors"] == 0;
        let start = Instant::now();
        let reward = score(&path);
        if start.elapsed() > EACH {
            wrong.push(format!("{name}: {:?}", start.elapsed()));
        }
        let export = reward.gates.iter().find(|gate| gate.name == "export");
        match &reward.outcome {
            Outcome::Value(_) if valid && export.is_some_and(|gate| gate.passed) => scored += 1,
            Outcome::Value(_) if valid => wrong.push(format!("{name}: valid, but {export:?}")),
            Outcome::Unscorable(why) if valid && REFUSABLE.iter().any(|thing| why.message.contains(thing)) => {
                refused.push(format!("{name}: {}", why.message));
            }
            Outcome::Value(_) if export.is_some_and(|gate| !gate.passed && !gate.evidence[0].pointer.is_empty()) => {
                invalid += 1;
            }
            Outcome::Unscorable(why) if !valid => {
                println!("{name}: invalid, refused: {}", why.message);
                invalid += 1;
            }
            outcome => wrong.push(format!("{name}: valid {valid}, {outcome:?} {export:?}")),
        }
    }
    println!("{scored} valid files scored, {} refused, {invalid} invalid files refused or failed", refused.len());
    refused.iter().for_each(|line| println!("  {line}"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(scored >= 78, "{scored}");
    assert_eq!(invalid, 28);
}
