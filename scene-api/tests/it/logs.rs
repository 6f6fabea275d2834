//! The reference call logs, and what becomes of them when something is changed.

use rl_protocol::{Component, Reward, ToolCall};
use scene_api::{SceneTask, play};
use serde_json::{Value, json};

pub(crate) const NAMES: [&str; 5] = ["crate", "shelf-lamp", "table", "table-and-chairs", "tower"];

#[derive(Clone)]
pub(crate) struct Log {
    pub(crate) task: SceneTask,
    pub(crate) calls: Vec<Value>,
}

impl Log {
    pub(crate) fn reference(name: &str) -> Self {
        let path = format!("{}/../assets/tasks/scene/{name}.calls.jsonl", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let calls = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        Self { task: SceneTask::by_id(&format!("scene/{name}")).unwrap(), calls }
    }

    pub(crate) fn with_calls(&self, calls: &[Value]) -> Self {
        Self { task: self.task.clone(), calls: calls.to_vec() }
    }

    pub(crate) fn tool_calls(&self) -> Vec<ToolCall> {
        let call = |call: &Value| ToolCall {
            name: call["name"].as_str().unwrap().into(),
            arguments_json: call["arguments"].to_string(),
        };
        self.calls.iter().map(call).collect()
    }

    /// Every call must be accepted.
    pub(crate) fn reward(&self) -> Reward {
        let (_, replies, reward) = play(&self.task, &self.tool_calls(), 0);
        for (call, reply) in self.calls.iter().zip(&replies) {
            assert!(reply.ok, "{call}: {}", reply.json);
        }
        reward
    }

    /// The id that the node of that name gets.
    pub(crate) fn node(&self, name: &str) -> String {
        let mut makers = self.calls.iter().filter(|call| makes_node(call));
        let place = makers.position(|call| call["arguments"]["name"] == name).unwrap_or_else(|| panic!("no {name}"));
        format!("n_{}", place + 1)
    }

    /// Arguments of the call that makes the node of that name.
    pub(crate) fn making(&mut self, name: &str) -> &mut Value {
        let mut makers = self.calls.iter_mut().filter(|call| makes_node(call));
        &mut makers.find(|call| call["arguments"]["name"] == name).unwrap_or_else(|| panic!("no {name}"))["arguments"]
    }

    /// The call that gives that node its mesh.
    pub(crate) fn meshing(&mut self, name: &str) -> &mut Value {
        let node = self.node(name);
        let mut meshes = self.calls.iter_mut().filter(|call| call["name"] == "mesh.add_primitive");
        meshes.find(|call| call["arguments"]["node"] == node.as_str()).unwrap_or_else(|| panic!("no mesh on {name}"))
    }

    /// Removes nodes when all of the scene is made.
    pub(crate) fn delete(&mut self, names: &[&str]) {
        let calls: Vec<Value> =
            names.iter().map(|name| call("node.delete", json!({ "node": self.node(name) }))).collect();
        self.insert_at_the_end(calls);
    }

    /// Makes that node a box instead.
    pub(crate) fn rebuild(&mut self, name: &str, translation: [f64; 3], size_m: [f64; 3]) {
        self.making(name)["translation"] = json!(translation);
        self.meshing(name)["arguments"]["shape"] = json!({ "kind": "box", "size_m": size_m });
    }

    /// Puts calls where all of the scene is made and nothing is submitted yet.
    pub(crate) fn insert_at_the_end(&mut self, calls: impl IntoIterator<Item = Value>) {
        let end = self.calls.iter().position(|call| call["name"] == "query.overlaps").unwrap();
        self.calls.splice(end..end, calls);
    }
}

fn makes_node(call: &Value) -> bool {
    ["node.create", "light.add", "camera.add"].iter().any(|tool| call["name"] == *tool)
}

pub(crate) fn call(name: &str, arguments: Value) -> Value {
    json!({ "name": name, "arguments": arguments })
}

/// `mesh.set_data` with the box that a `mesh.add_primitive` call asks for; `turned` says which of its twelve triangles
/// look inwards.
pub(crate) fn box_as_data(primitive: &Value, turned: impl Fn(usize) -> bool) -> Value {
    let arguments = &primitive["arguments"];
    let half = |axis: usize| arguments["shape"]["size_m"][axis].as_f64().unwrap() / 2.0;
    let positions: Vec<[f64; 3]> = (0..8)
        .map(|corner: usize| [0, 1, 2].map(|axis| if (corner >> axis) & 1 == 1 { half(axis) } else { -half(axis) }))
        .collect();
    // Corner numbers are x + 2y + 4z; each row is one side, counter-clockwise from outside.
    const SIDES: [[usize; 4]; 6] = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles: Vec<[usize; 3]> = SIDES
        .iter()
        .flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]])
        .enumerate()
        .map(|(index, [a, b, c])| if turned(index) { [a, c, b] } else { [a, b, c] })
        .collect();
    call(
        "mesh.set_data",
        json!({
            "node": arguments["node"], "positions": positions, "triangles": triangles, "material": arguments["material"],
        }),
    )
}

pub(crate) fn component<'a>(reward: &'a Reward, name: &str) -> &'a Component {
    reward.components.iter().find(|component| component.name == name).unwrap_or_else(|| panic!("no component {name}"))
}

/// T, as the reward gives it.
pub(crate) fn task_grade(reward: &Reward) -> f64 {
    reward.factors.iter().find(|factor| factor.name == "T").unwrap().value
}

/// Name and value of every component.
pub(crate) fn values(reward: &Reward) -> Vec<(String, f64)> {
    reward.components.iter().map(|component| (component.name.clone(), component.value)).collect()
}
