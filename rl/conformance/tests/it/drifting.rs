//! The counter with a state hash that never comes twice.

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

#[derive(Default)]
pub(crate) struct Drifting {
    ticks: Arc<AtomicU64>,
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
            opening.state_hash = tick(&self.ticks);
            episodes.push(Box::new(DriftingEpisode { inner, opening, ticks: Arc::clone(&self.ticks) }));
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
    ticks: Arc<AtomicU64>,
}

#[async_trait]
impl Episode for DriftingEpisode {
    fn opening(&self) -> &Opening {
        &self.opening
    }

    async fn step(&mut self, calls: Vec<ToolCall>) -> Result<StepOutcome, DomainError> {
        let outcome = self.inner.step(calls).await?;
        Ok(StepOutcome { state_hash: tick(&self.ticks), ..outcome })
    }

    async fn fork(&mut self) -> Result<Box<dyn Episode>, DomainError> {
        let inner = self.inner.fork().await?;
        let opening = Opening { state_hash: tick(&self.ticks), ..inner.opening().clone() };
        Ok(Box::new(Self { inner, opening, ticks: Arc::clone(&self.ticks) }))
    }

    async fn observe(&mut self, want: &[String], options: ObserveOptions) -> Result<Vec<Content>, DomainError> {
        self.inner.observe(want, options).await
    }

    async fn score(&mut self, profile: Option<&str>) -> Result<Reward, DomainError> {
        self.inner.score(profile).await
    }
}

fn tick(ticks: &AtomicU64) -> Vec<u8> {
    ticks.fetch_add(1, Ordering::Relaxed).to_le_bytes().to_vec()
}
