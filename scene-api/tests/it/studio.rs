//! A studio that draws nothing: its pictures say in words what was to be drawn.

use async_trait::async_trait;
use rl_protocol::{Code, DomainError, ToolCall};
use scene_api::{Renderability, SceneDomain, Still, StillPass, Studio};
use scene_document::{Scene, View};
use serde_json::Value;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

pub(crate) const BY: &str = "Pencil 2 on paper";

#[derive(Default)]
pub(crate) struct FakeStudio {
    stills: AtomicU32,
    /// Hashes of the scenes that it was asked about.
    asked: Mutex<Vec<[u8; 32]>>,
    failure: Mutex<Option<DomainError>>,
    pub(crate) blank: AtomicBool,
    /// Held by a test to keep every caller waiting.
    pub(crate) busy: tokio::sync::Mutex<()>,
}

impl FakeStudio {
    pub(crate) fn domain(self: &Arc<Self>) -> SceneDomain {
        let studio: Arc<dyn Studio> = Arc::<Self>::clone(self);
        SceneDomain::with_studio(studio).unwrap()
    }

    /// Fails from now on; `None` mends it.
    pub(crate) fn fail(&self, failure: Option<DomainError>) {
        *self.failure.lock().unwrap() = failure;
    }

    pub(crate) fn stills(&self) -> u32 {
        self.stills.load(Ordering::SeqCst)
    }

    pub(crate) fn asked(&self) -> Vec<[u8; 32]> {
        self.asked.lock().unwrap().clone()
    }

    async fn answer(&self) -> Result<(), DomainError> {
        drop(self.busy.lock().await);
        self.failure.lock().unwrap().clone().map_or(Ok(()), Err)
    }
}

#[async_trait]
impl Studio for FakeStudio {
    async fn still(&self, scene: Scene, view: View, pass: StillPass) -> Result<Still, DomainError> {
        self.stills.fetch_add(1, Ordering::SeqCst);
        self.answer().await?;
        let (View { width, height, .. }, meshes) = (view, scene.bake().meshes.len());
        let x = view.world_from_camera[(0, 3)] + 0.0;
        let png = format!("{pass:?} {width}x{height} of {meshes} meshes from x = {x}").into_bytes();
        Ok(Still { png, by: BY.into(), notes: vec!["no shadows".into()] })
    }

    async fn renderability(&self, _: Scene, scene_hash: [u8; 32]) -> Result<(Renderability, String), DomainError> {
        self.asked.lock().unwrap().push(scene_hash);
        self.answer().await?;
        let is_blank = self.blank.load(Ordering::SeqCst);
        Ok((if is_blank { Renderability::Blank } else { Renderability::Drawn }, BY.into()))
    }
}

pub(crate) fn lost() -> DomainError {
    DomainError::new(Code::Unavailable, "RENDERER_FAILED", "the device is lost")
}

pub(crate) fn full() -> DomainError {
    DomainError::new(Code::ResourceExhausted, "RENDER_QUEUE_FULL", "1024 wait").retry_after(200)
}

pub(crate) fn late() -> DomainError {
    DomainError::new(Code::DeadlineExceeded, "RENDER_DEADLINE", "no picture within 20 s")
}

pub(crate) fn calls(calls: &[(&str, Value)]) -> Vec<ToolCall> {
    let call =
        |(name, arguments): &(&str, Value)| ToolCall { name: (*name).into(), arguments_json: arguments.to_string() };
    calls.iter().map(call).collect()
}
