//! A thread of its own that draws: a bounded queue in front, a deadline on every job, and a fresh worker after a panic
//! or a lost device. A bad job costs itself only.

use crate::RenderError;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

#[cfg(test)]
mod tests;

/// Renderers expect the stack of a main thread.
const STACK_BYTES: usize = 8 << 20;
/// How long the last handle waits for the thread to put its device away: a process must not end meanwhile.
const ENDING_MAX: Duration = Duration::from_secs(10);

/// Handle of the thread; a clone is another handle of the same. The thread starts with the first job and ends, after
/// the jobs that wait, when the last handle is dropped.
pub struct Lane<J, A> {
    // Dropped before the thread is waited for: that is how it learns of its end.
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
    reply: Box<dyn FnOnce(Result<A, RenderError>) + Send>,
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
    /// dropped and each job of the batch is tried once more, alone and on a fresh one.
    #[must_use]
    pub fn new<W, B, D>(name: &'static str, queue_max: usize, batch_max: usize, build: B, draw: D) -> Self
    where
        W: 'static,
        B: FnMut() -> Result<W, RenderError> + Send + 'static,
        D: FnMut(&mut W, &[J]) -> Result<Vec<A>, RenderError> + Send + 'static,
    {
        let queue_max = queue_max.max(1);
        let (queue, inbox) = mpsc::sync_channel(queue_max);
        let serve = move || Bench::<W, B, D> { build, draw, worker: None }.serve(&inbox, batch_max);
        let thread = LaneThread { name, serve: Mutex::new(Some(Box::new(serve))), handle: OnceLock::new() };
        Self { queue, queue_max, thread: Arc::new(thread) }
    }

    /// `reply` is called exactly once, on the lane's thread or, where the job is refused, at once on the caller's.
    pub fn submit(&self, job: J, deadline: Instant, reply: impl FnOnce(Result<A, RenderError>) + Send + 'static) {
        let caller = Caller { deadline, reply: Box::new(reply) };
        if let Err(error) = self.thread.start() {
            return caller.tell(Err(error));
        }
        match self.queue.try_send(Waiting { job, caller }) {
            Ok(()) => {}
            Err(TrySendError::Full(refused)) => {
                refused.caller.tell(Err(RenderError::QueueFull { waiting: self.queue_max }));
            }
            Err(TrySendError::Disconnected(refused)) => refused.caller.tell(Err(self.thread.is_not_there())),
        }
    }

    /// Waits for the answer, at most until the deadline, even where the thread hangs.
    ///
    /// # Errors
    /// Those of `draw`, `QueueFull`, `DeadlineExceeded`.
    pub fn ask(&self, job: J, deadline: Instant) -> Result<A, RenderError> {
        let (answer, answered) = mpsc::sync_channel(1);
        self.submit(job, deadline, move |result| {
            answer.try_send(result).ok();
        });
        let patience = deadline.saturating_duration_since(Instant::now());
        answered.recv_timeout(patience).unwrap_or(Err(RenderError::DeadlineExceeded))
    }
}

impl<A> Caller<A> {
    fn is_late(&self) -> bool {
        self.deadline < Instant::now()
    }

    fn tell(self, result: Result<A, RenderError>) {
        // A reply that panics is its caller's affair.
        let _ = catch_unwind(AssertUnwindSafe(|| (self.reply)(result)));
    }
}

impl LaneThread {
    fn start(&self) -> Result<(), RenderError> {
        // Held until the thread is there, or is known not to be, so that no job is queued in between.
        let mut serve = self.serve.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(serve) = serve.take() else { return Ok(()) };
        let thread = thread::Builder::new().name(self.name.to_owned()).stack_size(STACK_BYTES);
        let handle = thread.spawn(serve).map_err(|_| self.is_not_there())?;
        self.handle.set(handle).ok();
        Ok(())
    }

    fn is_not_there(&self) -> RenderError {
        RenderError::Device { what: format!("the thread {} could not be started", self.name) }
    }
}

impl Drop for LaneThread {
    fn drop(&mut self) {
        let Some(handle) = self.handle.take() else { return };
        if handle.thread().id() == thread::current().id() {
            return;
        }
        let patience = Instant::now() + ENDING_MAX;
        while !handle.is_finished() && Instant::now() < patience {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// What is on the thread.
struct Bench<W, B, D> {
    build: B,
    draw: D,
    worker: Option<W>,
}

impl<W, B: FnMut() -> Result<W, RenderError>, D> Bench<W, B, D> {
    fn serve<J, A>(mut self, inbox: &Receiver<Waiting<J, A>>, batch_max: usize)
    where
        D: FnMut(&mut W, &[J]) -> Result<Vec<A>, RenderError>,
    {
        while let Ok(first) = inbox.recv() {
            let others = inbox.try_iter().take(batch_max.saturating_sub(1));
            let (mut jobs, mut callers) = (Vec::new(), Vec::new());
            for Waiting { job, caller } in std::iter::once(first).chain(others) {
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
        let Self { worker, .. } = self;
        put_away(worker);
    }

    fn answer<J, A>(&mut self, jobs: &[J], callers: Vec<Caller<A>>)
    where
        D: FnMut(&mut W, &[J]) -> Result<Vec<A>, RenderError>,
    {
        let answers = self.attempt(jobs);
        if !answers.as_ref().is_err_and(|error| is_tried_again(error, jobs.len())) {
            return tell(callers, answers);
        }
        for (job, caller) in jobs.iter().zip(callers) {
            let late = caller.is_late();
            let answer =
                if late { Err(RenderError::DeadlineExceeded) } else { self.attempt(std::slice::from_ref(job)) };
            tell(vec![caller], answer);
        }
    }

    /// As many answers as jobs. A worker that failed is not used again.
    fn attempt<J, A>(&mut self, jobs: &[J]) -> Result<Vec<A>, RenderError>
    where
        D: FnMut(&mut W, &[J]) -> Result<Vec<A>, RenderError>,
    {
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => guarded(&mut self.build)?,
        };
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
        RenderError::NoPixels { .. } | RenderError::Unsteady => jobs > 1,
        RenderError::NoAdapter { .. } | RenderError::QueueFull { .. } | RenderError::DeadlineExceeded => false,
    }
}

fn tell<A>(callers: Vec<Caller<A>>, answers: Result<Vec<A>, RenderError>) {
    match answers {
        Ok(answers) => callers.into_iter().zip(answers).for_each(|(caller, answer)| caller.tell(Ok(answer))),
        Err(error) => callers.into_iter().for_each(|caller| caller.tell(Err(error.clone()))),
    }
}

/// Of a broken worker not even the end is safe.
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
