//! Rollouts one step ahead beside the synchronous loop, where environments take 0, 50 and 200 ms for a step.
//!
//! `overlap [STEPS] [SEEDS]`. The synchronous loop has two threads in each of its phases, the other one for each of its
//! two roles; both play all episodes of a step at once. Seconds a step are measured at a learning rate of 0, where every
//! step is the same work, and then STEPS updates are made for real with each of SEEDS seeds. Prints measurements as
//! lines of JSON, then tables. Fails where the rewards after training differ by more than 0.02.

mod digits;

#[path = "../clock/cpu.rs"]
mod cpu;

use anyhow::{Context, ensure};
use cpu::cpu_secs;
use maquette_train::optimizer::AdamW;
use maquette_train::pipeline::{Learner, Pipeline};
use maquette_train::run::config::{Mode, RunConfig};
use maquette_train::run::{Setup, evaluate};
use maquette_train::tokens::Tokenizer;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

const LATENCIES_MS: [u64; 3] = [0, 50, 200];
const ROUNDS: usize = 5;
/// Steps of one measurement, after those of the warm-up.
const TIMED: u64 = 20;
const WARM_UP: u64 = 3;
const LEARNING_RATE: f64 = 1e-3;
const REWARDS_APART: f64 = 0.02;

/// A way to run the loop.
#[derive(Clone, Copy)]
struct Arm {
    name: &'static str,
    mode: Mode,
    /// Of libtorch, in each thread that uses it.
    threads: i32,
}

/// What generation and training cost without any help.
const ALONE: Arm = Arm { name: "sync, one thread", mode: Mode::Sync, threads: 1 };
const SYNC: Arm = Arm { name: "sync, two threads", mode: Mode::Sync, threads: 2 };
const AHEAD: Arm = Arm { name: "one step off, 1 + 1 threads", mode: Mode::OneStepOff, threads: 1 };

/// Seconds, mean of the steps.
#[derive(Clone, Copy, Default)]
struct Cost {
    step: f64,
    /// Of the rollouts, without their waiting.
    generation: f64,
    /// For environments, with nothing to decode.
    wait: f64,
    training: f64,
    cpu: f64,
}

/// After a training.
#[derive(Clone, Copy)]
struct Trained {
    reward: f64,
    wall_secs: f64,
    cpu_secs: f64,
}

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let steps = arguments.next().map_or(Ok(120), |given| given.parse::<u64>()).context("STEPS")?;
    let seeds = arguments.next().map_or(Ok(3), |given| given.parse::<u64>()).context("SEEDS")?;
    costs()?;
    rewards(steps, seeds)
}

/// Measures and prints seconds a step.
fn costs() -> anyhow::Result<()> {
    let mut alone = Vec::new();
    let mut pairs = LATENCIES_MS.map(|_| Vec::new());
    for round in 0..ROUNDS {
        alone.push(timed(ALONE, 0)?);
        for (latency_ms, pairs) in LATENCIES_MS.into_iter().zip(&mut pairs) {
            // Each goes first as often as the other, or nearly.
            let pair = if round % 2 == 0 {
                let sync = timed(SYNC, latency_ms)?;
                (sync, timed(AHEAD, latency_ms)?)
            } else {
                let ahead = timed(AHEAD, latency_ms)?;
                (timed(SYNC, latency_ms)?, ahead)
            };
            pairs.push(pair);
        }
    }
    let generation = median(alone.iter().map(|cost| cost.generation));
    let training = median(alone.iter().map(|cost| cost.training));
    let on_two = median(pairs[0].iter().map(|(sync, _)| sync.generation + sync.training));
    let efficiency = (generation + training) / (2.0 * on_two);
    println!();
    println!(
        "generation g {generation:.4} s, training t {training:.4} s a step on one thread; on two their sum is {on_two:.4} s:"
    );
    println!(
        "efficiency e {efficiency:.3}. Medians of {ROUNDS} rounds of {TIMED} steps; S and its range are of pairs."
    );
    println!();
    println!(
        "| latency, ms | wait E, s | sync, s | one step off, s | S (range) | its bound | S / bound | bound without \
         waits | idle: rollouts, training | CPU, s a step: sync, one step off |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (latency_ms, pairs) in LATENCIES_MS.into_iter().zip(&pairs) {
        let of_sync = |part: fn(&Cost) -> f64| median(pairs.iter().map(|(sync, _)| part(sync)));
        let of_ahead = |part: fn(&Cost) -> f64| median(pairs.iter().map(|(_, ahead)| part(ahead)));
        let gains: Vec<f64> = pairs.iter().map(|(sync, ahead)| sync.step / ahead.step).collect();
        let (least, most) = (least(&gains), most(&gains));
        let gain = median(gains.into_iter());
        let wait = of_sync(|cost| cost.wait);
        // Waits are inside the rollout that runs beside the training: they are hidden as far as training lasts longer.
        let in_sync = (generation + training) / (2.0 * efficiency) + wait;
        let bound = in_sync / (generation + wait).max(training);
        // Where episodes of later steps are decoded during the waits of earlier ones.
        let bound_without_waits = in_sync / generation.max(training);
        let (sync, ahead) = (of_sync(|cost| cost.step), of_ahead(|cost| cost.step));
        let idle_rollouts = 1.0 - of_ahead(|cost| cost.generation) / ahead;
        let idle_training = 1.0 - of_ahead(|cost| cost.training) / ahead;
        println!(
            "| {latency_ms} | {wait:.4} | {sync:.4} | {ahead:.4} | {gain:.2} ({least:.2}–{most:.2}) | {bound:.2} | {:.2} | \
             {bound_without_waits:.2} | {:.0} %, {:.0} % | {:.3}, {:.3} |",
            gain / bound,
            100.0 * idle_rollouts,
            100.0 * idle_training,
            of_sync(|cost| cost.cpu),
            of_ahead(|cost| cost.cpu),
        );
    }
    println!();
    Ok(())
}

/// Trains, prints rewards, and holds them against each other.
fn rewards(steps: u64, seeds: u64) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    let mut farthest: f64 = 0.0;
    for latency_ms in LATENCIES_MS {
        let (mut sync, mut ahead) = (Vec::new(), Vec::new());
        for seed in 0..seeds {
            sync.push(trained(SYNC, latency_ms, seed, steps)?);
            ahead.push(trained(AHEAD, latency_ms, seed, steps)?);
        }
        let reward = |trained: &[Trained]| median(trained.iter().map(|one| one.reward));
        let wall = |trained: &[Trained]| median(trained.iter().map(|one| one.wall_secs));
        let cpu = |trained: &[Trained]| median(trained.iter().map(|one| one.cpu_secs));
        farthest = farthest.max((reward(&sync) - reward(&ahead)).abs());
        rows.push(format!(
            "| {latency_ms} | {:.3}, {:.3} | {:.1}, {:.1} | {:.1}, {:.1} |",
            reward(&sync),
            reward(&ahead),
            wall(&sync),
            wall(&ahead),
            cpu(&sync),
            cpu(&ahead),
        ));
    }
    println!();
    println!("{steps} updates, medians of {seeds} seeds; each pair is sync, one step off. Steps become smaller as");
    println!("groups come to agree, so this is no measure of the gain.");
    println!();
    println!("| latency, ms | reward on held-out tasks | wall, s | CPU, s |");
    println!("|---|---|---|---|");
    for row in rows {
        println!("{row}");
    }
    ensure!(farthest <= REWARDS_APART, "rewards are {farthest:.3} apart, {REWARDS_APART} are allowed");
    Ok(())
}

/// Steps of a policy that stays random.
fn timed(arm: Arm, latency_ms: u64) -> anyhow::Result<Cost> {
    // One more than are made: the last step of a run plays nothing ahead.
    let (mut pipeline, _) = pipeline(arm, latency_ms, 0, WARM_UP + TIMED + 1, 0.0)?;
    for _ in 0..WARM_UP {
        pipeline.advance()?;
    }
    let mut sum = Cost::default();
    let cpu = cpu_secs()?;
    for _ in 0..TIMED {
        let told = pipeline.advance()?.told;
        sum.step += told.step_secs;
        sum.generation += told.rollout_secs - told.wait_secs;
        sum.wait += told.wait_secs;
        sum.training += told.train_secs;
    }
    sum.cpu = cpu_secs()? - cpu;
    let mean = |sum: f64| sum / TIMED as f64;
    let cost = Cost {
        step: mean(sum.step),
        generation: mean(sum.generation),
        wait: mean(sum.wait),
        training: mean(sum.training),
        cpu: mean(sum.cpu),
    };
    let line = json!({
        "arm": arm.name,
        "latency_ms": latency_ms,
        "steps": TIMED,
        "step_secs": cost.step,
        "generation_secs": cost.generation,
        "wait_secs": cost.wait,
        "training_secs": cost.training,
        "cpu_secs": cost.cpu,
    });
    println!("{line}");
    Ok(cost)
}

/// A whole run, and what its policy is worth on other tasks.
fn trained(arm: Arm, latency_ms: u64, seed: u64, steps: u64) -> anyhow::Result<Trained> {
    let (mut pipeline, tokenizer) = pipeline(arm, latency_ms, seed, steps, LEARNING_RATE)?;
    let (cpu, wall) = (cpu_secs()?, Instant::now());
    let (mut stale, mut episodes) = (0, 0);
    for _ in 0..steps {
        let line = pipeline.advance()?;
        stale = line.staleness.max(stale);
        episodes += line.episodes;
    }
    let (cpu_secs, wall_secs) = (cpu_secs()? - cpu, wall.elapsed().as_secs_f64());
    let Pipeline { engine, sources, config, .. } = &mut pipeline;
    let (evaluation, _) = evaluate(engine, tokenizer.as_ref(), sources, config, steps)?;
    let reward = evaluation.reward;
    let line = json!({
        "arm": arm.name,
        "latency_ms": latency_ms,
        "seed": seed,
        "updates": steps,
        "episodes": episodes,
        "staleness_max": stale,
        "reward": reward,
        "wall_secs": wall_secs,
        "cpu_secs": cpu_secs,
    });
    println!("{line}");
    Ok(Trained { reward, wall_secs, cpu_secs })
}

fn pipeline(
    arm: Arm,
    latency_ms: u64,
    seed: u64,
    steps: u64,
    learning_rate: f64,
) -> anyhow::Result<(Pipeline, Arc<dyn Tokenizer>)> {
    let config = config(arm.mode, seed, steps, learning_rate)?;
    let environments = digits::environments(Duration::from_millis(latency_ms))?;
    let (setup, model) = Setup::of(&config, environments, None)?;
    let engine = setup.engine(&config, &model, config.rollout.temperature)?;
    // The set-up took two, so that in no arm episodes wait for each other. A thread takes the last number that any thread
    // set when it first uses libtorch; that of the rollouts ahead is new with each step.
    tch::set_num_threads(arm.threads);
    let tokenizer = setup.vocabulary.tokenizer();
    let learner = Learner::new(model, AdamW::new(config.optimizer.adamw), None);
    Ok((Pipeline::new(config, setup.sources, engine, learner, None, 0), tokenizer))
}

/// Every episode of a step has a slot.
fn config(mode: Mode, seed: u64, steps: u64, learning_rate: f64) -> anyhow::Result<RunConfig> {
    let text = r#"
[run]
name = "digits"
steps = 1
threads = 2

[server]
address = "in this process"

[[tasks]]
name = "digits"
domain = "digits"
ids = "digits/{seed}-{index}"
count = 256

[policy]
hidden_size = 128
intermediate_size = 256
num_hidden_layers = 2
num_attention_heads = 4
num_key_value_heads = 4

[rollout]
groups = 8
members = 8
slots = 64
context = 64
turns_max = 1
call_tokens_max = 48

[optimizer]
decay = "linear"

[evaluation]
episodes = 256
greedy = false
"#;
    let mut config: RunConfig = toml::from_str(text)?;
    (config.run.mode, config.run.seed, config.run.steps) = (mode, seed, steps);
    config.optimizer.learning_rate = learning_rate;
    config.check()?;
    Ok(config)
}

/// Of two in the middle the upper one.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}
