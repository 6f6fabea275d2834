//! What was asked and is not yet answered. Every question has a deadline; one that passes it is given up.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};
use tokio::{
    runtime::Handle,
    sync::mpsc::{Receiver, Sender, channel},
    task::AbortHandle,
    time::timeout_at,
};

/// Answers that may wait to be taken in; those who bring more wait themselves.
const MAX_WAITING: usize = 1024;

/// Questions `Q` with answers `A`, which the runtime finds. An answer of `None` is one that did not come in time.
pub(super) struct InFlight<Q, A> {
    runtime: Handle,
    asked: BTreeMap<u64, Asked<Q>>,
    next_ticket: u64,
    sender: Sender<(u64, A)>,
    receiver: Receiver<(u64, A)>,
}

struct Asked<Q> {
    question: Q,
    until: Instant,
    task: AbortHandle,
}

impl<Q, A: Send + 'static> InFlight<Q, A> {
    pub(super) fn new(runtime: Handle) -> Self {
        let (sender, receiver) = channel(MAX_WAITING);
        Self { runtime, asked: BTreeMap::new(), next_ticket: 0, sender, receiver }
    }

    pub(super) fn ask(&mut self, question: Q, within: Duration, answer: impl Future<Output = A> + Send + 'static) {
        let (ticket, sender) = (self.next_ticket, self.sender.clone());
        self.next_ticket += 1;
        let task = self.runtime.spawn(async move {
            let answer = answer.await;
            // Nobody listens any more once the rollout is over.
            let _ = sender.send((ticket, answer)).await;
        });
        let asked = Asked { question, until: Instant::now() + within, task: task.abort_handle() };
        self.asked.insert(ticket, asked);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.asked.is_empty()
    }

    /// What is there now.
    pub(super) fn poll(&mut self) -> Option<(Q, Option<A>)> {
        self.received().or_else(|| self.overdue()).map(|(_, question, answer)| (question, answer))
    }

    /// Waits for the next one; `None` when nothing is asked.
    pub(super) fn wait(&mut self) -> Option<(Q, Option<A>)> {
        self.awaited().map(|(_, question, answer)| (question, answer))
    }

    /// Waits for all, and gives them in the order in which they were asked.
    pub(super) fn wait_for_all(&mut self) -> Vec<(Q, Option<A>)> {
        let mut all = BTreeMap::new();
        while let Some((ticket, question, answer)) = self.awaited() {
            all.insert(ticket, (question, answer));
        }
        all.into_values().collect()
    }

    fn awaited(&mut self) -> Option<(u64, Q, Option<A>)> {
        loop {
            if let Some(found) = self.received().or_else(|| self.overdue()) {
                return Some(found);
            }
            let until = self.asked.values().map(|asked| asked.until).min()?;
            let receiver = &mut self.receiver;
            let received = self.runtime.block_on(async { timeout_at(until.into(), receiver.recv()).await });
            if let Ok(Some((ticket, answer))) = received
                && let Some(asked) = self.asked.remove(&ticket)
            {
                return Some((ticket, asked.question, Some(answer)));
            }
        }
    }

    /// An answer to a question that was given up is dropped.
    fn received(&mut self) -> Option<(u64, Q, Option<A>)> {
        while let Ok((ticket, answer)) = self.receiver.try_recv() {
            if let Some(asked) = self.asked.remove(&ticket) {
                return Some((ticket, asked.question, Some(answer)));
            }
        }
        None
    }

    fn overdue(&mut self) -> Option<(u64, Q, Option<A>)> {
        let now = Instant::now();
        let ticket = *self.asked.iter().find(|(_, asked)| asked.until <= now)?.0;
        let asked = self.asked.remove(&ticket)?;
        asked.task.abort();
        Some((ticket, asked.question, None))
    }
}

impl<Q, A> Drop for InFlight<Q, A> {
    fn drop(&mut self) {
        for asked in self.asked.values() {
            asked.task.abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;
    use tokio::{
        runtime::{Builder, Runtime},
        time::sleep,
    };

    fn runtime() -> Runtime {
        Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
    }

    fn asked(runtime: &Runtime) -> InFlight<&'static str, u32> {
        let mut in_flight = InFlight::new(runtime.handle().clone());
        in_flight.ask("slow", Duration::from_secs(60), async {
            sleep(Duration::from_millis(600)).await;
            1
        });
        in_flight.ask("never", Duration::from_millis(200), pending());
        in_flight.ask("quick", Duration::from_secs(60), async { 2 });
        in_flight
    }

    #[test]
    fn answers_come_as_they_are_found_and_the_overdue_are_given_up() {
        let runtime = runtime();
        let mut in_flight = asked(&runtime);
        let found: Vec<_> = std::iter::from_fn(|| in_flight.wait()).collect();
        assert_eq!(found, [("quick", Some(2)), ("never", None), ("slow", Some(1))]);
        assert!(in_flight.is_empty() && in_flight.poll().is_none());
    }

    #[test]
    fn all_are_given_in_the_order_they_were_asked_in() {
        let runtime = runtime();
        let all = asked(&runtime).wait_for_all();
        assert_eq!(all, [("slow", Some(1)), ("never", None), ("quick", Some(2))]);
    }
}
