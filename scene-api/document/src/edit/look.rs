//! Edits of materials, textures and the environment.

use super::{Applied, Changed, EditError, take};
use crate::environment::Surroundings;
use crate::{Environment, Image, Material, MaterialId, Sampler, Scene, Texels, Texture, TextureId, check};
use std::sync::Arc;

pub(super) fn create_material(scene: &Scene, material: Material) -> Result<Applied, EditError> {
    check_material(scene, &material)?;
    let mut scene = scene.clone();
    let id = MaterialId(take(&mut scene.next.material));
    scene.materials.insert_mut(id, Arc::new(material));
    Ok(Applied { scene, changed: Changed { materials: vec![id], ..Changed::default() } })
}

pub(super) fn set_material(scene: &Scene, id: MaterialId, to: Material) -> Result<Applied, EditError> {
    if !scene.materials.contains_key(&id) {
        return Err(EditError::NoMaterial(id));
    }
    check_material(scene, &to)?;
    let mut scene = scene.clone();
    scene.materials.insert_mut(id, Arc::new(to));
    Ok(Applied { scene, changed: Changed { materials: vec![id], ..Changed::default() } })
}

pub(super) fn create_texture(scene: &Scene, name: String, image: Arc<Image>, sampler: Sampler) -> Applied {
    let mut scene = scene.clone();
    let id = TextureId(take(&mut scene.next.texture));
    scene.textures.insert_mut(id, Arc::new(Texture { name, texels: Texels::Image { image, sampler } }));
    Applied { scene, changed: Changed { textures: vec![id], ..Changed::default() } }
}

pub(super) fn set_environment(scene: &Scene, environment: Option<Environment>) -> Result<Applied, EditError> {
    environment.iter().try_for_each(check::environment)?;
    let surroundings = environment.map_or(Surroundings::Dark, Surroundings::Uniform);
    let scene = Scene { surroundings, ..scene.clone() };
    Ok(Applied { scene, changed: Changed { environment: true, ..Changed::default() } })
}

fn check_material(scene: &Scene, material: &Material) -> Result<(), EditError> {
    check::material(material)?;
    check::textures(scene, &material.textures)
}
