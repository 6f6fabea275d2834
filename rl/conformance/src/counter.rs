//! The smallest correct domain: reach ten by adding.

mod count;

use crate::Sample;
use async_trait::async_trait;
use count::Count;
use rl_protocol::{
    Body, Budget, Code, Content, Description, Domain, DomainError, Episode, Limit, ObserveOptions, OpenSpec, Opening,
    ProfileInfo, Reward, StepOutcome, Subject, TaskInfo, ToolCall, ToolGroup, ToolSpec,
};
use serde_json::{Value, json};

const TASK: &str = "counter/reach-ten";
const SPLIT: &str = "train";
const PROFILE: &str = count::PROFILE;
const OBSERVATION: &str = "value";
const ARTIFACT_MIME: &str = "text/plain";
const GROUP: &str = "scale";

/// Tools `add {n}` and `submit {}`, in the group `scale` `double {}`; an artifact is the number as text.
#[derive(Debug, Clone, Copy, Default)]
pub struct CounterDomain;

impl CounterDomain {
    /// Reaches ten: reward 1.
    #[must_use]
    pub fn sample() -> Sample {
        let call = |name: &str, arguments: &str| ToolCall { name: name.into(), arguments_json: arguments.into() };
        Sample {
            task_id: TASK.into(),
            calls: vec![call("add", r#"{"n": 4}"#), call("add", r#"{"n": 6}"#), call("submit", "{}")],
            bad_call: call("add", r#"{"n": "four"}"#),
        }
    }
}

#[async_trait]
impl Domain for CounterDomain {
    async fn describe(&self) -> Result<Description, DomainError> {
        let tool = |name: &str, group: &str, description: &str, properties: Value, required: &[&str]| ToolSpec {
            name: name.into(),
            description: description.into(),
            arguments_schema: json!({
                "type": "object",
                "properties": properties,
                "required": required,
                "additionalProperties": false,
            }),
            read_only: false,
            group: group.into(),
        };
        let n = json!({ "n": { "type": "integer", "minimum": -count::MAX_STEP, "maximum": count::MAX_STEP } });
        Ok(Description {
            domain: "counter".into(),
            description: "A counter that starts at zero.".into(),
            tools: vec![
                tool("add", "", "Adds n to the counter.", n, &["n"]),
                tool("double", GROUP, "Doubles the counter.", json!({}), &[]),
                tool("submit", "", "Ends the episode.", json!({}), &[]),
            ],
            splits: vec![SPLIT.into()],
            profiles: vec![ProfileInfo {
                id: PROFILE.into(),
                description: "1 at ten, less by 0.1 for each step away.".into(),
                hash: count::PROFILE_HASH.to_vec(),
            }],
            limits: vec![Limit { name: "calls".into(), value: f64::from(count::MAX_CALLS), unit: "1".into() }],
            tool_groups: vec![ToolGroup { name: GROUP.into(), description: "multiplication".into() }],
        })
    }

    async fn tasks(&self, split: Option<&str>) -> Result<Vec<TaskInfo>, DomainError> {
        if split.is_some_and(|split| split != SPLIT) {
            let message = format!("no split {:?}", split.unwrap_or_default());
            let error = DomainError::new(Code::NotFound, "SPLIT_NOT_FOUND", message);
            return Err(error.field("split").nearest(vec![SPLIT.into()]));
        }
        Ok(vec![TaskInfo {
            id: TASK.into(),
            split: SPLIT.into(),
            prompt: "Bring the counter to ten, then submit.".into(),
            profile: PROFILE.into(),
        }])
    }

    async fn open(&self, spec: OpenSpec) -> Result<Vec<Box<dyn Episode>>, DomainError> {
        check_task(&spec.task_id)?;
        check_profile(spec.profile.as_deref())?;
        let count = Count::new(doubles(&spec.tool_groups)?);
        let episode = || CounterEpisode::new(count, spec.tool_groups.clone());
        Ok((0..spec.count).map(|_| -> Box<dyn Episode> { Box::new(episode()) }).collect())
    }

    async fn score(&self, subject: Subject, profile: Option<&str>) -> Result<Reward, DomainError> {
        check_profile(profile)?;
        match subject {
            Subject::Artifact { task_id, mime, data } => {
                if let Some(task_id) = task_id {
                    check_task(&task_id)?;
                }
                if mime != ARTIFACT_MIME {
                    let error =
                        DomainError::new(Code::InvalidArgument, "UNKNOWN_MIME", format!("no reader for {mime:?}"));
                    return Err(error.field("artifact.mime").nearest(vec![ARTIFACT_MIME.into()]));
                }
                Ok(count::score_text(&String::from_utf8_lossy(&data)))
            }
            Subject::CallLog { task_id, calls, tool_groups, .. } => {
                check_task(&task_id)?;
                let mut count = Count::new(doubles(&tool_groups)?);
                for call in &calls {
                    count.play(call);
                }
                Ok(count.score())
            }
        }
    }

    async fn ready(&self) -> Result<(), DomainError> {
        Ok(())
    }
}

struct CounterEpisode {
    opening: Opening,
    count: Count,
}

impl CounterEpisode {
    fn new(count: Count, tool_groups: Vec<String>) -> Self {
        let opening = Opening {
            observation: vec![observation(&count)],
            state_hash: count.state_hash(),
            budget: budget(&count),
            tool_groups,
        };
        Self { opening, count }
    }

    fn running(&self) -> Result<(), DomainError> {
        if self.count.end.is_some() {
            return Err(DomainError::new(Code::FailedPrecondition, "EPISODE_ENDED", "the episode has ended"));
        }
        Ok(())
    }
}

#[async_trait]
impl Episode for CounterEpisode {
    fn opening(&self) -> &Opening {
        &self.opening
    }

    async fn step(&mut self, calls: Vec<ToolCall>) -> Result<StepOutcome, DomainError> {
        self.running()?;
        let results = calls.iter().map(|call| self.count.play(call)).collect();
        Ok(StepOutcome {
            results,
            reward: self.count.end.map(|_| self.count.score()),
            end: self.count.end,
            state_hash: self.count.state_hash(),
            budget: budget(&self.count),
        })
    }

    async fn fork(&mut self) -> Result<Box<dyn Episode>, DomainError> {
        self.running()?;
        let observation = self.opening.observation.clone();
        let (state_hash, budget) = (self.count.state_hash(), budget(&self.count));
        let opening = Opening { observation, state_hash, budget, tool_groups: self.opening.tool_groups.clone() };
        Ok(Box::new(Self { opening, count: self.count }))
    }

    async fn observe(&mut self, want: &[String], _: ObserveOptions) -> Result<Vec<Content>, DomainError> {
        want.iter()
            .map(|name| {
                if name == OBSERVATION {
                    return Ok(observation(&self.count));
                }
                let error =
                    DomainError::new(Code::InvalidArgument, "UNKNOWN_OBSERVATION", format!("no observation {name:?}"));
                Err(error.field("want").nearest(vec![OBSERVATION.into()]))
            })
            .collect()
    }

    async fn score(&mut self, profile: Option<&str>) -> Result<Reward, DomainError> {
        check_profile(profile)?;
        Ok(self.count.score())
    }
}

fn observation(count: &Count) -> Content {
    Content { name: OBSERVATION.into(), mime: ARTIFACT_MIME.into(), body: Body::Text(count.value.to_string()) }
}

fn budget(count: &Count) -> Budget {
    Budget { calls_left: count.calls_left, left: Vec::new() }
}

fn check_task(task_id: &str) -> Result<(), DomainError> {
    if task_id == TASK {
        return Ok(());
    }
    let error = DomainError::new(Code::NotFound, "TASK_NOT_FOUND", format!("no task {task_id:?}"));
    Err(error.field("task_id").nearest(vec![TASK.into()]))
}

/// Whether `double` is asked for.
fn doubles(tool_groups: &[String]) -> Result<bool, DomainError> {
    match tool_groups.iter().find(|name| *name != GROUP) {
        None => Ok(!tool_groups.is_empty()),
        Some(other) => {
            let message = format!("no tool group {other:?}; there is {GROUP}");
            let error = DomainError::new(Code::InvalidArgument, "TOOL_GROUP_UNKNOWN", message);
            Err(error.field("tool_groups").nearest(vec![GROUP.into()]))
        }
    }
}

fn check_profile(profile: Option<&str>) -> Result<(), DomainError> {
    match profile {
        None | Some(PROFILE) => Ok(()),
        Some(other) => {
            let error = DomainError::new(Code::NotFound, "PROFILE_NOT_FOUND", format!("no profile {other:?}"));
            Err(error.field("profile").nearest(vec![PROFILE.into()]))
        }
    }
}
