//! Generated tasks: solvable, not by chance, each its own, and the same each time.

use rayon::prelude::*;
use rl_protocol::{Domain, EndReason, OpenSpec, Subject, ToolCall};
use scene_api::{Generated, Level, SceneDomain, SceneTask, play};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Instant;

const SEED: u64 = 11;

fn tool_call(name: &str, arguments: &Value) -> ToolCall {
    ToolCall { name: name.into(), arguments_json: arguments.to_string() }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % count
    }

    /// Centimetres up to `most`, as metres.
    fn metres(&mut self, most_cm: u64) -> f64 {
        (1 + self.below(most_cm)) as f64 / 100.0
    }

    fn place(&mut self) -> [f64; 3] {
        [self.metres(300) - 1.5, self.metres(100), self.metres(300) - 1.5]
    }
}

/// Calls that mean something, with the names that are asked for, and no idea of what else is.
fn random_calls(task: &SceneTask, seed: u64) -> Vec<ToolCall> {
    let mut random = Random(seed);
    let mut nodes = task.setup.iter().filter(|call| call.name == "node.create").count() as u64;
    let mut names: Vec<String> = task.objects.iter().map(|object| object.name.clone()).collect();
    let mut calls = vec![tool_call("material.create", &json!({ "name": "any", "base_color": [0.5, 0.4, 0.3] }))];
    for step in 0..20 {
        let node = format!("n_{}", 1 + random.below(nodes.max(1)));
        let (a, b, c) = (random.metres(120), random.metres(120), random.metres(120));
        let call = match random.below(8) {
            0..=3 => {
                nodes += 1;
                let name = if task.setup.is_empty() { names.pop() } else { None };
                let name = name.unwrap_or_else(|| format!("thing {step}"));
                calls.push(tool_call("node.create", &json!({ "name": name, "translation": random.place() })));
                let shape = match random.below(3) {
                    0 => json!({ "kind": "cylinder", "radius_m": a / 2.0, "height_m": b, "segments": 24 }),
                    1 => json!({ "kind": "uv_sphere", "radius_m": a / 2.0, "segments": 24, "rings": 12 }),
                    _ => json!({ "kind": "box", "size_m": [a, b, c] }),
                };
                tool_call("mesh.add_primitive", &json!({ "node": format!("n_{nodes}"), "shape": shape }))
            }
            4 | 5 => tool_call("node.set_transform", &json!({ "node": node, "translation": random.place() })),
            6 => tool_call("material.assign", &json!({ "node": node, "material": "mat_1" })),
            _ => {
                nodes += 1;
                let light = json!({
                    "name": format!("light {step}"), "light": { "kind": "point" }, "intensity": 200,
                    "translation": random.place(),
                });
                tool_call("light.add", &light)
            }
        };
        calls.push(call);
    }
    calls
}

/// Rewards of one task: of its solution, of doing nothing, of doing anything.
fn rewards(task: &SceneTask, solution: &[ToolCall], seed: u64) -> [f64; 3] {
    let (_, replies, reward) = play(task, solution, 0);
    let refused = replies.iter().find(|reply| !reply.ok);
    assert!(refused.is_none(), "{}: {refused:?}", task.id);
    let solved = reward.value().unwrap();
    if solved < 0.9 {
        println!("{}: {solved}, factors {:?}", task.id, reward.factors);
        for evidence in reward.components.iter().flat_map(|component| &component.evidence) {
            println!("  {}: {} ({})", evidence.component, evidence.message, evidence.fix);
        }
    }
    let played = |calls: &[ToolCall]| play(task, calls, 0).2.value().unwrap();
    [solved, played(&[tool_call("episode.submit", &json!({}))]), played(&random_calls(task, seed))]
}

#[test]
fn a_thousand_solutions_are_paid_and_nothing_else_is() {
    const TASKS: u64 = 112;
    for level in Level::ALL {
        let rewards: Vec<[f64; 3]> = (0..TASKS)
            .into_par_iter()
            .map(|index| {
                let Generated { task, solution } = level.task(SEED, index);
                rewards(&task, &solution, index)
            })
            .collect();
        let least = rewards.iter().map(|[solved, ..]| *solved).fold(1.0, f64::min);
        let [solved, idle, random] =
            [0, 1, 2].map(|policy: usize| rewards.iter().map(|task| task[policy]).sum::<f64>() / TASKS as f64);
        let name = level.name();
        println!("{name:<10} solved {least:.3} at least, {solved:.3} mean; idle {idle:.3}; random {random:.3}");
        assert!(least >= 0.9, "{name}: {least}");
        assert!(idle <= 0.3 && random <= 0.3, "{name}: idle {idle}, random {random}");
    }
}

#[test]
fn what_does_not_move_or_jumps_is_not_paid_for_motion() {
    for index in 0..60 {
        let Generated { task, solution } = Level::Animation.task(SEED, index);
        let still: Vec<ToolCall> =
            solution.iter().filter(|call| !call.name.starts_with("animation.")).cloned().collect();
        let reward = play(&task, &still, 0).2.value().unwrap();
        assert!(reward <= 0.35, "{}: {reward} without motion", task.id);

        let mut jumps = solution.clone();
        for call in jumps.iter_mut().filter(|call| call.name == "animation.add_channel") {
            let mut arguments: Value = serde_json::from_str(&call.arguments_json).unwrap();
            arguments["interpolation"] = json!("STEP");
            call.arguments_json = arguments.to_string();
        }
        let reward = play(&task, &jumps, 0).2.value().unwrap();
        assert!(reward <= 0.7, "{}: {reward} for jumps", task.id);
    }
}

#[test]
fn prompts_are_unique() {
    for level in Level::ALL {
        let start = Instant::now();
        let prompts: BTreeSet<String> = (0..200).map(|index| level.task(SEED, index).task.prompt).collect();
        println!("{}: {:.0} tasks a second", level.name(), 200.0 / start.elapsed().as_secs_f64());
        assert_eq!(prompts.len(), 200, "{level:?}");
        assert!(prompts.iter().all(|prompt| !prompt.contains(['{', '}'])), "{level:?}: a blank was not filled in");
    }
}

#[test]
fn a_task_is_the_same_bytes_each_time() {
    for level in Level::ALL {
        for index in 0..20 {
            let (first, second) = (level.task(SEED, index), level.task(SEED, index));
            let text = serde_json::to_string(&first.task).unwrap();
            assert_eq!(text, serde_json::to_string(&second.task).unwrap());
            assert_eq!(first.solution, second.solution);
            assert_eq!(SceneTask::by_id(&first.task.id).unwrap(), first.task);
            assert_eq!(serde_json::from_str::<SceneTask>(&text).unwrap(), first.task, "{text}");
            assert_ne!(level.task(SEED + 1, index).task.prompt, first.task.prompt);
        }
    }
}

#[test]
fn generated_tasks_are_sound() {
    for level in Level::ALL {
        for index in 0..50 {
            let task = level.task(SEED, index).task.checked().unwrap();
            let bare = SceneTask { setup: Vec::new(), ..task.clone() };
            let (_, replies, _) = play(&bare, &task.setup, 0);
            assert!(replies.iter().all(|reply| reply.ok), "{}: {replies:?}", task.id);
            let all_named = task.objects.iter().all(|object| task.prompt.contains(&format!("\"{}\"", object.name)));
            assert!(all_named || level == Level::Edit, "{}: {}", task.id, task.prompt);
        }
    }
}

#[test]
fn held_out_tasks_share_no_word_and_no_size() {
    // The two short levels hold out combinations.
    for level in Level::ALL.into_iter().filter(|level| ![Level::Size, Level::Place].contains(level)) {
        let [mut train, mut held_out] = [BTreeSet::new(), BTreeSet::new()];
        for index in 0..200 {
            let task = level.task(SEED, index).task;
            let (split, rest) = if index.is_multiple_of(2) { ("train", false) } else { ("held-out", true) };
            assert_eq!(task.split, split);
            for object in &task.objects {
                let words = object.name.split(|letter: char| !letter.is_alphabetic()).filter(|word| !word.is_empty());
                let seen = if rest { &mut held_out } else { &mut train };
                seen.extend(words.map(str::to_owned));
                for side_m in object.size_m {
                    let side_cm = (side_m * 100.0).round() as i64;
                    assert_eq!(side_cm % 4 == 3, rest, "{}: {side_cm} cm", task.id);
                }
            }
        }
        let shared: Vec<&String> = train.intersection(&held_out).collect();
        assert!(shared.is_empty(), "{level:?}: {shared:?}");
        assert!(train.len() > 5 && held_out.len() > 5, "{level:?}");
    }
}

#[tokio::test]
async fn a_generated_task_is_opened_by_its_id() {
    let domain = SceneDomain::new().unwrap();
    let Generated { task, solution } = Level::Repair.task(SEED, 3);
    let spec = OpenSpec { task_id: task.id.clone(), count: 1, seed: 0, profile: None, tool_groups: Vec::new() };
    let mut episode = domain.open(spec).await.unwrap().pop().unwrap();
    let idle = episode.score(None).await.unwrap().value().unwrap();
    assert!(idle <= 0.3, "{idle}");
    let budget = episode.opening().budget.clone();
    assert_eq!(budget.calls_left, 200);
    let outcome = episode.step(solution.clone()).await.unwrap();
    assert_eq!(outcome.end.unwrap().reason, EndReason::Submitted);
    let reward = outcome.reward.unwrap();
    assert!(reward.value().unwrap() >= 0.9, "{reward:?}");

    let log = Subject::CallLog { task_id: task.id, seed: 0, calls: solution, tool_groups: Vec::new() };
    assert_eq!(domain.score(log, None).await.unwrap(), reward);

    let spec =
        OpenSpec { task_id: "scene/gen-repiar-1-2".into(), count: 1, seed: 0, profile: None, tool_groups: Vec::new() };
    let error = domain.open(spec).await.err().unwrap();
    assert_eq!(error.nearest[0], "scene/gen-repair-0-0");
}
