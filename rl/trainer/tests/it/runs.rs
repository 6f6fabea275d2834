//! Whole runs in the smallest domain: that they learn, that they go on as if nothing had happened, and what they leave.

use crate::pick;
use maquette_train::pipeline::StepLine;
use maquette_train::run::{
    Checkpoint, Line, Progress, RunError, RunFolder, Session,
    config::{CurriculumConfig, Mode, RunConfig, WarmStart},
    curve::{Run, curve},
    read_lines, report,
};
use serde_json::Value;
use std::path::Path;

fn folder(path: &Path, name: &str) -> RunFolder {
    RunFolder::new(path.join(name))
}

fn start(config: RunConfig, folder: &RunFolder) -> Session {
    Session::among(config, folder.clone(), pick::environments(), None).unwrap()
}

fn advance(session: &mut Session, step: u64) {
    session.advance_to(step, &mut Progress::silent()).unwrap();
}

fn lines(folder: &RunFolder) -> Vec<Line> {
    read_lines(&folder.metrics()).unwrap()
}

/// Mean rewards of the last `count` steps.
fn last_rewards(folder: &RunFolder, count: usize) -> f64 {
    let rewards: Vec<f64> = steps(folder).iter().map(|step| step.reward.mean).collect();
    let last = &rewards[rewards.len() - count..];
    last.iter().sum::<f64>() / count as f64
}

fn steps(folder: &RunFolder) -> Vec<StepLine> {
    let of_step = |line| match line {
        Line::Step(step) => Some(*step),
        _ => None,
    };
    lines(folder).into_iter().filter_map(of_step).collect()
}

/// Trains until the last ten steps are nearly always right.
fn learns(session: &mut Session, folder: &RunFolder) -> bool {
    (1..=8).any(|tries| {
        advance(session, 50 * tries);
        last_rewards(folder, 10) >= 0.95
    })
}

fn held_out(folder: &RunFolder) -> Vec<f64> {
    let of_evaluation = |line: &Line| match line {
        Line::Evaluation(line) => Some(line.reward),
        _ => None,
    };
    lines(folder).iter().filter_map(of_evaluation).collect()
}

#[test]
fn a_policy_learns_and_the_report_shows_it() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = folder(temporary.path(), "pick-0");
    let mut config = pick::config("threads = 1");
    config.evaluation.every = 50;
    let mut session = start(config, &folder);
    assert!(learns(&mut session, &folder), "{:?}", held_out(&folder));
    let held_out = held_out(&folder);
    assert!(held_out[0] < 0.6 && *held_out.last().unwrap() >= 0.9, "{held_out:?}");
    let random = lines(&folder).into_iter().find_map(|line| match line {
        Line::Random(line) => Some(line.reward),
        _ => None,
    });
    assert!(random.unwrap() < 0.8, "{random:?}");
    let page = std::fs::read_to_string(report(std::slice::from_ref(&folder)).unwrap()).unwrap();
    for shown in ["<!DOCTYPE html>", "data:image/png;base64,", "Pick", "digits", "learning_rate"] {
        assert!(page.contains(shown), "{shown} is not on the page");
    }
}

#[test]
fn rollouts_ahead_are_one_update_stale_and_learn_too() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = folder(temporary.path(), "ahead");
    let mut config = pick::config("threads = 1");
    config.run.mode = Mode::OneStepOff;
    let mut session = start(config, &folder);
    assert!(learns(&mut session, &folder), "{}", last_rewards(&folder, 10));
    let staleness: Vec<u64> = steps(&folder).iter().map(|step| step.staleness).collect();
    assert_eq!((staleness[0], staleness[1..].iter().min(), staleness.iter().max()), (0, Some(&1), Some(&1)));
}

#[test]
fn rewards_that_are_exchanged_teach_nothing() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = folder(temporary.path(), "shuffled");
    let mut config = pick::config("threads = 1");
    config.algorithm.shuffle_rewards = true;
    let mut session = start(config, &folder);
    advance(&mut session, 200);
    let reward = last_rewards(&folder, 50);
    assert!((0.1..0.45).contains(&reward), "{reward} is not about one in four");
}

/// Metrics without what differs from run to run.
fn untimed(folder: &RunFolder) -> Vec<Value> {
    let mut lines: Vec<Value> = read_lines(&folder.metrics()).unwrap();
    for line in &mut lines {
        line.as_object_mut().unwrap().remove("told");
    }
    lines
}

#[test]
fn a_run_that_is_taken_up_again_is_the_undisturbed_one() {
    let temporary = tempfile::tempdir().unwrap();
    let (whole, parts) = (folder(temporary.path(), "whole"), folder(temporary.path(), "parts"));
    let config = || {
        let mut config = pick::config("threads = 1");
        config.run.steps = 6;
        config.evaluation.every = 2;
        config.algorithm.kl_coefficient = 0.01;
        config
    };
    advance(&mut start(config(), &whole), 6);
    advance(&mut start(config(), &parts), 3);
    // What a process wrote after its last checkpoint is cut off, finished or not.
    let metrics = std::fs::read_to_string(parts.metrics()).unwrap();
    std::fs::write(parts.metrics(), metrics + "{\"kind\":\"step\",\"st").unwrap();
    let newest = Checkpoint::newest(&parts).unwrap();
    assert_eq!(newest.as_ref().map(|checkpoint| checkpoint.step), Some(3));
    let mut again = Session::among(config(), parts.clone(), pick::environments(), newest).unwrap();
    assert_eq!(again.step(), 3);
    advance(&mut again, 6);
    assert_eq!(untimed(&parts), untimed(&whole));
    let bytes = |folder: &RunFolder, file: &str| {
        std::fs::read(Checkpoint::newest(folder).unwrap().unwrap().path.join(file)).unwrap()
    };
    for file in ["model.safetensors", "optimizer.safetensors"] {
        assert!(bytes(&parts, file) == bytes(&whole, file), "{file} differs");
    }
    assert_eq!(std::fs::read_to_string(parts.samples()).unwrap(), std::fs::read_to_string(whole.samples()).unwrap());
}

#[test]
fn a_checkpoint_of_another_configuration_is_refused() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = folder(temporary.path(), "run");
    let mut config = pick::config("threads = 1");
    config.run.steps = 1;
    advance(&mut start(config.clone(), &folder), 1);
    assert!(matches!(
        Session::among(config.clone(), folder.clone(), pick::environments(), None),
        Err(RunError::FolderInUse(_))
    ));
    config.rollout.groups = 5;
    let newest = Checkpoint::newest(&folder).unwrap();
    let refused = Session::among(config, folder, pick::environments(), newest);
    assert!(matches!(refused, Err(RunError::OtherConfig { step: 1 })));
}

#[test]
fn without_a_learning_rate_trainer_and_rollouts_stay_equal() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = folder(temporary.path(), "flat");
    let mut config = pick::config("threads = 1");
    config.optimizer.learning_rate = 0.0;
    config.rollout.temperature = 0.7;
    config.rollout.groups = 24;
    let mut session = start(config, &folder);
    advance(&mut session, 100);
    let steps = steps(&folder);
    for step in &steps {
        assert!(step.update.parity <= 1e-4, "step {}: {}", step.step, step.update.parity);
        assert!(step.update.tokens > 0 && step.update.clipped_share == 0.0);
    }
    let tokens: u64 = steps.iter().map(|step| step.update.tokens).sum();
    assert!(tokens >= 10_000, "only {tokens} tokens");
    let worst = |steps: &[StepLine]| steps.iter().map(|step| step.update.parity).fold(0.0, f64::max);
    let (early, late) = (worst(&steps[..50]), worst(&steps[50..]));
    assert!(late <= early + 1e-6, "it drifts from {early} to {late}");
}

#[test]
fn a_last_line_may_lack_its_line_break() {
    let folder = tempfile::tempdir().unwrap();
    let read = |text: &str| {
        let path = folder.path().join("lines.jsonl");
        std::fs::write(&path, text).unwrap();
        read_lines::<u64>(&path).map_err(|error| error.to_string())
    };
    assert_eq!(
        [read("1\n2"), read("1\n\n2\n"), read("1\n{\"unfin"), read("")].map(Result::unwrap).map(|read| read.len()),
        [2, 2, 1, 0]
    );
    assert!(read("1\n{}\n2").unwrap_err().contains("line 2"));
}

#[test]
fn metrics_that_lost_lines_are_not_gone_on_with() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = folder(temporary.path(), "short");
    let mut session = start(pick::config("threads = 1"), &folder);
    advance(&mut session, 1);
    drop(session);
    std::fs::write(folder.metrics(), "").unwrap();
    let newest = Checkpoint::newest(&folder).unwrap();
    let refused = Session::among(pick::config("threads = 1"), folder, pick::environments(), newest);
    let Err(RunError::Io { path, source }) = refused else { panic!("it goes on") };
    assert!(path.ends_with("metrics.jsonl") && source.to_string().contains("it has 0 bytes"), "{source}");
}

#[test]
fn unfinished_checkpoints_are_not_there_and_old_ones_go() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = folder(temporary.path(), "kept");
    let mut config = pick::config("threads = 1");
    config.run.steps = 4;
    config.checkpoint.every = 1;
    config.evaluation.episodes = 0;
    let mut session = start(config, &folder);
    std::fs::create_dir_all(folder.checkpoints().join(".unfinished-step-000009")).unwrap();
    advance(&mut session, 4);
    let kept: Vec<u64> = Checkpoint::all(&folder).unwrap().iter().map(|checkpoint| checkpoint.step).collect();
    assert_eq!(kept, [3, 4]);
}

#[test]
fn a_warm_start_leaves_out_what_is_held_out() {
    let temporary = tempfile::tempdir().unwrap();
    let solutions = temporary.path().join("solutions.jsonl");
    let write = |indices: &[u64]| {
        let line = |index: &u64| {
            let digit = index / 2 % 4;
            format!(r#"{{"id":"pick/0-{index}","solution":[{{"name":"pick","arguments":{{"digit":{digit}}}}}]}}"#)
                + "\n"
        };
        std::fs::write(&solutions, indices.iter().map(line).collect::<String>()).unwrap();
    };
    let mut config = pick::config("threads = 1");
    let warm = WarmStart { solutions: solutions.clone(), steps: 2, batch: 4, learning_rate: 1e-3, reward_min: 0.9 };
    config.warm_start = Some(warm);
    let begin = |folder: &RunFolder| Session::among(config.clone(), folder.clone(), pick::environments(), None);
    // Two of odd indices, and one behind the eight that are trained on.
    write(&[1, 3, 16]);
    let told = begin(&folder(temporary.path(), "held-out")).err().unwrap().to_string();
    assert!(told.contains("none of the 3") && told.contains("trains on it"), "{told}");
    write(&[0, 1, 14]);
    let folder = folder(temporary.path(), "trained");
    let _session = begin(&folder).unwrap();
    let steps = lines(&folder).into_iter().filter(|line| matches!(line, Line::WarmStart { .. })).count();
    assert_eq!(steps, 2);
}

#[test]
fn sources_follow_each_other_and_are_told_apart() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = folder(temporary.path(), "sources");
    let mut config = pick::config("threads = 1");
    let mut listed = config.tasks[0].clone();
    (listed.name, listed.ids, listed.split) = ("listed".into(), None, Some("train".into()));
    config.tasks.push(listed);
    config.curriculum = Some(CurriculumConfig { threshold: 0.0, groups_min: 1, ema: 1.0, replay_share: 0.0 });
    let mut session = start(config, &folder);
    advance(&mut session, 2);
    let steps = steps(&folder);
    let names = |step: usize| steps[step].sources.keys().map(String::as_str).collect::<Vec<_>>();
    assert_eq!((names(0), names(1)), (vec!["digits"], vec!["listed"]));
    assert_eq!((steps[0].stage, steps[0].sources["digits"].groups), (Some(1), 4));
}

#[test]
fn curves_are_pictures() {
    let reader = |bytes: &[u8]| png::Decoder::new(std::io::Cursor::new(bytes.to_vec())).read_info().unwrap();
    let bytes = curve("nothing yet", &[Run { label: "empty", lines: &[] }]).unwrap();
    assert_eq!((reader(&bytes).info().width, reader(&bytes).info().height), (960, 600));
}
