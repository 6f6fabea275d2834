//! The studio that draws for the scene domain: Bevy for beauty and albedo, the probe for ids, depth and normals.

mod answers;
mod refusal;
mod room;

use answers::Answers;
use async_trait::async_trait;
use refusal::refusal;
use renderer::{AdapterChoice, AdapterInfo, BEVY_VERSION, LitBy, Pass, RenderError, Renderer, Reply, Shot};
use rl_protocol::{Code, DomainError, compute};
use room::{Place, Room};
use scene_api::{Renderability, Still, StillPass, Studio};
use scene_document::{Baked, Scene, View};
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
    room: Room,
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
            room: Room::new(),
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

    /// The scene in triangles, once there is room for it.
    async fn baked(&self, scene: Scene, deadline: Instant) -> Result<(Arc<Baked>, Place), DomainError> {
        let place = timeout_at(deadline.into(), self.room.place(&scene)).await.ok().flatten();
        let place = place.ok_or_else(|| refusal(RenderError::DeadlineExceeded))?;
        Ok((compute(move || Arc::new(scene.bake())).await?, place))
    }

    /// By Bevy.
    async fn photograph(&self, scene: Scene, view: View, pass: Pass) -> Result<Still, DomainError> {
        let deadline = Instant::now() + PATIENCE;
        let (scene, place) = self.baked(scene, deadline).await?;
        // What no light reaches is black, as it is scored: no studio helps a scene that has none.
        let shot = Shot { lit_by: Some(LitBy::Scene), ..Shot::new(scene, view, pass) };
        let picture = answered(deadline, place, |reply| self.renderer.submit(shot, deadline, reply)).await;
        let picture = picture.map_err(refusal)?;
        let by = by_bevy(&picture.adapter);
        let notes = picture.notes.clone();
        let png = compute(move || picture.png()).await?.map_err(not_encoded)?;
        Ok(Still { png, by, notes })
    }

    /// By the probe.
    async fn measure(&self, scene: Scene, view: View, pass: ProbePass) -> Result<Still, DomainError> {
        let deadline = Instant::now() + PATIENCE;
        if !view.sees() {
            return Err(refusal(RenderError::NoPixels { width: view.width, height: view.height }));
        }
        let adapter = self.adapter().await.map_err(refusal)?;
        let (scene, place) = self.baked(scene, deadline).await?;
        let scene = compute(move || Arc::new(ProbeScene::new(&scene))).await?;
        let shot = ProbeShot { scene, view };
        let drawn = answered(deadline, place, |reply| self.probe.submit(shot, deadline, reply)).await;
        let frame: ProbeFrame = drawn.map_err(refusal)?;
        let by = format!("Maquette's probe on {adapter}");
        let png = compute(move || pass.png(frame, &adapter)).await?.map_err(not_encoded)?;
        Ok(Still { png, by, notes: Vec::new() })
    }
}

#[async_trait]
impl Studio for GpuStudio {
    async fn still(&self, scene: Scene, view: View, pass: StillPass) -> Result<Still, DomainError> {
        match pass {
            StillPass::Beauty => self.photograph(scene, view, Pass::Beauty).await,
            StillPass::Albedo => self.photograph(scene, view, Pass::Albedo).await,
            StillPass::Normal => self.measure(scene, view, ProbePass::Normal).await,
            StillPass::Depth => self.measure(scene, view, ProbePass::Depth).await,
            StillPass::Id => self.measure(scene, view, ProbePass::Id).await,
        }
    }

    /// A camera that cannot see gives a blank picture: that is the scene's fault, not ours.
    async fn renderability(&self, scene: Scene, scene_hash: [u8; 32]) -> Result<(Renderability, String), DomainError> {
        let adapter = self.adapter().await.map_err(refusal)?;
        let by = by_bevy(&adapter);
        if let Some(known) = lock(&self.answers).get(&scene_hash) {
            return Ok((known, by));
        }
        let deadline = Instant::now() + PATIENCE;
        let (scene, place) = self.baked(scene, deadline).await?;
        let shot = Shot::renderability(scene);
        let renderability = match answered(deadline, place, |reply| self.renderer.submit(shot, deadline, reply)).await {
            Ok(picture) if picture.is_blank() => Renderability::Blank,
            Ok(_) => Renderability::Drawn,
            Err(RenderError::NoPixels { .. } | RenderError::BeyondSinglePrecision) => Renderability::Blank,
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

/// A caller who waits for a picture on another thread. While he waits, or his picture is drawn, his scene has its place.
struct Waiter<A> {
    send: oneshot::Sender<Result<A, RenderError>>,
    _place: Place,
}

impl<A: Send + 'static> Reply<A> for Waiter<A> {
    fn tell(self: Box<Self>, answer: Result<A, RenderError>) {
        // Else he has gone.
        self.send.send(answer).ok();
    }

    fn is_abandoned(&self) -> bool {
        self.send.is_closed()
    }
}

/// Waits for a queue that answers on a thread of its own; gives up at the deadline even when that thread hangs.
async fn answered<A>(deadline: Instant, place: Place, submit: impl FnOnce(Waiter<A>)) -> Result<A, RenderError> {
    let (send, answer) = oneshot::channel();
    submit(Waiter { send, _place: place });
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
