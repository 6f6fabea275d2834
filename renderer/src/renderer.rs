//! The thread that draws, and the queue in front of it.

use crate::picture::Picture;
use crate::shot::Shot;
use crate::stage::Stage;
use scene_probe::{AdapterChoice, Lane, RenderError, Reply};
use std::time::Instant;

const QUEUE_MAX: usize = 256;

/// One Bevy app on a thread of its own; a clone is another handle of the same. A shot that makes it panic or lose its
/// device is tried once more on a fresh app; it costs the others nothing but time.
#[derive(Clone)]
pub struct Renderer {
    lane: Lane<Shot, Picture>,
}

impl Renderer {
    /// Nothing starts before the first shot; that one takes some seconds.
    #[must_use]
    pub fn new(choice: AdapterChoice) -> Self {
        let build = move || Stage::start(&choice);
        let draw = |stage: &mut Stage, shots: &[Shot]| shots.iter().map(|shot| stage.draw(shot)).collect();
        Self { lane: Lane::new("renderer", QUEUE_MAX, 1, build, draw) }
    }

    /// `reply` is told exactly once, on the renderer's thread or, where the shot is refused, at once on the caller's.
    pub fn submit(&self, shot: Shot, deadline: Instant, reply: impl Reply<Picture> + 'static) {
        match check(&shot) {
            Ok(()) => self.lane.submit(shot, deadline, reply),
            Err(error) => Box::new(reply).tell(Err(error)),
        }
    }

    /// Waits for the picture, at most until the deadline.
    ///
    /// # Errors
    /// `NoPixels` where the view does not see, `BeyondSinglePrecision`; all others are the renderer's fault.
    pub fn picture(&self, shot: Shot, deadline: Instant) -> Result<Picture, RenderError> {
        check(&shot)?;
        self.lane.ask(shot, deadline)
    }
}

/// What the caller got wrong is said at once.
fn check(shot: &Shot) -> Result<(), RenderError> {
    let (width, height) = (shot.view.width, shot.view.height);
    if shot.view.sees() { Ok(()) } else { Err(RenderError::NoPixels { width, height }) }
}
