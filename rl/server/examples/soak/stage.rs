//! One client's scene: the reference table, changed a little every round.

use anyhow::{Context, Result, bail, ensure};
use rl_protocol::{
    Body, Content, Domain, DomainError, Episode, ObserveOptions, OpenSpec, RemoteDomain, Reward, ToolCall,
};
use serde_json::{Value, json};

const TASK: &str = "scene/table";
const LOG: &str = include_str!("../../../../assets/tasks/scene/table.calls.jsonl");
/// Clients whose numbers agree modulo this make the same scenes, so that their pictures can be compared.
const KINDS: usize = 16;
/// An episode has 200 calls.
const MOST_ROUNDS: usize = 90;
const PASSES: [&str; 5] = ["beauty", "id", "albedo", "depth", "normal"];

pub(crate) struct Stage {
    episode: Box<dyn Episode>,
    kind: usize,
    rounds: usize,
}

impl Stage {
    pub(crate) async fn open(domain: &RemoteDomain, number: usize) -> Result<Self> {
        let spec = OpenSpec { task_id: TASK.into(), count: 1, seed: 0, profile: None, tool_groups: Vec::new() };
        let episode = domain.open(spec).await?.pop().context("no episode was opened")?;
        let mut stage = Self { episode, kind: number % KINDS, rounds: 0 };
        let builds = |call: &ToolCall| !["query.overlaps", "scene.export", "episode.submit"].contains(&&*call.name);
        let mut calls: Vec<ToolCall> = ToolCall::from_log(LOG)?.into_iter().filter(builds).collect();
        // mat_2 to mat_4; the table's own is mat_1.
        for (name, color) in [("red", [0.6, 0.1, 0.1]), ("green", [0.1, 0.5, 0.2]), ("blue", [0.1, 0.2, 0.6])] {
            calls.push(call("material.create", &json!({ "name": name, "base_color": color })));
        }
        stage.play(calls).await?;
        Ok(stage)
    }

    pub(crate) fn rounds(&self) -> usize {
        self.rounds
    }

    pub(crate) fn is_worn(&self) -> bool {
        self.rounds >= MOST_ROUNDS
    }

    /// Moves a leg, adds a box or recolours the top; the state hash of what it leaves.
    pub(crate) async fn change(&mut self) -> Result<Vec<u8>> {
        let (round, third) = (self.rounds, self.rounds / 3);
        self.rounds += 1;
        let size_m = 0.05 + 0.01 * self.kind as f64;
        match round % 3 {
            0 => {
                let by_m = if third % 2 == 0 { size_m } else { -size_m };
                let arguments = json!({ "node": format!("n_{}", 3 + third % 4), "move_by_m": [by_m, 0, 0] });
                Ok(self.play(vec![call("node.set_transform", &arguments)]).await?.1)
            }
            1 => {
                let at = [0.1 * (third % 10) as f64 - 0.45, 0.76 + size_m / 2.0, 0.06 * (third / 10) as f64 - 0.1];
                let arguments = json!({ "name": format!("box_{third}"), "translation": at });
                let (replies, _) = self.play(vec![call("node.create", &arguments)]).await?;
                let node = &replies[0]["changed"][0];
                let shape = json!({ "kind": "box", "size_m": [0.05, size_m, 0.05] });
                let arguments = json!({ "node": node, "shape": shape, "material": "mat_1" });
                Ok(self.play(vec![call("mesh.add_primitive", &arguments)]).await?.1)
            }
            _ => {
                let arguments = json!({ "node": "n_2", "material": format!("mat_{}", 2 + (third + self.kind) % 3) });
                Ok(self.play(vec![call("material.assign", &arguments)]).await?.1)
            }
        }
    }

    /// The PNG of `beauty.png`.
    pub(crate) async fn look(&mut self) -> Result<Vec<u8>, DomainError> {
        let contents = self.episode.observe(&["beauty.png".into()], ObserveOptions::default()).await?;
        Ok(contents.into_iter().next().map(data).unwrap_or_default())
    }

    /// The PNG of a `render.still`.
    pub(crate) async fn still(&mut self) -> Result<Vec<u8>> {
        let pass = PASSES[self.rounds / 3 % PASSES.len()];
        let outcome = self.episode.step(vec![call("render.still", &json!({ "pass": pass }))]).await?;
        let result = outcome.results.into_iter().next().context("no result")?;
        ensure!(result.ok, "render.still was refused: {}", result.json);
        result.contents.into_iter().next().map(data).context("render.still gave no picture")
    }

    pub(crate) async fn score(&mut self) -> Result<Reward, DomainError> {
        self.episode.score(Some("r3d/0+render")).await
    }

    /// The replies and the state hash after them; a refused call is an error.
    async fn play(&mut self, calls: Vec<ToolCall>) -> Result<(Vec<Value>, Vec<u8>)> {
        let outcome = self.episode.step(calls.clone()).await?;
        if let Some((refused, call)) = outcome.results.iter().zip(&calls).find(|(result, _)| !result.ok) {
            bail!("{} {} was refused: {}", call.name, call.arguments_json, refused.json);
        }
        Ok((outcome.results.into_iter().map(|result| result.json).collect(), outcome.state_hash))
    }
}

fn call(name: &str, arguments: &Value) -> ToolCall {
    ToolCall { name: name.into(), arguments_json: arguments.to_string() }
}

fn data(content: Content) -> Vec<u8> {
    match content.body {
        Body::Data(data) => data,
        Body::Text(text) => text.into_bytes(),
    }
}
