//! `scene.describe`: the scene, a page of nodes at a time.

use super::arguments::typed;
use super::extent::min_max;
use super::scene_filter::Filter;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::measured::{four_digits, origin_m, world_aabb};
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use geometry_checks::Aabb;
use scene_document::{
    Animation, AnimationId, Geometry, Material, MaterialId, Mesh, MeshId, Node, NodeId, Scene, Texels, Texture,
    TextureId,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "scene.describe",
    group: Group::Core,
    description: "Lists nodes with transform, visibility, bounds, mesh, skin, light and camera, in id order, a page at \
                  a time; the first page also lists the materials with their textures, the totals, and the \
                  environment and animations, if any. `filter` and `fields` choose what is listed; `matching` counts \
                  the nodes of all pages. A page ends early at 32 KiB of nodes.",
    read_only: true,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

const PAGE: u32 = 50;
/// Of one skin, by their ids.
const JOINTS: usize = 100;
/// Of the JSON of a page's nodes; a single node may be longer.
const PAGE_BYTES: usize = 32 << 10;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Ids of the nodes wanted; absent for all.
    nodes: Option<Vec<String>>,
    /// Only nodes that all of this holds for; absent for all.
    filter: Option<Filter>,
    /// What is said of each node beside its id, and whether the materials are listed; absent for everything but
    /// `extras`.
    fields: Option<Vec<Field>>,
    /// Nodes per page; default 50.
    #[schemars(range(min = 1, max = 100))]
    page_size: Option<u32>,
    /// The `next_page_token` of the page before; the other arguments must be those of that page.
    page_token: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Field {
    Name,
    Parent,
    Visible,
    Transform,
    WorldTranslationM,
    WorldAabbM,
    Mesh,
    Skin,
    Light,
    Camera,
    Extras,
    Materials,
    Animations,
}

impl Field {
    /// The member of the reply.
    fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Parent => "parent",
            Self::Visible => "visible",
            Self::Transform => "transform",
            Self::WorldTranslationM => "world_translation_m",
            Self::WorldAabbM => "world_aabb_m",
            Self::Mesh => "mesh",
            Self::Skin => "skin",
            Self::Light => "light",
            Self::Camera => "camera",
            Self::Extras => "extras",
            Self::Materials => "materials",
            Self::Animations => "animations",
        }
    }
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let page_size = args.page_size.unwrap_or(PAGE) as usize;
    let after = args.page_token.as_deref().map(page_start).transpose()?;
    let extents = subtree_bounds(scene);
    let mut wanted: BTreeSet<NodeId> = match args.nodes {
        Some(given) => references::nodes(scene, &given)?,
        None => scene.nodes().keys().copied().collect(),
    };
    if let Some(filter) = &args.filter {
        let meant = filter.nodes(scene, &extents)?;
        wanted.retain(|id| meant.contains(id));
    }
    let fields = args.fields.as_deref();
    let rest = wanted.iter().copied().filter(|id| after.is_none_or(|after| *id > after));
    let described = rest.filter_map(|id| Some((id, only(fields, node(scene, id, scene.node(id)?, extents.get(&id))))));
    let (nodes, next_page_token) = page(described, page_size);
    let mut result = json!({"nodes": nodes, "matching": wanted.len(), "next_page_token": next_page_token});
    if let (None, Some(members)) = (after, result.as_object_mut()) {
        if fields.is_none_or(|fields| fields.contains(&Field::Materials)) {
            let materials: Vec<Value> = scene.materials().iter().map(|(id, found)| material(*id, found)).collect();
            members.insert("materials".into(), json!(materials));
            if !scene.textures().is_empty() {
                members.insert("textures".into(), scene.textures().iter().map(texture).collect());
            }
        }
        members.insert("totals".into(), totals(scene));
        members.insert("active_camera".into(), json!(scene.active_camera()));
        if let Some(environment) = scene.environment() {
            members.insert("environment".into(), json!(environment));
        }
        if !scene.animations().is_empty() && fields.is_none_or(|fields| fields.contains(&Field::Animations)) {
            let animations = scene.animations().iter().map(|(id, found)| animation(*id, found));
            members.insert("animations".into(), animations.collect());
        }
    }
    Ok(Outcome::Answer(result))
}

/// The first of the nodes, as many as are asked for and short enough together, and the last id if more follow.
fn page(described: impl Iterator<Item = (NodeId, Value)>, page_size: usize) -> (Vec<Value>, Option<NodeId>) {
    let mut nodes: Vec<Value> = Vec::new();
    let (mut bytes, mut last) = (0, None);
    for (id, node) in described {
        bytes += node.to_string().len();
        if nodes.len() >= page_size || (bytes > PAGE_BYTES && !nodes.is_empty()) {
            return (nodes, last);
        }
        nodes.push(node);
        last = Some(id);
    }
    (nodes, None)
}

/// The id and the fields asked for; extras, which may be long, are told only to who asks.
fn only(fields: Option<&[Field]>, mut node: Value) -> Value {
    if let Some(members) = node.as_object_mut() {
        members.retain(|name, _| match fields {
            Some(fields) => name == "id" || fields.iter().any(|field| field.name() == name),
            None => name != Field::Extras.name(),
        });
    }
    node
}

/// A token is the last id of the page before.
fn page_start(token: &str) -> Result<NodeId, ToolError> {
    token.parse().map_err(|_| {
        ToolError::new(ErrorCode::InvalidArgument, "/page_token", "not a page token")
            .given(token)
            .allowed("the next_page_token of the page before")
    })
}

/// Bounds in world space of every node with a mesh in or below it.
fn subtree_bounds(scene: &Scene) -> BTreeMap<NodeId, Aabb> {
    let mut extents: BTreeMap<NodeId, Aabb> = BTreeMap::new();
    for id in scene.nodes().keys() {
        let Some(own) = world_aabb(scene, *id) else { continue };
        for above in scene.ancestry(*id) {
            extents.entry(above).and_modify(|known| *known = known.union(&own)).or_insert(own);
        }
    }
    extents
}

fn node(scene: &Scene, id: NodeId, node: &Node, extent: Option<&Aabb>) -> Value {
    let is_active = scene.active_camera() == Some(id);
    let mut described = json!({
        "id": id,
        "name": node.name,
        "parent": node.parent,
        "visible": node.visible,
        "transform": node.transform,
        "world_translation_m": origin_m(scene, id),
        "world_aabb_m": extent.map(min_max),
        "mesh": node.mesh.and_then(|id| Some(mesh(node, id, scene.meshes().get(&id)?))),
        "light": node.light.and_then(|id| {
            let light = scene.lights().get(&id)?;
            Some(json!({
                "id": id, "light": light.kind, "color": light.color, "intensity": light.intensity,
                "range_m": light.range_m,
            }))
        }),
        "camera": node.camera.and_then(|id| {
            let camera = scene.cameras().get(&id)?;
            Some(json!({"id": id, "projection": camera.projection, "active": is_active}))
        }),
    });
    if let Some((id, skin)) = node.skin.and_then(|skin| scene.skins().get_key_value(&skin)) {
        let listed: Vec<NodeId> = skin.joints.iter().copied().take(JOINTS).collect();
        described["skin"] = json!({"id": id, "name": skin.name, "joint_count": skin.joints.len(), "joints": listed});
    }
    if let Some(extras) = node.extras() {
        described["extras"] = extras.clone();
    }
    described
}

/// `morph_targets` is a member only of meshes that have any, with their weights on this node.
fn mesh(node: &Node, id: MeshId, mesh: &Mesh) -> Value {
    let shapes: Vec<Value> = mesh
        .primitives
        .iter()
        .map(|primitive| match &primitive.geometry {
            Geometry::Shape(shape) => json!(shape),
            Geometry::Raw(_) | Geometry::Deformable { .. } => json!({"kind": "triangles"}),
            Geometry::Imported { .. } => json!({"kind": "imported"}),
        })
        .collect();
    let materials: Vec<Option<MaterialId>> = mesh.primitives.iter().map(|primitive| primitive.material).collect();
    let triangles = mesh.triangle_count();
    let mut described = json!({"id": id, "triangles": triangles, "primitives": shapes, "materials": materials});
    let weights = node.morph_weights(mesh);
    let targets = (0..mesh.morph_target_count()).map(|place| {
        let weight = weights.get(place).copied().unwrap_or_default();
        json!({"name": mesh.target_names.get(place), "weight": weight})
    });
    if mesh.morph_target_count() > 0 {
        described["morph_targets"] = targets.collect();
    }
    described
}

fn material(id: MaterialId, material: &Material) -> Value {
    let mut json = json!({
        "id": id,
        "name": material.name,
        "base_color": material.base_color,
        "metallic": material.metallic,
        "roughness": material.roughness,
        "emissive": material.emissive,
        "emissive_strength": material.emissive_strength,
        "alpha_mode": material.alpha_mode,
        "double_sided": material.double_sided,
    });
    for (slot, used) in &material.textures {
        json["textures"][slot.member()] = json!(used.texture);
    }
    let extensions = material.extensions.to_gltf();
    if !extensions.is_empty() {
        json["extensions"] = Value::Object(extensions);
    }
    json
}

fn texture((id, texture): (&TextureId, &Arc<Texture>)) -> Value {
    match &texture.texels {
        Texels::Image { image, sampler } => json!({
            "id": id, "name": texture.name, "type": image.media_type(), "size_px": image.size_px(), "sampler": sampler,
        }),
        Texels::Imported(_) => json!({"id": id, "name": texture.name, "type": "imported"}),
    }
}

fn animation(id: AnimationId, animation: &Animation) -> Value {
    json!({
        "id": id, "name": animation.name, "duration_s": four_digits(animation.duration_s()),
        "channels": animation.channels.len(),
    })
}

fn totals(scene: &Scene) -> Value {
    json!({
        "nodes": scene.nodes().size(),
        "meshes": scene.meshes().size(),
        "materials": scene.materials().size(),
        "lights": scene.lights().size(),
        "cameras": scene.cameras().size(),
        "triangles": scene.triangle_count(),
    })
}
