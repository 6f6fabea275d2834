//! What a client asks for, and who answers.

use super::answers::{answer, failed, fault, resource};
use super::offer::{Offer, URI_SCHEME};
use super::own_tools::{OwnTool, no_arguments, task_argument};
use super::tickets::Ticket;
use super::turns::Turns;
use crate::report;
use crate::tool_names::domain_name;
use rl_protocol::{Code, DomainError, End, EndReason, ObserveOptions, Reward, ToolCall};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest, CustomResult, ErrorCode,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation, JsonObject, ListPromptsResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, Prompt, PromptMessage, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Role, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::Arc;

const PROMPT: &str = "task";

pub(super) struct Session {
    offer: Arc<Offer>,
    turns: Turns,
}

impl Session {
    pub(super) fn new(offer: Arc<Offer>) -> Self {
        Self { turns: Turns::new(Arc::clone(&offer)), offer }
    }

    /// One call of a tool of the domain's. An unknown name is the domain's to refuse, with the nearest.
    async fn step(
        &self,
        ticket: Option<Arc<Ticket>>,
        name: &str,
        arguments: JsonObject,
    ) -> Result<CallToolResult, DomainError> {
        let name = domain_name(name, &self.offer.tools).unwrap_or(name).to_owned();
        let calls = vec![ToolCall { name, arguments_json: Value::Object(arguments).to_string() }];
        let stepped = self.turns.play(ticket, move |mut episode| async move {
            let outcome = episode.step(calls).await;
            (episode, outcome)
        });
        let outcome = stepped.await?;
        let Some(mut result) = outcome.results.into_iter().next() else {
            return Err(DomainError::new(Code::Internal, "NO_RESULT", "the domain answered no call"));
        };
        if let (Some(end), Some(reply)) = (outcome.end, result.json.as_object_mut()) {
            reply.insert("end".into(), ended(end));
            reply.insert("reward".into(), outcome.reward.as_ref().map(scored).transpose()?.unwrap_or_default());
        }
        Ok(answer(result))
    }

    async fn reward(&self, ticket: Option<Arc<Ticket>>) -> Result<CallToolResult, DomainError> {
        let scoring = self.turns.play(ticket, |mut episode| async move {
            let reward = episode.score(None).await;
            (episode, reward)
        });
        Ok(CallToolResult::structured(scored(&scoring.await?)?))
    }

    async fn own(
        &self,
        ticket: Option<Arc<Ticket>>,
        tool: OwnTool,
        arguments: &JsonObject,
    ) -> Result<CallToolResult, DomainError> {
        match tool {
            OwnTool::Reward => {
                no_arguments(arguments)?;
                self.reward(ticket).await
            }
            OwnTool::Restart => {
                let task_id = task_argument(arguments)?;
                let named = task_id.as_ref().unwrap_or(&self.offer.task_id).clone();
                let prompt = self.turns.restart(ticket, task_id).await?;
                Ok(CallToolResult::structured(json!({"ok": true, "task_id": named, "prompt": prompt})))
            }
        }
    }
}

fn ended(end: End) -> Value {
    let reason = match end.reason {
        EndReason::Submitted => "SUBMITTED",
        EndReason::CallLimit => "CALL_LIMIT",
    };
    json!({"terminated": end.terminated, "truncated": end.truncated, "reason": reason})
}

fn scored(reward: &Reward) -> Result<Value, DomainError> {
    report::json(reward).map_err(|error| DomainError::new(Code::Internal, "REWARD_UNWRITABLE", error.to_string()))
}

/// Of a request, where its transport gives them out.
fn ticket(context: &mut RequestContext<RoleServer>) -> Option<Arc<Ticket>> {
    context.extensions.remove()
}

/// Why params are not those of a request.
fn unfit<T>(params: serde_json::Result<T>) -> String {
    params.err().map_or_else(|| "they do not fit".to_owned(), |fault| fault.to_string())
}

impl ServerHandler for Session {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_prompts().enable_resources().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
            .with_server_info(Implementation::new("maquette", env!("CARGO_PKG_VERSION")))
            .with_instructions(self.offer.instructions.clone())
    }

    /// Later versions have no sessions, and an episode needs one.
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::known_up_to(&ProtocolVersion::LATEST_WITH_INITIALIZE))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.offer.listed()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let ticket = ticket(&mut context);
        let arguments = request.arguments.unwrap_or_default();
        let called = match OwnTool::named(&request.name) {
            Some(tool) => self.own(ticket, tool, &arguments).await,
            None => self.step(ticket, &request.name, arguments).await,
        };
        Ok(called.or_else(failed)?.into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(self.offer.resources.clone()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let known = self.offer.resources.iter().find(|resource| resource.uri == request.uri);
        let Some(name) = known.and_then(|resource| resource.uri.strip_prefix(URI_SCHEME)) else {
            let known: Vec<&str> = self.offer.resources.iter().map(|resource| resource.uri.as_str()).collect();
            let message = format!("there is no resource {:?}; there are {}", request.uri, known.join(", "));
            return Err(ErrorData::resource_not_found(message, Some(json!({"uri": request.uri, "known": known}))));
        };
        let want = vec![name.to_owned()];
        let observing = self.turns.play(ticket(&mut context), move |mut episode| async move {
            let contents = episode.observe(&want, ObserveOptions::default()).await;
            (episode, contents)
        });
        let contents = observing.await.map_err(fault)?;
        Ok(ReadResourceResult::new(contents.into_iter().map(resource).collect()).into())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompt = Prompt::new(PROMPT, Some("What is to be done in this episode"), None);
        Ok(ListPromptsResult::with_all_items(vec![prompt]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name != PROMPT {
            let message = format!("there is no prompt {:?}; there is {PROMPT}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        }
        let text = self.turns.prompt(ticket(&mut context)).await.map_err(fault)?;
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into())
    }

    /// Those of an unknown method, and those of a known one whose params are not its.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let CustomRequest { method, params, .. } = request;
        let params = params.unwrap_or_default();
        let fault = match method.as_str() {
            "tools/call" => unfit(serde_json::from_value::<CallToolRequestParams>(params)),
            "resources/read" => unfit(serde_json::from_value::<ReadResourceRequestParams>(params)),
            "prompts/get" => unfit(serde_json::from_value::<GetPromptRequestParams>(params)),
            "tools/list" | "resources/list" | "prompts/list" => {
                unfit(serde_json::from_value::<PaginatedRequestParams>(params))
            }
            _ => return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None)),
        };
        Err(ErrorData::invalid_params(format!("the params of {method}: {fault}"), None))
    }
}
