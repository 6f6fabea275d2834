//! Parts of an object: nodes by name that must have a box, a place, and substance.

use super::{COMPONENT, Graded, tolerant};
use crate::reward::evidence::{metres, rounded, vector};
use crate::reward::fix::{move_by, scale_by};
use crate::reward::input::{Input, Object, evidence_of, extent, id_of};
use crate::reward::turned::turned;
use crate::task::Statement;
use geometry_checks::Aabb;
use nalgebra::Point3;
use rl_protocol::Evidence;
use scene_document::NodeId;
use std::collections::BTreeMap;

/// One kind of part, at as many places as it has centres.
pub(super) struct Wanted<'a> {
    /// A name, or one in which `*` at the end stands for a number.
    pub(super) name: &'a str,
    pub(super) size_m: [f64; 3],
    pub(super) centres_m: &'a [[f64; 3]],
    pub(super) size_tolerance_m: f64,
    pub(super) tolerance_m: f64,
}

/// A node of such a name, with the meshes on and below it.
struct Found {
    node: NodeId,
    meshes: Vec<usize>,
    aabb: Aabb,
    /// Volume of the meshes over that of the box.
    fill: f64,
}

/// How a node would do at a place.
#[derive(Clone, Copy)]
struct Fit {
    place: usize,
    found: usize,
    grade: f64,
    /// From the centre asked for.
    off_m: f64,
    /// Of the extent that is most wrong.
    size_error_m: f64,
}

/// The grade of the worst place; nodes may take the places in any order. More nodes than places share it out.
pub(super) fn parts(input: &Input<'_>, object: &Object, wanted: &Wanted<'_>) -> Graded {
    let found = found(input, object, wanted.name);
    let asked = wanted.centres_m.len();
    let mut fits: Vec<Fit> = (0..asked)
        .flat_map(|place| (0..found.len()).map(move |index| (place, index)))
        .filter_map(|(place, index)| fit(input, wanted, place, (index, found.get(index)?)))
        .collect();
    fits.sort_by(|a, b| b.grade.total_cmp(&a.grade).then(a.off_m.total_cmp(&b.off_m)));
    let mut at_place: Vec<Option<Fit>> = vec![None; asked];
    let mut taken = vec![false; found.len()];
    for fit in fits {
        let (Some(place), Some(taken)) = (at_place.get_mut(fit.place), taken.get_mut(fit.found)) else { continue };
        if place.is_none() && !*taken {
            *taken = true;
            *place = Some(fit);
        }
    }

    let mut grade = 1.0_f64;
    let mut faults = Vec::new();
    for (fit, centre_m) in at_place.iter().zip(wanted.centres_m) {
        let of_place = fit.map_or(0.0, |fit| fit.grade);
        grade = grade.min(of_place);
        if of_place < 1.0 {
            faults.push(match fit.and_then(|fit| Some((fit, found.get(fit.found)?))) {
                Some((fit, part)) => wrong(input, object, wanted, *centre_m, &fit, part),
                None => missing(input, object, wanted, &found, *centre_m),
            });
        }
    }
    if found.len() > asked {
        grade *= asked as f64 / found.len() as f64;
        let untaken = found.iter().zip(&taken).filter(|(_, taken)| !**taken).map(|(part, _)| part.node).collect();
        faults.push(surplus(input, &found, asked, untaken));
    }
    Graded { grade, faults }
}

/// The outermost nodes of such names on or below the object's.
fn found(input: &Input<'_>, object: &Object, name: &str) -> Vec<Found> {
    let Some(root) = object.root else { return Vec::new() };
    let scene = &input.import.scene;
    let is_named = |id: NodeId| {
        let of_node = scene.node(id).map(|node| node.name.as_str()).unwrap_or_default();
        let numbered = |start: &str| of_node.strip_prefix(start).is_some_and(|number| number.parse::<u32>().is_ok());
        scene.is_within(id, root) && name.strip_suffix('*').map_or(of_node == name, numbered)
    };
    let mut by_node: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
    for index in &object.meshes {
        let mesh = input.baked.meshes.get(*index);
        if let Some(node) = mesh.and_then(|mesh| scene.ancestry(mesh.node).filter(|id| is_named(*id)).last()) {
            by_node.entry(node).or_default().push(*index);
        }
    }
    by_node
        .into_iter()
        .filter_map(|(node, meshes)| {
            let aabb = extent(&input.baked, &meshes)?;
            let volume_m3: f64 =
                meshes.iter().filter_map(|index| input.bodies.get(*index)).map(|body| body.volume_m3()).sum();
            Some(Found { node, meshes, aabb, fill: volume_m3 / aabb.extents().product() })
        })
        .collect()
}

fn fit(input: &Input<'_>, wanted: &Wanted<'_>, place: usize, (found, part): (usize, &Found)) -> Option<Fit> {
    let off_m = (part.aabb.centre() - Point3::from(*wanted.centres_m.get(place)?)).norm();
    let size_error_m =
        part.aabb.extents().iter().zip(wanted.size_m).map(|(size, asked)| (size - asked).abs()).fold(0.0, f64::max);
    // A flat part has a box without volume.
    let fill = if part.fill.is_finite() { (part.fill / input.thresholds.part_fill_min).min(1.0) } else { 0.0 };
    let grade =
        tolerant(input, off_m, wanted.tolerance_m) * tolerant(input, size_error_m, wanted.size_tolerance_m) * fill;
    Some(Fit { place, found, grade, off_m, size_error_m })
}

/// Says what is most wrong, in tolerances.
fn wrong(
    input: &Input<'_>,
    object: &Object,
    wanted: &Wanted<'_>,
    centre_m: [f64; 3],
    fit: &Fit,
    part: &Found,
) -> Evidence {
    let size_m: [f64; 3] = part.aabb.extents().into();
    let at_m: [f64; 3] = part.aabb.centre().coords.into();
    let evidence = Evidence { position_m: Some(at_m), ..evidence_of(input.import, COMPONENT, &[part.node]) };
    let (off, size) = (fit.off_m / wanted.tolerance_m, fit.size_error_m / wanted.size_tolerance_m);
    if size > 1.0 && size >= off {
        let fits = |size_m: [f64; 3]| {
            size_m.iter().zip(wanted.size_m).all(|(size, asked)| (size - asked).abs() <= wanted.size_tolerance_m)
        };
        let turned = turned(input, part.node, &part.meshes, fits);
        let factors = [0, 1, 2].map(|axis: usize| wanted.size_m[axis] / size_m[axis]);
        let scaled = || scale_by(input, part.node, factors);
        let resized = || format!("give it a mesh of {} m", vector(wanted.size_m));
        let remark = turned.map_or_else(String::new, |turned| turned.remark());
        return Evidence {
            value: fit.size_error_m,
            threshold: wanted.size_tolerance_m,
            unit: "m".into(),
            message: format!("it measures {} m; {} m is asked for{remark}", vector(size_m), vector(wanted.size_m)),
            fix: turned.map(|turned| turned.call(input)).or_else(scaled).unwrap_or_else(resized),
            ..evidence
        };
    }
    if off > 1.0 {
        let by_m = [0, 1, 2].map(|axis: usize| centre_m[axis] - at_m[axis]);
        return Evidence {
            value: fit.off_m,
            threshold: wanted.tolerance_m,
            unit: "m".into(),
            message: format!("its centre is at {}; {} is asked for", vector(at_m), vector(centre_m)),
            // One move of the whole is said with the object's own place.
            fix: if moves_with_object(input, object, by_m, wanted.tolerance_m) {
                format!("move {} as a whole", object.name)
            } else {
                move_by(input, part.node, by_m)
            },
            ..evidence
        };
    }
    Evidence {
        value: part.fill,
        threshold: input.thresholds.part_fill_min,
        unit: "share of its box".into(),
        message: format!("its meshes fill a share of {} of its box", rounded(part.fill)),
        fix: "give it a solid mesh of that size".into(),
        ..evidence
    }
}

/// Whether the object as a whole is out of place by the same vector.
fn moves_with_object(input: &Input<'_>, object: &Object, by_m: [f64; 3], tolerance_m: f64) -> bool {
    let Some(centre) = extent(&input.baked, &object.meshes).map(|aabb| aabb.centre()) else { return false };
    let places =
        input.task.into_iter().flat_map(|task| &task.predicates).filter_map(|predicate| match &predicate.statement {
            Statement::At { object: name, position_m, .. } if *name == object.name => Some(*position_m),
            _ => None,
        });
    let same =
        |position_m: [f64; 3]| (0..3).all(|axis| (position_m[axis] - centre[axis] - by_m[axis]).abs() <= tolerance_m);
    places.into_iter().any(same)
}

fn missing(input: &Input<'_>, object: &Object, wanted: &Wanted<'_>, found: &[Found], centre_m: [f64; 3]) -> Evidence {
    let taken = |name: &String| {
        found.iter().filter_map(|part| input.import.scene.node(part.node)).any(|node| node.name == *name)
    };
    let numbered = |start| (1..).map(|number: u32| format!("{start}{number}")).find(|name| !taken(name));
    let name = wanted.name.strip_suffix('*').and_then(numbered).unwrap_or_else(|| wanted.name.into());
    let parent = object.root.map(|root| id_of(input.import, root)).unwrap_or_default();
    Evidence {
        value: 0.0,
        threshold: 1.0,
        unit: "nodes".into(),
        position_m: Some(centre_m.map(metres)),
        message: format!("there is none at {}", vector(centre_m)),
        fix: format!(
            "add a node named {name:?} below {parent} with a mesh of {} m and its centre at {}",
            vector(wanted.size_m),
            vector(centre_m)
        ),
        ..evidence_of(input.import, COMPONENT, object.root.as_slice())
    }
}

fn surplus(input: &Input<'_>, found: &[Found], asked: usize, untaken: Vec<NodeId>) -> Evidence {
    let count = found.len() as f64;
    let worst = untaken.first().map(|node| id_of(input.import, *node)).unwrap_or_default();
    Evidence {
        value: count,
        threshold: asked as f64,
        unit: "nodes".into(),
        message: format!("{count} visible nodes have such names; {asked} are asked for"),
        fix: format!(r#"node.delete {{"node":"{worst}"}}"#),
        ..evidence_of(input.import, COMPONENT, untaken.get(..untaken.len().min(10)).unwrap_or_default())
    }
}
