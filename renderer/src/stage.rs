//! Where pictures are taken: the app, the scene that is in it, the lights, one camera.

use crate::app::{app, is_complete};
use crate::camera::CameraSetup;
use crate::decode::decode;
use crate::device;
use crate::extent::Extent;
use crate::lights::{LightSlots, Lighting};
use crate::material::Output;
use crate::picture::Picture;
use crate::readback;
use crate::shot::{Fault, LitBy, Pass, Shot};
use crate::world::Rows;
use bevy::app::App;
use bevy::ecs::entity::Entity;
use bevy::pbr::{BinUnpackingBindGroups, ViewKeyCache};
use bevy::render::RenderApp;
use bevy::render::renderer::RenderDevice;
use nalgebra::{Matrix4, Point3, Vector3};
use scene_document::{
    AlphaMode, Baked, BakedMesh, Clearcoat, Material, MaterialExtensions, MaterialId, MeshId, NodeId, Projection,
    Surface, View,
};
use scene_probe::{AdapterChoice, AdapterInfo, Faults, RenderError, choose};
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

/// Of no further use after a panic or an error of `Device` or `DeviceLost`.
pub(crate) struct Stage {
    app: App,
    faults: Faults,
    adapter: Arc<AdapterInfo>,
    scene: Option<(Arc<Baked>, Extent)>,
    rows: Rows,
    /// Whether there are pipelines for what is layered (see `Finish`).
    draws_layers: bool,
    lights: LightSlots,
    camera: Option<Entity>,
}

/// Raw pixels, what lit them, and what could not be drawn.
struct Frame {
    bytes: Vec<u8>,
    lit_by: LitBy,
    notes: Vec<String>,
}

impl Stage {
    /// # Errors
    /// `NoAdapter`; `Device` where the adapter cannot be opened or does not draw.
    pub(crate) fn start(choice: &AdapterChoice) -> Result<Self, RenderError> {
        let chosen = choose(choice)?;
        let adapter = Arc::new(chosen.info.clone());
        let mut app = app(device::open(chosen)?)?;
        // Not sooner: Bevy, as it takes the device, puts callbacks of its own there, which end the app.
        let faults = Faults::watch(app.world().resource::<RenderDevice>().wgpu_device());
        let lights = LightSlots::new(app.world_mut());
        let (rows, draws_layers) = (Rows::default(), false);
        let mut stage = Self { app, faults, adapter, scene: None, rows, draws_layers, lights, camera: None };
        for _ in 0..3 {
            stage.app.update();
        }
        stage.lights.sort(stage.app.world());
        stage.warm_up(one_of_everything(None))?;
        Ok(stage)
    }

    /// Draws one of everything, so that no picture waits for a pipeline, and that pipelines have the same numbers in
    /// every process: Bevy draws in the order of those numbers.
    fn warm_up(&mut self, everything: Baked) -> Result<(), RenderError> {
        let scene = Arc::new(everything);
        let world_from_camera = Matrix4::new_translation(&Vector3::new(0.0, 0.0, 4.0));
        let projection = Projection::Perspective { yfov_rad: 1.0, aspect: None, znear_m: 0.1, zfar_m: None };
        let view = View { world_from_camera, projection, width: 16, height: 16 };
        for pass in [Pass::Beauty, Pass::Hdr, Pass::Id] {
            self.frame(&Shot::new(Arc::clone(&scene), view, pass), STARTING_UPDATES_MAX)?;
        }
        self.faults.check()
    }

    /// # Errors
    /// `BeyondSinglePrecision`, `Unsteady`, and `Device` or `DeviceLost` as the device reports, even where Bevy panics
    /// over it.
    pub(crate) fn draw(&mut self, shot: &Shot) -> Result<Picture, RenderError> {
        let drawn = catch_unwind(AssertUnwindSafe(|| self.picture(shot)));
        self.faults.check()?;
        drawn.unwrap_or_else(|panic| resume_unwind(panic))
    }

    fn picture(&mut self, shot: &Shot) -> Result<Picture, RenderError> {
        let Frame { bytes, lit_by, notes } = self.frame(shot, UPDATES_MAX)?;
        if shot.twice && self.frame(shot, UPDATES_MAX)?.bytes != bytes {
            return Err(RenderError::Unsteady);
        }
        Ok(Picture {
            width: shot.view.width,
            height: shot.view.height,
            pass: shot.pass,
            pixels: decode(shot.pass, &bytes)?,
            lit_by,
            adapter: Arc::clone(&self.adapter),
            notes,
        })
    }

    fn frame(&mut self, shot: &Shot, updates_max: usize) -> Result<Frame, RenderError> {
        let extent = self.enter(&shot.scene)?;
        // What does not see at all was refused before it came here.
        let setup = CameraSetup::new(&shot.view, &extent).ok_or(RenderError::BeyondSinglePrecision)?;
        let world = self.app.world_mut();
        let lighting = Lighting::of(shot);
        self.rows.dress(world, output(shot.pass), lighting.environment_cd_m2.unwrap_or_default(), &extent);
        self.lights.clear(world);
        let notes = [self.rows.notes().to_vec(), self.lights.fill(world, &lighting, &extent)].concat();
        if let Some(camera) = self.camera.take() {
            world.despawn(camera);
        }
        forget_views(&mut self.app);
        let world = self.app.world_mut();
        let target = readback::target(world, &shot.view, shot.pass);
        self.camera = Some(setup.spawn(world, shot.pass, &lighting, target.clone()));
        match shot.fault {
            None => {}
            Some(Fault::Panic) => panic!("a test asked for it"),
            Some(Fault::LoseDevice) => world.resource::<RenderDevice>().wgpu_device().destroy(),
        }
        self.update(updates_max)?;
        let bytes = readback::read(&self.app, &self.faults, &target)?;
        Ok(Frame { bytes, lit_by: lighting.lit_by, notes })
    }

    /// Brings a scene in, unless it is the one that is there. Answers its extent. The first one that is layered waits for
    /// its pipelines, all of them, so that their numbers are after those of plain rows and in one order.
    fn enter(&mut self, scene: &Arc<Baked>) -> Result<Extent, RenderError> {
        if let Some((shown, extent)) = &self.scene
            && Arc::ptr_eq(shown, scene)
        {
            return Ok(*extent);
        }
        let extent = Extent::of(scene);
        self.rows.show(self.app.world_mut(), scene, &extent);
        if self.rows.is_layered() && !self.draws_layers {
            self.draws_layers = true;
            self.warm_up(one_of_everything(Some(coated())))?;
            self.rows.show(self.app.world_mut(), scene, &extent);
        }
        self.scene = Some((Arc::clone(scene), extent));
        Ok(extent)
    }

    fn update(&mut self, updates_max: usize) -> Result<(), RenderError> {
        for _ in 0..updates_max {
            self.app.update();
            self.faults.check()?;
            if is_complete(&self.app)? {
                return Ok(());
            }
            sleep(PAUSE);
        }
        Err(RenderError::Device { what: format!("the picture is not complete after {updates_max} updates") })
    }
}

/// Bevy fills these caches in every update and never takes out what belongs to cameras and lights that are gone.
fn forget_views(app: &mut App) {
    let world = app.sub_app_mut(RenderApp).world_mut();
    world.resource_mut::<ViewKeyCache>().clear();
    world.resource_mut::<BinUnpackingBindGroups>().clear();
}

fn output(pass: Pass) -> Output {
    match pass {
        Pass::Beauty | Pass::Hdr => Output::Lit,
        Pass::Albedo => Output::Albedo,
        Pass::Normal => Output::Normal,
        Pass::Depth => Output::Depth,
        Pass::Id => Output::MeshId,
    }
}

/// Triangles of every class, opaque before blended and one-sided before two-sided.
fn one_of_everything(material: Option<Material>) -> Baked {
    let id = MaterialId(1);
    let triangle = |alpha_mode: AlphaMode, double_sided: bool| BakedMesh {
        node: NodeId(1),
        name: String::new(),
        mesh: MeshId(1),
        positions: vec![Point3::new(-1.0, -1.0, 0.0), Point3::new(1.0, -1.0, 0.0), Point3::new(0.0, 1.0, 0.0)],
        normals: None,
        uvs: None,
        triangles: vec![[0, 1, 2]],
        triangle_surface: vec![0],
        surfaces: vec![Surface {
            material: material.is_some().then_some(id),
            alpha_mode,
            double_sided,
            ..Surface::WITHOUT_MATERIAL
        }],
    };
    let mut baked = Baked::default();
    for alpha_mode in [AlphaMode::Opaque, AlphaMode::Blend] {
        baked.meshes.extend([false, true].map(|double_sided| triangle(alpha_mode, double_sided)));
    }
    if let Some(material) = material {
        baked.materials.insert_mut(id, Arc::new(material));
    }
    baked
}

/// Layered.
fn coated() -> Material {
    let clearcoat = Some(Clearcoat { factor: 1.0, roughness: 0.0 });
    let extensions = MaterialExtensions { clearcoat, ..MaterialExtensions::default() };
    Material { extensions, ..Material::default() }
}
