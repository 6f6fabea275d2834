//! Fixes, written as calls of the tools that can be made as they stand.

use super::evidence::{metres, micrometres, vector};
use super::input::{Input, Object, id_of};
use super::turned::turned;
use crate::task::Statement;
use scene_document::{NodeId, Trs};

/// `by_m` in world space.
pub(crate) fn move_by(input: &Input<'_>, node: NodeId, by_m: [f64; 3]) -> String {
    let [x, y, z] = by_m.map(micrometres);
    format!(r#"node.set_transform {{"node":"{}","move_by_m":[{x},{y},{z}]}}"#, id_of(input.import, node))
}

/// The same for an object; nothing for one that no node has the name of.
pub(crate) fn move_object(input: &Input<'_>, object: &Object, by_m: [f64; 3]) -> String {
    object.root.map_or_else(String::new, |root| move_by(input, root, by_m))
}

/// Scales a node's own axes; `None` where they are not those of the world, unless all factors are the same.
pub(crate) fn scale_by(input: &Input<'_>, node: NodeId, factors: [f64; 3]) -> Option<String> {
    let scene = &input.import.scene;
    let [x, y, z] = factors;
    let upright = || {
        let mut above = scene.ancestry(node).filter_map(|id| scene.node(id));
        above.all(|node| node.transform.rotation == Trs::IDENTITY.rotation)
    };
    let transform = scene.node(node)?.transform;
    ((x == y && y == z) || upright()).then(|| {
        let digits = |value: f64| format!("{value:.5e}").parse::<f64>().unwrap_or(value);
        let [x, y, z] = [0, 1, 2].map(|axis: usize| digits(transform.scale[axis] * factors[axis]));
        format!(r#"node.set_transform {{"node":"{}","scale":[{x},{y},{z}]}}"#, id_of(input.import, node))
    })
}

/// What an object of the wrong size is to become: a remark for the message, and the fix. One that would fit but for a
/// turn is turned; one whose parts the task names gets its size by them; else it is scaled.
pub(crate) fn resize(
    input: &Input<'_>,
    object: &Object,
    size_m: [f64; 3],
    target_m: [f64; 3],
    share: f64,
) -> (String, String) {
    let fits = |size_m: [f64; 3]| size_m.iter().zip(target_m).all(|(size, asked)| (size / asked - 1.0).abs() <= share);
    let Some(root) = object.root else { return Default::default() };
    if let Some(turned) = turned(input, root, &object.meshes, fits) {
        return (turned.remark(), turned.call(input));
    }
    let name = &object.name;
    if has_parts(input, name) {
        return (String::new(), format!("give the parts of {name} the sizes and places that the task asks for"));
    }
    let factors = [0, 1, 2].map(|axis: usize| target_m[axis] / size_m[axis]);
    let resized = || format!("resize {name} to {} m", vector(target_m));
    (String::new(), scale_by(input, root, factors).unwrap_or_else(resized))
}

/// Whether the task names parts below the object.
fn has_parts(input: &Input<'_>, name: &str) -> bool {
    let predicates = input.task.map(|task| task.predicates.as_slice()).unwrap_or_default();
    predicates.iter().any(|predicate| match &predicate.statement {
        Statement::Part { object, name: part, .. } => object == name && part != name,
        _ => false,
    })
}

/// A point for an argument.
pub(crate) fn point(at: [f64; 3]) -> String {
    let [x, y, z] = at.map(metres);
    format!("[{x},{y},{z}]")
}
