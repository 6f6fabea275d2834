//! What has become of each object of a scene and when, kept small, so that whoever knows an earlier revision can be told
//! what is new.

use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use rpds::{ListSync, RedBlackTreeMapSync};
use scene_document::{AnimationId, Changed, Geometry, MaterialId, Mesh, Node, NodeId, Scene, Table, TextureId};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Tools that leave something to come back to, and what of their replies is kept.
static ARTIFACTS: [(&str, &[&str]); 3] = [
    ("render.still", &["camera", "pass", "width", "height"]),
    ("scene.export", &["format", "bytes", "blake3"]),
    ("checkpoint.save", &["name"]),
];
/// Of the words that a refusal is remembered by.
const TEXT_CHARS: usize = 200;

/// A value with shared structure: a clone is O(1). It holds one track for each object that was ever touched, and a line
/// for each artifact and each refused call.
#[derive(Debug, Clone, Default)]
pub struct ChangeLog {
    tracks: RedBlackTreeMapSync<Object, Arc<Track>>,
    /// The latest first, as `refusals`.
    artifacts: ListSync<Arc<Artifact>>,
    refusals: ListSync<Refusal>,
    last_refusal: Option<Arc<Value>>,
    focus: Option<Arc<Focus>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Object {
    Node(NodeId),
    Material(MaterialId),
    Animation(AnimationId),
    Texture(TextureId),
    /// The only one of its kind, without an id.
    Environment,
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Node(id) => id.serialize(serializer),
            Self::Material(id) => id.serialize(serializer),
            Self::Animation(id) => id.serialize(serializer),
            Self::Texture(id) => id.serialize(serializer),
            Self::Environment => serializer.serialize_str("environment"),
        }
    }
}

/// Parts of a node, by the names that `scene.describe` gives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Field {
    Name,
    Parent,
    Visible,
    Transform,
    Mesh,
    Skin,
    Materials,
    Light,
    Camera,
    Extras,
}

/// What one object went through, in revisions.
#[derive(Debug, Clone, Default)]
struct Track {
    was_there: bool,
    /// When it was made or deleted, by turns.
    turns: Vec<u64>,
    touched: u64,
    fields: BTreeMap<Field, u64>,
}

#[derive(Debug)]
struct Artifact {
    revision: u64,
    tool: &'static str,
    facts: Map<String, Value>,
}

#[derive(Debug, Clone)]
struct Refusal {
    revision: u64,
    code: ErrorCode,
}

/// The last call that changed the scene.
#[derive(Debug)]
pub(crate) struct Focus {
    pub(crate) revision: u64,
    pub(crate) tool: String,
    /// What it made, changed or deleted.
    pub(crate) objects: Vec<Object>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Change {
    Created,
    Deleted,
    /// Deleted, and put back as it once was.
    Restored,
    Changed,
}

/// How an object differs from what it was.
#[derive(Debug)]
pub(crate) struct Difference {
    pub(crate) object: Object,
    pub(crate) change: Change,
    /// Of the last change.
    pub(crate) revision: u64,
    /// Of a node that is still there.
    pub(crate) fields: Vec<Field>,
}

impl Track {
    fn is_there(&self, revision: u64) -> bool {
        let turned = self.turns.iter().filter(|turn| **turn <= revision).count() % 2 == 1;
        self.was_there != turned
    }

    fn since(&self, revision: u64) -> Option<(Change, Vec<Field>)> {
        match (self.is_there(revision), self.is_there(u64::MAX)) {
            (false, false) => None,
            (false, true) => Some((Change::Created, Vec::new())),
            (true, false) => Some((Change::Deleted, Vec::new())),
            (true, true) if self.turns.iter().any(|turn| *turn > revision) => Some((Change::Restored, Vec::new())),
            (true, true) => {
                let changed = self.fields.iter().filter(|(_, at)| **at > revision);
                Some((Change::Changed, changed.map(|(field, _)| *field).collect()))
            }
        }
    }
}

impl ChangeLog {
    /// How the objects of a scene differ from those of an earlier one, nodes first, in the order of their ids.
    pub(crate) fn between(before: &Scene, after: &Scene) -> Vec<Difference> {
        let mut log = Self::default();
        log.compare("", before, after, 1);
        log.since(0)
    }

    /// After a call that was taken.
    pub(crate) fn taken(&self, tool: &str, before: &Workspace, after: &Workspace, result: &Value) -> Self {
        let mut log = self.with_artifact(tool, after.revision, result);
        if after.revision != before.revision {
            log.compare(tool, &before.scene, &after.scene, after.revision);
        }
        log
    }

    pub(crate) fn refused(&self, tool: &str, revision: u64, error: &ToolError) -> Self {
        let cut = |text: &str| text.chars().take(TEXT_CHARS).collect::<String>();
        let last = json!({
            "tool": cut(tool), "code": error.code, "pointer": cut(&error.pointer), "message": cut(&error.message),
        });
        Self {
            refusals: self.refusals.push_front(Refusal { revision, code: error.code }),
            last_refusal: Some(Arc::new(last)),
            ..self.clone()
        }
    }

    /// With what the tool left, if it leaves anything.
    pub(crate) fn with_artifact(&self, tool: &str, revision: u64, result: &Value) -> Self {
        let Some(&(tool, kept)) = ARTIFACTS.iter().find(|(name, _)| *name == tool) else { return self.clone() };
        let facts = kept.iter().map(|fact| ((*fact).to_owned(), result[*fact].clone())).collect();
        Self { artifacts: self.artifacts.push_front(Arc::new(Artifact { revision, tool, facts })), ..self.clone() }
    }

    fn compare(&mut self, tool: &str, before: &Scene, after: &Scene, revision: u64) {
        let touched = Changed::between(before, after);
        let shows = |node: &Node| node.mesh.is_some_and(|mesh| touched.meshes.binary_search(&mesh).is_ok());
        let showing = after.nodes().iter().filter(|(_, node)| shows(node)).map(|(id, _)| *id);
        let nodes: BTreeSet<NodeId> = touched.nodes.iter().copied().chain(showing).collect();
        let mut objects = Vec::new();
        for id in nodes {
            let (old, new) = (before.node(id), after.node(id));
            let fields = differing(before, after, id);
            if old != new || !fields.is_empty() {
                self.note(Object::Node(id), old.is_some(), new.is_some(), &fields, revision);
                objects.push(Object::Node(id));
            }
        }
        let Changed { materials, animations, textures, .. } = &touched;
        objects.extend(self.noted(materials, before.materials(), after.materials(), Object::Material, revision));
        objects.extend(self.noted(animations, before.animations(), after.animations(), Object::Animation, revision));
        objects.extend(self.noted(textures, before.textures(), after.textures(), Object::Texture, revision));
        if touched.environment {
            let (was, is) = (before.is_surrounded(), after.is_surrounded());
            self.note(Object::Environment, was, is, &[], revision);
            objects.push(Object::Environment);
        }
        if !objects.is_empty() {
            self.focus = Some(Arc::new(Focus { revision, tool: tool.to_owned(), objects }));
        }
    }

    /// Those of `ids` that are not the same in both tables.
    fn noted<Id: Copy + Ord, T: PartialEq>(
        &mut self,
        ids: &[Id],
        before: &Table<Id, T>,
        after: &Table<Id, T>,
        object: impl Fn(Id) -> Object,
        revision: u64,
    ) -> Vec<Object> {
        let differing = ids.iter().filter(|id| before.get(*id) != after.get(*id));
        let noted = differing.map(|id| {
            self.note(object(*id), before.contains_key(id), after.contains_key(id), &[], revision);
            object(*id)
        });
        noted.collect()
    }

    fn note(&mut self, object: Object, was: bool, is: bool, fields: &[Field], revision: u64) {
        let unknown = || Track { was_there: was, ..Track::default() };
        let mut track = self.tracks.get(&object).map_or_else(unknown, |known| Track::clone(known));
        if was != is {
            track.turns.push(revision);
        }
        track.touched = revision;
        track.fields.extend(fields.iter().map(|field| (*field, revision)));
        self.tracks.insert_mut(object, Arc::new(track));
    }

    /// What was made, deleted or touched after that revision, also where it was put back, the latest first.
    pub(crate) fn since(&self, revision: u64) -> Vec<Difference> {
        let touched = self.tracks.iter().filter(|(_, track)| track.touched > revision);
        let told = |(object, track): (&Object, &Arc<Track>)| {
            let (change, fields) = track.since(revision)?;
            Some(Difference { object: *object, change, revision: track.touched, fields })
        };
        let mut differences: Vec<Difference> = touched.filter_map(told).collect();
        differences.sort_by_key(|difference| Reverse(difference.revision));
        differences
    }

    /// What was made at that revision or later, the latest first: when, and what is told of it.
    pub(crate) fn artifacts_since(&self, revision: u64) -> impl Iterator<Item = (u64, Value)> {
        self.artifacts.iter().take_while(move |artifact| artifact.revision >= revision).map(|artifact| {
            let mut told = artifact.facts.clone();
            told.insert("tool".into(), json!(artifact.tool));
            told.insert("revision".into(), json!(artifact.revision));
            (artifact.revision, Value::Object(told))
        })
    }

    /// How many calls were refused at that revision or later, by code.
    pub(crate) fn refusals_since(&self, revision: u64) -> BTreeMap<String, u32> {
        let mut by_code = BTreeMap::new();
        for refusal in self.refusals.iter().take_while(|refusal| refusal.revision >= revision) {
            let code = json!(refusal.code).as_str().unwrap_or_default().to_owned();
            *by_code.entry(code).or_insert(0) += 1;
        }
        by_code
    }

    pub(crate) fn last_refusal(&self) -> Option<&Value> {
        self.last_refusal.as_deref()
    }

    pub(crate) fn focus(&self) -> Option<&Focus> {
        self.focus.as_deref()
    }
}

/// The parts of a node that are not the same in both scenes; none unless it is in both.
fn differing(before: &Scene, after: &Scene, id: NodeId) -> Vec<Field> {
    let (Some(old), Some(new)) = (before.node(id), after.node(id)) else { return Vec::new() };
    let mesh = |scene: &Scene, node: &Node| scene.meshes().get(&node.mesh?).cloned();
    let (old_mesh, new_mesh) = (mesh(before, old), mesh(after, new));
    let is_active = |scene: &Scene| scene.active_camera() == Some(id);
    let compared = [
        (Field::Name, old.name == new.name),
        (Field::Parent, old.parent == new.parent),
        (Field::Visible, old.visible == new.visible),
        (Field::Transform, old.transform == new.transform),
        (
            Field::Mesh,
            old.mesh == new.mesh
                && old.weights == new.weights
                && same_geometry(old_mesh.as_deref(), new_mesh.as_deref()),
        ),
        (Field::Skin, same(before.skins(), after.skins(), old.skin, new.skin)),
        (Field::Materials, materials(old_mesh.as_deref()) == materials(new_mesh.as_deref())),
        (Field::Light, same(before.lights(), after.lights(), old.light, new.light)),
        (
            Field::Camera,
            same(before.cameras(), after.cameras(), old.camera, new.camera) && is_active(before) == is_active(after),
        ),
        (Field::Extras, old.extras() == new.extras()),
    ];
    compared.into_iter().filter(|(_, is_same)| !is_same).map(|(field, _)| field).collect()
}

fn materials(mesh: Option<&Mesh>) -> Vec<Option<MaterialId>> {
    mesh.into_iter().flat_map(|mesh| &mesh.primitives).map(|primitive| primitive.material).collect()
}

/// Triangles are compared by where they are kept, so that large meshes cost nothing.
fn same_geometry(old: Option<&Mesh>, new: Option<&Mesh>) -> bool {
    let is_same = |old: &Geometry, new: &Geometry| match (old, new) {
        (Geometry::Shape(old), Geometry::Shape(new)) => old == new,
        (Geometry::Raw(old), Geometry::Raw(new)) => Arc::ptr_eq(old, new),
        (
            Geometry::Deformable { triangles: old, deformation: old_deformation },
            Geometry::Deformable { triangles: new, deformation: new_deformation },
        ) => Arc::ptr_eq(old, new) && Arc::ptr_eq(old_deformation, new_deformation),
        (
            Geometry::Imported { triangles: old, primitive: old_kept, .. },
            Geometry::Imported { triangles: new, primitive: new_kept, .. },
        ) => Arc::ptr_eq(old, new) && Arc::ptr_eq(old_kept, new_kept),
        _ => false,
    };
    match (old, new) {
        (None, None) => true,
        (Some(old), Some(new)) => {
            let mut pairs = old.primitives.iter().zip(&new.primitives);
            old.primitives.len() == new.primitives.len()
                && pairs.all(|(old, new)| is_same(&old.geometry, &new.geometry))
        }
        _ => false,
    }
}

fn same<Id: Ord, T>(before: &Table<Id, T>, after: &Table<Id, T>, old: Option<Id>, new: Option<Id>) -> bool {
    match (old, new) {
        (None, None) => true,
        (Some(old), Some(new)) if old == new => match (before.get(&old), after.get(&new)) {
            (Some(old), Some(new)) => Arc::ptr_eq(old, new),
            _ => false,
        },
        _ => false,
    }
}
