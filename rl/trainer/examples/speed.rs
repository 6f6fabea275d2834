//! Training steps and greedy decoding of one model, timed by request, so that a driver can take this process and
//! another in turns; `peers/torch_policy.py` is the same in PyTorch, `peers/compare.py` the driver.
//!
//! `speed base|small FOLDER THREADS` writes the weights to FOLDER and says what the model computes (a line of JSON),
//! then answers each line `train N` or `decode N` of its input with a line of what N repetitions took.

#[path = "clock/cpu.rs"]
mod cpu;

use anyhow::{Context, bail};
use cpu::cpu_secs;
use maquette_train::model::{Architecture, CausalLm, KvCache, ModelConfig};
use maquette_train::optimizer::{AdamW, AdamWConfig, clip_grad_norm, zero_grad};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;
use tch::{Device, Kind, Tensor, no_grad_guard};

/// Of a training step.
const ROWS: usize = 16;
const TOKENS: usize = 128;
/// Of decoding.
const SLOTS: usize = 64;
const PROMPT: usize = 32;
const WRITTEN: usize = 64;
const LEARNING_RATE: f64 = 1e-4;
const NORM_MAX: f64 = 1.0;
/// From one logit that is told to the next.
const LOGITS_STRIDE: i64 = 8191;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [size, folder, threads] = arguments.as_slice() else { bail!("usage: speed base|small FOLDER THREADS") };
    tch::set_num_threads(threads.parse().context("THREADS")?);
    let mut work = Work::new(&config(size)?)?;
    work.model.save_pretrained(Path::new(folder))?;
    let mut said = work.check()?;
    said["size"] = json!(size);
    said["threads"] = json!(tch::get_num_threads());
    println!("{said}");
    for line in std::io::stdin().lines() {
        let line = line?;
        let (workload, repetitions) = line.split_once(' ').context("give train N or decode N")?;
        let repetitions: usize = repetitions.trim().parse().context("N")?;
        let (cpu, wall) = (cpu_secs()?, Instant::now());
        let tokens = match workload {
            "train" => {
                for _ in 0..repetitions {
                    work.train()?;
                }
                ROWS * TOKENS * repetitions
            }
            "decode" => {
                for _ in 0..repetitions {
                    let _ = work.decode()?;
                }
                SLOTS * WRITTEN * repetitions
            }
            other => bail!("no workload {other:?}; there are train and decode"),
        };
        let took = json!({
            "size": size,
            "workload": workload,
            "repetitions": repetitions,
            "tokens": tokens,
            "cpu_secs": cpu_secs()? - cpu,
            "wall_secs": wall.elapsed().as_secs_f64(),
        });
        println!("{took}");
    }
    Ok(())
}

fn config(size: &str) -> anyhow::Result<ModelConfig> {
    let base = ModelConfig {
        architecture: Architecture::Llama,
        vocab_size: 512,
        hidden_size: 256,
        intermediate_size: 768,
        num_hidden_layers: 4,
        num_attention_heads: 4,
        num_key_value_heads: 4,
        head_dim: 64,
        rms_norm_eps: 1e-5,
        rope_theta: 10_000.0,
        tie_word_embeddings: false,
        attention_bias: false,
        max_position_embeddings: TOKENS as i64,
    };
    match size {
        "base" => Ok(base),
        // That of runs/size.toml, but for its vocabulary.
        "small" => Ok(ModelConfig {
            hidden_size: 64,
            intermediate_size: 128,
            num_hidden_layers: 2,
            num_attention_heads: 8,
            num_key_value_heads: 8,
            head_dim: 8,
            tie_word_embeddings: true,
            ..base
        }),
        other => bail!("no size {other:?}; there are base and small"),
    }
}

/// `[rows, count]`, without a pattern: Knuth's multiplicative hash of their index.
fn tokens(rows: usize, count: usize, vocab_size: i64) -> Tensor {
    let token = |index: u64| ((index * 2_654_435_761 % (1 << 32)) >> 16) as i64 % vocab_size;
    let tokens: Vec<i64> = (0..(rows * count) as u64).map(token).collect();
    Tensor::from_slice(&tokens).reshape([rows as i64, count as i64])
}

/// Both workloads on one model.
struct Work {
    model: CausalLm,
    optimizer: AdamW,
    /// `[ROWS, TOKENS]`.
    inputs: Tensor,
    /// `[ROWS * TOKENS]`.
    targets: Tensor,
    /// `[SLOTS, PROMPT]`.
    prompts: Tensor,
    cache: KvCache,
}

impl Work {
    fn new(config: &ModelConfig) -> anyhow::Result<Self> {
        let model = CausalLm::new(config, false, 0, Device::Cpu, Kind::Float)?;
        let batch = tokens(ROWS, TOKENS + 1, config.vocab_size);
        Ok(Self {
            optimizer: AdamW::new(AdamWConfig::default()),
            inputs: batch.narrow(1, 0, TOKENS as i64).contiguous(),
            targets: batch.narrow(1, 1, TOKENS as i64).reshape([-1]),
            prompts: tokens(SLOTS, PROMPT, config.vocab_size),
            cache: KvCache::new(config, SLOTS, PROMPT + WRITTEN, Device::Cpu, Kind::Float),
            model,
        })
    }

    /// One step: loss and norm of the gradient before it.
    fn train(&mut self) -> anyhow::Result<(f64, f64)> {
        let parameters = self.model.parameters();
        let logits = self.model.logits(&self.model.hidden(&self.inputs));
        let loss = logits.flatten(0, 1).cross_entropy_for_logits(&self.targets);
        zero_grad(parameters);
        loss.f_backward()?;
        let norm = clip_grad_norm(parameters, NORM_MAX);
        self.optimizer.step(parameters, LEARNING_RATE);
        Ok((loss.double_value(&[]), norm))
    }

    /// The likeliest tokens after the prompts, `[SLOTS, WRITTEN]`.
    fn decode(&mut self) -> anyhow::Result<Tensor> {
        let _no_grad = no_grad_guard();
        let slots: Vec<usize> = (0..SLOTS).collect();
        for &slot in &slots {
            self.cache.clear(slot);
        }
        let (mut ids, mut width) = (self.prompts.shallow_clone(), PROMPT);
        let mut written = Vec::with_capacity(WRITTEN);
        for _ in 0..WRITTEN {
            let hidden = self.model.extend(&mut self.cache, &slots, &ids, &[width; SLOTS])?;
            let last = hidden.select(1, width as i64 - 1);
            ids = self.model.logits(&last).argmax(-1, true);
            width = 1;
            written.push(ids.shallow_clone());
        }
        Ok(Tensor::cat(&written, 1))
    }

    /// What the other side must say too.
    fn check(&mut self) -> anyhow::Result<Value> {
        let logits = {
            let _no_grad = no_grad_guard();
            self.model.logits(&self.model.hidden(&self.inputs)).reshape([-1]).to_kind(Kind::Double)
        };
        let places = Tensor::arange_start_step(0, logits.size1()?, LOGITS_STRIDE, (Kind::Int64, Device::Cpu));
        let told = Vec::<f64>::try_from(&logits.index_select(0, &places))?;
        let ids = Vec::<i64>::try_from(&self.decode()?.reshape([-1]))?;
        let (first, second) = (self.train()?, self.train()?);
        Ok(json!({
            "logits": told,
            "logits_rms": logits.square().mean(Kind::Double).sqrt().double_value(&[]),
            "ids": ids,
            "losses": [first.0, second.0],
            "grad_norms": [first.1, second.1],
        }))
    }
}
