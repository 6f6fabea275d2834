//! Groups of tools: a model is told of those it needs, since each tool costs it context.

/// `Core` is offered always; the others to the episodes that ask for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    Core,
    Node,
    Mesh,
    Look,
    Place,
    Query,
    History,
    Animation,
    Texture,
}

/// Every group but `Core`, with what it is for.
const ASKED_FOR: [(Group, &str, &str); 8] = [
    (Group::Node, "node", "copies, rows, mirror images, names, visibility, notes"),
    (Group::Mesh, "mesh", "lathes, sweeps, extrusions, letters, booleans, bevels, and other changes of a mesh"),
    (Group::Look, "look", "changes of materials, lights and cameras; light rigs; light from all around"),
    (Group::Place, "place", "things against, in line with or turned to others, in rows, or let fall"),
    (Group::Query, "query", "bounds, distances, rays, support, sight, light, faults of a mesh"),
    (Group::History, "history", "undo, redo, checkpoints, what differs, batches of calls"),
    (Group::Animation, "animation", "keys that move nodes in time, and where they stand at a time"),
    (Group::Texture, "texture", "images and patterns on materials, and where they lie on a mesh"),
];

/// A set of groups; `Core` is in all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Groups(u16);

impl Groups {
    pub const CORE: Self = Self(0);

    #[must_use]
    pub fn all() -> Self {
        ASKED_FOR.iter().fold(Self::CORE, |groups, (group, ..)| groups.with(*group))
    }

    #[must_use]
    pub fn with(self, group: Group) -> Self {
        Self(self.0 | group.bit())
    }

    /// Of those beside `Core`, in their order.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        ASKED_FOR.iter().filter(move |(group, ..)| self.has(*group)).map(|(_, name, _)| *name)
    }

    #[must_use]
    pub fn has(self, group: Group) -> bool {
        self.0 & group.bit() == group.bit()
    }
}

impl Group {
    /// Of the groups that an episode may ask for, in their order.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ASKED_FOR.iter().map(|(_, name, _)| *name)
    }

    /// The same, each with what it is for.
    pub fn described() -> impl Iterator<Item = (&'static str, &'static str)> {
        ASKED_FOR.iter().map(|(_, name, description)| (*name, *description))
    }

    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        ASKED_FOR.iter().find(|(_, known, _)| *known == name).map(|(group, ..)| *group)
    }

    /// Empty for `Core`.
    #[must_use]
    pub fn name(self) -> &'static str {
        ASKED_FOR.iter().find(|(group, ..)| *group == self).map_or("", |(_, name, _)| name)
    }

    fn bit(self) -> u16 {
        if self == Self::Core { 0 } else { 1 << self as u16 }
    }
}
