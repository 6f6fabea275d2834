//! The episode of a client, which takes its calls one at a time.

use super::offer::Offer;
use super::tickets::Ticket;
use crate::observations::texts;
use rl_protocol::{Code, DomainError, Episode};
use std::mem::replace;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, Semaphore};
use tokio::time::{Instant, timeout_at};

/// Of a call, the wait behind others included. A remote domain gives up before.
const CALL_WITHIN: Duration = Duration::from_secs(90);
/// Calls of one client that run or wait.
const MOST_CALLS: usize = 64;
const RETRY_AFTER_MS: u64 = 500;

pub(super) struct Turns {
    offer: Arc<Offer>,
    seat: Arc<Mutex<Seat>>,
    places: Arc<Semaphore>,
}

/// Where the episode sits.
enum Seat {
    /// Until the first call: clients connect that never make one.
    Empty,
    Taken(Box<dyn Episode>),
    /// A fault of ours has ended it.
    Lost,
}

impl Turns {
    pub(super) fn new(offer: Arc<Offer>) -> Self {
        Self { offer, seat: Arc::new(Mutex::new(Seat::Empty)), places: Arc::new(Semaphore::new(MOST_CALLS)) }
    }

    /// Does `work` with the episode when the calls before it are done; opens one where there is none yet. The calls
    /// before it are those with an earlier ticket; without one, those that asked earlier.
    ///
    /// # Errors
    /// Those of `work`; `FailedPrecondition` where the episode is lost; `ResourceExhausted`, `DeadlineExceeded`.
    pub(super) async fn play<T, W>(
        &self,
        ticket: Option<Arc<Ticket>>,
        work: impl FnOnce(Box<dyn Episode>) -> W + Send + 'static,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        W: Future<Output = (Box<dyn Episode>, Result<T, DomainError>)> + Send + 'static,
    {
        let offer = Arc::clone(&self.offer);
        self.turn(ticket, move |seat| async move {
            let episode = match seat {
                Seat::Taken(episode) => episode,
                Seat::Empty => match offer.open(None).await {
                    Ok(episode) => episode,
                    Err(error) => return (Seat::Empty, Err(error)),
                },
                Seat::Lost => return (Seat::Lost, Err(lost())),
            };
            let (episode, result) = work(episode).await;
            let is_lost = result.as_ref().is_err_and(|error| error.code == Code::Internal);
            (if is_lost { Seat::Lost } else { Seat::Taken(episode) }, result)
        })
        .await
    }

    /// Puts a fresh episode in the place of this one; returns what its model is told. Changes nothing where it fails.
    pub(super) async fn restart(
        &self,
        ticket: Option<Arc<Ticket>>,
        task_id: Option<String>,
    ) -> Result<String, DomainError> {
        let offer = Arc::clone(&self.offer);
        self.turn(ticket, move |seat| async move {
            match offer.open(task_id.as_deref()).await {
                Ok(episode) => {
                    let told = texts(&episode.opening().observation);
                    (Seat::Taken(episode), Ok(told))
                }
                Err(error) => (seat, Err(error)),
            }
        })
        .await
    }

    /// What the model is told at the start.
    pub(super) async fn prompt(&self, ticket: Option<Arc<Ticket>>) -> Result<String, DomainError> {
        self.play(ticket, |episode| async move {
            let told = texts(&episode.opening().observation);
            (episode, Ok(told))
        })
        .await
    }

    async fn turn<T, W>(
        &self,
        ticket: Option<Arc<Ticket>>,
        work: impl FnOnce(Seat) -> W + Send + 'static,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        W: Future<Output = (Seat, Result<T, DomainError>)> + Send + 'static,
    {
        let deadline = Instant::now() + CALL_WITHIN;
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| full())?;
        let seat = Arc::clone(&self.seat);
        let waiting = timeout_at(deadline, async move {
            if let Some(ticket) = &ticket {
                ticket.called().await;
            }
            // The ticket is given back when the seat is ours.
            seat.lock_owned().await
        });
        let mut seat = waiting.await.map_err(|_| late("the calls before this one take too long; it was not begun"))?;
        // In a task of its own: what has begun runs to its end, also where nobody waits for it any more.
        let turn = tokio::spawn(async move {
            let _place = place;
            // A panic leaves it so.
            let before = replace(&mut *seat, Seat::Lost);
            let (after, result) = work(before).await;
            *seat = after;
            result
        });
        match timeout_at(deadline, turn).await {
            Ok(result) => result.unwrap_or_else(|_| Err(lost())),
            Err(_) => Err(late("the call still runs; the next one waits for it")),
        }
    }
}

fn lost() -> DomainError {
    DomainError::new(Code::FailedPrecondition, "EPISODE_LOST", "a fault of the server's has ended this episode")
}

fn full() -> DomainError {
    let message = format!("{MOST_CALLS} calls run or wait already");
    DomainError::new(Code::ResourceExhausted, "TOO_MANY_CALLS", message).retry_after(RETRY_AFTER_MS)
}

fn late(what: &str) -> DomainError {
    DomainError::new(Code::DeadlineExceeded, "CALL_DEADLINE", format!("{CALL_WITHIN:?} are over: {what}"))
}
