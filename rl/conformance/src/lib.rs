//! The rules that every domain keeps, as a library, and the smallest domain that keeps them.
//!
//! `docs/WRITE_A_DOMAIN.md` is the guide for authors, in Rust and in Python. [`in_process_and_loopback`] is what the test
//! of a domain in Rust calls; `maquette conformance` plays [`remote`] on a server in any language.

mod counter;
mod load;
mod loopback;
mod report;
mod rules;

use rl_protocol::{Domain, RemoteDomain, ServeConfig, ToolCall, connect};
use serde::Deserialize;
use std::sync::Arc;

pub use counter::CounterDomain;
pub use load::{Load, Stopwatch};
pub use loopback::{Loopback, LoopbackError};
pub use report::{Report, Violation};

/// What the rules play with. As JSON: `{"task_id": …, "calls": [{"name": …, "arguments": {…}}, …], "bad_call": {…}}`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    pub task_id: String,
    /// Valid calls; the last one ends the episode.
    pub calls: Vec<ToolCall>,
    /// A tool that exists, with an argument of a wrong type.
    pub bad_call: ToolCall,
}

/// Plays the sample once; `Err` says what is wrong with it. What the domain itself fails at is left to the rules.
pub async fn check_sample(domain: &dyn Domain, sample: &Sample) -> Result<(), String> {
    rules::probe::fits(domain, sample).await
}

/// Plays the rules and reports each as `file.function`.
macro_rules! play {
    ($report:ident, $($file:ident::$rule:ident($($given:ident),*),)*) => {
        $($report.add(concat!(stringify!($file), ".", stringify!($rule)), rules::$file::$rule($($given),*).await);)*
    };
}

/// Plays every rule on `domain`.
pub async fn run(domain: Arc<dyn Domain>, sample: Sample) -> Report {
    let (domain, sample) = (domain.as_ref(), &sample);
    let mut report = Report::default();
    play!(
        report,
        describe::texts_are_given(domain),
        describe::schemas_are_objects(domain),
        describe::tasks_are_listed(domain, sample),
        describe::task_ids_begin_with_the_domain(domain),
        describe::unknown_split_is_not_found(domain),
        describe::it_is_ready(domain),
        groups::tools_are_of_groups_that_are_described(domain),
        groups::an_unknown_one_is_refused(domain, sample),
        groups::those_asked_for_are_told(domain, sample),
        groups::a_tool_is_offered_with_its_group_only(domain, sample),
        open::unknown_task_is_not_found(domain, sample),
        open::unknown_profile_is_not_found(domain, sample),
        open::siblings_are_equal(domain, sample),
        open::siblings_are_apart(domain, sample),
        step::no_calls_change_nothing(domain, sample),
        step::every_call_has_a_result(domain, sample),
        step::the_end_brings_a_reward(domain, sample),
        step::nothing_follows_the_end(domain, sample),
        fork::it_stands_where_it_was_made(domain, sample),
        fork::it_goes_on_as_its_parent(domain, sample),
        fork::it_is_apart(domain, sample),
        fork::an_ended_episode_is_not_forked(domain, sample),
        errors::bad_calls_are_results(domain, sample),
        errors::unknown_observation_is_refused(domain, sample),
        errors::nothing_wanted_is_nothing_observed(domain, sample),
        history::it_fits_and_knows_its_revisions(domain, sample),
        score::the_value_is_in_range(domain, sample),
        score::weights_sum_to_one(domain, sample),
        score::scoring_is_pure(domain, sample),
        score::a_call_log_scores_the_same(domain, sample),
        score::unknown_profile_is_not_found(domain, sample),
        determinism::same_calls_same_bytes(domain, sample),
        determinism::grouping_changes_nothing(domain, sample),
        determinism::states_that_score_differently_hash_differently(domain, sample),
    );
    report
}

/// Plays every rule on a domain behind an address, and those of what only a server's sessions can do.
pub async fn remote(domain: Arc<RemoteDomain>, sample: Sample) -> Report {
    let report = run(Arc::clone(&domain) as Arc<dyn Domain>, sample.clone()).await;
    of_sessions(domain.as_ref(), &sample, report).await
}

/// Plays the rules of what only a server's sessions can do.
async fn of_sessions(domain: &RemoteDomain, sample: &Sample, mut report: Report) -> Report {
    play!(
        report,
        session::a_rollback_restores_state_budget_and_end(domain, sample),
        session::snapshots_outlive_a_rollback_to_an_older_one(domain, sample),
        session::forks_are_sessions_of_their_own(domain, sample),
        session::an_export_is_imported_as_it_was(domain, sample),
        session::a_damaged_export_is_refused(domain, sample),
    );
    report
}

/// Plays every rule on `domain` in this process and again over a loopback server, and compares the two rewards.
pub async fn in_process_and_loopback(domain: Arc<dyn Domain>, sample: Sample) -> Report {
    let mut report = run(Arc::clone(&domain), sample.clone()).await.within("in process");
    match over_loopback(domain, sample).await {
        Ok(remote) => report.append(remote),
        Err(problem) => report.add("loopback", Err(problem)),
    }
    report
}

async fn over_loopback(domain: Arc<dyn Domain>, sample: Sample) -> Result<Report, String> {
    let text = |error: LoopbackError| error.to_string();
    let name = domain.describe().await.map_err(|error| format!("describe: {error}"))?.domain;
    let server = Loopback::start(vec![Arc::clone(&domain)], ServeConfig::default()).await.map_err(text)?;
    let channel = connect(server.uri()).await.map_err(|error| format!("connect: {error}"))?;
    let there = Arc::new(RemoteDomain::new(channel, name));
    let mut report = remote(Arc::clone(&there), sample.clone()).await.within("over loopback");
    let same = rules::determinism::here_as_there(domain.as_ref(), there.as_ref(), &sample).await;
    report.add("determinism.here_as_there", same);
    drop(there);
    server.stop().await.map_err(text)?;
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_read_from_json() {
        let json = r#"{
            "task_id": "counter/reach-ten",
            "calls": [
                {"name": "add", "arguments": "{\"n\": 4}"},
                {"name": "add", "arguments": "{\"n\": 6}"},
                {"name": "submit", "arguments": "{}"}
            ],
            "bad_call": {"name": "add", "arguments": "{\"n\": \"four\"}"}
        }"#;
        assert_eq!(serde_json::from_str::<Sample>(json).unwrap(), CounterDomain::sample());
        let unknown = json.replacen("task_id", "task", 1);
        assert!(serde_json::from_str::<Sample>(&unknown).unwrap_err().to_string().contains("task_id"));
    }
}
