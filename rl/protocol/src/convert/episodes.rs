//! Calls, results, contents and what a step answers.

use super::InvalidField;
use crate::{Body, Budget, Content, End, EndReason, Opening, Reward, StepOutcome, ToolCall, ToolResult, wire};

impl From<Budget> for wire::Budget {
    fn from(budget: Budget) -> Self {
        Self { calls_left: budget.calls_left, left: budget.left.into_iter().map(Into::into).collect() }
    }
}

impl From<wire::Budget> for Budget {
    fn from(budget: wire::Budget) -> Self {
        Self { calls_left: budget.calls_left, left: budget.left.into_iter().map(Into::into).collect() }
    }
}

impl From<ToolCall> for wire::ToolCall {
    fn from(call: ToolCall) -> Self {
        Self { name: call.name, arguments_json: call.arguments_json }
    }
}

impl From<wire::ToolCall> for ToolCall {
    fn from(call: wire::ToolCall) -> Self {
        Self { name: call.name, arguments_json: call.arguments_json }
    }
}

impl From<ToolResult> for wire::ToolResult {
    fn from(result: ToolResult) -> Self {
        let contents = result.contents.into_iter().map(Into::into).collect();
        Self { ok: result.ok, json: result.json.to_string(), contents }
    }
}

impl TryFrom<wire::ToolResult> for ToolResult {
    type Error = InvalidField;

    fn try_from(result: wire::ToolResult) -> Result<Self, InvalidField> {
        let json =
            serde_json::from_str(&result.json).map_err(|error| InvalidField::new("results.json", error.to_string()))?;
        let contents = result.contents.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?;
        Ok(Self { ok: result.ok, json, contents })
    }
}

impl From<Content> for wire::Content {
    fn from(content: Content) -> Self {
        let body = match content.body {
            Body::Text(text) => wire::content::Body::Text(text),
            Body::Data(data) => wire::content::Body::Data(data),
        };
        Self { name: content.name, mime: content.mime, body: Some(body) }
    }
}

impl TryFrom<wire::Content> for Content {
    type Error = InvalidField;

    fn try_from(content: wire::Content) -> Result<Self, InvalidField> {
        let body = match content.body.ok_or_else(|| InvalidField::missing("content.body"))? {
            wire::content::Body::Text(text) => Body::Text(text),
            wire::content::Body::Data(data) => Body::Data(data),
        };
        Ok(Self { name: content.name, mime: content.mime, body })
    }
}

impl From<End> for wire::End {
    fn from(end: End) -> Self {
        let reason = match end.reason {
            EndReason::Submitted => wire::EndReason::Submitted,
            EndReason::CallLimit => wire::EndReason::CallLimit,
        };
        Self { terminated: end.terminated, truncated: end.truncated, reason: reason.into() }
    }
}

impl TryFrom<wire::End> for End {
    type Error = InvalidField;

    fn try_from(end: wire::End) -> Result<Self, InvalidField> {
        let reason = match wire::EndReason::try_from(end.reason) {
            Ok(wire::EndReason::Submitted) => EndReason::Submitted,
            Ok(wire::EndReason::CallLimit) => EndReason::CallLimit,
            Ok(wire::EndReason::Unspecified) | Err(_) => {
                return Err(InvalidField::new("end.reason", format!("{} is no reason", end.reason)));
            }
        };
        Ok(Self { terminated: end.terminated, truncated: end.truncated, reason })
    }
}

impl TryFrom<wire::Session> for Opening {
    type Error = InvalidField;

    fn try_from(session: wire::Session) -> Result<Self, InvalidField> {
        Ok(Self {
            observation: session.observation.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
            state_hash: session.state_hash,
            budget: session.budget.ok_or_else(|| InvalidField::missing("sessions.budget"))?.into(),
            tool_groups: session.tool_groups,
        })
    }
}

/// The reply to the step `seq`, as it is kept and sent.
pub(crate) fn step_response(seq: u64, outcome: StepOutcome) -> Result<wire::StepResponse, InvalidField> {
    let calls = u32::try_from(outcome.results.len()).unwrap_or(u32::MAX);
    Ok(wire::StepResponse {
        seq,
        replayed: false,
        results: outcome.results.into_iter().map(Into::into).collect(),
        reward: outcome.reward.map(TryInto::try_into).transpose()?,
        end: outcome.end.map(Into::into),
        state_hash: outcome.state_hash,
        budget: Some(outcome.budget.into()),
        usage: Some(wire::Usage { calls }),
    })
}

impl TryFrom<wire::StepResponse> for StepOutcome {
    type Error = InvalidField;

    fn try_from(reply: wire::StepResponse) -> Result<Self, InvalidField> {
        Ok(Self {
            results: reply.results.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
            reward: reply.reward.map(Reward::try_from).transpose()?,
            end: reply.end.map(End::try_from).transpose()?,
            state_hash: reply.state_hash,
            budget: reply.budget.ok_or_else(|| InvalidField::missing("budget"))?.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limit;

    #[test]
    fn a_content_without_a_body_is_refused() {
        let wire = wire::Content { name: "glb".into(), mime: "model/gltf-binary".into(), body: None };
        assert_eq!(Content::try_from(wire).unwrap_err().field, "content.body");
    }

    #[test]
    fn an_end_without_a_reason_is_refused() {
        for reason in [0, 3] {
            let wire = wire::End { terminated: true, truncated: false, reason };
            assert_eq!(End::try_from(wire).unwrap_err().field, "end.reason");
        }
    }

    #[test]
    fn a_budget_comes_back_as_it_was() {
        let left = vec![Limit { name: "triangles".into(), value: 12.0, unit: "triangles".into() }];
        let budget = Budget { calls_left: 3, left };
        assert_eq!(Budget::from(wire::Budget::from(budget.clone())), budget);
    }

    #[test]
    fn a_result_that_is_no_json_is_refused() {
        let wire = wire::ToolResult { ok: true, json: "{".into(), contents: Vec::new() };
        assert_eq!(ToolResult::try_from(wire).unwrap_err().field, "results.json");
    }
}
