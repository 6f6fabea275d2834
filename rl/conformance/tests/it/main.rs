//! The suite keeps its own rules, and catches those who do not.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod drifting;

use drifting::Drifting;
use rl_conformance::{CounterDomain, Sample, check_sample, in_process_and_loopback, run};
use rl_protocol::ToolCall;
use std::sync::Arc;

#[tokio::test(flavor = "multi_thread")]
async fn the_counter_keeps_every_rule_here_and_over_loopback() {
    let report = in_process_and_loopback(Arc::new(CounterDomain), CounterDomain::sample()).await;
    assert!(report.violations.is_empty(), "{report}");
    assert_eq!(report.kept.len(), 74, "34 rules twice, 5 of sessions, and the comparison");
}

#[tokio::test]
async fn a_domain_that_drifts_is_caught() {
    let report = run(Arc::new(Drifting::by(1)), CounterDomain::sample()).await;
    let broken: Vec<&str> = report.violations.iter().map(|violation| violation.rule.as_str()).collect();
    for rule in ["open.siblings_are_equal", "determinism.same_calls_same_bytes", "errors.bad_calls_are_results"] {
        assert!(broken.contains(&rule), "{rule} is not among {broken:?}");
    }
    assert!(report.kept.contains(&"describe.texts_are_given".to_owned()), "{report}");
}

#[tokio::test]
async fn a_hash_that_stands_still_is_caught() {
    let report = run(Arc::new(Drifting::by(0)), CounterDomain::sample()).await;
    let broken: Vec<&str> = report.violations.iter().map(|violation| violation.rule.as_str()).collect();
    assert_eq!(broken, ["determinism.states_that_score_differently_hash_differently"], "{report}");
}

#[tokio::test]
async fn what_is_wrong_with_a_sample_is_told() {
    let fits = CounterDomain::sample();
    assert_eq!(check_sample(&CounterDomain, &fits).await, Ok(()));
    let call = |name: &str, arguments: &str| ToolCall { name: name.into(), arguments_json: arguments.into() };
    let (add, submit) = (call("add", r#"{"n": 4}"#), call("submit", "{}"));
    let played = |calls: &[&ToolCall]| Sample { calls: calls.iter().copied().cloned().collect(), ..fits.clone() };
    for (sample, why) in [
        (played(&[]), "calls is empty"),
        (played(&[&add]), "the last call (add) does not end the episode"),
        (played(&[&submit, &add]), "call 1 (submit) ends the episode before the last"),
        (played(&[&fits.bad_call, &submit]), "call 1 (add) is refused"),
        (Sample { bad_call: call("double", "[]"), ..fits.clone() }, "the tools without a group are add, submit"),
        (Sample { bad_call: call("subtract", "[]"), ..fits.clone() }, "bad_call is of \"subtract\""),
        (Sample { task_id: "counter/reach-two".into(), ..fits.clone() }, "TASK_NOT_FOUND"),
    ] {
        let told = check_sample(&CounterDomain, &sample).await.unwrap_err();
        assert!(told.contains(why), "{told}");
    }
}
