//! Ctrl-C and SIGTERM: the first asks a run to stop after the step in progress, the second ends the process.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The exit code of a process that was interrupted: 128 + SIGINT.
pub const INTERRUPTED: u8 = 130;

/// Whether this process was asked to end.
#[derive(Debug, Clone)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Watches from now on, to the end of the process: signals no longer end it by themselves.
    pub fn watch() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let signals = {
            let _entered = runtime.enter();
            [signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?]
        };
        let asked = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&asked);
        std::thread::Builder::new().name("signals".into()).spawn(move || heed(&runtime, signals, &seen))?;
        Ok(Self(asked))
    }

    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

fn heed(runtime: &Runtime, mut signals: [Signal; 2], asked: &AtomicBool) {
    runtime.block_on(next(&mut signals));
    asked.store(true, Ordering::SeqCst);
    let text = "stopping after the step in progress, with a checkpoint; a second signal ends at once";
    // Where nobody reads it, the second signal counts all the same.
    let _ = writeln!(io::stderr(), "{text}");
    runtime.block_on(next(&mut signals));
    std::process::exit(INTERRUPTED.into())
}

async fn next([interrupt, terminate]: &mut [Signal; 2]) {
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}
