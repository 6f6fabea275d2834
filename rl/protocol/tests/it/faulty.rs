//! The counter, with calls and observations that fail on demand.

use async_trait::async_trait;
use rl_conformance::CounterDomain;
use rl_protocol::{
    Body, Code, Content, Description, Domain, DomainError, Episode, ObserveOptions, OpenSpec, Opening, Outcome, Reward,
    StepOutcome, Subject, TaskInfo, ToolCall, ToolResult,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};
use tokio::time::sleep;

pub(crate) const BIG_BYTES: usize = 200_000;

/// Calls `tick` (adds the number of steps that were played in all), `sleep` (arguments: milliseconds), `panic`,
/// `internal`, `away` (fails at the first try), `picture` (arguments: bytes; its result follows those of the counter's
/// calls); observations `big`, `slow`, `unavailable`, `busy` (try again in 1.5 s), `too_early…`; of call logs the task id
/// `nan` scores NaN and `slow` takes half a second; artifacts of `panic` panic.
#[derive(Clone, Default)]
pub(crate) struct Faulty {
    /// Steps that were played, replays not counted.
    pub(crate) played: Arc<AtomicU32>,
    /// Call logs of `slow` that were scored to the end.
    pub(crate) scored: Arc<AtomicU32>,
    pub(crate) out_of_order: bool,
    pub(crate) name: Option<&'static str>,
}

#[async_trait]
impl Domain for Faulty {
    async fn describe(&self) -> Result<Description, DomainError> {
        let description = CounterDomain.describe().await?;
        Ok(match self.name {
            Some(name) => Description { domain: name.into(), ..description },
            None => description,
        })
    }

    async fn tasks(&self, split: Option<&str>) -> Result<Vec<TaskInfo>, DomainError> {
        CounterDomain.tasks(split).await
    }

    async fn open(&self, spec: OpenSpec) -> Result<Vec<Box<dyn Episode>>, DomainError> {
        let mut episodes: Vec<Box<dyn Episode>> = Vec::new();
        for inner in CounterDomain.open(spec).await? {
            episodes.push(Box::new(FaultyEpisode { inner, played: Arc::clone(&self.played), was_away: false }));
        }
        Ok(episodes)
    }

    async fn score(&self, subject: Subject, profile: Option<&str>) -> Result<Reward, DomainError> {
        if let Subject::CallLog { task_id, .. } = &subject
            && task_id == "nan"
        {
            let (calls, tool_groups) = (Vec::new(), Vec::new());
            let log = Subject::CallLog { task_id: CounterDomain::sample().task_id, seed: 0, calls, tool_groups };
            let reward = CounterDomain.score(log, None).await?;
            return Ok(Reward { outcome: Outcome::Value(f64::NAN), ..reward });
        }
        match &subject {
            Subject::CallLog { task_id, .. } if task_id == "slow" => {
                sleep(Duration::from_millis(500)).await;
                self.scored.fetch_add(1, Ordering::SeqCst);
            }
            Subject::Artifact { task_id: Some(task_id), .. } if task_id == "panic" => panic!("as asked"),
            _ => {}
        }
        CounterDomain.score(subject, profile).await
    }

    async fn ready(&self) -> Result<(), DomainError> {
        if self.out_of_order {
            return Err(DomainError::new(Code::Unavailable, "OUT_OF_ORDER", "as asked"));
        }
        Ok(())
    }
}

struct FaultyEpisode {
    inner: Box<dyn Episode>,
    played: Arc<AtomicU32>,
    was_away: bool,
}

#[async_trait]
impl Episode for FaultyEpisode {
    fn opening(&self) -> &Opening {
        self.inner.opening()
    }

    async fn step(&mut self, calls: Vec<ToolCall>) -> Result<StepOutcome, DomainError> {
        let played = self.played.fetch_add(1, Ordering::SeqCst) + 1;
        let (mut sound, mut pictures) = (Vec::new(), Vec::new());
        for call in calls {
            match call.name.as_str() {
                "sleep" => sleep(Duration::from_millis(call.arguments_json.parse().unwrap())).await,
                "tick" => sound.push(ToolCall { name: "add".into(), arguments_json: format!("{{\"n\":{played}}}") }),
                "panic" => panic!("as asked"),
                "internal" => return Err(DomainError::new(Code::Internal, "BROKEN", "as asked")),
                "away" if !self.was_away => {
                    self.was_away = true;
                    return Err(DomainError::new(Code::Unavailable, "AWAY", "as asked"));
                }
                "away" => {}
                "picture" => pictures.push(picture(call.arguments_json.parse().unwrap())),
                _ => sound.push(call),
            }
        }
        let mut outcome = self.inner.step(sound).await?;
        outcome.results.extend(pictures);
        Ok(outcome)
    }

    async fn fork(&mut self) -> Result<Box<dyn Episode>, DomainError> {
        let inner = self.inner.fork().await?;
        Ok(Box::new(Self { inner, played: Arc::clone(&self.played), was_away: self.was_away }))
    }

    async fn observe(&mut self, want: &[String], options: ObserveOptions) -> Result<Vec<Content>, DomainError> {
        let mut contents = Vec::new();
        for name in want {
            match name.as_str() {
                "big" => {
                    let mime = "application/octet-stream".into();
                    contents.push(Content { name: name.clone(), mime, body: Body::Data(pattern(BIG_BYTES)) });
                }
                "slow" => sleep(Duration::from_secs(2)).await,
                early if early.starts_with("too_early") => {
                    return Err(DomainError::new(Code::FailedPrecondition, "TOO_EARLY", "as asked"));
                }
                "unavailable" => return Err(DomainError::new(Code::Unavailable, "NO_RENDERER", "as asked")),
                "busy" => return Err(busy()),
                _ => contents.append(&mut self.inner.observe(std::slice::from_ref(name), options).await?),
            }
        }
        Ok(contents)
    }

    async fn score(&mut self, profile: Option<&str>) -> Result<Reward, DomainError> {
        self.inner.score(profile).await
    }
}

/// The error of the observation `busy`.
pub(crate) fn busy() -> DomainError {
    DomainError::new(Code::ResourceExhausted, "QUEUE_FULL", "as asked").retry_after(1500)
}

pub(crate) fn pattern(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|index| (index % 251) as u8).collect()
}

fn picture(bytes: usize) -> ToolResult {
    let content = Content { name: "picture".into(), mime: "image/png".into(), body: Body::Data(pattern(bytes)) };
    ToolResult { ok: true, json: serde_json::json!({}), contents: vec![content] }
}
