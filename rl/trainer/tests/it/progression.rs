//! Which source of tasks comes next.

use maquette_train::{
    pipeline::{Curriculum, mixture},
    run::config::CurriculumConfig,
};

const CONFIG: CurriculumConfig = CurriculumConfig { threshold: 0.8, groups_min: 3, ema: 0.5, replay_share: 0.2 };

fn recorded(curriculum: &mut Curriculum, rewards: &[f64]) {
    for reward in rewards {
        curriculum.record(&CONFIG, curriculum.stage(), *reward);
    }
}

#[test]
fn the_next_source_begins_when_this_one_is_mastered() {
    let mut curriculum = Curriculum::new(2);
    recorded(&mut curriculum, &[1.0, 1.0]);
    assert_eq!(curriculum.stage(), 0, "it has to have its groups");
    recorded(&mut curriculum, &[0.0]);
    assert_eq!(curriculum.stage(), 0, "the running mean is 0.5");
    recorded(&mut curriculum, &[1.0, 1.0]);
    assert_eq!(curriculum.stage(), 1, "the running mean is 0.875");
    recorded(&mut curriculum, &[1.0; 9]);
    assert_eq!(curriculum.stage(), 1, "there is no third");
}

#[test]
fn passed_sources_come_back_but_do_not_count() {
    let mut curriculum = Curriculum::new(3);
    assert_eq!(curriculum.source(&CONFIG, [0.0, 0.9]), 0, "nothing is passed yet");
    recorded(&mut curriculum, &[1.0; 6]);
    assert_eq!(curriculum.stage(), 2);
    assert_eq!(curriculum.source(&CONFIG, [0.2, 0.0]), 2);
    assert_eq!([0.0, 0.49, 0.5, 0.99].map(|draw| curriculum.source(&CONFIG, [0.19, draw])), [0, 0, 1, 1]);
    let mut two = Curriculum::new(2);
    (0..9).for_each(|_| two.record(&CONFIG, 1, 1.0));
    assert_eq!(two.stage(), 0, "what comes later is no reason to go on");
}

#[test]
fn a_mixture_draws_by_weight() {
    let weights = [1.0, 0.0, 3.0];
    assert_eq!([0.0, 0.24, 0.25, 0.999].map(|draw| mixture::source(&weights, draw)), [0, 0, 2, 2]);
    assert_eq!(mixture::source(&[0.0, 0.1, 0.0], 0.999_999_999_999), 1);
}
