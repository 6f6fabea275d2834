//! What a view shows does not depend on what is drawn with it.

use crate::scenes::{probe, random_scene, random_view};
use scene_probe::{AdapterChoice, Probe, ProbeFrame, ProbeScene, ProbeShot, lane};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Of a few scenes, each seen several times; sizes are taken in turn.
fn shots(count: u64, sizes: &[(u32, u32)]) -> Vec<ProbeShot> {
    let scenes: Vec<Arc<ProbeScene>> = (0..9).map(|seed| Arc::new(ProbeScene::new(&random_scene(seed)))).collect();
    let shot = |index: u64| {
        let (width, height) = sizes[index as usize % sizes.len()];
        let scene = Arc::clone(&scenes[index as usize % scenes.len()]);
        ProbeShot { scene, view: random_view(index, width, height) }
    };
    (0..count).map(shot).collect()
}

fn alone(probe: &mut Probe, shots: &[ProbeShot]) -> Vec<ProbeFrame> {
    shots.iter().map(|shot| probe.frames(std::slice::from_ref(shot)).unwrap().remove(0)).collect()
}

/// Whole pictures in a message help nobody.
fn assert_same(some: &[ProbeFrame], others: &[ProbeFrame]) {
    assert_eq!(some.len(), others.len());
    for (index, (one, other)) in some.iter().zip(others).enumerate() {
        assert!(one == other, "picture {index} differs");
    }
}

#[test]
fn a_view_is_the_same_to_the_bit_alone_and_in_a_batch() {
    let mut probe = probe();
    let shots = shots(70, &[(96, 64)]);
    let alone = alone(&mut probe, &shots);
    assert!(alone.iter().filter(|frame| frame.mesh.iter().any(|id| *id > 0)).count() > 60);
    assert!(alone[0] != alone[1]);
    for _ in 0..2 {
        assert_same(&probe.frames(&shots).unwrap(), &alone);
    }
    let backwards: Vec<ProbeShot> = shots.iter().rev().cloned().collect();
    let mut frames = probe.frames(&backwards).unwrap();
    frames.reverse();
    assert_same(&frames, &alone);
}

#[test]
fn another_probe_draws_the_same() {
    let shots = shots(5, &[(64, 64)]);
    assert_same(&probe().frames(&shots).unwrap(), &probe().frames(&shots).unwrap());
}

#[test]
fn mixed_sizes_come_back_in_order() {
    let mut probe = probe();
    // Rows of 64 pixels need no padding, those of others do.
    let sizes = [(64, 48), (33, 17), (128, 128), (1, 1), (65, 200)];
    let shots = shots(23, &sizes);
    let frames = probe.frames(&shots).unwrap();
    for (frame, shot) in frames.iter().zip(&shots) {
        assert_eq!((frame.width, frame.height), (shot.view.width, shot.view.height));
        let pixels = frame.width as usize * frame.height as usize;
        assert_eq!([frame.mesh.len(), frame.depth_m.len()], [pixels; 2]);
        assert_eq!([frame.normal.len(), frame.luminance.len()], [pixels; 2]);
    }
    assert_same(&frames, &alone(&mut probe, &shots));
}

#[test]
fn more_views_than_layers_and_a_picture_larger_than_a_plane_are_drawn() {
    let mut probe = probe();
    let many = shots(150, &[(32, 32)]);
    assert_same(&probe.frames(&many).unwrap(), &alone(&mut probe, &many));
    // 3000 × 1500 pixels of 4 bytes are more than the 16 MiB of a plane.
    let large = shots(2, &[(3000, 1500)]);
    let frames = probe.frames(&large).unwrap();
    assert!(frames.iter().any(|frame| frame.mesh.iter().any(|id| *id > 0)));
    assert_same(&frames, &alone(&mut probe, &large));
}

#[test]
fn many_callers_of_a_lane_get_their_own_picture() {
    let shots = shots(48, &[(64, 64), (40, 30)]);
    let expected = probe().frames(&shots).unwrap();
    let lane = lane(AdapterChoice::Auto);
    let deadline = Instant::now() + Duration::from_secs(120);
    let answers: Vec<_> = std::thread::scope(|scope| {
        let ask = |shot: &ProbeShot| {
            let (lane, shot) = (lane.clone(), shot.clone());
            scope.spawn(move || lane.ask(shot, deadline))
        };
        let callers: Vec<_> = shots.iter().map(ask).collect();
        callers.into_iter().map(|caller| caller.join().unwrap().unwrap()).collect()
    });
    assert_same(&answers, &expected);
}
