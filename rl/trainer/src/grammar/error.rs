//! Why tool calls cannot be written.

use crate::tokens::Token;

/// `at` is a tool's name and then a JSON pointer into its arguments, where `*` is any item of a list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GrammarError {
    #[error("there is no tool that the policy may call")]
    NoTools,
    #[error("`{name}` is narrowed, but is none of the tools: {}; {nearest}", .allowed.join(", "))]
    UnknownTool { name: String, allowed: Vec<String>, nearest: String },
    #[error("{at}: `{keyword}` must be {wanted}")]
    Malformed { at: String, keyword: String, wanted: &'static str },
    #[error("{at}: a narrowing has no keyword `{keyword}`; {nearest}")]
    UnknownKeyword { at: String, keyword: String, nearest: String },
    #[error("{at}: `{reference}` is nothing within the schema")]
    UnknownReference { at: String, reference: String },
    #[error("{at}: `{reference}` contains itself; a call that is written by a grammar has a depth that is known")]
    Recursive { at: String, reference: String },
    #[error("{at}: the schema does not say what is written here; narrow it by a type, or by `only` leave it out")]
    Untyped { at: String },
    #[error("{at}: there is no `{member}`, but {}; {nearest}", .allowed.join(", "))]
    UnknownMember { at: String, member: String, allowed: Vec<String>, nearest: String },
    #[error("{at}: nothing is both {given} and {allowed}")]
    Contradiction { at: String, given: String, allowed: String },
    #[error("{at}: none of the alternatives is left: {}", .reasons.join("; "))]
    NoAlternative { at: String, reasons: Vec<String> },
    #[error("{at}: `multipleOf` needs `minimum` and `maximum` with at most {limit} values between them")]
    TooManyValues { at: String, limit: usize },
    #[error("the grammar of {} needs more than {limit_mib} MiB: narrow it (maxItems, maxLength, enum, only)", .tools.join(", "))]
    TooLarge { tools: Vec<String>, limit_mib: usize },
    #[error("the grammar is no automaton: {why}")]
    NoAutomaton { why: String },
    #[error("the vocabulary has no spelling for a call of `{tool}`: it lacks pieces of its names or values")]
    Unwritable { tool: String },
    #[error("token {token} may not follow `{text}`")]
    NotAllowed { token: Token, text: String },
    #[error("the call is finished: `{text}`")]
    Finished { text: String },
}
