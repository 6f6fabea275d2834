//! The counter with state hashes of its own: each higher than the one before by a step, or all equal.

use async_trait::async_trait;
use rl_conformance::CounterDomain;
use rl_protocol::{
    Content, Description, Domain, DomainError, Episode, ObserveOptions, OpenSpec, Opening, Reward, StepOutcome,
    Subject, TaskInfo, ToolCall,
};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

pub(crate) struct Drifting {
    ticks: Ticks,
}

impl Drifting {
    /// By 0 the hash stands still.
    pub(crate) fn by(step: u64) -> Self {
        Self { ticks: Ticks { now: Arc::default(), step } }
    }
}

#[derive(Clone)]
struct Ticks {
    now: Arc<AtomicU64>,
    step: u64,
}

impl Ticks {
    fn hash(&self) -> Vec<u8> {
        self.now.fetch_add(self.step, Ordering::Relaxed).to_le_bytes().to_vec()
    }
}

#[async_trait]
impl Domain for Drifting {
    async fn describe(&self) -> Result<Description, DomainError> {
        CounterDomain.describe().await
    }

    async fn tasks(&self, split: Option<&str>) -> Result<Vec<TaskInfo>, DomainError> {
        CounterDomain.tasks(split).await
    }

    async fn open(&self, spec: OpenSpec) -> Result<Vec<Box<dyn Episode>>, DomainError> {
        let mut episodes: Vec<Box<dyn Episode>> = Vec::new();
        for inner in CounterDomain.open(spec).await? {
            let mut opening = inner.opening().clone();
            opening.state_hash = self.ticks.hash();
            episodes.push(Box::new(DriftingEpisode { inner, opening, ticks: self.ticks.clone() }));
        }
        Ok(episodes)
    }

    async fn score(&self, subject: Subject, profile: Option<&str>) -> Result<Reward, DomainError> {
        CounterDomain.score(subject, profile).await
    }

    async fn ready(&self) -> Result<(), DomainError> {
        Ok(())
    }
}

struct DriftingEpisode {
    inner: Box<dyn Episode>,
    opening: Opening,
    ticks: Ticks,
}

#[async_trait]
impl Episode for DriftingEpisode {
    fn opening(&self) -> &Opening {
        &self.opening
    }

    async fn step(&mut self, calls: Vec<ToolCall>) -> Result<StepOutcome, DomainError> {
        let outcome = self.inner.step(calls).await?;
        Ok(StepOutcome { state_hash: self.ticks.hash(), ..outcome })
    }

    async fn fork(&mut self) -> Result<Box<dyn Episode>, DomainError> {
        let inner = self.inner.fork().await?;
        let opening = Opening { state_hash: self.ticks.hash(), ..inner.opening().clone() };
        Ok(Box::new(Self { inner, opening, ticks: self.ticks.clone() }))
    }

    async fn observe(&mut self, want: &[String], options: ObserveOptions) -> Result<Vec<Content>, DomainError> {
        self.inner.observe(want, options).await
    }

    async fn score(&mut self, profile: Option<&str>) -> Result<Reward, DomainError> {
        self.inner.score(profile).await
    }
}
