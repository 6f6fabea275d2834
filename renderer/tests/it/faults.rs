//! A job that goes wrong costs itself only.

use crate::scenes::{draw_by, overview, scene, solids, soon};
use renderer::{AdapterChoice, Fault, Pass, Picture, RenderError, Renderer, Shot};
use scene_document::Baked;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::Instant;

fn shot(scene: &Arc<Baked>, fault: Option<Fault>) -> Shot {
    Shot { fault, ..Shot::new(Arc::clone(scene), overview(96, 72), Pass::Beauty) }
}

fn ask(renderer: &Renderer, shot: Shot, deadline: Instant) -> Receiver<Result<Picture, RenderError>> {
    let (reply, answer) = mpsc::sync_channel(1);
    renderer.submit(shot, deadline, move |result| reply.try_send(result).unwrap());
    answer
}

#[test]
fn a_panic_and_a_lost_device_spare_the_pictures_before_and_after() {
    let renderer = Renderer::new(AdapterChoice::Auto);
    let scene = scene(solids(), vec![]);
    let expected = draw_by(&renderer, &scene, &overview(96, 72), Pass::Beauty).pixels;
    let faults = [None, Some(Fault::Panic), None, Some(Fault::LoseDevice), None];
    let answers = faults.map(|fault| ask(&renderer, shot(&scene, fault), soon()));
    for (fault, answer) in faults.into_iter().zip(answers) {
        // Whether the picture is the expected one; its pixels are too many to print.
        let result = answer.recv().unwrap().map(|picture| picture.pixels == expected);
        let as_asked = match fault {
            None => result == Ok(true),
            Some(Fault::Panic) => matches!(result, Err(RenderError::Panicked { .. })),
            Some(Fault::LoseDevice) => matches!(result, Err(RenderError::DeviceLost { .. })),
        };
        assert!(as_asked, "{fault:?}: {result:?}");
    }
}

#[test]
fn a_full_queue_refuses_at_once_and_what_nobody_waits_for_is_not_drawn() {
    let renderer = Renderer::new(AdapterChoice::Auto);
    let scene = scene(solids(), vec![]);
    // Its app takes some seconds to start, and the others wait.
    let first = ask(&renderer, shot(&scene, None), soon());
    let late = Instant::now();
    let others: Vec<_> = (0..300).map(|_| ask(&renderer, shot(&scene, None), late)).collect();
    let refused = |answer: &Receiver<Result<Picture, RenderError>>| match answer.try_recv() {
        Ok(result) => Some(result.unwrap_err()),
        Err(_) => None,
    };
    let at_once: Vec<RenderError> = others.iter().filter_map(refused).collect();
    assert!((300 - 256..=300 - 255).contains(&at_once.len()), "{} refused", at_once.len());
    assert!(at_once.iter().all(|error| matches!(error, RenderError::QueueFull { waiting: 256 })), "{at_once:?}");
    assert!(first.recv().unwrap().is_ok());
    // Those that were refused have had their only answer.
    let later: Vec<_> = others.iter().filter_map(|answer| answer.recv().ok()).collect();
    assert_eq!(later.len(), 300 - at_once.len());
    assert!(later.iter().all(|result| matches!(result, Err(RenderError::DeadlineExceeded))));
}
