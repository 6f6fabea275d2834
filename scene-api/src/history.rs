//! The scenes that an episode can go back to.

use rpds::{ListSync, RedBlackTreeMapSync};
use scene_document::Scene;

/// A value with shared structure: a clone is O(1). It holds one scene at most for each call that was taken.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// As the scene was before each step, the latest first.
    past: ListSync<Scene>,
    /// As the scene was before each undoing, the latest first.
    future: ListSync<Scene>,
    checkpoints: RedBlackTreeMapSync<String, Scene>,
}

impl History {
    /// After one more step away from `before`: nothing is left to redo.
    pub(crate) fn stepped(&self, before: Scene) -> Self {
        Self { past: self.past.push_front(before), future: ListSync::new_sync(), checkpoints: self.checkpoints.clone() }
    }

    /// The scene as it was `steps` ago, and the history from there; `None` where there are fewer.
    pub(crate) fn undone(&self, now: &Scene, steps: u32) -> Option<(Scene, Self)> {
        let mut history = self.clone();
        let scene = travelled(&mut history.past, &mut history.future, now, steps)?;
        Some((scene, history))
    }

    /// As `undone`, the other way.
    pub(crate) fn redone(&self, now: &Scene, steps: u32) -> Option<(Scene, Self)> {
        let mut history = self.clone();
        let scene = travelled(&mut history.future, &mut history.past, now, steps)?;
        Some((scene, history))
    }

    /// The scene before all steps that can be undone; `None` where there are none.
    pub(crate) fn start(&self) -> Option<&Scene> {
        self.past.last()
    }

    pub(crate) fn steps_to_undo(&self) -> usize {
        self.past.len()
    }

    pub(crate) fn steps_to_redo(&self) -> usize {
        self.future.len()
    }

    /// With the scene under this name, in the place of an earlier one.
    pub(crate) fn saved(&self, name: String, scene: Scene) -> Self {
        Self { checkpoints: self.checkpoints.insert(name, scene), ..self.clone() }
    }

    pub(crate) fn checkpoint(&self, name: &str) -> Option<&Scene> {
        self.checkpoints.get(name)
    }

    /// In alphabetical order.
    pub(crate) fn checkpoint_names(&self) -> impl Iterator<Item = &str> {
        self.checkpoints.keys().map(String::as_str)
    }

    /// These steps with the checkpoints of another history.
    pub(crate) fn with_checkpoints_of(&self, other: &Self) -> Self {
        Self { checkpoints: other.checkpoints.clone(), ..self.clone() }
    }
}

/// Takes `steps` scenes from one list and puts those that they follow onto the other; the last one taken.
fn travelled(from: &mut ListSync<Scene>, onto: &mut ListSync<Scene>, now: &Scene, steps: u32) -> Option<Scene> {
    let mut scene = now.clone();
    for _ in 0..steps {
        let next = from.first()?.clone();
        from.drop_first_mut();
        onto.push_front_mut(scene);
        scene = next;
    }
    Some(scene)
}
