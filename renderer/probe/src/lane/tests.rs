//! With workers that only double numbers.

use super::*;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::thread::ThreadId;

/// Jobs with a meaning of their own; all others are doubled.
const PANICS: u32 = 1001;
const LOSES_THE_DEVICE: u32 = 1002;
const LOSES_THE_FIRST_DEVICE: u32 = 1003;
const SEES_NOTHING: u32 = 1004;
const WAITS_FOR_THE_GATE: u32 = 1005;

#[derive(Default)]
struct Seen {
    built: AtomicUsize,
    dropped: AtomicUsize,
    batches: Mutex<Vec<Vec<u32>>>,
}

/// Cannot leave its thread.
struct Doubler {
    number: usize,
    thread: Rc<ThreadId>,
    seen: Arc<Seen>,
}

impl Drop for Doubler {
    fn drop(&mut self) {
        assert_eq!(*self.thread, thread::current().id());
        self.seen.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

/// A lane whose worker stops at the job `WAITS_FOR_THE_GATE`: it tells `entered` and goes on with `open`.
struct Setup {
    lane: Lane<u32, u32>,
    seen: Arc<Seen>,
    entered: Receiver<()>,
    open: Sender<()>,
}

fn setup(queue_max: usize, batch_max: usize) -> Setup {
    let seen = Arc::new(Seen::default());
    let (enter, entered) = mpsc::channel();
    let (open, gate) = mpsc::channel();
    let builder = Arc::clone(&seen);
    let build = move || {
        let number = 1 + builder.built.fetch_add(1, Ordering::SeqCst);
        Ok(Doubler { number, thread: Rc::new(thread::current().id()), seen: Arc::clone(&builder) })
    };
    let draw = move |worker: &mut Doubler, jobs: &[u32]| -> Result<Vec<u32>, RenderError> {
        assert_eq!(*worker.thread, thread::current().id());
        worker.seen.batches.lock().unwrap().push(jobs.to_vec());
        jobs.iter().map(|job| double(worker, *job, &enter, &gate)).collect()
    };
    Setup { lane: Lane::new("doubler", queue_max, batch_max, build, draw), seen, entered, open }
}

fn double(worker: &Doubler, job: u32, enter: &Sender<()>, gate: &Receiver<()>) -> Result<u32, RenderError> {
    match job {
        PANICS => panic!("a job of {PANICS}"),
        LOSES_THE_DEVICE => Err(lost()),
        LOSES_THE_FIRST_DEVICE if worker.number == 1 => Err(lost()),
        SEES_NOTHING => Err(RenderError::NoPixels { width: 0, height: 0 }),
        WAITS_FOR_THE_GATE => {
            enter.send(()).unwrap();
            gate.recv().unwrap();
            Ok(0)
        }
        job => Ok(2 * job),
    }
}

fn lost() -> RenderError {
    RenderError::DeviceLost { what: "a test".to_owned() }
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

impl Setup {
    fn submit(&self, job: u32, deadline: Instant) -> Receiver<Result<u32, RenderError>> {
        let (answer, answered) = mpsc::sync_channel(2);
        self.lane.submit(job, deadline, move |result| answer.try_send(result).unwrap());
        answered
    }

    /// Answers to jobs that were taken as one batch.
    fn batch(&self, jobs: &[u32]) -> Vec<Result<u32, RenderError>> {
        let first = self.submit(WAITS_FOR_THE_GATE, soon());
        self.entered.recv().unwrap();
        let answers: Vec<_> = jobs.iter().map(|job| self.submit(*job, soon())).collect();
        self.open.send(()).unwrap();
        assert_eq!(first.recv().unwrap(), Ok(0));
        answers.iter().map(once).collect()
    }

    fn built(&self) -> usize {
        self.seen.built.load(Ordering::SeqCst)
    }

    /// Since the one at the gate.
    fn batches(&self) -> Vec<Vec<u32>> {
        self.seen.batches.lock().unwrap()[1..].to_vec()
    }
}

/// The reply is dropped when it has been called: a second call would have been seen.
fn once(answered: &Receiver<Result<u32, RenderError>>) -> Result<u32, RenderError> {
    let answer = answered.recv().unwrap();
    assert!(answered.recv().is_err());
    answer
}

#[test]
fn jobs_that_wait_are_drawn_together_up_to_the_batch_size() {
    let setup = setup(16, 3);
    assert_eq!(setup.batch(&[1, 2, 3, 4]), [Ok(2), Ok(4), Ok(6), Ok(8)]);
    assert_eq!(setup.batches(), [vec![1, 2, 3], vec![4]]);
    assert_eq!(setup.built(), 1);
}

#[test]
fn a_panic_costs_its_job_only() {
    let setup = setup(16, 8);
    let answers = setup.batch(&[1, PANICS, 3]);
    assert_eq!(answers, [Ok(2), Err(RenderError::Panicked { what: "a job of 1001".to_owned() }), Ok(6)]);
    assert_eq!(setup.batches(), [vec![1, PANICS, 3], vec![1], vec![PANICS], vec![3]]);
    // One before, one for the first try alone, one after the second panic.
    assert_eq!(setup.built(), 3);
    assert_eq!(setup.lane.ask(5, soon()), Ok(10));
}

#[test]
fn a_lost_device_is_replaced_and_its_jobs_are_drawn_on_the_next() {
    let setup = setup(16, 8);
    assert_eq!(setup.batch(&[1, LOSES_THE_FIRST_DEVICE]), [Ok(2), Ok(2 * LOSES_THE_FIRST_DEVICE)]);
    assert_eq!((setup.built(), setup.seen.dropped.load(Ordering::SeqCst)), (2, 1));
}

#[test]
fn a_job_that_loses_every_device_is_tried_twice_and_no_more() {
    let setup = setup(16, 8);
    assert_eq!(setup.lane.ask(LOSES_THE_DEVICE, soon()), Err(lost()));
    assert_eq!(setup.seen.batches.lock().unwrap().len(), 2);
    assert_eq!(setup.lane.ask(4, soon()), Ok(8));
    assert_eq!(setup.built(), 3);
}

#[test]
fn a_view_without_pixels_costs_its_job_only_and_no_worker() {
    let setup = setup(16, 8);
    let nothing = RenderError::NoPixels { width: 0, height: 0 };
    assert_eq!(setup.batch(&[1, SEES_NOTHING, 3]), [Ok(2), Err(nothing.clone()), Ok(6)]);
    assert_eq!(setup.lane.ask(SEES_NOTHING, soon()), Err(nothing));
    assert_eq!(setup.batches().last(), Some(&vec![SEES_NOTHING]));
    assert_eq!(setup.batches().len(), 5);
    assert_eq!(setup.built(), 1);
}

#[test]
fn jobs_past_their_deadline_are_not_drawn() {
    let setup = setup(16, 8);
    let first = setup.submit(WAITS_FOR_THE_GATE, soon());
    setup.entered.recv().unwrap();
    let late = setup.submit(1, Instant::now());
    let in_time = setup.submit(2, soon());
    thread::sleep(Duration::from_millis(5));
    setup.open.send(()).unwrap();
    assert_eq!([once(&first), once(&late), once(&in_time)], [Ok(0), Err(RenderError::DeadlineExceeded), Ok(4)]);
    assert_eq!(setup.batches(), [vec![2]]);
}

#[test]
fn jobs_that_nobody_waits_for_are_not_drawn() {
    struct Gone(SyncSender<Result<u32, RenderError>>);
    impl Reply<u32> for Gone {
        fn tell(self: Box<Self>, answer: Result<u32, RenderError>) {
            self.0.try_send(answer).unwrap();
        }
        fn is_abandoned(&self) -> bool {
            true
        }
    }
    let setup = setup(16, 8);
    let first = setup.submit(WAITS_FOR_THE_GATE, soon());
    setup.entered.recv().unwrap();
    let (answer, abandoned) = mpsc::sync_channel(2);
    setup.lane.submit(1, soon(), Gone(answer));
    let wanted = setup.submit(2, soon());
    setup.open.send(()).unwrap();
    assert_eq!([once(&first), once(&abandoned), once(&wanted)], [Ok(0), Err(RenderError::DeadlineExceeded), Ok(4)]);
    assert_eq!(setup.batches(), [vec![2]]);
}

#[test]
fn a_full_queue_refuses_at_once() {
    let setup = setup(2, 8);
    let first = setup.submit(WAITS_FOR_THE_GATE, soon());
    setup.entered.recv().unwrap();
    let waiting = [1, 2].map(|job| setup.submit(job, soon()));
    assert_eq!(setup.lane.ask(3, soon()), Err(RenderError::QueueFull { waiting: 2 }));
    setup.open.send(()).unwrap();
    assert_eq!(once(&first), Ok(0));
    assert_eq!(waiting.map(|answer| once(&answer)), [Ok(2), Ok(4)]);
}

#[test]
fn who_asks_gives_up_at_the_deadline_even_where_the_thread_hangs() {
    let setup = setup(4, 8);
    let hanging = setup.submit(WAITS_FOR_THE_GATE, soon());
    setup.entered.recv().unwrap();
    let soon_over = Instant::now() + Duration::from_millis(20);
    assert_eq!(setup.lane.ask(1, soon_over), Err(RenderError::DeadlineExceeded));
    setup.open.send(()).unwrap();
    assert_eq!(once(&hanging), Ok(0));
}

#[test]
fn a_start_that_fails_is_the_answer() {
    let builds = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&builds);
    let build = move || match counted.fetch_add(1, Ordering::SeqCst) {
        0 => Err(RenderError::NoAdapter { asked: crate::AdapterChoice::Auto, found: vec![] }),
        1 => panic!("no start"),
        _ => Ok(()),
    };
    let lane = Lane::new("builder", 4, 4, build, |_: &mut (), jobs: &[u32]| Ok(jobs.to_vec()));
    // There will be no adapter the next moment either.
    assert!(matches!(lane.ask(1, soon()), Err(RenderError::NoAdapter { .. })));
    assert_eq!(builds.load(Ordering::SeqCst), 1);
    assert_eq!(lane.ask(2, soon()), Ok(2));
    assert_eq!(builds.load(Ordering::SeqCst), 3);
}

#[test]
fn a_start_that_fails_twice_is_the_answer_to_all_that_wait() {
    let builds = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&builds);
    let (open, gate) = mpsc::channel::<()>();
    let build = move || -> Result<(), RenderError> {
        if counted.fetch_add(1, Ordering::SeqCst) == 0 {
            gate.recv().unwrap();
        }
        Err(lost())
    };
    let lane = Lane::new("broken", 8, 8, build, |_: &mut (), jobs: &[u32]| Ok(jobs.to_vec()));
    let (answer, answers) = mpsc::channel();
    for job in 0..4 {
        let answer = answer.clone();
        lane.submit(job, soon(), move |result| answer.send(result).unwrap());
    }
    open.send(()).unwrap();
    drop(answer);
    assert_eq!(answers.iter().collect::<Vec<_>>(), vec![Err(lost()); 4]);
    // The first job may be alone in its batch; the others came while it waited at the gate.
    assert!(builds.load(Ordering::SeqCst) <= 4, "{builds:?}");
}

#[test]
fn a_thread_that_has_ended_says_so_and_not_that_it_is_late() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("what cannot be caught");
        }
    }
    let draw = |_: &mut (), _: &[u32]| -> Result<Vec<u32>, RenderError> { std::panic::panic_any(Bomb) };
    let lane = Lane::new("bombed", 4, 4, || Ok(()), draw);
    let ended = RenderError::Device { what: "the thread bombed has ended".to_owned() };
    assert_eq!([1, 2].map(|job| lane.ask(job, soon())), [Err(ended.clone()), Err(ended)]);
}

#[test]
fn nothing_starts_before_the_first_job_and_all_ends_with_the_last_handle() {
    let Setup { lane, seen, .. } = setup(4, 8);
    let other = lane.clone();
    assert_eq!(seen.built.load(Ordering::SeqCst), 0);
    assert_eq!(lane.ask(1, soon()), Ok(2));
    drop(lane);
    assert_eq!(seen.dropped.load(Ordering::SeqCst), 0);
    assert_eq!(other.ask(2, soon()), Ok(4));
    drop(other);
    assert_eq!(seen.dropped.load(Ordering::SeqCst), 1);
}

#[test]
fn the_thread_outlives_a_reply_and_a_worker_that_panic() {
    struct Fragile;
    impl Drop for Fragile {
        fn drop(&mut self) {
            panic!("in pieces");
        }
    }
    let draw = |_: &mut Fragile, jobs: &[u32]| if jobs.contains(&PANICS) { Err(lost()) } else { Ok(jobs.to_vec()) };
    let lane = Lane::new("fragile", 4, 4, || Ok(Fragile), draw);
    lane.submit(1, soon(), |_| panic!("a bad reply"));
    assert_eq!(lane.ask(PANICS, soon()), Err(lost()));
    assert_eq!(lane.ask(2, soon()), Ok(2));
}
