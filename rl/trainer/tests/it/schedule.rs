//! Rates by hand.

use maquette_train::schedule::{Decay, Schedule};

fn close(left: f64, right: f64) {
    assert!((left - right).abs() < 1e-15, "{left} {right}");
}

#[test]
fn rates_rise_and_fall_as_drawn() {
    let schedule = |decay| Schedule { peak: 1e-3, warmup_steps: 4, decay, total_steps: 24, floor_share: 0.1 };
    for decay in [Decay::Constant, Decay::Linear, Decay::Cosine] {
        close(schedule(decay).at(0), 0.25e-3);
        close(schedule(decay).at(3), 1e-3);
        close(schedule(decay).at(4), 1e-3);
    }
    close(schedule(Decay::Constant).at(1000), 1e-3);
    for decay in [Decay::Linear, Decay::Cosine] {
        close(schedule(decay).at(14), 0.55e-3);
        close(schedule(decay).at(24), 0.1e-3);
        close(schedule(decay).at(1000), 0.1e-3);
    }
    close(schedule(Decay::Linear).at(9), 1e-3 * (0.1 + 0.9 * 0.75));
    close(schedule(Decay::Cosine).at(9), 1e-3 * (0.1 + 0.9 * (0.5 + 0.5 * 0.5_f64.sqrt())));
}

#[test]
fn a_schedule_without_length_stays_finite() {
    let schedule = Schedule { peak: 2.0, warmup_steps: 0, decay: Decay::Cosine, total_steps: 0, floor_share: 0.5 };
    close(schedule.at(0), 1.0);
    close(Schedule { decay: Decay::Constant, ..schedule }.at(0), 2.0);
}
