//! The rules that every domain keeps, as a library, and the smallest domain that keeps them.
//!
//! # Write a domain in thirty minutes
//!
//! 1. **Crate.** Its only dependency of ours is `rl-protocol` (`rl-conformance` for the test), with `async-trait` and
//!    `serde_json` beside it. Add its row to the arrows in `ARCHITECTURE.md`, and itself to the row of `maquette`:
//!
//!    ```text
//!    | `chess-domain` | `rl-protocol` |
//!    | `maquette` | `chess-domain`, `rl-protocol`, `scene-api` |
//!    ```
//!
//! 2. **State.** A value that a call changes, and a pure function from it to a [`Reward`](rl_protocol::Reward): see
//!    `counter/count.rs`. A reward is a number in \[0, 1\] with its parts, or `Reward::unscorable`; never 0 for a
//!    failure of yours.
//! 3. **Tools.** A name, a text and a closed JSON Schema each. The arguments come as the model wrote them: parse them,
//!    refuse what is unknown or mistyped, and change everything the call says or nothing. A refusal is a result:
//!
//!    ```text
//!    {"error": {"code": "OUT_OF_RANGE", "message": "no such square", "pointer": "/to", "given": "e9",
//!               "allowed": "a1 to h8", "nearest": ["e8"]}}
//!    ```
//!
//!    Use the codes there are: INVALID_ARGUMENT, TYPE_MISMATCH, OUT_OF_RANGE, NOT_FOUND, BUDGET_EXHAUSTED,
//!    EPISODE_OVER, …
//! 4. **Traits.** Implement [`Domain`] and [`Episode`](rl_protocol::Episode); [`CounterDomain`] is a whole one in 230
//!    lines. What the traits' comments promise is what the rules check. Move work of more than a millisecond to
//!    [`compute`](rl_protocol::compute); ask no clock and no random source but `OpenSpec.seed`.
//! 5. **Test.** A sample is a task, valid calls of which the last one ends the episode, and one mistyped call:
//!
//!    ```text
//!    #[tokio::test(flavor = "multi_thread")]
//!    async fn the_rules_of_the_protocol_are_kept() {
//!        let sample = Sample { task_id: "chess/mate-in-1".into(), calls: ToolCall::from_log(LOG).unwrap(), bad_call };
//!        let report = in_process_and_loopback(Arc::new(ChessDomain), sample).await;
//!        assert!(report.violations.is_empty(), "{report}");
//!    }
//!    ```
//!
//! 6. **Serve.** One more entry in `local` of `rl/server/src/registry.rs`:
//!
//!    ```text
//!    Ok(vec![Arc::new(SceneDomain::new()…), Arc::new(ChessDomain)])
//!    ```
//!
//! A domain in a process of its own, in any language, speaks the protos of `rl/protocol/proto`; the entry is then
//! `Arc::new(RemoteDomain::new(connect(uri).await?, "chess"))`, and the same rules run on it.

mod counter;
mod load;
mod loopback;
mod report;
mod rules;

use rl_protocol::{Domain, RemoteDomain, ServeConfig, ToolCall, connect};
use std::sync::Arc;

pub use counter::CounterDomain;
pub use load::{Load, Stopwatch};
pub use loopback::{Loopback, LoopbackError};
pub use report::{Report, Violation};

/// What the rules play with.
#[derive(Debug, Clone)]
pub struct Sample {
    pub task_id: String,
    /// Valid calls; the last one ends the episode.
    pub calls: Vec<ToolCall>,
    /// A tool that exists, with an argument of a wrong type.
    pub bad_call: ToolCall,
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
    );
    report
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
    let remote = Arc::new(RemoteDomain::new(channel, name));
    let report = run(Arc::clone(&remote) as Arc<dyn Domain>, sample.clone()).await;
    let mut report = of_sessions(remote.as_ref(), &sample, report).await.within("over loopback");
    let same = rules::determinism::here_as_there(domain.as_ref(), remote.as_ref(), &sample).await;
    report.add("determinism.here_as_there", same);
    drop(remote);
    server.stop().await.map_err(text)?;
    Ok(report)
}
