//! Every tool by its name over gRPC: its example is taken, and its mistake is refused, as TOOLS.md says.

use rl_protocol::{Domain, Episode, OpenSpec, RemoteDomain, StepOutcome, ToolCall, connect};
use scene_api::example_scenes;
use serde_json::Value;
use std::collections::BTreeMap;
use workspace_tests::Server;

async fn called(episode: &mut dyn Episode, name: &str, arguments: &Value) -> StepOutcome {
    let call = ToolCall { name: name.into(), arguments_json: arguments.to_string() };
    episode.step(vec![call]).await.unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn every_tool_takes_its_example_and_refuses_its_mistake() {
    let server = Server::start(&[], &[]).unwrap();
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let domain = RemoteDomain::new(connect(&server.uri).await.unwrap(), "scene");
        let description = domain.describe().await.unwrap();
        let tool_groups: Vec<String> = description.tool_groups.iter().map(|group| group.name.clone()).collect();
        let tools = description.tools.iter();
        let mut unplayed: BTreeMap<&str, bool> = tools.map(|tool| (tool.name.as_str(), tool.read_only)).collect();
        for scene in example_scenes().unwrap() {
            let tool_groups = tool_groups.clone();
            let spec = OpenSpec { task_id: "scene/crate".into(), count: 1, seed: 0, profile: None, tool_groups };
            let mut episode = domain.open(spec).await.unwrap().remove(0);
            let set_up = episode.step(scene.setup.clone()).await.unwrap();
            for (call, result) in scene.setup.iter().zip(&set_up.results) {
                assert!(result.ok, "{} {}: {}", call.name, call.arguments_json, result.json);
            }
            let revision = set_up.results.last().and_then(|result| result.json["revision"].as_u64()).unwrap();
            for (name, example) in &scene.tools {
                let known = unplayed.remove(name.as_str());
                let read_only = known.unwrap_or_else(|| panic!("{name} is no tool, or has two examples"));
                let mut fork = episode.fork().await.unwrap();

                let refused = called(fork.as_mut(), name, &example.refused.arguments).await;
                let (result, expected) = (&refused.results[0], &example.refused);
                assert!(!result.ok, "{name}: {}", result.json);
                let error = &result.json["error"];
                assert_eq!(error["code"], expected.code.as_str(), "{name}: {error}");
                assert_eq!(error["pointer"], expected.pointer.as_str(), "{name}: {error}");
                assert_eq!(result.json["revision"], revision, "{name} counted a refusal");
                assert_eq!(refused.state_hash, set_up.state_hash, "{name} was refused and changed the scene");

                let taken = called(fork.as_mut(), name, &example.arguments).await;
                let result = &taken.results[0];
                assert!(result.ok, "{name} {}: {}", example.arguments, result.json);
                assert_eq!(result.json["revision"], revision + u64::from(!read_only), "{name}");
                assert!(!read_only || taken.state_hash == set_up.state_hash, "{name} changed the scene");
                assert_eq!(result.contents.is_empty(), name != "render.still", "{name}");
                assert_eq!(taken.reward.is_some(), name == "episode.submit", "{name}");
            }
        }
        assert!(unplayed.is_empty(), "no example in assets/tools.json: {unplayed:?}");
    });
}
