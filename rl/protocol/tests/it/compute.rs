//! The pool for CPU work.

use rl_protocol::{Code, compute, compute_scoring};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{available_parallelism, sleep},
    time::{Duration, Instant},
};
use tokio::{
    task::JoinSet,
    time::{sleep as pause, timeout},
};

#[tokio::test]
async fn a_panic_is_an_error_and_the_pool_lives() {
    let error = compute(|| -> u32 { panic!("as asked") }).await.unwrap_err();
    assert_eq!((error.code, error.reason.as_ref()), (Code::Internal, "PANICKED"));
    assert!(error.message.contains("as asked"));
    assert_eq!(compute(|| 6 * 7).await.unwrap(), 42);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_more_works_at_once_than_there_are_cores() {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let mut works = JoinSet::new();
    for _ in 0..64 {
        let (running, most) = (Arc::clone(&running), Arc::clone(&most));
        works.spawn(compute(move || {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            sleep(Duration::from_millis(2));
            running.fetch_sub(1, Ordering::SeqCst);
        }));
    }
    assert!(works.join_all().await.into_iter().all(|done| done.is_ok()));
    assert!(most.load(Ordering::SeqCst) <= available_parallelism().unwrap().get());
}

#[tokio::test(flavor = "multi_thread")]
async fn scores_without_end_leave_a_place_to_steps_and_those_given_up_never_begin() {
    const LONGEST: Duration = Duration::from_secs(10);
    let cores = available_parallelism().unwrap().get();
    let most = cores.saturating_sub(1).max(1);
    let (running, over) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let mut scores = JoinSet::new();
    for _ in 0..=most {
        let (running, over) = (Arc::clone(&running), Arc::clone(&over));
        scores.spawn(compute_scoring(move || {
            running.fetch_add(1, Ordering::SeqCst);
            let begin = Instant::now();
            while !over.load(Ordering::SeqCst) && begin.elapsed() < LONGEST {
                sleep(Duration::from_millis(1));
            }
        }));
    }
    while running.load(Ordering::SeqCst) < most {
        pause(Duration::from_millis(1)).await;
    }
    if cores > 1 {
        assert_eq!(timeout(LONGEST / 2, compute(|| 6 * 7)).await.unwrap().unwrap(), 42);
    }
    let begun = Arc::new(AtomicBool::new(false));
    let begins = Arc::clone(&begun);
    let given_up = compute_scoring(move || begins.store(true, Ordering::SeqCst));
    timeout(Duration::from_millis(50), given_up).await.unwrap_err();
    assert_eq!(running.load(Ordering::SeqCst), most);

    over.store(true, Ordering::SeqCst);
    assert!(scores.join_all().await.into_iter().all(|done| done.is_ok()));
    compute_scoring(|| ()).await.unwrap();
    assert!(!begun.load(Ordering::SeqCst));
}
