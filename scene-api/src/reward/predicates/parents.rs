//! Which nodes an object hangs below.

use super::{COMPONENT, Graded};
use crate::reward::input::{Input, Object, path_of};
use rl_protocol::Evidence;

/// The share of the names asked for (outermost first) that the nodes above the object have, from the nearest on.
/// `None` without a node.
pub(super) fn below(input: &Input<'_>, object: &Object, parents: &[String]) -> Option<Graded> {
    let scene = &input.import.scene;
    let root = object.root?;
    let above = scene.ancestry(root).skip(1).filter_map(|id| scene.node(id)).map(|node| node.name.as_str());
    let matching = above.zip(parents.iter().rev()).take_while(|(found, asked)| found == asked).count();
    let grade = matching as f64 / parents.len().max(1) as f64;
    let path = parents.join("/");
    let evidence = Evidence {
        value: matching as f64,
        threshold: parents.len() as f64,
        unit: "parents".into(),
        message: format!("it is {:?}; below {path:?} is asked for", path_of(input.import, root)),
        fix: format!("put {} below {path} with node.set_parent", object.name),
        ..input.object_evidence(COMPONENT, object)
    };
    Some(Graded::new(grade, evidence))
}
