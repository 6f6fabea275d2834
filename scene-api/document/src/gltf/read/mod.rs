//! A glTF file as a scene. What is typed is read in f64 from the JSON; accessors, buffer views and primitives through
//! the `gltf` crate's types; everything else is kept. A file with errors is still read where they do not stand in the
//! way, and the errors are in `Import::issues`.

mod animations;
mod deformation;
mod geometry;
mod hierarchy;
mod kept;
mod look;
mod merge;
mod not_evaluated;
mod skins;
mod textures;

use super::check::{Document, Examined, Report, examine, index, issue, json_values, uint};
use super::environment::surroundings;
use super::{Import, Issue, Limits, ReadError, Resolve, Severity};
use crate::scene::NextIds;
use crate::{AnimationId, CameraId, LightId, MaterialId, MeshId, Node, Scene, TextureId};
use animations::animations;
use geometry::Meshes;
use hierarchy::{Instance, active_camera, instances, transform};
use kept::kept;
use not_evaluated::not_evaluated;
use serde_json::Value;
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Extensions that may be required of us: they say how things look or move, or we implement them.
const UNDERSTOOD: &[&str] = &[
    "EXT_lights_image_based",
    "EXT_mesh_features",
    "EXT_mesh_manifold",
    "EXT_structural_metadata",
    "EXT_texture_avif",
    "EXT_texture_webp",
    "KHR_animation_pointer",
    "KHR_lights_punctual",
    "KHR_mesh_quantization",
    "KHR_node_visibility",
    "KHR_texture_basisu",
    "KHR_texture_transform",
    "KHR_xmp_json_ld",
];

/// Without a tree there is no order of nodes to read.
const NOT_A_TREE: [&str; 2] = ["NODE_LOOP", "NODE_PARENT_OVERRIDE"];

/// Reads a GLB or the JSON text of a `.gltf`; `resolve` finds the files that it names. Nodes are numbered depth first
/// through the default scene, meshes, skins, lights, cameras and animations in the file's order as far as that scene
/// uses them, materials and textures all, in the file's order.
///
/// # Errors
/// `ReadError`; a panic inside is contained.
pub fn read(bytes: &[u8], resolve: Resolve, limits: &Limits) -> Result<Import, ReadError> {
    catch_unwind(AssertUnwindSafe(|| read_uncontained(bytes, resolve, limits)))
        .unwrap_or_else(|panic| Err(ReadError::Panicked { what: text_of(panic.as_ref()) }))
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}

fn read_uncontained(bytes: &[u8], resolve: Resolve, limits: &Limits) -> Result<Import, ReadError> {
    within("bytes", bytes.len(), limits.bytes)?;
    within("JSON values", json_values(bytes), limits.json_values)?;
    let Examined { mut report, document } = examine(bytes, resolve);
    let Some(mut document) = document else { return Err(ReadError::Invalid { issues: report.into_issues() }) };
    within("bytes", bytes.len() as u64 + external_bytes(&document), limits.bytes)?;
    supported(&document)?;
    if NOT_A_TREE.into_iter().any(|code| report.has_error(code)) {
        return Err(ReadError::Invalid { issues: report.into_issues() });
    }
    fill_absent_buffers(&mut document, &mut report, limits)?;
    let mut issues = report.into_issues();
    match import(document, limits) {
        Ok(import) => {
            issues.extend(import.issues);
            Ok(Import { issues, ..import })
        }
        Err(ReadError::Invalid { issues: found }) => {
            let is_new =
                |issue: &Issue| !issues.iter().any(|known| known.pointer == issue.pointer && known.code == issue.code);
            let found: Vec<Issue> = found.into_iter().filter(is_new).collect();
            issues.extend(found);
            Err(ReadError::Invalid { issues })
        }
        Err(other) => Err(other),
    }
}

/// Of the files that the document names, each counted once.
fn external_bytes(document: &Document) -> u64 {
    let mut seen = BTreeSet::new();
    let mut total = 0;
    for (list, loaded) in [("buffers", &document.buffers), ("images", &document.images)] {
        for (object, bytes) in document.list(list).iter().zip(loaded) {
            let uri = object.get("uri").and_then(Value::as_str);
            if let Some(bytes) = bytes
                && uri.is_some_and(|uri| !uri.starts_with("data:"))
                && seen.insert(Arc::as_ptr(bytes))
            {
                total += bytes.len() as u64;
            }
        }
    }
    total
}

/// A required extension changes geometry in a way we do not know.
fn supported(document: &Document) -> Result<(), ReadError> {
    for (index, name) in document.list("extensionsRequired").iter().enumerate() {
        let Some(name) = name.as_str() else { continue };
        if !UNDERSTOOD.contains(&name) && !name.starts_with("KHR_materials_") {
            return Err(ReadError::Unsupported { what: name.into(), pointer: format!("/extensionsRequired/{index}") });
        }
    }
    Ok(())
}

/// A buffer without a URI has its bytes from elsewhere; here they read as zeros, as accessors without a view do, and an
/// issue says so.
fn fill_absent_buffers(document: &mut Document, report: &mut Report, limits: &Limits) -> Result<(), ReadError> {
    let errors = report.issues().iter().filter(|issue| issue.severity == Severity::Error);
    let faulty: BTreeSet<usize> =
        errors.filter_map(|issue| issue.pointer.strip_prefix("/buffers/")?.split('/').next()?.parse().ok()).collect();
    let mut total = 0_u64;
    for place in 0..document.buffers.len() {
        let Some(buffer) = document.list("buffers").get(place) else { continue };
        if document.buffers[place].is_some() || buffer.get("uri").is_some() || faulty.contains(&place) {
            continue;
        }
        let length = buffer.get("byteLength").and_then(uint).unwrap_or(0);
        total = total.saturating_add(length);
        within("bytes", total, limits.bytes)?;
        document.buffers[place] = Some(Arc::new(vec![0; length as usize]));
        let message = "The buffer has no URI; its bytes are read as zeros.";
        report.information("BUFFER_WITHOUT_DATA", &format!("/buffers/{place}"), message);
    }
    Ok(())
}

/// Its issues are those of animations only.
fn import(document: Document, limits: &Limits) -> Result<Import, ReadError> {
    within("materials", document.list("materials").len(), limits.materials)?;
    let nodes = document.list("nodes");
    let instances = instances(&document, limits)?;
    let mut links = Vec::with_capacity(instances.len());
    for instance in &instances {
        links.push(Links::of(&document, instance)?);
    }
    let used = |of: fn(&Links) -> Option<usize>| {
        let mut uses: BTreeMap<usize, u64> = BTreeMap::new();
        links.iter().filter_map(of).for_each(|place| *uses.entry(place).or_default() += 1);
        uses
    };
    let (meshes, lights, cameras) = (used(|links| links.mesh), used(|links| links.light), used(|links| links.camera));
    within("lights", lights.values().sum::<u64>(), limits.lights)?;
    within("cameras", cameras.values().sum::<u64>(), limits.cameras)?;
    let mut scene = Scene::default();

    for (place, material) in document.list("materials").iter().enumerate() {
        scene.materials.insert_mut(MaterialId(ordinal(place)), Arc::new(look::material(&document, material)));
    }
    for (place, texture) in textures::textures(&document, limits)?.into_iter().enumerate() {
        scene.textures.insert_mut(TextureId(ordinal(place)), Arc::new(texture));
    }
    let mut reader = Meshes::new(&document, limits);
    for (id, (place, uses)) in meshes.iter().enumerate() {
        scene.meshes.insert_mut(MeshId(ordinal(id)), Arc::new(reader.mesh(*place, *uses)?));
    }
    for (id, place) in lights.keys().enumerate() {
        scene.lights.insert_mut(LightId(ordinal(id)), Arc::new(look::light(&document, *place)?));
    }
    for (id, place) in cameras.keys().enumerate() {
        scene.cameras.insert_mut(CameraId(ordinal(id)), Arc::new(look::camera(&document, *place)?));
    }

    let numbered = |uses: &BTreeMap<usize, u64>| -> BTreeMap<usize, u32> {
        uses.keys().enumerate().map(|(id, place)| (*place, ordinal(id))).collect()
    };
    let (mesh_ids, light_ids, camera_ids) = (numbered(&meshes), numbered(&lights), numbered(&cameras));
    let mut node_ids = vec![None; nodes.len()];
    let mut node_pointers = BTreeMap::new();
    let mut skinned = Vec::new();
    for (Instance { source, id, parent }, links) in instances.iter().zip(&links) {
        let Some(node) = nodes.get(*source) else { continue };
        let pointer = format!("/nodes/{source}");
        let name = node.get("name").and_then(Value::as_str).map_or_else(|| format!("node_{source}"), str::to_owned);
        let mesh = links.mesh.and_then(|place| mesh_ids.get(&place).copied()).map(MeshId);
        let targets = mesh.and_then(|mesh| scene.meshes.get(&mesh)).map_or(0, |mesh| mesh.morph_target_count());
        skinned.extend(links.skin.map(|skin| (*id, skin)));
        let node = Node {
            name,
            parent: *parent,
            transform: transform(node, &pointer)?,
            mesh,
            skin: None,
            weights: deformation::weights(node, targets),
            light: links.light.and_then(|place| light_ids.get(&place).copied()).map(LightId),
            camera: links.camera.and_then(|place| camera_ids.get(&place).copied()).map(CameraId),
            visible: node.pointer("/extensions/KHR_node_visibility/visible") != Some(&Value::Bool(false)),
            kept: kept(node, NODE_MEMBERS),
        };
        scene.nodes.insert_mut(*id, Arc::new(node));
        node_ids[*source] = Some(*id);
        node_pointers.insert(*id, pointer);
    }
    skins::bind(&document, &node_ids, &mut scene, &skinned)?;
    let (read, unread) = animations(&document, &node_ids, &scene, limits)?;
    for (place, animation) in read.into_iter().enumerate() {
        scene.animations.insert_mut(AnimationId(ordinal(place)), Arc::new(animation));
    }
    scene.surroundings = surroundings(&document);
    scene.active_camera = active_camera(&document, &node_ids, &scene, &instances);
    scene.next = NextIds {
        node: ordinal(instances.len()),
        mesh: ordinal(meshes.len()),
        material: ordinal(document.list("materials").len()),
        light: ordinal(lights.len()),
        camera: ordinal(cameras.len()),
        animation: ordinal(scene.animations.size()),
        texture: ordinal(scene.textures.size()),
        skin: ordinal(scene.skins.size()),
    };
    let not_evaluated = not_evaluated(&document, &instances, scene.surroundings);
    scene.source = Some(Arc::new(merge::source(document, node_ids)?));
    Ok(Import { scene, issues: unread, node_pointers, not_evaluated })
}

/// Members of a node that `Node`'s fields cover.
const NODE_MEMBERS: &[&[&str]] = &[
    &["name"],
    &["children"],
    &["translation"],
    &["rotation"],
    &["scale"],
    &["matrix"],
    &["mesh"],
    &["skin"],
    &["weights"],
    &["camera"],
    &["extensions", "KHR_lights_punctual", "light"],
    &["extensions", "KHR_node_visibility", "visible"],
];

/// What a node refers to: places in the file's lists.
struct Links {
    mesh: Option<usize>,
    skin: Option<usize>,
    light: Option<usize>,
    camera: Option<usize>,
}

impl Links {
    fn of(document: &Document, instance: &Instance) -> Result<Self, ReadError> {
        let pointer = format!("/nodes/{}", instance.source);
        let link = |member: &str, length: usize| {
            let pointer = format!("{pointer}{member}");
            reference(document.json.pointer(&pointer), length, &pointer)
        };
        Ok(Self {
            mesh: link("/mesh", document.list("meshes").len())?,
            skin: link("/skin", document.list("skins").len())?,
            light: link("/extensions/KHR_lights_punctual/light", document.lights().len())?,
            camera: link("/camera", document.list("cameras").len())?,
        })
    }
}

/// An index into a list of `length`; `None` where the member is absent.
fn reference(value: Option<&Value>, length: usize, pointer: &str) -> Result<Option<usize>, ReadError> {
    let Some(value) = value else { return Ok(None) };
    match index(Some(value)) {
        Some(place) if place < length => Ok(Some(place)),
        Some(place) => Err(invalid("UNRESOLVED_REFERENCE", pointer, format!("Unresolved reference: {place}."))),
        None => Err(invalid("INVALID_INDEX", pointer, "Index must be a non-negative integer.".into())),
    }
}

fn invalid(code: &'static str, pointer: &str, message: String) -> ReadError {
    ReadError::Invalid { issues: vec![issue(code, Severity::Error, pointer, message)] }
}

fn within(what: &'static str, given: impl TryInto<u64>, allowed: usize) -> Result<(), ReadError> {
    let given = given.try_into().unwrap_or(u64::MAX);
    let allowed = allowed as u64;
    if given > allowed { Err(ReadError::LimitExceeded { what, given, allowed }) } else { Ok(()) }
}

/// Ids count from 1. A file is far too small to hold 2³² objects.
fn ordinal(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX).saturating_add(1)
}
