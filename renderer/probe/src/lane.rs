//! A thread of its own that draws: a bounded queue in front, a deadline on every job, and a fresh worker after a panic
//! or a lost device. A bad job costs itself only.

mod worker_loop;

#[cfg(test)]
mod tests;

use crate::RenderError;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use worker_loop::WorkerLoop;

/// Renderers expect the stack of a main thread.
const STACK_BYTES: usize = 8 << 20;
/// How long the last handle waits for the thread to close its device: a driver that is still at work when the process
/// ends can crash it.
const ENDING_MAX: Duration = Duration::from_secs(10);

/// Handle of the thread; a clone is another handle of the same. The thread starts with the first job. When the last
/// handle is dropped it does the jobs that wait and ends.
pub struct Lane<J, A> {
    // Comes before `thread`, which waits for the end: the thread ends once the last queue is dropped.
    queue: SyncSender<Waiting<J, A>>,
    queue_max: usize,
    thread: Arc<LaneThread>,
}

struct Waiting<J, A> {
    job: J,
    caller: Caller<A>,
}

struct Caller<A> {
    deadline: Instant,
    reply: Box<dyn Reply<A>>,
}

/// Takes the answer to one job; a closure does.
pub trait Reply<A>: Send {
    fn tell(self: Box<Self>, answer: Result<A, RenderError>);

    /// Nobody waits for the answer any more: a job that has not begun is dropped.
    fn is_abandoned(&self) -> bool {
        false
    }
}

impl<A, F: FnOnce(Result<A, RenderError>) + Send> Reply<A> for F {
    fn tell(self: Box<Self>, answer: Result<A, RenderError>) {
        self(answer);
    }
}

struct LaneThread {
    name: &'static str,
    /// What the thread does; taken when it starts.
    serve: Mutex<Option<Box<dyn FnOnce() + Send>>>,
    handle: OnceLock<JoinHandle<()>>,
}

impl<J, A> Clone for Lane<J, A> {
    fn clone(&self) -> Self {
        Self { queue: self.queue.clone(), queue_max: self.queue_max, thread: Arc::clone(&self.thread) }
    }
}

impl<J: Send + 'static, A: Send + 'static> Lane<J, A> {
    /// The worker is made by `build`, used and dropped on the thread only. `draw` gets up to `batch_max` of the jobs
    /// that wait and answers each, in order. Where it panics, or fails as `Device` or `DeviceLost`, the worker is
    /// dropped and each job of the batch is tried once more, alone and on a fresh one. Where `build` fails twice, that
    /// is the answer to the whole batch.
    #[must_use]
    pub fn new<W, B, D>(name: &'static str, queue_max: usize, batch_max: usize, build: B, draw: D) -> Self
    where
        W: 'static,
        B: FnMut() -> Result<W, RenderError> + Send + 'static,
        D: FnMut(&mut W, &[J]) -> Result<Vec<A>, RenderError> + Send + 'static,
    {
        let queue_max = queue_max.max(1);
        let (queue, inbox) = mpsc::sync_channel(queue_max);
        let serve = move || WorkerLoop::new(build, draw).serve(&inbox, batch_max);
        let thread = LaneThread { name, serve: Mutex::new(Some(Box::new(serve))), handle: OnceLock::new() };
        Self { queue, queue_max, thread: Arc::new(thread) }
    }

    /// `reply` is told exactly once, on the lane's thread or, where the job is refused, at once on the caller's.
    pub fn submit(&self, job: J, deadline: Instant, reply: impl Reply<A> + 'static) {
        let caller = Caller { deadline, reply: Box::new(reply) };
        if let Err(error) = self.thread.start() {
            return caller.tell(Err(error));
        }
        match self.queue.try_send(Waiting { job, caller }) {
            Ok(()) => {}
            Err(TrySendError::Full(refused)) => {
                refused.caller.tell(Err(RenderError::QueueFull { waiting: self.queue_max }));
            }
            Err(TrySendError::Disconnected(refused)) => refused.caller.tell(Err(self.thread.absence())),
        }
    }

    /// Waits for the answer, at most until the deadline, even where the thread hangs.
    ///
    /// # Errors
    /// Those of `build` and `draw`, `QueueFull`, `DeadlineExceeded`; `Device` where the thread has ended.
    pub fn ask(&self, job: J, deadline: Instant) -> Result<A, RenderError> {
        let (answer, answered) = mpsc::sync_channel(1);
        self.submit(job, deadline, move |result| {
            answer.try_send(result).ok();
        });
        let patience = deadline.saturating_duration_since(Instant::now());
        answered.recv_timeout(patience).unwrap_or_else(|error| match error {
            RecvTimeoutError::Timeout => Err(RenderError::DeadlineExceeded),
            RecvTimeoutError::Disconnected => Err(self.thread.absence()),
        })
    }
}

impl<A> Caller<A> {
    /// Or has gone.
    fn is_late(&self) -> bool {
        self.deadline < Instant::now() || self.reply.is_abandoned()
    }

    fn tell(self, result: Result<A, RenderError>) {
        // A reply that panics is its caller's affair.
        let _ = catch_unwind(AssertUnwindSafe(|| self.reply.tell(result)));
    }
}

impl LaneThread {
    fn start(&self) -> Result<(), RenderError> {
        // Held until the thread runs or has failed to start: a caller who comes meanwhile must not queue a job that
        // nobody would take.
        let mut serve = self.serve.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(serve) = serve.take() else { return Ok(()) };
        let thread = thread::Builder::new().name(self.name.to_owned()).stack_size(STACK_BYTES);
        let handle = thread.spawn(serve).map_err(|_| self.absence())?;
        self.handle.set(handle).ok();
        Ok(())
    }

    /// Why there is no thread.
    fn absence(&self) -> RenderError {
        let why = if self.handle.get().is_some() { "has ended" } else { "could not be started" };
        RenderError::Device { what: format!("the thread {} {why}", self.name) }
    }
}

impl Drop for LaneThread {
    fn drop(&mut self) {
        let Some(handle) = self.handle.take() else { return };
        // A reply that drops the last handle does so on the thread itself, which cannot wait for its own end.
        if handle.thread().id() == thread::current().id() {
            return;
        }
        let patience = Instant::now() + ENDING_MAX;
        while !handle.is_finished() && Instant::now() < patience {
            thread::sleep(Duration::from_millis(1));
        }
    }
}
