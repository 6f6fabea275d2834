//! `query.support`: what a thing rests on.

use super::arguments::typed;
use super::extent::meshless;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::measured::{body, four_digits};
use crate::tolerances::Tolerances;
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use geometry_checks::{Aabb, Body, Support, Supporter, outside_share, support};
use rayon::prelude::*;
use scene_document::{BakedMesh, NodeId, Scene};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "query.support",
    group: Group::Query,
    description: "Says what a node, with all below it, rests on; how far it is above that; what share of it hangs \
                  over; and how well it stands: 1 if it does, 0.5 where it would tip, 0 where it floats or nothing \
                  carries what it rests on. `truncated` says that not everything below was looked at.",
    read_only: true,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of a node, e.g. `n_7`.
    node: String,
    /// Height of the ground, metres; default 0.
    #[schemars(range(min = -1000, max = 1000))]
    ground_y_m: Option<f64>,
}

/// The node's meshes, or the other ones of an object by its root.
struct Standing<'a> {
    node: NodeId,
    meshes: Vec<&'a BakedMesh>,
    bounds: Aabb,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (node, _) = references::node(scene, "/node", &args.node)?;
    let tolerances = Tolerances::default();
    let measures = tolerances.measures();
    let meshes = scene.bake().meshes;
    let (own, others) = standing(scene, &meshes, node);
    let own = own.ok_or_else(|| meshless(scene, "/node", node))?;
    let count = own.meshes.len();
    if count > tolerances.support_meshes {
        return Err(ToolError::limit("/node", "meshes", count as u64, tolerances.support_meshes as u64));
    }
    let (chain, truncated) = with_what_is_below(own, others, &tolerances);
    let mut bodies: Vec<Body> = Vec::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for group in &chain {
        let first = bodies.len();
        bodies.par_extend(group.meshes.par_iter().map(|mesh| body(mesh, &measures)));
        groups.push((first..bodies.len()).collect());
    }
    let found = support(&bodies, &groups, args.ground_y_m.unwrap_or(0.0), &measures).into_iter().next();
    let Some(Support { value, linked_share, gap_m, by }) = found else { return Err(meshless(scene, "/node", node)) };
    let rests_on: Vec<Value> = by
        .iter()
        .filter_map(|by| match by {
            Supporter::Ground => Some(json!("ground")),
            Supporter::Group(index) => Some(json!(chain.get(*index)?.node)),
        })
        .collect();
    Ok(Outcome::Answer(json!({
        "node": node,
        "rests_on": rests_on,
        "gap_m": gap_m.map(four_digits),
        "overhang_share": overhang_share(&chain, &by).map(four_digits),
        "stands": four_digits(value),
        "linked_share": four_digits(linked_share),
        "truncated": truncated,
    })))
}

/// The node's own meshes, and those of everything else by root.
fn standing<'a>(
    scene: &Scene,
    meshes: &'a [BakedMesh],
    node: NodeId,
) -> (Option<Standing<'a>>, BTreeMap<NodeId, Standing<'a>>) {
    let mut own: Option<Standing<'a>> = None;
    let mut others: BTreeMap<NodeId, Standing<'a>> = BTreeMap::new();
    for mesh in meshes {
        let Some(bounds) = Aabb::around(mesh.positions.iter().copied()) else { continue };
        if scene.is_within(mesh.node, node) {
            let own = own.get_or_insert_with(|| Standing { node, meshes: Vec::new(), bounds });
            own.add(mesh, &bounds);
        } else {
            let root = scene.ancestry(mesh.node).last().unwrap_or(mesh.node);
            let other = others.entry(root).or_insert_with(|| Standing { node: root, meshes: Vec::new(), bounds });
            other.add(mesh, &bounds);
        }
    }
    (own, others)
}

impl<'a> Standing<'a> {
    fn add(&mut self, mesh: &'a BakedMesh, bounds: &Aabb) {
        self.meshes.push(mesh);
        self.bounds = self.bounds.union(bounds);
    }

    /// Whether something of it is below the top of the other, and within its outline from above.
    fn is_below(&self, upper: &Self) -> bool {
        let (low, high) = (&self.bounds, &upper.bounds);
        let meets = |axis: usize| low.min[axis] <= high.max[axis] && high.min[axis] <= low.max[axis];
        meets(0) && meets(2) && low.min.y <= high.max.y
    }
}

/// What is below `first`, below that, and so on, `first` being the first of them; and whether some was left out.
fn with_what_is_below<'a>(
    first: Standing<'a>,
    mut others: BTreeMap<NodeId, Standing<'a>>,
    tolerances: &Tolerances,
) -> (Vec<Standing<'a>>, bool) {
    let triangles = |group: &Standing<'_>| group.meshes.iter().map(|mesh| mesh.triangles.len()).sum::<usize>();
    let mut meshes_left = tolerances.support_meshes.saturating_sub(first.meshes.len());
    let mut triangles_left = tolerances.support_mesh_triangles.saturating_sub(triangles(&first));
    let mut chain = vec![first];
    let mut next = 0;
    while let Some(upper) = chain.get(next) {
        next += 1;
        let below = others.values().filter(|other| other.is_below(upper));
        let below: Vec<NodeId> = below.map(|other| other.node).collect();
        for root in below {
            let Some(found) = others.remove(&root) else { continue };
            if found.meshes.len() > meshes_left || triangles(&found) > triangles_left {
                return (chain, true);
            }
            meshes_left -= found.meshes.len();
            triangles_left -= triangles(&found);
            chain.push(found);
        }
    }
    (chain, false)
}

/// Share of the first one's footprint that is beyond the boxes of what it rests on; `None` where it rests on nothing.
fn overhang_share(chain: &[Standing<'_>], by: &[Supporter]) -> Option<f64> {
    if by.contains(&Supporter::Ground) {
        return Some(0.0);
    }
    let under = by.iter().filter_map(|by| match by {
        Supporter::Ground => None,
        Supporter::Group(index) => chain.get(*index).map(|group| group.bounds),
    });
    let under = under.reduce(|whole, part| whole.union(&part))?;
    let points: Vec<[f64; 2]> =
        chain.first()?.meshes.iter().flat_map(|mesh| &mesh.positions).map(|point| [point.x, point.z]).collect();
    Some(outside_share(&points, [under.min.x, under.min.z], [under.max.x, under.max.z]))
}
