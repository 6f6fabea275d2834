//! Bevy without a window and without a frame of delay: one update simulates, draws and submits one picture.

use crate::material;
use bevy::DefaultPlugins;
use bevy::app::{App, PluginGroup, PluginsState, TerminalCtrlCHandlerPlugin};
use bevy::light::cluster::GlobalClusterSettings;
use bevy::light::{DirectionalLightShadowMap, PointLightShadowMap};
use bevy::pbr::{PendingMeshMaterialQueues, PendingShadowQueues};
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::render_resource::{CachedPipelineState, PipelineCache};
use bevy::render::settings::RenderCreation;
use bevy::render::{RenderApp, RenderPlugin};
use bevy::shader::ShaderCacheError;
use bevy::tasks::tick_global_task_pools_on_main_thread;
use bevy::time::TimeUpdateStrategy;
use bevy::window::{ExitCondition, WindowPlugin};
use scene_probe::RenderError;
use std::time::Duration;

/// Side of the shadow map of a directional light, and of a spot light.
const FLAT_SHADOW_PX: usize = 2048;
/// Side of each face of the shadow map of a point light.
const CUBE_SHADOW_PX: usize = 1024;

pub(crate) fn app(creation: RenderCreation) -> Result<App, RenderError> {
    let window = WindowPlugin { primary_window: None, exit_condition: ExitCondition::DontExit, ..Default::default() };
    let render =
        RenderPlugin { render_creation: creation, synchronous_pipeline_compilation: true, ..Default::default() };
    let plugins = DefaultPlugins
        .set(window)
        .set(render)
        // With it an update draws what the update before prepared.
        .disable::<PipelinedRenderingPlugin>()
        // What Ctrl-C does is the program's affair.
        .disable::<TerminalCtrlCHandlerPlugin>();
    let mut app = App::new();
    app.add_plugins(plugins)
        .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(16)))
        .insert_resource(DirectionalLightShadowMap { size: FLAT_SHADOW_PX })
        .insert_resource(PointLightShadowMap { size: CUBE_SHADOW_PX });
    material::add_to(&mut app)?;
    while app.plugins_state() == PluginsState::Adding {
        tick_global_task_pools_on_main_thread();
    }
    app.finish();
    app.cleanup();
    // On the graphics card lights would be sorted into lists that grow only some frames after they were too short.
    app.world_mut().resource_mut::<GlobalClusterSettings>().gpu_clustering = None;
    Ok(app)
}

/// Whether the last update drew everything: no pipeline was still to be made, and no row (a mesh and a surface of the
/// scene) waited for one.
///
/// # Errors
/// `Device` for a pipeline that will never be.
pub(crate) fn is_complete(app: &App) -> Result<bool, RenderError> {
    let world = app.sub_app(RenderApp).world();
    for pipeline in world.resource::<PipelineCache>().pipelines() {
        match &pipeline.state {
            CachedPipelineState::Ok(_) => {}
            CachedPipelineState::Queued
            | CachedPipelineState::Creating(_)
            | CachedPipelineState::Err(
                ShaderCacheError::ShaderNotLoaded(_) | ShaderCacheError::ShaderImportNotYetAvailable,
            ) => return Ok(false),
            CachedPipelineState::Err(error) => return Err(RenderError::Device { what: error.to_string() }),
        }
    }
    let rows = world.resource::<PendingMeshMaterialQueues>();
    let shadows = world.resource::<PendingShadowQueues>();
    Ok(rows.values().chain(shadows.values()).all(|view| view.current_frame.is_empty()))
}
