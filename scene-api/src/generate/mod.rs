//! Tasks by the thousand: each is made from (level, seed, index) alone, so that nothing is stored, and comes with calls
//! that solve it.

mod animation;
mod draws;
mod edit;
mod existing;
mod furniture;
mod hierarchy;
mod lighting;
mod materials;
mod position;
mod primitive;
mod relation;
mod repair;
mod script;
mod short;
mod solid;
mod wording;
mod words;

use crate::limits::Limits;
use crate::reward::Profile;
use crate::task::{Bounds, ObjectSpec, Predicate, SceneTask, Statement};
use draws::Draws;
use rl_protocol::ToolCall;
use solid::metres;

const PREFIX: &str = "scene/gen-";
/// Height of the bounds, millimetres.
const HEIGHT_MM: i64 = 3000;
/// Of a task that changes a scene: what the change is worth beside all that must stay. Who does nothing keeps a fifth.
const CHANGE_WEIGHT: f64 = 4.0;

/// What a generated task is about, from the easiest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// An empty node becomes a box of a given size: one call and few words.
    Size,
    /// The same, at a given place.
    Place,
    /// One shape of a given size.
    Box,
    /// One shape at a given place.
    Position,
    /// Two shapes: one on, beside, or so far from the other.
    Relation,
    /// A table, shelf, stool or bench of named parts.
    Furniture,
    /// Shapes, lights of given kinds, and a camera at a given place.
    Lighting,
    /// Shapes below named groups, placed in the groups' frames.
    Hierarchy,
    /// Shapes of given colour, roughness and metallic.
    Materials,
    /// Shapes that slide, or swing about a hinge.
    Animation,
    /// A damaged scene to mend.
    Repair,
    /// A scene in which one thing changes and all else stays.
    Edit,
}

/// A task, and calls that earn 0.9 and more.
#[derive(Debug, Clone, PartialEq)]
pub struct Generated {
    pub task: SceneTask,
    pub solution: Vec<ToolCall>,
}

impl Level {
    pub const ALL: [Self; 12] = [
        Self::Size,
        Self::Place,
        Self::Box,
        Self::Position,
        Self::Relation,
        Self::Furniture,
        Self::Lighting,
        Self::Hierarchy,
        Self::Materials,
        Self::Animation,
        Self::Repair,
        Self::Edit,
    ];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Place => "place",
            Self::Box => "box",
            Self::Position => "position",
            Self::Relation => "relation",
            Self::Furniture => "furniture",
            Self::Lighting => "lighting",
            Self::Hierarchy => "hierarchy",
            Self::Materials => "materials",
            Self::Animation => "animation",
            Self::Repair => "repair",
            Self::Edit => "edit",
        }
    }

    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }

    /// Without which its tasks cannot be done.
    fn tool_groups(self) -> Vec<String> {
        match self {
            Self::Animation => vec!["animation".into()],
            _ => Vec::new(),
        }
    }

    /// Pure. Tasks of odd indices are held out: names, colours and sizes of their objects are in none of an even index;
    /// of `Size` and `Place`, their combinations.
    #[must_use]
    pub fn task(self, seed: u64, index: u64) -> Generated {
        let mut draws = Draws::new(self.name(), seed, index);
        let draft = match self {
            Self::Size => short::size(&mut draws),
            Self::Place => short::place(&mut draws),
            Self::Box => primitive::draft(&mut draws),
            Self::Position => position::draft(&mut draws),
            Self::Relation => relation::draft(&mut draws),
            Self::Furniture => furniture::draft(&mut draws),
            Self::Lighting => lighting::draft(&mut draws),
            Self::Hierarchy => hierarchy::draft(&mut draws),
            Self::Materials => materials::draft(&mut draws),
            Self::Animation => animation::draft(&mut draws),
            Self::Repair => repair::draft(&mut draws),
            Self::Edit => edit::draft(&mut draws),
        };
        let Draft { profile, half_mm, prompt, objects, predicates, setup, solution } = draft;
        let half_m = metres(half_mm);
        let task = SceneTask {
            id: id(self, seed, index),
            split: draws.split.name().into(),
            prompt,
            profile,
            calls: Limits::default().calls,
            bounds_m: Bounds { min: [-half_m, 0.0, -half_m], max: [half_m, metres(HEIGHT_MM), half_m] },
            ground_y_m: 0.0,
            objects,
            predicates,
            tool_groups: self.tool_groups(),
            setup,
        };
        Generated { task, solution }
    }
}

/// What a level decides.
struct Draft {
    profile: Profile,
    /// Of the bounds along x and z.
    half_mm: i64,
    prompt: String,
    objects: Vec<ObjectSpec>,
    predicates: Vec<Predicate>,
    setup: Vec<ToolCall>,
    solution: Vec<ToolCall>,
}

fn id(level: Level, seed: u64, index: u64) -> String {
    format!("{PREFIX}{}-{seed}-{index}", level.name())
}

/// The task of a generated id, in its one spelling; `None` for any other id.
pub(crate) fn by_id(given: &str) -> Option<SceneTask> {
    let mut parts = given.strip_prefix(PREFIX)?.split('-');
    let level = Level::by_name(parts.next()?)?;
    let (seed, index) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    (id(level, seed, index) == given).then(|| level.task(seed, index).task)
}

/// Of every level, where the id looks like a generated one's; so that an error can show how they are spelt.
pub(crate) fn first_ids(given: &str) -> Vec<String> {
    let levels = Level::ALL.into_iter().filter(|_| given.starts_with(PREFIX));
    levels.map(|level| id(level, 0, 0)).collect()
}

/// Each of the same weight.
fn weighing(weight: f64, statements: Vec<Statement>) -> Vec<Predicate> {
    statements.into_iter().map(|statement| Predicate { weight, statement }).collect()
}

/// What must change weighs `CHANGE_WEIGHT` together, what must stay 1.
fn change(changed: Vec<Statement>, kept: Vec<Statement>) -> Vec<Predicate> {
    let share = |whole: f64, statements: &[Statement]| whole / statements.len().max(1) as f64;
    let (of_changed, of_kept) = (share(CHANGE_WEIGHT, &changed), share(1.0, &kept));
    weighing(of_changed, changed).into_iter().chain(weighing(of_kept, kept)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_gives_its_task_and_no_other_spelling_does() {
        for level in Level::ALL {
            let task = level.task(7, 12).task;
            assert_eq!(by_id(&task.id), Some(task));
        }
        for given in [
            "scene/gen-box-7",
            "scene/gen-box-07-1",
            "scene/gen-box-7-+1",
            "scene/gen-box-7-1-1",
            "scene/gen-box-7--1",
            "scene/gen-house-7-1",
            "scene/box-7-1",
            "",
        ] {
            assert_eq!(by_id(given), None, "{given}");
        }
        assert_eq!(first_ids("scene/gen-bx-7-1").len(), Level::ALL.len());
        assert!(first_ids("scene/tabel").is_empty());
    }

    #[test]
    fn who_does_nothing_keeps_a_fifth() {
        let statement = |count| Statement::Count { prefix: "x".into(), below: None, count };
        let predicates = change(vec![statement(1)], vec![statement(2), statement(3)]);
        let weights: Vec<f64> = predicates.iter().map(|predicate| predicate.weight).collect();
        assert_eq!(weights, [4.0, 0.5, 0.5]);
    }
}
