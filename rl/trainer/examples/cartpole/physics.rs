//! CartPole-v1 as Gymnasium has it: a pole on a cart that is pushed left or right in every step (Barto, Sutton and
//! Anderson, 1983). Each step is worth 1.

use maquette_train::sampling::uniform;
use std::f64::consts::TAU;

/// Of `uniform`: 0 draws actions, 1 weights.
const STREAM: u64 = 2;
const GRAVITY: f64 = 9.8;
const CART_KG: f64 = 1.0;
const POLE_KG: f64 = 0.1;
/// From the hinge to the middle of the pole.
const HALF_POLE_M: f64 = 0.5;
const PUSH_N: f64 = 10.0;
const STEP_SECS: f64 = 0.02;
const MOST_STEPS: u32 = 500;
/// Either way from the middle of the track.
const TRACK_M: f64 = 2.4;
const TILT_RAD: f64 = 12.0 / 360.0 * TAU;

/// The cart's place in metres and its speed, the pole's tilt to the right in radians and its speed.
pub(crate) type State = [f64; 4];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Fallen,
    /// It would have gone on: what follows has a value.
    TimeUp,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CartPole {
    pub(crate) state: State,
    /// Taken so far, which is also the return.
    pub(crate) steps: u32,
}

impl CartPole {
    /// Every number of the state is within ±0.05, as seed and episode say.
    pub(crate) fn start(seed: u64, episode: u64) -> Self {
        let state = [0, 1, 2, 3].map(|place| 0.1 * uniform(seed, STREAM, episode, place) - 0.05);
        Self { state, steps: 0 }
    }

    /// One step of Euler's method: places move by the speeds before it.
    #[allow(clippy::disallowed_methods, reason = "what is learnt from is not scored")]
    pub(crate) fn push(&mut self, right: bool) -> Option<End> {
        let [place, speed, tilt, turn] = self.state;
        let (sin, cos) = tilt.sin_cos();
        let push = if right { PUSH_N } else { -PUSH_N };
        let total_kg = CART_KG + POLE_KG;
        let both = (push + POLE_KG * HALF_POLE_M * turn * turn * sin) / total_kg;
        let turning = (GRAVITY * sin - cos * both) / (HALF_POLE_M * (4.0 / 3.0 - POLE_KG * cos * cos / total_kg));
        let speeding = both - POLE_KG * HALF_POLE_M * turning * cos / total_kg;
        self.state = [
            place + STEP_SECS * speed,
            speed + STEP_SECS * speeding,
            tilt + STEP_SECS * turn,
            turn + STEP_SECS * turning,
        ];
        self.steps += 1;
        let [place, _, tilt, _] = self.state;
        if place.abs() > TRACK_M || tilt.abs() > TILT_RAD {
            Some(End::Fallen)
        } else {
            (self.steps >= MOST_STEPS).then_some(End::TimeUp)
        }
    }
}
