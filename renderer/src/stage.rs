//! Where pictures are taken: the app, the scene that is in it, the lights, one camera.

use crate::app::{app, is_complete};
use crate::camera::Eye;
use crate::device::Device;
use crate::drawn::Shows;
use crate::extent::Extent;
use crate::lights::{Lighting, Sockets};
use crate::picture::{LitBy, Picture, Pixels};
use crate::readback;
use crate::shot::{Fault, Pass, Shot};
use crate::world::Rows;
use bevy::app::App;
use bevy::ecs::entity::Entity;
use bevy::pbr::{BinUnpackingBindGroups, ViewKeyCache};
use bevy::render::RenderApp;
use nalgebra::{Matrix4, Point3, Vector3};
use scene_document::{AlphaMode, Baked, BakedMesh, MeshId, NodeId, Projection, Surface, View};
use scene_probe::{AdapterChoice, AdapterInfo, RenderError, choose};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

/// A warm app draws everything in the first update; what is not there after these never comes.
const UPDATES_MAX: usize = 16;
/// The first updates load Bevy's shaders, on other threads.
const STARTING_UPDATES_MAX: usize = 2000;
/// Before the next update, where one was not enough.
const PAUSE: Duration = Duration::from_millis(5);

/// After a `DeviceLost` or `Device` error, or a panic, it is of no further use.
pub(crate) struct Stage {
    app: App,
    device: Device,
    adapter: Arc<AdapterInfo>,
    scene: Option<(Arc<Baked>, Extent)>,
    rows: Rows,
    sockets: Sockets,
    camera: Option<Entity>,
}

/// Raw pixels, and what could not be drawn.
struct Frame {
    bytes: Vec<u8>,
    notes: Vec<String>,
}

impl Stage {
    /// # Errors
    /// `NoAdapter`; `Device` where the adapter cannot be opened or does not draw.
    pub(crate) fn start(choice: &AdapterChoice) -> Result<Self, RenderError> {
        let chosen = choose(choice)?;
        let adapter = Arc::new(chosen.info.clone());
        let (device, creation) = Device::open(chosen)?;
        let mut app = app(creation)?;
        device.watch();
        let sockets = Sockets::new(app.world_mut());
        let mut stage = Self { app, device, adapter, scene: None, rows: Rows::default(), sockets, camera: None };
        stage.warm_up()?;
        Ok(stage)
    }

    /// Draws one of everything, so that no picture waits for a pipeline, and that pipelines have the same numbers in
    /// every process: Bevy draws by them.
    fn warm_up(&mut self) -> Result<(), RenderError> {
        for _ in 0..3 {
            self.app.update();
        }
        self.sockets.sort(self.app.world());
        let scene = Arc::new(one_of_everything());
        let world_from_camera = Matrix4::new_translation(&Vector3::new(0.0, 0.0, 4.0));
        let projection = Projection::Perspective { yfov_rad: 1.0, aspect: None, znear_m: 0.1, zfar_m: None };
        let view = View { world_from_camera, projection, width: 16, height: 16 };
        for pass in [Pass::Beauty, Pass::Hdr, Pass::Id] {
            self.frame(&Shot::new(Arc::clone(&scene), view, pass), STARTING_UPDATES_MAX)?;
        }
        self.device.fault().map_or(Ok(()), Err)
    }

    /// # Errors
    /// `NoPixels`, `Unsteady`, and `Device` or `DeviceLost` as the device reports, even where Bevy panics over it.
    pub(crate) fn draw(&mut self, shot: &Shot) -> Result<Picture, RenderError> {
        let drawn = catch_unwind(AssertUnwindSafe(|| self.picture(shot)));
        if let Some(fault) = self.device.fault() {
            return Err(fault);
        }
        drawn.unwrap_or_else(|panic| resume_unwind(panic))
    }

    fn picture(&mut self, shot: &Shot) -> Result<Picture, RenderError> {
        let Frame { bytes, notes } = self.frame(shot, UPDATES_MAX)?;
        if shot.twice && self.frame(shot, UPDATES_MAX)?.bytes != bytes {
            return Err(RenderError::Unsteady);
        }
        Ok(Picture {
            width: shot.view.width,
            height: shot.view.height,
            pass: shot.pass,
            pixels: Pixels::read(shot.pass, &bytes)?,
            lit_by: LitBy::of(&shot.scene),
            adapter: Arc::clone(&self.adapter),
            notes,
        })
    }

    fn frame(&mut self, shot: &Shot, updates_max: usize) -> Result<Frame, RenderError> {
        let extent = self.enter(&shot.scene);
        let (width, height) = (shot.view.width, shot.view.height);
        let eye = Eye::new(&shot.view, &extent).ok_or(RenderError::NoPixels { width, height })?;
        let world = self.app.world_mut();
        self.rows.dress(world, shows(shot.pass), &extent);
        self.sockets.clear(world);
        let lighting = shot.pass.is_lit().then(|| Lighting::of(&shot.scene, &shot.view));
        let notes = lighting.as_ref().map_or_else(Vec::new, |lights| self.sockets.light(world, lights, &extent));
        let ambient_cd_m2 = lighting.map_or(0.0, |lights| lights.ambient_cd_m2);
        if let Some(camera) = self.camera.take() {
            world.despawn(camera);
        }
        forget_views(&mut self.app);
        let world = self.app.world_mut();
        let target = readback::target(world, &shot.view, shot.pass);
        self.camera = Some(eye.spawn(world, shot.pass, ambient_cd_m2, target.clone()));
        match shot.fault {
            None => {}
            Some(Fault::Panic) => panic!("a test asked for it"),
            Some(Fault::LoseDevice) => self.device.lose(),
        }
        self.update(updates_max)?;
        let bytes = readback::read(&self.app, &target)?;
        Ok(Frame { bytes, notes })
    }

    /// The scene is compared by its address first.
    fn enter(&mut self, scene: &Arc<Baked>) -> Extent {
        if let Some((shown, extent)) = &self.scene
            && Arc::ptr_eq(shown, scene)
        {
            return *extent;
        }
        let extent = Extent::of(scene);
        self.rows.show(self.app.world_mut(), scene, &extent);
        self.scene = Some((Arc::clone(scene), extent));
        extent
    }

    fn update(&mut self, updates_max: usize) -> Result<(), RenderError> {
        for _ in 0..updates_max {
            self.app.update();
            if let Some(fault) = self.device.fault() {
                return Err(fault);
            }
            if is_complete(&self.app)? {
                return Ok(());
            }
            sleep(PAUSE);
        }
        Err(RenderError::Device { what: format!("the picture is not complete after {updates_max} updates") })
    }
}

/// Bevy fills these anew in every update, and keeps in them what belongs to cameras and lights that are gone.
fn forget_views(app: &mut App) {
    let world = app.sub_app_mut(RenderApp).world_mut();
    world.resource_mut::<ViewKeyCache>().clear();
    world.resource_mut::<BinUnpackingBindGroups>().clear();
}

fn shows(pass: Pass) -> Shows {
    match pass {
        Pass::Beauty | Pass::Hdr => Shows::Lit,
        Pass::Albedo => Shows::Albedo,
        Pass::Normal => Shows::Normal,
        Pass::Depth => Shows::Depth,
        Pass::Id => Shows::MeshId,
    }
}

/// Triangles of every class, one-sided before two-sided and opaque before blended.
fn one_of_everything() -> Baked {
    let triangle = |alpha_mode: AlphaMode, double_sided: bool| BakedMesh {
        node: NodeId(1),
        name: String::new(),
        mesh: MeshId(1),
        positions: vec![Point3::new(-1.0, -1.0, 0.0), Point3::new(1.0, -1.0, 0.0), Point3::new(0.0, 1.0, 0.0)],
        normals: None,
        triangles: vec![[0, 1, 2]],
        triangle_surface: vec![0],
        surfaces: vec![Surface { alpha_mode, double_sided, ..Surface::WITHOUT_MATERIAL }],
    };
    let classes = [AlphaMode::Opaque, AlphaMode::Blend].map(|mode| [false, true].map(|sided| triangle(mode, sided)));
    Baked { meshes: classes.into_iter().flatten().collect(), ..Baked::default() }
}
