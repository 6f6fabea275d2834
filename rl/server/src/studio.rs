//! The studio that draws for the scene domain: Bevy for beauty and albedo, the probe for ids, depth and normals.

mod answers;
mod refusal;

use answers::Answers;
use async_trait::async_trait;
use refusal::refusal;
use renderer::{AdapterChoice, AdapterInfo, BEVY_VERSION, LitBy, Pass, Picture, RenderError, Renderer, Shot};
use rl_protocol::{Code, DomainError, compute};
use scene_api::{Renderability, Still, StillPass, Studio};
use scene_document::{Baked, View};
use scene_picture::PngError;
use scene_probe::{Lane, ProbeFrame, ProbeScene, ProbeShot};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{OnceCell, oneshot};
use tokio::time::timeout_at;

/// From the request to the picture, the wait behind others included.
const PATIENCE: Duration = Duration::from_secs(20);

/// Draws on one adapter, for any number of callers. Cheap to make: each renderer starts with its first picture, on a
/// thread of its own.
pub struct GpuStudio {
    choice: AdapterChoice,
    renderer: Renderer,
    probe: Lane<ProbeShot, ProbeFrame>,
    adapter: OnceCell<Arc<AdapterInfo>>,
    answers: Mutex<Answers>,
}

impl GpuStudio {
    #[must_use]
    pub fn new(choice: AdapterChoice) -> Self {
        Self {
            renderer: Renderer::new(choice.clone()),
            probe: scene_probe::lane(choice.clone()),
            choice,
            adapter: OnceCell::new(),
            answers: Mutex::default(),
        }
    }

    /// The renderer behind the beauty pass.
    #[must_use]
    pub fn renderer(&self) -> &Renderer {
        &self.renderer
    }

    /// What draws. Looks for adapters at the first call and starts no renderer.
    ///
    /// # Errors
    /// `RenderError::NoAdapter`.
    pub async fn adapter(&self) -> Result<Arc<AdapterInfo>, RenderError> {
        let found = self.adapter.get_or_try_init(|| async {
            let choice = self.choice.clone();
            let look = move || scene_probe::choose(&choice).map(|chosen| Arc::new(chosen.info));
            let looked = tokio::task::spawn_blocking(look).await;
            looked.unwrap_or_else(|panic| Err(RenderError::Panicked { what: panic.to_string() }))
        });
        found.await.map(Arc::clone)
    }

    async fn picture(&self, shot: Shot) -> Result<Picture, RenderError> {
        answered(|deadline, reply| self.renderer.submit(shot, deadline, reply)).await
    }

    /// By Bevy.
    async fn photograph(&self, scene: Arc<Baked>, view: View, pass: Pass) -> Result<Still, DomainError> {
        // What no light reaches is black, as it is scored: no studio helps a scene that has none.
        let shot = Shot { lit_by: Some(LitBy::Scene), ..Shot::new(scene, view, pass) };
        let picture = self.picture(shot).await.map_err(refusal)?;
        let by = by_bevy(&picture.adapter);
        let notes = picture.notes.clone();
        let png = compute(move || picture.png()).await?.map_err(not_encoded)?;
        Ok(Still { png, by, notes })
    }

    /// By the probe.
    async fn measure(&self, scene: Arc<Baked>, view: View, pass: ProbePass) -> Result<Still, DomainError> {
        if !view.sees() {
            return Err(refusal(RenderError::NoPixels { width: view.width, height: view.height }));
        }
        let adapter = self.adapter().await.map_err(refusal)?;
        let scene = compute(move || Arc::new(ProbeScene::new(&scene))).await?;
        let shot = ProbeShot { scene, view };
        let drawn = answered(|deadline, reply| self.probe.submit(shot, deadline, reply)).await;
        let frame: ProbeFrame = drawn.map_err(refusal)?;
        let by = format!("Maquette's probe on {adapter}");
        let png = compute(move || pass.png(frame, &adapter)).await?.map_err(not_encoded)?;
        Ok(Still { png, by, notes: Vec::new() })
    }
}

#[async_trait]
impl Studio for GpuStudio {
    async fn still(&self, scene: Arc<Baked>, view: View, pass: StillPass) -> Result<Still, DomainError> {
        match pass {
            StillPass::Beauty => self.photograph(scene, view, Pass::Beauty).await,
            StillPass::Albedo => self.photograph(scene, view, Pass::Albedo).await,
            StillPass::Normal => self.measure(scene, view, ProbePass::Normal).await,
            StillPass::Depth => self.measure(scene, view, ProbePass::Depth).await,
            StillPass::Id => self.measure(scene, view, ProbePass::Id).await,
        }
    }

    /// A camera that cannot see gives a blank picture: that is the scene's fault, not ours.
    async fn renderability(
        &self,
        scene: Arc<Baked>,
        scene_hash: [u8; 32],
    ) -> Result<(Renderability, String), DomainError> {
        let adapter = self.adapter().await.map_err(refusal)?;
        let by = by_bevy(&adapter);
        if let Some(known) = lock(&self.answers).get(&scene_hash) {
            return Ok((known, by));
        }
        let renderability = match self.picture(Shot::renderability(scene)).await {
            Ok(picture) if picture.is_blank() => Renderability::Blank,
            Ok(_) => Renderability::Drawn,
            Err(RenderError::NoPixels { .. }) => Renderability::Blank,
            Err(error) => return Err(refusal(error)),
        };
        lock(&self.answers).put(scene_hash, renderability);
        Ok((renderability, by))
    }
}

/// What the probe gives.
#[derive(Debug, Clone, Copy)]
enum ProbePass {
    Normal,
    Depth,
    Id,
}

impl ProbePass {
    /// The plane in the colours of the renderer's passes.
    fn png(self, frame: ProbeFrame, adapter: &AdapterInfo) -> Result<Vec<u8>, PngError> {
        let pixels = match self {
            Self::Normal => frame.normal,
            Self::Depth => scene_picture::depths(&frame.depth_m),
            Self::Id => scene_picture::ids(&frame.mesh),
        };
        let software = concat!("Maquette ", env!("CARGO_PKG_VERSION"), ", probe");
        let adapter = adapter.to_string();
        let text = [("Software", software), ("Adapter", adapter.as_str())];
        scene_picture::png(frame.width, frame.height, &pixels, &text)
    }
}

type Reply<A> = Box<dyn FnOnce(Result<A, RenderError>) + Send>;

/// Waits for a queue that answers on a thread of its own; gives up at the deadline even when that thread hangs.
async fn answered<A: Send + 'static>(submit: impl FnOnce(Instant, Reply<A>)) -> Result<A, RenderError> {
    let deadline = Instant::now() + PATIENCE;
    let (send, answer) = oneshot::channel();
    submit(deadline, Box::new(move |answer| drop(send.send(answer))));
    match timeout_at(deadline.into(), answer).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) => Err(RenderError::Device { what: "the render thread ended without an answer".into() }),
        Err(_) => Err(RenderError::DeadlineExceeded),
    }
}

fn by_bevy(adapter: &AdapterInfo) -> String {
    format!("Bevy {BEVY_VERSION} on {adapter}")
}

/// Not `Internal`, which would end the episode.
fn not_encoded(error: PngError) -> DomainError {
    DomainError::new(Code::Unavailable, "RENDERER_FAILED", format!("no PNG: {error}"))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
