//! The domains that a run plays in, and the runtime that talks to them.

use super::engine::EngineError;
use crate::{grammar::ToolGrammar, tokens::Tokenizer};
use rl_protocol::{Code, Description, Domain, DomainError, RemoteDomain, TaskInfo, ToolSpec};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    sync::Arc,
};
use tokio::runtime::{Builder, Handle, Runtime};

/// Which of a domain's tools the policy may call, and how.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolChoice {
    /// Names; `None` for all that the episode offers.
    pub tools: Option<BTreeSet<String>>,
    /// By tool name a JSON Schema that its arguments must meet too.
    pub narrowed: BTreeMap<String, Value>,
}

/// Domains by name. Its verbs wait for their answers, so they are called on threads of no runtime.
pub struct Environments {
    runtime: Runtime,
    by_name: BTreeMap<String, Environment>,
}

pub(super) struct Environment {
    pub(super) domain: Arc<dyn Domain>,
    description: Description,
    choice: ToolChoice,
}

impl Environments {
    /// None yet. One thread does all the waiting.
    pub fn new() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("environments").enable_all().build()?;
        Ok(Self { runtime, by_name: BTreeMap::new() })
    }

    /// Adds a domain that is served over `maquette.v1` at `http://host:port` or `unix:path`.
    ///
    /// # Errors
    /// As [`Self::add`], and `Unavailable` when nobody answers there.
    pub fn connect(&mut self, address: &str, domain: &str) -> Result<(), DomainError> {
        let channel = self.runtime.block_on(rl_protocol::connect(address))?;
        self.add(Arc::new(RemoteDomain::new(channel, domain)))
    }

    /// Adds a domain under the name of its description, with all of its tools.
    ///
    /// # Errors
    /// What the domain says when it is not ready.
    pub fn add(&mut self, domain: Arc<dyn Domain>) -> Result<(), DomainError> {
        let description = self.runtime.block_on(async {
            // Which domains there are is told by who does not have this one.
            let description = domain.describe().await?;
            domain.ready().await?;
            Ok::<_, DomainError>(description)
        })?;
        let environment = Environment { domain, description, choice: ToolChoice::default() };
        self.by_name.insert(environment.description.domain.clone(), environment);
        Ok(())
    }

    /// Leaves the policy these tools of a domain.
    ///
    /// # Errors
    /// `NotFound` for a domain that was not added, `InvalidArgument` for tools that it does not have.
    pub fn choose(&mut self, domain: &str, choice: ToolChoice) -> Result<(), DomainError> {
        let unknown = self.unknown(domain);
        let environment = self.by_name.get_mut(domain).ok_or(unknown)?;
        check(&choice, &environment.description)?;
        environment.choice = choice;
        Ok(())
    }

    /// All tasks of a split (`None`: of every split), ordered by id.
    ///
    /// # Errors
    /// The domain's, and `NotFound` for a domain that was not added.
    pub fn tasks(&self, domain: &str, split: Option<&str>) -> Result<Vec<TaskInfo>, DomainError> {
        let environment = self.get(domain).ok_or_else(|| self.unknown(domain))?;
        self.runtime.block_on(environment.domain.tasks(split))
    }

    /// Of all of a domain's tools.
    ///
    /// # Errors
    /// `NotFound` for a domain that was not added.
    pub fn tool_names(&self, domain: &str) -> Result<BTreeSet<String>, DomainError> {
        let environment = self.get(domain).ok_or_else(|| self.unknown(domain))?;
        Ok(environment.description.tools.iter().map(|tool| tool.name.clone()).collect())
    }

    /// Those that the policy may call in an episode that offers these groups.
    ///
    /// # Errors
    /// `NotFound` for a domain that was not added.
    pub fn tools(&self, domain: &str, groups: &[String]) -> Result<Vec<ToolSpec>, DomainError> {
        self.get(domain).map(|environment| environment.tools(groups)).ok_or_else(|| self.unknown(domain))
    }

    /// Of the calls that the policy may write in an episode that offers these groups.
    ///
    /// # Errors
    /// A domain that was not added; schemas that no grammar can hold.
    pub fn grammar(
        &self,
        domain: &str,
        groups: &[String],
        tokenizer: Arc<dyn Tokenizer>,
    ) -> Result<ToolGrammar, EngineError> {
        let environment = self.named(domain)?;
        let tools = environment.tools(groups);
        Ok(ToolGrammar::new(&tools, &environment.narrowed(&tools), tokenizer)?)
    }

    pub(super) fn named(&self, domain: &str) -> Result<&Environment, EngineError> {
        self.get(domain).ok_or_else(|| EngineError::UnknownDomain { given: domain.to_owned(), known: self.names() })
    }

    pub(super) fn get(&self, domain: &str) -> Option<&Environment> {
        self.by_name.get(domain)
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.by_name.keys().cloned().collect()
    }

    pub(super) fn unknown(&self, domain: &str) -> DomainError {
        let known = self.names();
        let message = format!("no environment {domain:?}; there are {known:?}");
        DomainError::new(Code::NotFound, "DOMAIN_NOT_FOUND", message).field("domain").nearest(known)
    }

    pub(super) fn runtime(&self) -> &Handle {
        self.runtime.handle()
    }
}

impl Environment {
    fn tools(&self, groups: &[String]) -> Vec<ToolSpec> {
        let is_offered = |tool: &&ToolSpec| tool.group.is_empty() || groups.contains(&tool.group);
        let is_chosen = |tool: &&ToolSpec| self.choice.tools.as_ref().is_none_or(|names| names.contains(&tool.name));
        self.description.tools.iter().filter(is_offered).filter(is_chosen).cloned().collect()
    }

    /// For these tools.
    fn narrowed(&self, tools: &[ToolSpec]) -> BTreeMap<String, Value> {
        let named = tools.iter().filter_map(|tool| self.choice.narrowed.get_key_value(&tool.name));
        named.map(|(name, schema)| (name.clone(), schema.clone())).collect()
    }
}

fn check(choice: &ToolChoice, description: &Description) -> Result<(), DomainError> {
    let has = |name: &str| description.tools.iter().any(|tool| tool.name == name);
    let Some(unknown) = choice.tools.iter().flatten().chain(choice.narrowed.keys()).find(|name| !has(name)) else {
        return Ok(());
    };
    let known: Vec<&str> = description.tools.iter().map(|tool| tool.name.as_str()).collect();
    let message = format!("{:?} has no tool {unknown:?}; it has {}", description.domain, known.join(", "));
    Err(DomainError::new(Code::InvalidArgument, "TOOL_NOT_FOUND", message).field("tools"))
}
