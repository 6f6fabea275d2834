//! Soak of the pictures behind the server: 64 clients (of a short soak fewer) over loopback gRPC change their scenes and
//! look at them, 2,000 times in all (or as often as the first argument says), while among their pictures one panics and
//! one loses the device. No client may notice, equal scenes must give equal pictures, and memory must stay flat once
//! warm. Exits 1 otherwise.

mod memory;
mod stage;
mod tally;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use maquette::studio::GpuStudio;
use renderer::{AdapterChoice, Fault, Pass, Picture, RenderError, Shot};
use rl_protocol::{Domain, RemoteDomain, ServeConfig, connect, serve};
use scene_api::SceneDomain;
use scene_document::Baked;
use stage::Stage;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tally::Tally;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::{JoinSet, spawn_blocking};

const CLIENTS_MAX: usize = 64;
/// So that a short run waits for a renderer that starts again no longer than a long one, beside other tests.
const PICTURES_A_CLIENT: usize = 10;
const PICTURES: usize = 2000;
/// Rounds of a client between two pictures by `render.still`, and between two scores.
const STILL_EVERY: usize = 8;
const SCORE_EVERY: usize = 16;
/// For a picture that goes wrong, and the fresh app that tries it again.
const PATIENCE: Duration = Duration::from_secs(120);

struct Soak {
    count: usize,
    next: AtomicUsize,
    studio: Arc<GpuStudio>,
    tally: Mutex<Tally>,
    bar: ProgressBar,
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let count = std::env::args().nth(1).map_or(Ok(PICTURES), |count| count.parse()).context("a number of pictures")?;
    let adapter: AdapterChoice = std::env::var("MAQUETTE_ADAPTER").unwrap_or_else(|_| "auto".into()).parse()?;
    let studio = Arc::new(GpuStudio::new(adapter));
    let clients_count = (count / PICTURES_A_CLIENT).clamp(1, CLIENTS_MAX);
    println!("{count} pictures for {clients_count} clients on {}", studio.adapter().await?);
    let bar = ProgressBar::new(count as u64)
        .with_style(ProgressStyle::with_template("{bar:40} {pos}/{len}, {per_sec}, {eta} left")?);
    let (next, tally) = (AtomicUsize::new(0), Mutex::default());
    let soak = Arc::new(Soak { count, next, studio: Arc::clone(&studio), tally, bar });

    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let uri = format!("http://{}", listener.local_addr()?);
    let domain: Arc<dyn Domain> = Arc::new(SceneDomain::with_studio(studio)?);
    let (stop, stopped) = oneshot::channel::<()>();
    let server = tokio::spawn(serve(listener, vec![domain], ServeConfig::default(), async {
        let _ = stopped.await;
    }));
    let mut clients = JoinSet::new();
    for number in 0..clients_count {
        let domain = RemoteDomain::new(connect(&uri).await?, "scene");
        clients.spawn(client(Arc::clone(&soak), domain, number));
    }
    while let Some(ended) = clients.join_next().await {
        if let Err(error) = ended? {
            soak.tally(|tally| tally.wrong.push(format!("{error:#}")));
        }
    }
    soak.bar.finish_and_clear();
    let _ = stop.send(());
    server.await??;
    Ok(soak.tally(|tally| tally.verdict()))
}

impl Soak {
    fn tally<T>(&self, note: impl FnOnce(&mut Tally) -> T) -> T {
        note(&mut self.tally.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What goes wrong before a picture: a panic after an eighth of them, a lost device after a quarter.
    fn fault(&self, picture: usize) -> Option<Fault> {
        match picture {
            picture if picture == self.count / 8 => Some(Fault::Panic),
            picture if picture == self.count / 4 => Some(Fault::LoseDevice),
            _ => None,
        }
    }

    /// A picture with a fault, of an empty scene, by the renderer that draws for the clients.
    async fn draw_with(&self, fault: Fault) -> Result<Result<Picture, RenderError>> {
        let renderer = self.studio.renderer().clone();
        let scene = Arc::new(Baked::default());
        let (view, _) = scene.view(64, 48);
        let shot = Shot { fault: Some(fault), ..Shot::new(scene, view, Pass::Beauty) };
        Ok(spawn_blocking(move || renderer.picture(shot, Instant::now() + PATIENCE)).await?)
    }
}

/// Changes a scene and looks at it until the pictures are used up.
async fn client(soak: Arc<Soak>, domain: RemoteDomain, number: usize) -> Result<()> {
    let mut stage = Stage::open(&domain, number).await?;
    loop {
        let picture = soak.next.fetch_add(1, Ordering::Relaxed);
        if picture >= soak.count {
            return Ok(());
        }
        if let Some(fault) = soak.fault(picture) {
            let drawn = soak.draw_with(fault).await?;
            soak.tally(|tally| tally.faulty(fault, drawn));
        }
        if stage.is_worn() {
            stage = Stage::open(&domain, number).await?;
        }
        let scene = stage.change().await?;
        let seen = stage.look().await;
        soak.tally(|tally| tally.seen(scene, seen));
        soak.bar.inc(1);
        if stage.rounds() % STILL_EVERY == number % STILL_EVERY {
            let still = stage.still().await;
            soak.tally(|tally| tally.still(still));
        }
        if stage.rounds() % SCORE_EVERY == number % SCORE_EVERY {
            let reward = stage.score().await;
            soak.tally(|tally| tally.scored(reward));
        }
    }
}
