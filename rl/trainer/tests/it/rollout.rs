//! A policy with random weights plays a served domain: what it leaves behind, and what becomes of failures.

use crate::{
    guess::{Guess, Server, UNFOUND},
    letters::{END, Letters, MARKERS, VOCAB_SIZE},
    small,
};
use maquette_train::{
    model::{CausalLm, ModelConfig},
    rollout::{
        Engine, EngineConfig, EngineError, Environments, Failures, GroupRequest, Policy, RolloutReport, ToolChoice,
        conversation::ResultView,
    },
    tokens::{Token, Tokenizer as _},
    trajectory::{Outcome, Trajectory},
};
use rl_protocol::ToolCall;
use std::{sync::Arc, time::Duration};
use tch::{Device, Kind, Tensor};

const POLICY: Policy = Policy { version: 3, seed: 11, greedy: false };

fn model(seed: u64) -> CausalLm {
    let config = ModelConfig {
        vocab_size: VOCAB_SIZE as i64,
        intermediate_size: 64,
        rms_norm_eps: 1e-5,
        max_position_embeddings: 1024,
        ..small::config()
    };
    CausalLm::new(&config, false, seed, Device::Cpu, Kind::Float).unwrap()
}

fn config(slots: usize) -> EngineConfig {
    EngineConfig {
        slots,
        context: 768,
        temperature: 0.7,
        call_tokens_max: 420,
        turns_max: 4,
        results: ResultView { shows_results: true, tokens_max: 40 },
        lockstep: false,
        open_within: Duration::from_secs(30),
        step_within: Duration::from_secs(30),
    }
}

fn engine_with(server: &Server, tools: &[&str], config: EngineConfig) -> Engine {
    let mut environments = Environments::new().unwrap();
    let tools = (!tools.is_empty()).then(|| tools.iter().map(|name| (*name).to_owned()).collect());
    environments.connect(&server.uri, "guess").unwrap();
    environments.choose("guess", ToolChoice { tools, ..ToolChoice::default() }).unwrap();
    Engine::new(model(5), Arc::new(Letters::new()), Arc::new(environments), config).unwrap()
}

fn engine(server: &Server, config: EngineConfig) -> Engine {
    engine_with(server, &[], config)
}

fn request(group: u64, task: &str, members: u32) -> GroupRequest {
    GroupRequest {
        group,
        domain: "guess".into(),
        task_id: format!("guess/{task}"),
        prompt: "Guess a number.".into(),
        seed: group,
        members,
        tool_groups: Vec::new(),
    }
}

fn requests(groups: u64, members: u32) -> Vec<GroupRequest> {
    (0..groups).map(|group| request(group, "number", members)).collect()
}

fn run(engine: &mut Engine, requests: Vec<GroupRequest>) -> RolloutReport {
    engine.run(requests, POLICY).unwrap()
}

fn tokens(report: &RolloutReport) -> Vec<(u64, u32, &[Token])> {
    let trajectories = report.trajectories.iter();
    trajectories.map(|trajectory| (trajectory.group, trajectory.member, trajectory.tokens.as_slice())).collect()
}

/// The calls that a trajectory shows, and where each begins and ends.
fn calls(trajectory: &Trajectory) -> Vec<(usize, usize, ToolCall)> {
    let tokens = &trajectory.tokens;
    let begins = (0..tokens.len()).filter(|place| tokens[*place] == MARKERS.policy).map(|place| place + 1);
    begins
        .map(|begin| {
            let end = (begin..tokens.len()).find(|place| tokens[*place] == END).unwrap();
            let text = Letters::new().decode(&tokens[begin..end]);
            (begin, end, serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}")))
        })
        .collect()
}

/// Between log μ as it was recorded and as the whole sequence gives it at once.
fn widest_gap(model: &CausalLm, trajectory: &Trajectory) -> f64 {
    let _no_grad = tch::no_grad_guard();
    let ids: Vec<i64> = trajectory.tokens.iter().copied().map(i64::from).collect();
    let logits = model.logits(&model.hidden(&Tensor::from_slice(&ids).unsqueeze(0))).squeeze_dim(0);
    let logits = logits.to_kind(Kind::Double) / trajectory.temperature;
    let gaps = trajectory.sampled.iter().map(|step| {
        let allowed: Vec<i64> = step.allowed.iter().map(i64::from).collect();
        let chosen = allowed.iter().position(|id| *id == ids[step.place as usize]).unwrap();
        let before = logits.get(i64::from(step.place) - 1).index_select(0, &Tensor::from_slice(&allowed));
        (before.log_softmax(0, Kind::Double).double_value(&[chosen as i64]) - step.log_mu).abs()
    });
    gaps.fold(0.0, f64::max)
}

#[test]
fn trajectories_are_whole_conversations() {
    let server = Server::start(Guess::default());
    let report = run(&mut engine(&server, config(5)), requests(4, 4));
    let members: Vec<_> = report.trajectories.iter().map(|one| (one.group, one.member)).collect();
    let expected: Vec<_> = (0..4).flat_map(|group| (0..4).map(move |member| (group, member))).collect();
    assert_eq!(members, expected);
    assert!(report.failures.is_empty() && report.dropped_groups.is_empty() && report.refills == 0);
    let mut sampled = 0;
    for trajectory in &report.trajectories {
        let calls = calls(trajectory);
        assert_eq!(calls.len(), trajectory.turns as usize);
        assert_eq!((trajectory.tokens[0], trajectory.policy_version), (MARKERS.task, 3));
        let found = calls
            .iter()
            .any(|(_, _, call)| call.name == "guess" && call.arguments_json.contains(&trajectory.group.to_string()));
        let expected = if found { 1.0 - 0.1 * (calls.len() as f64 - 1.0) } else { UNFOUND };
        assert!((trajectory.reward() - expected).abs() < 1e-12, "{} is not {expected}", trajectory.reward());
        let components = vec![("found".to_owned(), trajectory.reward())];
        assert_eq!(trajectory.outcome, Outcome::Scored { reward: trajectory.reward(), components });
        let places: Vec<u32> = trajectory.sampled.iter().map(|step| step.place).collect();
        assert!(!places.is_empty() && places.is_sorted_by(|one, next| one < next));
        for step in &trajectory.sampled {
            let (begin, end, _) = calls[step.turn as usize];
            assert!((begin..=end).contains(&(step.place as usize)), "{} is in no call", step.place);
            assert!(step.allowed.contains(trajectory.tokens[step.place as usize]) && step.allowed.count() > 1);
            assert!(step.log_mu <= 0.0 && step.log_mu.is_finite());
        }
        sampled += trajectory.sampled.len();
    }
    assert_eq!(report.sampled_tokens, sampled as u64);
}

#[test]
fn log_probabilities_are_those_of_the_whole_sequence() {
    let server = Server::start(Guess::default());
    let mut engine = engine_with(&server, &["say"], config(16));
    let report = run(&mut engine, requests(20, 8));
    let count: usize = report.trajectories.iter().map(|trajectory| trajectory.sampled.len()).sum();
    assert!(count >= 10_000, "{count} tokens are too few to tell");
    let gap = report.trajectories.iter().map(|trajectory| widest_gap(engine.model(), trajectory)).fold(0.0, f64::max);
    assert!(gap <= 1e-4, "log μ is off by {gap}");
}

#[test]
fn tokens_do_not_depend_on_what_is_played_beside() {
    let server = Server::start(Guess::default());
    let expected = run(&mut engine(&server, config(8)), requests(4, 4));
    for slots in [1, 3, 8] {
        let mut shuffled = requests(4, 4);
        shuffled.rotate_left(slots % 4);
        shuffled.swap(0, 2);
        for lockstep in [false, true] {
            let report = run(&mut engine(&server, EngineConfig { lockstep, ..config(slots) }), shuffled.clone());
            assert_eq!(tokens(&report), tokens(&expected), "{slots} slots, lockstep {lockstep}");
            let steps = |report: &RolloutReport| -> Vec<f64> {
                report.trajectories.iter().flat_map(|one| &one.sampled).map(|step| step.log_mu).collect()
            };
            let gaps = steps(&report).into_iter().zip(steps(&expected)).map(|(one, other)| (one - other).abs());
            assert!(gaps.fold(0.0, f64::max) <= 1e-4);
        }
    }
    let policy = Policy { seed: 12, ..POLICY };
    let other = engine(&server, config(8)).run(requests(4, 4), policy).unwrap();
    assert_ne!(tokens(&other), tokens(&expected));
}

#[test]
fn lockstep_repeats_every_bit() {
    let server = Server::start(Guess::default());
    let lockstep = EngineConfig { lockstep: true, ..config(6) };
    let first = run(&mut engine(&server, lockstep.clone()), requests(5, 4));
    // What was played before leaves no trace: a run that is taken up again begins with an engine that has played nothing.
    let mut used = engine(&server, lockstep);
    let _ = run(&mut used, requests(3, 4));
    let second = run(&mut used, requests(5, 4));
    assert_eq!(tokens(&first), tokens(&second));
    for (one, other) in first.trajectories.iter().zip(&second.trajectories) {
        assert!(one.sampled == other.sampled && one.outcome == other.outcome);
    }
}

/// Around the length of one piece.
#[test]
fn siblings_share_prompts_of_any_length() {
    let server = Server::start(Guess::default());
    let mut engine = engine(&server, config(2));
    for length in [200, 246, 250, 300] {
        let prompt = "x".repeat(length);
        let report = run(&mut engine, vec![GroupRequest { prompt, ..request(0, "number", 3) }]);
        assert_eq!(report.trajectories.len(), 3);
        let places = report.trajectories.iter().map(|one| u64::from(one.sampled.last().unwrap().place));
        let apart: u64 = places.sum();
        assert!(report.fed_tokens <= apart, "{length}: {} of {apart}", report.fed_tokens);
        // A rest of few tokens goes in beside the others' and is read by each.
        assert!(report.fed_tokens + 2 * length as u64 <= apart || length == 250, "{length}: {}", report.fed_tokens);
        let gaps = report.trajectories.iter().map(|trajectory| widest_gap(engine.model(), trajectory));
        assert!(gaps.fold(0.0, f64::max) <= 1e-4);
    }
}

#[test]
fn new_weights_are_played_by_at_once() {
    let server = Server::start(Guess::default());
    let mut engine = engine(&server, config(4));
    let before = run(&mut engine, requests(3, 2));
    engine.model().copy_from(&model(6));
    let after = run(&mut engine, requests(3, 2));
    assert_ne!(tokens(&after), tokens(&before));
    for trajectory in &after.trajectories {
        assert!(widest_gap(engine.model(), trajectory) <= 1e-4);
    }
}

#[test]
fn the_likeliest_tokens_do_not_depend_on_the_seed() {
    let server = Server::start(Guess::default());
    let mut engine = engine(&server, config(4));
    let mut greedy = |seed: u64| engine.run(requests(2, 2), Policy { seed, greedy: true, version: 0 }).unwrap();
    let (one, other) = (greedy(1), greedy(2));
    assert_eq!(tokens(&one), tokens(&other));
    assert_eq!(one.trajectories[0].tokens, one.trajectories[1].tokens);
}

#[test]
fn failures_of_the_environment_are_played_again() {
    let expected = run(&mut engine(&Server::start(Guess::default()), config(8)), requests(6, 8));
    let faulty = Server::start(Guess::faulty());
    let report = run(&mut engine(&faulty, config(8)), requests(6, 8));
    assert_eq!((report.refills, report.failures["ENV"].count), (5, 5), "a tenth of 48");
    assert!(report.failures["ENV"].last.contains("INJECTED"), "{}", report.failures["ENV"].last);
    assert_eq!((report.dropped_members.len(), report.dropped_groups.len()), (0, 0));
    assert_eq!(tokens(&report), tokens(&expected));
    assert!(report.trajectories.iter().all(|trajectory| trajectory.reward() >= UNFOUND));
}

#[test]
fn an_environment_that_hangs_is_given_up_and_the_others_finish() {
    let server = Server::start(Guess::default());
    let mut engine = engine(&server, EngineConfig { step_within: Duration::from_secs(1), ..config(8) });
    let mut requests = requests(3, 4);
    requests[1].task_id = "guess/hangs".into();
    let report = run(&mut engine, requests);
    assert_eq!(report.dropped_groups, [1]);
    assert_eq!(report.dropped_members, [(1, 0), (1, 1), (1, 2), (1, 3)]);
    assert!(report.failures["DEADLINE"].count >= 12, "three tries of four members");
    let members: Vec<_> = report.trajectories.iter().map(|one| (one.group, one.member)).collect();
    assert_eq!(members, [(0, 0), (0, 1), (0, 2), (0, 3), (2, 0), (2, 1), (2, 2), (2, 3)]);
}

#[test]
fn an_absent_reward_is_a_zero_only_where_the_policy_is_at_fault() {
    let server = Server::start(Guess::default());
    let report = run(&mut engine(&server, config(4)), vec![request(0, "mute", 3), request(1, "unscored", 3)]);
    assert_eq!(report.trajectories.len(), 3);
    for trajectory in &report.trajectories {
        assert_eq!((trajectory.group, trajectory.reward()), (0, 0.0));
        assert_eq!(trajectory.outcome, Outcome::PolicyFailure { what: "ABSENT: as planned".into() });
    }
    assert_eq!((report.failures["VERIFIER"].count, report.refills), (9, 6));
    assert_eq!(report.dropped_groups, [1]);
}

#[test]
fn a_call_that_never_ends_is_the_policys_failure() {
    let server = Server::start(Guess::default());
    let report = run(&mut engine(&server, EngineConfig { call_tokens_max: 12, ..config(4) }), requests(2, 3));
    assert_eq!(report.trajectories.len(), 6);
    for trajectory in &report.trajectories {
        let what = "no end of a call within 12 tokens".to_owned();
        assert_eq!(trajectory.outcome, Outcome::PolicyFailure { what });
        assert_eq!((trajectory.reward(), trajectory.turns), (0.0, 0));
    }
    assert!(report.failures.is_empty());
}

#[test]
fn what_is_unfinished_at_a_limit_is_scored_as_it_stands() {
    let server = Server::start(Guess::default());
    let (turns, full) = (EngineConfig { turns_max: 2, ..config(4) }, EngineConfig { context: 70, ..config(4) });
    for (limits, turns) in [(turns, 2), (full, 0)] {
        let context = limits.context;
        let report = run(&mut engine_with(&server, &["say"], limits), requests(1, 4));
        assert_eq!(report.trajectories.len(), 4);
        for trajectory in &report.trajectories {
            assert!((trajectory.reward() - UNFOUND).abs() < 1e-12 && trajectory.tokens.len() <= context);
            assert!(trajectory.turns >= turns && trajectory.turns <= 2, "{} turns", trajectory.turns);
            let last = trajectory.sampled.last().unwrap().place as usize;
            assert!(last < trajectory.tokens.len());
        }
    }
}

#[test]
fn what_cannot_be_played_is_dropped_and_counted() {
    let server = Server::start(Guess::default());
    let report = run(&mut engine(&server, config(2)), vec![request(7, "nowhere", 2), request(8, "number", 1)]);
    assert_eq!((report.failures["TASK"].count, report.refills), (1, 0));
    assert_eq!(report.dropped_groups, [7]);
    assert_eq!(report.trajectories.len(), 1, "a group of one is complete");
    let report = run(&mut engine(&server, EngineConfig { context: 10, ..config(2) }), requests(1, 2));
    assert_eq!((report.failures["TASK"].count, report.trajectories.len()), (2, 0));
}

#[test]
fn mistakes_of_the_caller_are_told() {
    let server = Server::start(Guess::default());
    let mut engine = engine(&server, config(2));
    let elsewhere = GroupRequest { domain: "gues".into(), ..request(0, "number", 1) };
    match engine.run(vec![elsewhere], POLICY) {
        Err(EngineError::UnknownDomain { given, known }) => {
            assert_eq!((given.as_str(), known), ("gues", vec!["guess".into()]))
        }
        _ => panic!("a domain that is not there is played"),
    }
    let twice = vec![request(4, "number", 1), request(4, "number", 1)];
    assert!(matches!(engine.run(twice, POLICY), Err(EngineError::DuplicateGroup(4))));
    let tools = Some(["shout".to_owned()].into());
    let mut environments = Environments::new().unwrap();
    assert!(environments.tasks("guess", None).is_err());
    environments.connect(&server.uri, "guess").unwrap();
    let error = environments.choose("guess", ToolChoice { tools, ..ToolChoice::default() }).unwrap_err();
    assert!(error.message.contains("shout") && error.message.contains("guess, say"), "{error}");
}

#[test]
fn a_rollout_of_nothing_is_an_error_with_its_reason() {
    let mut report = RolloutReport::default();
    report.failures.insert("INFRA", Failures { count: 3, last: "no server".into() });
    assert!(report.is_of_something().unwrap_err().to_string().contains("INFRA: no server"));
}
