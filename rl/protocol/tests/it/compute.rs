//! The pool for CPU work.

use rl_protocol::{Code, compute};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread::{available_parallelism, sleep},
    time::Duration,
};
use tokio::task::JoinSet;

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
