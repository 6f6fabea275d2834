//! Tasks: what the prompt asks for, in a form that can be measured. Five are built in, others are generated.

use crate::generate;
use crate::limits::Limits;
use crate::nearest::nearest;
use crate::reward::Profile;
use crate::tools::Group;
use rl_protocol::ToolCall;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

const BUILT_IN: [&str; 5] = [
    include_str!("../../assets/tasks/scene/crate.toml"),
    include_str!("../../assets/tasks/scene/shelf-lamp.toml"),
    include_str!("../../assets/tasks/scene/table.toml"),
    include_str!("../../assets/tasks/scene/table-and-chairs.toml"),
    include_str!("../../assets/tasks/scene/tower.toml"),
];

/// A log of more calls is not scored.
const MOST_CALLS: u32 = 10_000;

/// Everything that a reward may know of what was asked. Metres, +Y up, world space.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneTask {
    /// `scene/NAME`
    pub id: String,
    pub split: String,
    pub prompt: String,
    /// Scores it unless another is asked for. The file gives its id.
    #[serde(serialize_with = "id_of_profile", deserialize_with = "profile_of_id")]
    pub profile: Profile,
    /// That one episode may take.
    #[serde(default = "usual_calls")]
    pub calls: u32,
    /// Where the objects belong; its diagonal is the scene's scale.
    pub bounds_m: Bounds,
    /// Height of the ground that everything stands on.
    pub ground_y_m: f64,
    /// Required objects: subtrees under nodes of exactly these names.
    #[serde(rename = "object")]
    pub objects: Vec<ObjectSpec>,
    #[serde(rename = "predicate", default)]
    pub predicates: Vec<Predicate>,
    /// Groups whose tools every episode of it offers, asked for or not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_groups: Vec<String>,
    /// Calls that make the scene an episode starts from; they cost none of its budget.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<ToolCall>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    pub min: [f64; 3],
    pub max: [f64; 3],
}

impl Bounds {
    #[must_use]
    pub fn volume_m3(&self) -> f64 {
        (0..3).map(|axis| self.max[axis] - self.min[axis]).product()
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectSpec {
    pub name: String,
    /// Extents of the object's world-space box.
    pub size_m: [f64; 3],
}

/// One weighted statement about the scene, graded in [0, 1].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Predicate {
    #[serde(default = "one")]
    pub weight: f64,
    #[serde(flatten)]
    pub statement: Statement,
}

fn one() -> f64 {
    1.0
}

fn usual_calls() -> u32 {
    Limits::default().calls
}

fn profile_of_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Profile, D::Error> {
    let id = String::deserialize(deserializer)?;
    Profile::by_id(&id).ok_or_else(|| D::Error::custom(format!("there is no profile {id:?}")))
}

fn id_of_profile<S: Serializer>(profile: &Profile, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(profile.id)
}

/// Boxes are world-space and axis-aligned; centres are those of boxes. Each is full within its tolerance and falls to
/// zero at a few tolerances (`Thresholds::predicate_zero`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Statement {
    /// Each extent within `tolerance` (relative) of the object's target.
    Size { object: String, tolerance: f64 },
    /// The centre within `tolerance_m` of `position_m`.
    At { object: String, position_m: [f64; 3], tolerance_m: f64 },
    /// The lowest point at the height of the support's top, the footprint over the support's.
    On { object: String, support: String, tolerance_m: f64 },
    /// The distance of the two centres in the XZ plane between `min_m` and `max_m`.
    Distance { a: String, b: String, min_m: f64, max_m: f64, tolerance_m: f64 },
    /// Wholly on that side of the other object.
    Side { object: String, of: String, side: Side, tolerance_m: f64 },
    /// Mean base colour, weighted by area, within CIEDE2000 `delta_e` of the linear `color`.
    Color { object: String, color: [f64; 3], delta_e: f64 },
    /// So many nodes with meshes on or below them have names that begin with `prefix`, in the whole scene or `below` a
    /// required object; nodes below such a node are not counted.
    Count {
        prefix: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        below: Option<String>,
        count: u32,
    },
    /// Nodes on or below the object, each with extents within `size_tolerance_m` of `size_m`, its centre within
    /// `tolerance_m` of one of `centres_m`, and meshes that fill a good share of its box. `name` is theirs, or ends in
    /// `*` and is how their names begin: then they take the centres in any order. Graded by the worst.
    Part {
        object: String,
        name: String,
        size_m: [f64; 3],
        centres_m: Vec<[f64; 3]>,
        size_tolerance_m: f64,
        tolerance_m: f64,
    },
    /// Its meshes fill `share` of its box, within `tolerance`: 1 for a box, π/4 for a cylinder, π/6 for a sphere.
    Fill { object: String, share: f64, tolerance: f64 },
    /// Mean roughness and mean metallic, weighted by area, each within `tolerance`.
    Surface { object: String, roughness: f64, metallic: f64, tolerance: f64 },
    /// The nodes right above the object's have these names, the outermost first. Graded by how many do, from the
    /// nearest on.
    Below { object: String, parents: Vec<String> },
    /// So many lights of that kind in the whole scene.
    Lights { light: LightSort, count: u32 },
    /// The centre at a moment of the scene's animations, all of which play from 0 s on; where several move the same
    /// part of a node, the last does.
    Moves { object: String, time_s: f64, position_m: [f64; 3], tolerance_m: f64 },
    /// The camera that the scene is seen through within `tolerance_m` of `position_m`.
    CameraAt { position_m: [f64; 3], tolerance_m: f64 },
    /// The way that camera looks within `tolerance_deg` of the way to the object's centre.
    CameraAims { object: String, tolerance_deg: f64 },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LightSort {
    Directional,
    Point,
    Spot,
}

impl LightSort {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Directional => "directional",
            Self::Point => "point",
            Self::Spot => "spot",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    #[serde(rename = "-x")]
    MinusX,
    #[serde(rename = "+x")]
    PlusX,
    #[serde(rename = "-z")]
    MinusZ,
    #[serde(rename = "+z")]
    PlusZ,
}

impl Statement {
    /// Names of required objects that it speaks of.
    #[must_use]
    pub fn objects(&self) -> Vec<&str> {
        match self {
            Self::Size { object, .. }
            | Self::At { object, .. }
            | Self::Color { object, .. }
            | Self::Part { object, .. }
            | Self::Fill { object, .. }
            | Self::Surface { object, .. }
            | Self::Below { object, .. }
            | Self::Moves { object, .. }
            | Self::CameraAims { object, .. } => vec![object.as_str()],
            Self::On { object, support: other, .. } | Self::Side { object, of: other, .. } => {
                vec![object.as_str(), other.as_str()]
            }
            Self::Distance { a, b, .. } => vec![a.as_str(), b.as_str()],
            Self::Count { below, .. } => below.iter().map(String::as_str).collect(),
            Self::Lights { .. } | Self::CameraAt { .. } => Vec::new(),
        }
    }

    /// Which statement it is, e.g. `size of table`.
    pub(crate) fn label(&self) -> String {
        let kind = match self {
            Self::Size { .. } => "size",
            Self::At { .. } => "place",
            Self::On { .. } => "standing",
            Self::Distance { .. } => "distance",
            Self::Side { .. } => "side",
            Self::Color { .. } => "colour",
            Self::Count { prefix, .. } => return format!("count of {prefix}*"),
            Self::Part { object, name, .. } => return format!("part {name} of {object}"),
            Self::Fill { .. } => "shape",
            Self::Surface { .. } => "surface",
            Self::Below { .. } => "parents",
            Self::Moves { object, time_s, .. } => return format!("place of {object} at {time_s} s"),
            Self::Lights { light, .. } => return format!("number of {} lights", light.name()),
            Self::CameraAt { .. } => return "place of the camera".into(),
            Self::CameraAims { object, .. } => return format!("aim of the camera at {object}"),
        };
        format!("{kind} of {}", self.objects().join(" and "))
    }

    /// Whether what it measures against means something.
    fn is_sound(&self) -> bool {
        match self {
            Self::Size { tolerance, .. } => *tolerance > 0.0,
            Self::Color { delta_e, .. } => *delta_e > 0.0,
            Self::At { tolerance_m, .. }
            | Self::On { tolerance_m, .. }
            | Self::Distance { tolerance_m, .. }
            | Self::Side { tolerance_m, .. }
            | Self::Moves { tolerance_m, .. }
            | Self::CameraAt { tolerance_m, .. } => *tolerance_m > 0.0,
            Self::Count { .. } | Self::Lights { .. } => true,
            Self::Fill { share, tolerance, .. } => *share > 0.0 && *tolerance > 0.0,
            Self::Surface { tolerance, .. } => *tolerance > 0.0,
            Self::Below { parents, .. } => !parents.is_empty(),
            Self::CameraAims { tolerance_deg, .. } => *tolerance_deg > 0.0,
            Self::Part { size_m, centres_m, size_tolerance_m, tolerance_m, .. } => {
                let mut numbers = size_m.iter().chain([size_tolerance_m, tolerance_m]);
                !centres_m.is_empty() && numbers.all(|number| *number > 0.0)
            }
        }
    }
}

/// A task that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    #[error("task file {index} is not readable: {source}")]
    Unreadable { index: usize, source: Box<toml::de::Error> },
    #[error("task {id}: {what}")]
    Meaningless { id: String, what: String },
    #[error("there is no task {given:?}; the nearest are {}", .nearest.join(", "))]
    Unknown { given: String, nearest: Vec<String> },
}

impl SceneTask {
    /// The built-in tasks, ordered by id.
    ///
    /// # Errors
    /// A built-in file is faulty; a test rules that out.
    pub fn built_in() -> Result<Vec<Self>, TaskError> {
        let mut tasks = BUILT_IN
            .iter()
            .enumerate()
            .map(|(index, text)| {
                Self::from_toml(text).map_err(|error| match error {
                    TaskError::Unreadable { source, .. } => TaskError::Unreadable { index, source },
                    error => error,
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        tasks.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(tasks)
    }

    /// A built-in task, or a generated one (`scene/gen-LEVEL-SEED-INDEX`).
    ///
    /// # Errors
    /// `Unknown`, with the nearest ids.
    pub fn by_id(id: &str) -> Result<Self, TaskError> {
        if let Some(task) = generate::by_id(id) {
            return Ok(task);
        }
        let mut tasks = Self::built_in()?;
        match tasks.iter().position(|task| task.id == id) {
            Some(place) => Ok(tasks.swap_remove(place)),
            None => {
                let nearest = Self::nearest_ids(id, tasks.iter().map(|task| task.id.as_str()));
                Err(TaskError::Unknown { given: id.into(), nearest })
            }
        }
    }

    /// Of the ids listed, or of each level's first where the id looks like a generated one's.
    pub(crate) fn nearest_ids<'a>(id: &str, listed: impl Iterator<Item = &'a str>) -> Vec<String> {
        let first = generate::first_ids(id);
        let mut known: Vec<&str> = listed.collect();
        known.extend(first.iter().map(String::as_str));
        nearest(id, known)
    }

    /// Reads and checks one task.
    ///
    /// # Errors
    /// `Unreadable` or `Meaningless`.
    pub fn from_toml(text: &str) -> Result<Self, TaskError> {
        let task: Self =
            toml::from_str(text).map_err(|source| TaskError::Unreadable { index: 0, source: Box::new(source) })?;
        task.checked()
    }

    /// Known profile and names, positive sizes and tolerances, bounds that hold something.
    ///
    /// # Errors
    /// `Meaningless`.
    pub fn checked(self) -> Result<Self, TaskError> {
        match self.fault() {
            Some(what) => Err(TaskError::Meaningless { id: self.id, what }),
            None => Ok(self),
        }
    }

    #[must_use]
    pub fn object(&self, name: &str) -> Option<&ObjectSpec> {
        self.objects.iter().find(|object| object.name == name)
    }

    fn fault(&self) -> Option<String> {
        if !self.profile.needs_task {
            return Some(format!("profile {:?} scores no tasks", self.profile.id));
        }
        if !(1..=MOST_CALLS).contains(&self.calls) {
            return Some(format!("{} calls are given; 1 to {MOST_CALLS} are allowed", self.calls));
        }
        if (0..3).any(|axis| self.bounds_m.min[axis] >= self.bounds_m.max[axis]) {
            return Some("its bounds are empty".into());
        }
        if let Some(unknown) = self.tool_groups.iter().find(|name| Group::named(name).is_none()) {
            return Some(format!("there is no tool group {unknown:?}"));
        }
        if self.objects.is_empty() {
            return Some("it requires no object".into());
        }
        if let Some(object) = self.objects.iter().find(|object| object.size_m.iter().any(|side| *side <= 0.0)) {
            return Some(format!("the size of {:?} is not positive", object.name));
        }
        if self.predicates.iter().any(|predicate| predicate.weight <= 0.0) {
            return Some("a predicate's weight is not positive".into());
        }
        if let Some(unsound) = self.predicates.iter().find(|predicate| !predicate.statement.is_sound()) {
            let what = "a size or tolerance is not positive, or a list is empty";
            return Some(format!("{}: {what}", unsound.statement.label()));
        }
        let mut named = self.predicates.iter().flat_map(|predicate| predicate.statement.objects());
        named.find(|name| self.object(name).is_none()).map(|name| format!("a predicate names unknown object {name:?}"))
    }
}
