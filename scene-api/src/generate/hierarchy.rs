//! Level `hierarchy`: shapes below named groups, some below a group of groups; places are told in the parents' frames.

use super::draws::Draws;
use super::script::Script;
use super::solid::{Form, Solid};
use super::wording::{Unit, colour_fact, kind_fact, prompt, quoted, rules, size_fact};
use super::{Draft, weighing};
use crate::reward::Profile;
use crate::task::Statement;

const HALF_MM: i64 = 2500;
const PARENT_WEIGHT: f64 = 3.0;

/// A node without a mesh.
struct Group {
    name: String,
    /// Of the outer group, where it is below that.
    outer: Option<usize>,
    /// In the frame of what it is below.
    at_mm: [i64; 3],
}

/// A shape and the group it is below.
struct Child {
    solid: Solid,
    group: usize,
}

pub(super) fn draft(draws: &mut Draws) -> Draft {
    let unit = Unit::draw(draws);
    let (groups, children) = groups_and_children(draws);
    let opening = draws.pick_own(
        &["Build a scene of nested nodes.", "Parents and children matter here: build this tree of nodes."],
        &["Nodes are to hang below nodes as told.", "Arrange these things in groups."],
    );
    let mut facts = Vec::new();
    for group in &groups {
        facts.push(group_fact(draws, unit, group, &groups));
    }
    for child in &children {
        facts.push(child_fact(draws, unit, child, &groups));
        facts.push(kind_fact(draws, &child.solid));
        facts.push(size_fact(draws, unit, &child.solid.name, child.solid.size_mm));
        facts.extend(colour_fact(draws, &child.solid));
    }
    let rules = rules(draws, unit, HALF_MM);
    let mut predicates = weighing(1.0, children.iter().flat_map(|child| child.solid.all()).collect());
    let parents = children.iter().map(|child| Statement::Below {
        object: child.solid.name.clone(),
        parents: chain(&groups, child.group).into_iter().map(|group| group.name.clone()).collect(),
    });
    predicates.extend(weighing(PARENT_WEIGHT, parents.collect()));
    Draft {
        profile: Profile::level_0(),
        half_mm: HALF_MM,
        prompt: prompt(draws, opening, facts, &rules),
        objects: children.iter().map(|child| child.solid.spec()).collect(),
        predicates,
        setup: Vec::new(),
        solution: solution(&groups, &children),
    }
}

/// An outer group, one or two below it, and two or three shapes in a row, each below one of all these.
fn groups_and_children(draws: &mut Draws) -> (Vec<Group>, Vec<Child>) {
    let (inner, count) = (1 + draws.below(2), 2 + draws.below(2));
    let mut names = draws.names(1 + inner + count).into_iter();
    let mut name = move || names.next().unwrap_or_default();
    let mut step_mm = |most: i64| 50 * draws.between(-most, most);
    let mut groups = vec![Group { name: name(), outer: None, at_mm: [step_mm(12), 0, step_mm(12)] }];
    for _ in 0..inner {
        groups.push(Group { name: name(), outer: Some(0), at_mm: [step_mm(12), step_mm(6), step_mm(12)] });
    }
    // A shape is at most 0.8 m wide.
    let middles_mm = draws.shuffled(vec![-1200, 0, 1200]);
    let children = middles_mm.into_iter().take(count).map(|x_mm| {
        let paint = draws.paint();
        let (dx_mm, z_mm) = (50 * draws.between(-3, 3), 50 * draws.between(-12, 12));
        let solid = Solid::draw(draws, name(), &Form::ALL, 10, 80).standing_at(x_mm + dx_mm, 0, z_mm).painted(paint);
        Child { solid, group: draws.below(1 + inner) }
    });
    let children = children.collect();
    (groups, children)
}

/// The group and those above it, the outermost first.
fn chain(groups: &[Group], group: usize) -> Vec<&Group> {
    let mut chain: Vec<&Group> = std::iter::successors(groups.get(group), |inner| groups.get(inner.outer?)).collect();
    chain.reverse();
    chain
}

/// Of a point of the world, in the group's frame.
fn local_mm(groups: &[Group], group: usize, world_mm: [i64; 3]) -> [i64; 3] {
    chain(groups, group).into_iter().fold(world_mm, |[x, y, z], outer| {
        let [dx, dy, dz] = outer.at_mm;
        [x - dx, y - dy, z - dz]
    })
}

fn group_fact(draws: &mut Draws, unit: Unit, group: &Group, groups: &[Group]) -> String {
    let (name, at) = (quoted(&group.name), unit.point(group.at_mm));
    let Some(outer) = group.outer.and_then(|outer| groups.get(outer)) else {
        let template = draws.pick_own(
            &["{name} is an empty node at {at}, below no other.", "{name}, a node without a mesh, is a root at {at}."],
            &["The root node {name} has no mesh and the translation {at}."],
        );
        return template.replace("{name}", &name).replace("{at}", &at);
    };
    let template = draws.pick_own(
        &[
            "Below {outer} is the empty node {name}, at {at} in the frame of {outer}.",
            "{name}, without a mesh, is a child of {outer}, its translation {at}.",
        ],
        &["{outer} has a child {name}, itself empty, whose local translation is {at}."],
    );
    template.replace("{name}", &name).replace("{at}", &at).replace("{outer}", &quoted(&outer.name))
}

fn child_fact(draws: &mut Draws, unit: Unit, child: &Child, groups: &[Group]) -> String {
    let at = unit.point(local_mm(groups, child.group, child.solid.centre_mm));
    let parent = groups.get(child.group).map(|group| quoted(&group.name)).unwrap_or_default();
    let template = draws.pick_own(
        &[
            "{name} is a child of {parent}; in that frame its centre is at {at}.",
            "Right below {parent} is {name}, its middle at {at} relative to {parent}.",
        ],
        &["{parent} is the parent of {name}, whose centre has the coordinates {at} there."],
    );
    template.replace("{name}", &quoted(&child.solid.name)).replace("{at}", &at).replace("{parent}", &parent)
}

fn solution(groups: &[Group], children: &[Child]) -> Vec<rl_protocol::ToolCall> {
    let mut script = Script::default();
    let mut nodes: Vec<String> = Vec::new();
    for group in groups {
        let outer = group.outer.and_then(|outer| nodes.get(outer)).cloned();
        nodes.push(script.node(&group.name, outer.as_deref(), group.at_mm));
    }
    for child in children {
        let at_mm = local_mm(groups, child.group, child.solid.centre_mm);
        script.solid_below(&child.solid, nodes.get(child.group).map(String::as_str), at_mm);
    }
    script.submitted()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_in_the_frame_of_the_nearest_group() {
        let group = |name: &str, outer, at_mm| Group { name: name.into(), outer, at_mm };
        let groups = [group("a", None, [100, 0, 0]), group("b", Some(0), [0, 50, 30])];
        assert_eq!(local_mm(&groups, 1, [100, 250, 30]), [0, 200, 0]);
        let names: Vec<&str> = chain(&groups, 1).into_iter().map(|group| group.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
    }
}
