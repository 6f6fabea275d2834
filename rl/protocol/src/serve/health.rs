//! `grpc.health.v1`: one service name per domain, true readiness.

use super::Served;
use crate::{Domain, panics::caught};
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tokio::time::{interval, timeout};
use tonic_health::{ServingStatus, server::HealthReporter};

const CHECK_EVERY: Duration = Duration::from_secs(5);
/// A domain that takes longer to say whether it is ready is not.
const READY_WITHIN: Duration = Duration::from_secs(2);

/// By service name, what was last reported.
pub(super) type Reported = BTreeMap<String, bool>;

pub(super) async fn watch(served: Arc<Served>, reporter: HealthReporter, mut last: Reported) {
    let mut ticks = interval(CHECK_EVERY);
    ticks.tick().await;
    loop {
        ticks.tick().await;
        report(&served.domains, &reporter, &mut last).await;
    }
}

/// Asks every domain and reports what has changed.
pub(super) async fn report(
    domains: &BTreeMap<String, Arc<dyn Domain>>,
    reporter: &HealthReporter,
    last: &mut Reported,
) {
    let mut any = false;
    for (name, domain) in domains {
        let ready = match timeout(READY_WITHIN, caught(domain.ready())).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err(format!("no answer within {READY_WITHIN:?}")),
        };
        any |= ready.is_ok();
        if set(reporter, last, name, ready.is_ok()).await
            && let Err(cause) = ready
        {
            tracing::warn!(domain = %name, %cause, "not ready");
        }
    }
    set(reporter, last, "", any).await;
}

/// Whether this is news; watchers are told of news only.
async fn set(reporter: &HealthReporter, last: &mut Reported, name: &str, ready: bool) -> bool {
    if last.insert(name.to_owned(), ready) == Some(ready) {
        return false;
    }
    let status = if ready { ServingStatus::Serving } else { ServingStatus::NotServing };
    reporter.set_service_status(name, status).await;
    true
}
