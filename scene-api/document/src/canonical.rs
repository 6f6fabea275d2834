//! The scene as canonical JSON, and the hash of that: equal exactly when the scenes' ids and values are.

use crate::environment::Surroundings;
use crate::{
    Animation, Deformation, Geometry, Kept, Mesh, Primitive, Scene, Skin, Source, Texels, Texture, Textures, Triangles,
};
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt;

/// BLAKE3 of the canonical JSON; shown as 64 hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateHash(pub [u8; 32]);

impl fmt::Display for StateHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Scene {
    /// Every table in id order, keys sorted, f64 in its shortest form, vertex data as BLAKE3 of its little-endian
    /// bytes. Free ids are left out: what was made and deleted again leaves no trace. Animations, textures, skins, what
    /// goes with them, and the environment are members only where there are any. O(size of the scene).
    #[must_use]
    pub fn to_canonical_json(&self) -> String {
        let nodes: Vec<Value> = self
            .nodes
            .iter()
            .map(|(id, node)| {
                let mut json = json!({
                    "id": id, "name": node.name, "parent": node.parent, "transform": node.transform,
                    "mesh": node.mesh, "light": node.light, "camera": node.camera, "kept": kept(&node.kept),
                });
                if !node.visible {
                    json["visible"] = json!(false);
                }
                if let Some(skin) = node.skin {
                    json["skin"] = json!(skin);
                }
                put(&mut json, "weights", &node.weights);
                json
            })
            .collect();
        let meshes: Vec<Value> =
            self.meshes.iter().map(|(id, mesh)| json!({"id": id, "mesh": mesh_json(mesh)})).collect();
        let materials: Vec<Value> = self
            .materials
            .iter()
            .map(|(id, material)| {
                let mut json = json!({
                    "id": id, "name": material.name, "base_color": material.base_color,
                    "metallic": material.metallic, "roughness": material.roughness,
                    "emissive": material.emissive, "emissive_strength": material.emissive_strength,
                    "alpha_mode": material.alpha_mode, "alpha_cutoff": material.alpha_cutoff,
                    "double_sided": material.double_sided, "kept": kept(&material.kept),
                });
                if !material.textures.is_empty() {
                    json["textures"] = texture_uses(&material.textures);
                }
                let extensions = material.extensions.to_gltf();
                if !extensions.is_empty() {
                    json["extensions"] = Value::Object(extensions);
                }
                json
            })
            .collect();
        let lights: Vec<Value> = self
            .lights
            .iter()
            .map(|(id, light)| {
                json!({
                    "id": id, "name": light.name, "kind": light.kind, "color": light.color,
                    "intensity": light.intensity, "range_m": light.range_m, "kept": kept(&light.kept),
                })
            })
            .collect();
        let cameras: Vec<Value> = self
            .cameras
            .iter()
            .map(|(id, camera)| {
                json!({
                    "id": id, "name": camera.name, "projection": camera.projection, "kept": kept(&camera.kept),
                })
            })
            .collect();
        let mut scene = json!({
            "nodes": nodes, "meshes": meshes, "materials": materials, "lights": lights, "cameras": cameras,
            "active_camera": self.active_camera, "source": self.source.as_deref().map(source),
        });
        if !self.animations.is_empty() {
            let animations = self.animations.iter().map(|(id, found)| json!({"id": id, "animation": animation(found)}));
            scene["animations"] = animations.collect();
        }
        if !self.textures.is_empty() {
            let textures = self.textures.iter().map(|(id, found)| json!({"id": id, "texture": texture(found)}));
            scene["textures"] = textures.collect();
        }
        if !self.skins.is_empty() {
            scene["skins"] = self.skins.iter().map(|(id, found)| json!({"id": id, "skin": skin(found)})).collect();
        }
        match self.surroundings {
            Surroundings::Dark => {}
            Surroundings::Uniform(environment) => scene["environment"] = json!(environment),
            Surroundings::Kept => scene["environment"] = json!("kept"),
        }
        canonical_text(&scene)
    }

    #[must_use]
    pub fn state_hash(&self) -> StateHash {
        StateHash(*blake3::hash(self.to_canonical_json().as_bytes()).as_bytes())
    }
}

/// JSON text with sorted keys and no spaces, whatever map type `serde_json` was built with.
pub(crate) fn canonical_text(value: &Value) -> String {
    let mut text = String::new();
    append(value, &mut text);
    text
}

fn append(value: &Value, text: &mut String) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(key, _)| *key);
            text.push('{');
            for (place, (key, member)) in members.into_iter().enumerate() {
                if place > 0 {
                    text.push(',');
                }
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push(':');
                append(member, text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    text.push(',');
                }
                append(item, text);
            }
            text.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => text.push_str(&value.to_string()),
    }
}

fn kept(kept: &Kept) -> Option<Value> {
    kept.0.as_deref().map(|members| Value::Object(members.clone()))
}

fn mesh_json(mesh: &Mesh) -> Value {
    let primitives: Vec<Value> = mesh.primitives.iter().map(primitive).collect();
    let mut json = json!({"name": mesh.name, "primitives": primitives, "kept": kept(&mesh.kept)});
    put(&mut json, "weights", &mesh.weights);
    put(&mut json, "target_names", &mesh.target_names);
    json
}

fn primitive(primitive: &Primitive) -> Value {
    let geometry = match &primitive.geometry {
        Geometry::Shape(shape) => json!({"shape": shape}),
        Geometry::Raw(triangles) => json!({"raw": digests(triangles)}),
        Geometry::Deformable { triangles, deformation } => {
            json!({"raw": digests(triangles), "deformation": deformation_json(deformation)})
        }
        Geometry::Imported { triangles, deformation, primitive } => {
            let mut json = json!({"imported": digests(triangles), "primitive": **primitive});
            if let Some(deformation) = deformation {
                json["deformation"] = deformation_json(deformation);
            }
            json
        }
    };
    json!({"geometry": geometry, "material": primitive.material})
}

fn texture(texture: &Texture) -> Value {
    let texels = match &texture.texels {
        Texels::Image { image, sampler } => {
            json!({"image": blake3::Hash::from_bytes(*image.digest()).to_hex().as_str(), "sampler": sampler})
        }
        Texels::Imported(place) => json!({"imported": place}),
    };
    json!({"name": texture.name, "texels": texels})
}

fn texture_uses(textures: &Textures) -> Value {
    let each = textures.iter().map(|(slot, used)| {
        json!({
            "slot": slot, "texture": used.texture, "tex_coord": used.tex_coord, "amount": used.amount,
            "transform": used.transform, "kept": kept(&used.kept),
        })
    });
    each.collect()
}

fn animation(animation: &Animation) -> Value {
    let numbers = |numbers: &[f32]| digest(numbers.iter().map(|part| part.to_le_bytes()));
    let channels = animation.channels.iter().map(|channel| {
        json!({
            "node": channel.node, "path": channel.path.name(), "interpolation": channel.interpolation.name(),
            "times_s": numbers(&channel.times_s), "values": numbers(&channel.values),
            "sampler": channel.sampler.as_deref(), "kept": kept(&channel.kept),
        })
    });
    json!({"name": animation.name, "channels": channels.collect::<Value>(), "kept": kept(&animation.kept)})
}

fn skin(skin: &Skin) -> Value {
    let matrices = digest(skin.inverse_bind_matrices.iter().flatten().map(|part| part.to_le_bytes()));
    json!({
        "name": skin.name, "joints": skin.joints, "inverse_bind_matrices": matrices, "skeleton": skin.skeleton,
        "accessor": skin.accessor, "kept": kept(&skin.kept),
    })
}

fn deformation_json(deformation: &Deformation) -> Value {
    let joint = |joints: [u16; 4]| joints.map(|joint| u32::from(joint).to_le_bytes());
    let targets = deformation.targets.iter();
    json!({
        "joints": digest(deformation.influences.iter().flat_map(|influence| joint(influence.joints))),
        "weights": digest(deformation.influences.iter().flat_map(|influence| influence.weights.map(f32::to_le_bytes))),
        "targets": targets.map(|target| {
            json!({"positions": vectors(&target.positions), "normals": target.normals.as_deref().map(vectors)})
        }).collect::<Value>(),
    })
}

/// A member only where there is something to say.
fn put<T: Serialize>(json: &mut Value, name: &str, items: &[T]) {
    if !items.is_empty() {
        json[name] = json!(items);
    }
}

fn vectors(rows: &[[f32; 3]]) -> String {
    digest(rows.iter().flatten().map(|part| part.to_le_bytes()))
}

fn digests(mesh: &Triangles) -> Value {
    let mut json = json!({
        "positions": vectors(&mesh.positions),
        "normals": mesh.normals.as_deref().map(vectors),
        "triangles": digest(mesh.triangles.iter().flatten().map(|corner| corner.to_le_bytes())),
    });
    if let Some(uvs) = &mesh.uvs {
        json["uvs"] = json!(digest(uvs.iter().flatten().map(|part| part.to_le_bytes())));
    }
    json
}

fn digest(words: impl Iterator<Item = [u8; 4]>) -> String {
    let mut bytes = Vec::new();
    for word in words {
        bytes.extend_from_slice(&word);
    }
    blake3::hash(&bytes).to_hex().to_string()
}

fn source(source: &Source) -> Value {
    let json = canonical_text(&source.json);
    json!({
        "json": blake3::hash(json.as_bytes()).to_hex().as_str(),
        "blob": blake3::hash(&source.blob).to_hex().as_str(),
    })
}
