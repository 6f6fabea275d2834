//! The loop: the model answers, its calls are played, and it is told what came of them.

use super::chat::Call;
use super::endpoint::Endpoint;
use super::opening::SUBMIT;
use super::record::Record;
use super::{chat, context, result, rollback, tool_list};
use crate::visible::visible;
use anyhow::{Context, Result};
use indicatif::ProgressBar;
use rl_protocol::{Episode, Reward, ToolCall, ToolResult, ToolSpec};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const REMINDER: &str = "You called no tool. The episode goes on until it is submitted: call tools, or submit it if the \
                        work is done. If you call none again, it is submitted as it stands.";
const AFTER_THE_END: &str = "Not played: the episode has ended.";
const NO_ANSWER: &str = "there is no reward, since the endpoint failed";
const NO_REPLY: &str = "there is no reward, since the environment failed";

/// What stays the same through a run.
pub(super) struct Terms<'a> {
    pub(super) model: Option<&'a str>,
    pub(super) tools: &'a [ToolSpec],
    /// The same, as the endpoint takes them.
    pub(super) functions: &'a [Value],
    pub(super) retries: u32,
    pub(super) max_turns: u32,
    pub(super) context_chars: usize,
    pub(super) pictures: bool,
    pub(super) bar: &'a ProgressBar,
}

pub(super) struct Run {
    pub(super) episode: Box<dyn Episode>,
    /// All of them, in full.
    pub(super) messages: Vec<Value>,
    /// Of the calls in them.
    pub(super) call_ids: BTreeSet<String>,
    pub(super) record: Option<Record>,
    pub(super) state_hash: Vec<u8>,
    /// Answers of the model.
    pub(super) turns: u32,
    pub(super) calls: u32,
}

impl Terms<'_> {
    /// To the person who watches.
    fn say(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{}", visible(line)));
    }

    fn request(&self, messages: &[Value]) -> Value {
        let tools_chars: usize = self.functions.iter().map(context::chars).sum();
        let messages = context::within(messages, self.context_chars.saturating_sub(tools_chars));
        let mut request = json!({ "messages": messages, "tools": self.functions, "stream": false });
        if let Some(model) = self.model {
            request["model"] = model.into();
        }
        request
    }
}

impl Run {
    /// Plays until the episode ends, the model has had its turns, or it has twice made no call.
    ///
    /// # Errors
    /// The endpoint or the environment failed for good.
    pub(super) async fn reward(&mut self, endpoint: &Endpoint, terms: &Terms<'_>) -> Result<Reward> {
        let mut was_silent = false;
        while self.turns < terms.max_turns {
            self.save()?;
            let request = terms.request(&self.messages);
            let mut answer = endpoint.answer(&request, &|line| terms.say(line)).await.context(NO_ANSWER)?;
            self.turns += 1;
            terms.bar.inc(1);
            if let Some(record) = self.record.as_ref().filter(|_| self.turns == 1) {
                record.answered()?;
            }
            answer.tell_calls_apart(self.turns, &mut self.call_ids);
            self.messages.push(chat::assistant(&answer));
            self.save()?;
            if !answer.calls.is_empty() {
                was_silent = false;
                if let Some(reward) = self.turn(&answer.calls, terms).await? {
                    self.save()?;
                    return Ok(reward);
                }
            } else if !was_silent {
                was_silent = true;
                self.messages.push(chat::user(REMINDER));
            } else {
                terms.say("the model made no call again: its work is submitted as it stands");
                return self.submitted(terms).await;
            }
        }
        self.save()?;
        terms.say(&format!("the model has had its {} turns: its work is scored as it stands", terms.max_turns));
        self.episode.score(None).await.context(NO_REPLY)
    }

    /// All calls of one answer. Each gets its own, also after the end.
    async fn turn(&mut self, calls: &[Call], terms: &Terms<'_>) -> Result<Option<Reward>> {
        let mut reward = None;
        let mut contents = Vec::new();
        for call in calls {
            let text = if reward.is_some() {
                AFTER_THE_END.to_owned()
            } else {
                let (result, end) = self.play(&tool_list::domain_call(call, terms.tools), terms).await?;
                reward = end;
                let text = result::text(&result, terms.pictures);
                contents.extend(result.contents);
                text
            };
            self.messages.push(chat::tool(&call.id, &text));
        }
        self.messages.extend(chat::pictures(&contents).filter(|_| terms.pictures));
        Ok(reward)
    }

    /// The result of one call, and the reward where the episode ended with it.
    async fn play(&mut self, call: &ToolCall, terms: &Terms<'_>) -> Result<(ToolResult, Option<Reward>)> {
        let is_risky = tool_list::is_risky(call, terms.tools);
        let say = |line: &str| terms.say(line);
        let outcome =
            rollback::played(&mut self.episode, call, is_risky, terms.retries, &say).await.context(NO_REPLY)?;
        if let Some(record) = &self.record {
            record.call(call)?;
        }
        self.calls += 1;
        self.state_hash = outcome.state_hash;
        let result = outcome.results.into_iter().next().context("the environment did not answer the call")?;
        terms.say(&format!("{:>4} {}", self.calls, result::line(&call.name, &result)));
        let reward = match (outcome.end, outcome.reward) {
            (None, _) => None,
            (Some(_), Some(reward)) => Some(reward),
            (Some(_), None) => Some(self.episode.score(None).await.context(NO_REPLY)?),
        };
        Ok((result, reward))
    }

    /// As it stands, in the model's place.
    async fn submitted(&mut self, terms: &Terms<'_>) -> Result<Reward> {
        if terms.tools.iter().any(|tool| tool.name == SUBMIT) {
            let call = ToolCall { name: SUBMIT.into(), arguments_json: "{}".into() };
            if let (_, Some(reward)) = self.play(&call, terms).await? {
                return Ok(reward);
            }
        }
        self.episode.score(None).await.context(NO_REPLY)
    }

    fn save(&self) -> Result<()> {
        self.record.as_ref().map_or(Ok(()), |record| record.transcript(&self.messages))
    }
}
