//! What the thread of a lane does: takes the jobs that wait, draws them together, and after a failure each alone.

use super::{Caller, Waiting};
use crate::RenderError;
use std::any::Any;
use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Receiver;

pub(super) struct WorkerLoop<W, B, D> {
    build: B,
    draw: D,
    worker: Option<W>,
}

impl<W, B: FnMut() -> Result<W, RenderError>, D> WorkerLoop<W, B, D> {
    pub(super) fn new(build: B, draw: D) -> Self {
        Self { build, draw, worker: None }
    }

    /// Until the last handle of the lane is dropped and nothing waits.
    pub(super) fn serve<J, A>(mut self, inbox: &Receiver<Waiting<J, A>>, batch_max: usize)
    where
        D: FnMut(&mut W, &[J]) -> Result<Vec<A>, RenderError>,
    {
        while let Ok(first) = inbox.recv() {
            let others = inbox.try_iter().take(batch_max.saturating_sub(1));
            let (mut jobs, mut callers) = (Vec::new(), Vec::new());
            for Waiting { job, caller } in iter::once(first).chain(others) {
                if caller.is_late() {
                    caller.tell(Err(RenderError::DeadlineExceeded));
                    continue;
                }
                jobs.push(job);
                callers.push(caller);
            }
            if !jobs.is_empty() {
                self.answer(&jobs, callers);
            }
        }
        put_away(self.worker);
    }

    fn answer<J, A>(&mut self, jobs: &[J], callers: Vec<Caller<A>>)
    where
        D: FnMut(&mut W, &[J]) -> Result<Vec<A>, RenderError>,
    {
        let answers = self.worker().and_then(|worker| self.attempt(worker, jobs));
        if !answers.as_ref().is_err_and(|error| is_tried_again(error, jobs.len())) {
            return tell(callers, answers);
        }
        let mut alone = jobs.iter().zip(callers);
        while let Some((job, caller)) = alone.next() {
            if caller.is_late() {
                caller.tell(Err(RenderError::DeadlineExceeded));
                continue;
            }
            match self.worker() {
                Ok(worker) => tell([caller], self.attempt(worker, std::slice::from_ref(job))),
                // It would fail for the others too, and a start takes seconds.
                Err(error) => {
                    let others = alone.map(|(_, caller)| caller);
                    return tell(iter::once(caller).chain(others), Err(error));
                }
            }
        }
    }

    /// The one that is there, else a fresh one.
    fn worker(&mut self) -> Result<W, RenderError> {
        match self.worker.take() {
            Some(worker) => Ok(worker),
            None => guarded(&mut self.build),
        }
    }

    /// As many answers as jobs. A worker that failed is not used again.
    fn attempt<J, A>(&mut self, mut worker: W, jobs: &[J]) -> Result<Vec<A>, RenderError>
    where
        D: FnMut(&mut W, &[J]) -> Result<Vec<A>, RenderError>,
    {
        let answers = guarded(|| {
            let answers = (self.draw)(&mut worker, jobs)?;
            if answers.len() == jobs.len() {
                return Ok(answers);
            }
            Err(RenderError::Device { what: format!("{} pictures for {} jobs", answers.len(), jobs.len()) })
        });
        match answers {
            Err(RenderError::Panicked { .. } | RenderError::DeviceLost { .. } | RenderError::Device { .. }) => {
                put_away(Some(worker));
            }
            _ => self.worker = Some(worker),
        }
        answers
    }
}

/// Whether a fresh worker, or to be without company, may help.
fn is_tried_again(error: &RenderError, jobs: usize) -> bool {
    match error {
        RenderError::Panicked { .. } | RenderError::DeviceLost { .. } | RenderError::Device { .. } => true,
        RenderError::NoPixels { .. } | RenderError::BeyondSinglePrecision | RenderError::Unsteady => jobs > 1,
        RenderError::NoAdapter { .. } | RenderError::QueueFull { .. } | RenderError::DeadlineExceeded => false,
    }
}

fn tell<A>(callers: impl IntoIterator<Item = Caller<A>>, answers: Result<Vec<A>, RenderError>) {
    match answers {
        Ok(answers) => callers.into_iter().zip(answers).for_each(|(caller, answer)| caller.tell(Ok(answer))),
        Err(error) => callers.into_iter().for_each(|caller| caller.tell(Err(error.clone()))),
    }
}

/// A broken worker may panic once more while it is dropped.
fn put_away<W>(worker: Option<W>) {
    let _ = catch_unwind(AssertUnwindSafe(|| drop(worker)));
}

fn guarded<T>(act: impl FnOnce() -> Result<T, RenderError>) -> Result<T, RenderError> {
    catch_unwind(AssertUnwindSafe(act))
        .unwrap_or_else(|panic| Err(RenderError::Panicked { what: message(panic.as_ref()) }))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without a message".to_owned())
}
