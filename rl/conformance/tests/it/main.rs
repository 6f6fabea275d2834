//! The suite keeps its own rules, and catches those who do not.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod drifting;

use drifting::Drifting;
use rl_conformance::{CounterDomain, in_process_and_loopback, run};
use std::sync::Arc;

#[tokio::test(flavor = "multi_thread")]
async fn the_counter_keeps_every_rule_here_and_over_loopback() {
    let report = in_process_and_loopback(Arc::new(CounterDomain), CounterDomain::sample()).await;
    assert!(report.violations.is_empty(), "{report}");
    assert_eq!(report.kept.len(), 72, "33 rules twice, 5 of sessions, and the comparison");
}

#[tokio::test]
async fn a_domain_that_drifts_is_caught() {
    let report = run(Arc::new(Drifting::default()), CounterDomain::sample()).await;
    let broken: Vec<&str> = report.violations.iter().map(|violation| violation.rule.as_str()).collect();
    for rule in ["open.siblings_are_equal", "determinism.same_calls_same_bytes", "errors.bad_calls_are_results"] {
        assert!(broken.contains(&rule), "{rule} is not among {broken:?}");
    }
    assert!(report.kept.contains(&"describe.texts_are_given".to_owned()), "{report}");
}
