//! The trainer's advantages, losses, optimizer and schedule where everyone knows what to expect: CartPole by PPO with a
//! value function, three seeds of 500,000 steps. Prints the curves and exits 1 where the last 100 episodes of a seed have a
//! mean return below 475.

mod agent;
mod experience;
mod learner;
mod physics;

use anyhow::Result;
use learner::Learner;
use std::panic::resume_unwind;
use std::process::ExitCode;
use std::thread;

const SEEDS: [u64; 3] = [1, 2, 3];
const STEPS: u64 = 500_000;
const STEPS_A_LINE: u64 = 25_000;
const EPISODES: usize = 100;
const GOAL: f64 = 475.0;
/// Return of one block of a bar.
const BLOCK: f64 = 10.0;

fn main() -> Result<ExitCode> {
    println!("mean return of the last {EPISODES} episodes, of 500 at most");
    let returns = thread::scope(|scope| {
        let runs = SEEDS.map(|seed| scope.spawn(move || learn(seed)));
        runs.map(|run| match run.join() {
            Ok(reached) => reached,
            Err(panic) => resume_unwind(panic),
        })
    });
    let mut all = true;
    for (seed, reached) in SEEDS.into_iter().zip(returns) {
        let reached = reached?;
        all &= reached >= GOAL;
        println!("seed {seed}: {reached:.1} after {STEPS} steps, {GOAL} are asked for");
    }
    Ok(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The mean return at the end.
fn learn(seed: u64) -> Result<f64> {
    tch::set_num_threads(1);
    let mut learner = Learner::new(seed, STEPS);
    let mut next_line = STEPS_A_LINE;
    while !learner.is_done() {
        learner.update()?;
        if learner.steps() >= next_line || learner.is_done() {
            next_line += STEPS_A_LINE;
            let reached = learner.mean_return(EPISODES);
            let bar = "█".repeat((reached / BLOCK) as usize);
            println!("seed {seed} {:>7} steps {reached:>6.1} {bar}", learner.steps());
        }
    }
    Ok(learner.mean_return(EPISODES))
}
