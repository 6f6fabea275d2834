//! The file of a run.

use maquette_train::run::config::{ConfigError, CurriculumConfig, RunConfig, WarmStart};
use std::path::{Path, PathBuf};

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("runs/size.toml")
}

fn read(sets: &[&str]) -> Result<RunConfig, ConfigError> {
    RunConfig::read(&example(), &sets.iter().map(|set| (*set).to_owned()).collect::<Vec<_>>())
}

/// Names of all fields of a value, but those below `tools`, which are the run's own.
fn fields(value: &toml::Value, found: &mut Vec<String>) {
    match value {
        toml::Value::Table(table) => {
            for (name, value) in table {
                found.push(name.clone());
                if name != "tools" {
                    fields(value, found);
                }
            }
        }
        toml::Value::Array(items) => items.iter().for_each(|item| fields(item, found)),
        _ => {}
    }
}

#[test]
fn the_example_names_every_field() {
    let mut config = read(&[]).unwrap();
    config.run.folder = Some("folder".into());
    config.server.address = Some("address".into());
    config.tasks[0].split = Some("split".into());
    config.tasks[0].held_out_split = Some("split".into());
    config.curriculum = Some(CurriculumConfig::default());
    config.policy.pretrained = Some("folder".into());
    config.warm_start =
        Some(WarmStart { solutions: "file".into(), steps: 1, batch: 1, learning_rate: 1.0, reward_min: 1.0 });
    let text = std::fs::read_to_string(example()).unwrap();
    let mut found = Vec::new();
    fields(&toml::Value::try_from(&config).unwrap(), &mut found);
    assert!(found.len() > 60, "only {} fields", found.len());
    for field in found {
        let named = [format!("{field} = "), format!("[{field}]"), format!(".{field}.")];
        assert!(named.iter().any(|form| text.contains(form)), "{field} is not explained in runs/size.toml");
    }
}

#[test]
fn every_file_of_a_run_is_read() {
    for entry in std::fs::read_dir(example().parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        let config = RunConfig::read(&path, &[]).unwrap();
        assert_eq!(path.file_stem().unwrap(), config.run.name.as_str());
    }
}

#[test]
fn what_a_run_keeps_of_its_file_is_the_file() {
    let config = read(&[]).unwrap();
    let written: RunConfig = toml::from_str(&toml::to_string(&config).unwrap()).unwrap();
    assert_eq!(written, config);
}

#[test]
fn fields_can_be_set_for_one_run() {
    let config = read(&["optimizer.learning_rate=3e-4", "tasks.0.count=5", "run.name=other", "algorithm.clip.low=0.1"]);
    let config = config.unwrap();
    assert_eq!((config.optimizer.learning_rate, config.tasks[0].count), (3e-4, 5));
    assert_eq!((config.run.name.as_str(), config.algorithm.clip.low), ("other", 0.1));
}

#[test]
fn what_is_wrong_is_told() {
    for (set, why) in [
        ("optimizer.learning_rat=1", "learning_rat"),
        ("rollout.members=1", "2 or more"),
        ("rollout.temperature=0", "more than 0"),
        ("run.device=tpu", "cuda:0"),
        ("rollout.step_secs=1e20", "60 at most"),
        ("optimizer.adamw.beta1=1.0", "less than 1"),
        ("optimizer.adamw.eps=0.0", "more than 0"),
        ("algorithm.entropy_coefficient=nan", "0 or more"),
        ("tasks.3.count=5", "no index below 1"),
        ("server.address=http://127.0.0.1:1", "either address or serve"),
        ("tasks.0.ids=scene/gen-box-0-0", "{index}"),
        ("tasks.0.held_out_split=test", "beside split"),
        ("algorithm.kl_coefficient=-1", "0 or more"),
        ("run", "no ="),
    ] {
        let told = read(&[set]).unwrap_err().to_string();
        assert!(told.contains(why), "{set}: {told}");
    }
    let told = read(&["algorithm.kl_coefficient=0.1", "algorithm.kl_estimator=k1"]).unwrap_err().to_string();
    assert!(told.contains("ratio_k3"), "{told}");
}
