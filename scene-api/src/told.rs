//! What has become of an object, as clients and models are told of it.

use crate::change_log::{Change, Difference, Field, Object};
use crate::measured::origin_m;
use scene_document::Scene;
use serde_json::{Value, json};

impl Difference {
    /// What is different, and what the object is now in the scene; a node's children move with it and are not told of.
    pub(crate) fn told(&self, scene: &Scene) -> Value {
        let mut told = json!({"id": self.object, "change": self.change});
        if !self.fields.is_empty() {
            told["fields"] = json!(self.fields);
        }
        if let Some(name) = name(scene, self.object) {
            told["name"] = json!(name);
        }
        let moved = self.change != Change::Changed
            || self.fields.contains(&Field::Transform)
            || self.fields.contains(&Field::Parent);
        if let Object::Node(id) = self.object
            && moved
            && self.change != Change::Deleted
        {
            told["world_translation_m"] = json!(origin_m(scene, id));
        }
        told
    }
}

fn name(scene: &Scene, object: Object) -> Option<&str> {
    match object {
        Object::Node(id) => scene.node(id).map(|node| node.name.as_str()),
        Object::Material(id) => scene.materials().get(&id).map(|material| material.name.as_str()),
        Object::Texture(id) => scene.textures().get(&id).map(|texture| texture.name.as_str()),
        Object::Animation(id) => scene.animations().get(&id).map(|animation| animation.name.as_str()),
        Object::Environment => None,
    }
}
