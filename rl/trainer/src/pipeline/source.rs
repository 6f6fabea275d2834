//! Where tasks come from: what a run trains on, and what it holds out.

use crate::rollout::{Environments, GroupRequest};
use crate::run::config::Tasks;
use rl_protocol::DomainError;

/// One `[[tasks]]` of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    pub name: String,
    pub domain: String,
    pub tool_groups: Vec<String>,
    /// Its share in a mixture.
    pub weight: f64,
    train: Ids,
    held_out: Ids,
}

#[derive(Debug, Clone, PartialEq)]
enum Ids {
    /// `{index}` is 2·i + `offset`.
    Template {
        text: String,
        offset: u64,
        count: u64,
    },
    Listed(Vec<String>),
}

impl Ids {
    fn count(&self) -> u64 {
        match self {
            Self::Template { count, .. } => *count,
            Self::Listed(ids) => ids.len() as u64,
        }
    }

    fn contain(&self, id: &str) -> bool {
        match self {
            Self::Template { text, .. } => {
                let index = text
                    .split_once("{index}")
                    .and_then(|(before, after)| id.strip_prefix(before)?.strip_suffix(after)?.parse::<u64>().ok());
                index.is_some_and(|index| self.at(index / 2) == id)
            }
            Self::Listed(ids) => ids.iter().any(|listed| listed == id),
        }
    }

    /// Goes round where `index` is beyond the count.
    fn at(&self, index: u64) -> String {
        let index = index % self.count().max(1);
        match self {
            Self::Template { text, offset, .. } => text.replace("{index}", &(2 * index + offset).to_string()),
            Self::Listed(ids) => ids.get(index as usize).cloned().unwrap_or_default(),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error("tasks {name:?}: the split {split:?} of {domain:?} is empty")]
    Empty { name: String, domain: String, split: String },
    #[error(transparent)]
    Domain(Box<DomainError>),
}

impl From<DomainError> for SourceError {
    fn from(error: DomainError) -> Self {
        Self::Domain(Box::new(error))
    }
}

impl Source {
    /// Lists the tasks where the run names a split.
    pub fn new(tasks: &Tasks, environments: &Environments) -> Result<Self, SourceError> {
        let template = |offset| {
            tasks.ids.as_ref().map(|ids| Ids::Template {
                text: ids.replace("{seed}", &tasks.seed.to_string()),
                offset,
                count: tasks.count,
            })
        };
        let listed = |split: &Option<String>| -> Result<Ids, SourceError> {
            let Some(split) = split else { return Ok(Ids::Listed(Vec::new())) };
            let ids: Vec<String> =
                environments.tasks(&tasks.domain, Some(split))?.into_iter().map(|task| task.id).collect();
            if ids.is_empty() {
                let (name, domain) = (tasks.name.clone(), tasks.domain.clone());
                return Err(SourceError::Empty { name, domain, split: split.clone() });
            }
            Ok(Ids::Listed(ids))
        };
        Ok(Self {
            name: tasks.name.clone(),
            domain: tasks.domain.clone(),
            tool_groups: tasks.tool_groups.clone(),
            weight: tasks.weight,
            train: template(0).map_or_else(|| listed(&tasks.split), Ok)?,
            held_out: template(1).map_or_else(|| listed(&tasks.held_out_split), Ok)?,
        })
    }

    #[must_use]
    pub fn train_count(&self) -> u64 {
        self.train.count()
    }

    #[must_use]
    pub fn train_id(&self, index: u64) -> String {
        self.train.at(index)
    }

    /// Whether it is one of the tasks that are trained on.
    #[must_use]
    pub fn trains_on(&self, id: &str) -> bool {
        self.train.contain(id)
    }

    /// 0 where nothing is held out.
    #[must_use]
    pub fn held_out_count(&self) -> u64 {
        self.held_out.count()
    }

    #[must_use]
    pub fn held_out_id(&self, index: u64) -> String {
        self.held_out.at(index)
    }

    /// The policy is told what the episode opens with.
    #[must_use]
    pub fn request(&self, task_id: String, group: u64, seed: u64, members: u32) -> GroupRequest {
        GroupRequest {
            group,
            domain: self.domain.clone(),
            task_id,
            prompt: String::new(),
            seed,
            members,
            tool_groups: self.tool_groups.clone(),
        }
    }
}
