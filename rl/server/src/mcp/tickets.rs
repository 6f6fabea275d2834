//! The calls of a connection are played in the order in which they came, whatever the order in which their tasks run.

use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::watch;

/// Held where the messages of a connection are read.
pub(super) struct Tickets {
    next: u64,
    out: watch::Sender<BTreeSet<u64>>,
}

/// Of one request. It is given back when it is dropped.
pub(super) struct Ticket {
    number: u64,
    out: watch::Sender<BTreeSet<u64>>,
}

impl Tickets {
    pub(super) fn new() -> Self {
        Self { next: 0, out: watch::Sender::new(BTreeSet::new()) }
    }

    pub(super) fn draw(&mut self) -> Arc<Ticket> {
        let number = self.next;
        self.next += 1;
        self.out.send_modify(|out| {
            out.insert(number);
        });
        Arc::new(Ticket { number, out: self.out.clone() })
    }
}

impl Ticket {
    /// When all that were drawn before it have been given back.
    pub(super) async fn called(&self) {
        let mut out = self.out.subscribe();
        // Fails only where no sender is left, and here is one.
        let _ = out.wait_for(|out| out.first() == Some(&self.number)).await;
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.out.send_modify(|out| {
            out.remove(&self.number);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::time::timeout;

    #[tokio::test]
    async fn a_ticket_waits_for_all_before_it() {
        let mut tickets = Tickets::new();
        let [first, second, third] = [tickets.draw(), tickets.draw(), tickets.draw()];
        first.called().await;
        drop(second);
        assert!(timeout(Duration::from_millis(20), third.called()).await.is_err(), "the first one is out");
        drop(first);
        third.called().await;
    }
}
