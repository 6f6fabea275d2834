//! What an environment says without a policy: the prompt of a task, and what calls that somebody else wrote come to.

use super::{conversation, environment::Environments};
use rl_protocol::{DomainError, OpenSpec, Reward, ToolCall, ToolResult};

/// An episode that was played by given calls.
#[derive(Debug, Clone)]
pub struct Played {
    pub prompt: String,
    /// Whose tools the episode offered.
    pub tool_groups: Vec<String>,
    /// One for each call that was played; calls after the end are not.
    pub results: Vec<ToolResult>,
    /// `None`: the calls did not end the episode.
    pub reward: Option<Reward>,
}

impl Environments {
    /// Opens one episode of a task and plays `calls`, each a step of its own; with none it says the prompt.
    ///
    /// # Errors
    /// The domain's, and `NotFound` for a domain that was not added.
    pub fn play(&self, domain: &str, spec: OpenSpec, calls: &[ToolCall]) -> Result<Played, DomainError> {
        let environment = self.get(domain).ok_or_else(|| self.unknown(domain))?;
        let runtime = self.runtime().clone();
        runtime.block_on(async {
            let opened = environment.domain.open(OpenSpec { count: 1, ..spec }).await?;
            let mut played =
                Played { prompt: String::new(), tool_groups: Vec::new(), results: Vec::new(), reward: None };
            for mut episode in opened {
                let opening = episode.opening();
                played.prompt = conversation::texts(&opening.observation);
                played.tool_groups = opening.tool_groups.clone();
                for call in calls {
                    let outcome = episode.step(vec![call.clone()]).await?;
                    played.results.extend(outcome.results);
                    if outcome.end.is_some() {
                        played.reward = outcome.reward;
                        break;
                    }
                }
            }
            Ok(played)
        })
    }
}
