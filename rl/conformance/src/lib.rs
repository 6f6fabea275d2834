//! The rules that every domain keeps, as a library, and the smallest domain that keeps them.

mod counter;
mod loopback;
mod report;
mod rules;

use rl_protocol::{Domain, RemoteDomain, ServeConfig, ToolCall, connect};
use std::sync::Arc;

pub use counter::CounterDomain;
pub use loopback::Loopback;
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

/// Plays every rule on `domain`.
pub async fn run(domain: Arc<dyn Domain>, sample: Sample) -> Report {
    let (domain, sample) = (domain.as_ref(), &sample);
    let mut report = Report::default();
    report.add("describe.texts_are_given", rules::describe::texts_are_given(domain).await);
    report.add("describe.schemas_are_objects", rules::describe::schemas_are_objects(domain).await);
    report.add("describe.tasks_are_listed", rules::describe::tasks_are_listed(domain, sample).await);
    report.add("describe.it_is_ready", rules::describe::it_is_ready(domain).await);
    report.add("open.unknown_task_is_not_found", rules::open::unknown_task_is_not_found(domain).await);
    report.add("open.unknown_profile_is_refused", rules::open::unknown_profile_is_refused(domain, sample).await);
    report.add("open.siblings_are_equal", rules::open::siblings_are_equal(domain, sample).await);
    report.add("open.siblings_are_apart", rules::open::siblings_are_apart(domain, sample).await);
    report.add("step.every_call_has_a_result", rules::step::every_call_has_a_result(domain, sample).await);
    report.add("step.the_end_brings_a_reward", rules::step::the_end_brings_a_reward(domain, sample).await);
    report.add("step.nothing_follows_the_end", rules::step::nothing_follows_the_end(domain, sample).await);
    report.add("errors.bad_calls_are_results", rules::errors::bad_calls_are_results(domain, sample).await);
    report.add("errors.unknown_observation_is_refused", rules::errors::unknown_observation(domain, sample).await);
    report.add("score.the_value_is_in_range", rules::score::the_value_is_in_range(domain, sample).await);
    report.add("score.weights_sum_to_one", rules::score::weights_sum_to_one(domain, sample).await);
    report.add("score.scoring_is_pure", rules::score::scoring_is_pure(domain, sample).await);
    report.add("score.a_call_log_scores_the_same", rules::score::a_call_log_scores_the_same(domain, sample).await);
    report.add("score.unknown_profile_is_refused", rules::score::unknown_profile_is_refused(domain, sample).await);
    report.add("determinism.same_calls_same_bytes", rules::determinism::same_calls_same_bytes(domain, sample).await);
    report.add(
        "determinism.grouping_changes_nothing",
        rules::determinism::grouping_changes_nothing(domain, sample).await,
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
    let name = domain.describe().await.map_err(|error| format!("describe: {error}"))?.domain;
    let server = Loopback::start(vec![Arc::clone(&domain)], ServeConfig::default()).await?;
    let channel = connect(server.uri()).await.map_err(|error| format!("connect: {error}"))?;
    let remote: Arc<dyn Domain> = Arc::new(RemoteDomain::new(channel, name));
    let mut report = run(Arc::clone(&remote), sample.clone()).await.within("over loopback");
    let same = rules::determinism::here_as_there(domain.as_ref(), remote.as_ref(), &sample).await;
    report.add("determinism.here_as_there", same);
    drop(remote);
    server.stop().await?;
    Ok(report)
}
