//! What two schemas allow together: how a run narrows a tool's arguments, and how the parts of one schema are joined.

use super::GrammarError;
use super::decimal::Decimal;
use super::nearest::nearest;
use super::schema::{Choice, Form, Items, Members, Others, Range, literals, lower, read, read_narrowing};
use super::spelling::spelling;
use serde_json::Value;

/// What both `schema` and `by` allow; `at` is where errors say that they are.
///
/// `by` is a JSON Schema without references. A keyword without a `type` speaks of the values that it can apply to, and
/// of those alone: `minimum` leaves only numbers, `properties` only objects; alternatives that contradict drop out. It
/// may name only members that the schema has. `only = true` (or `additionalProperties = false`) leaves out the optional
/// members that it does not name.
pub fn narrow(schema: &Value, by: &Value, at: &str) -> Result<Choice, GrammarError> {
    both(&read(schema, at)?, &read_narrowing(by, at)?, Rule::Narrowing, at)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// The second may name members that the first does not speak of.
    AllOf,
    Narrowing,
}

pub(super) fn both(a: &Choice, b: &Choice, rule: Rule, at: &str) -> Result<Choice, GrammarError> {
    let (ours, theirs) = match (a, b) {
        (Choice::Any, other) | (other, Choice::Any) => return Ok(other.clone()),
        (Choice::Of(ours), Choice::Of(theirs)) => (ours, theirs),
    };
    let (mut forms, mut reasons) = (Vec::new(), Vec::new());
    for our in ours {
        for their in theirs {
            match meet(our, their, rule, at) {
                Ok(form) => forms.extend(form),
                Err(reason) => reasons.push(reason),
            }
        }
    }
    if !forms.is_empty() || ours.is_empty() || theirs.is_empty() {
        return Ok(Choice::Of(forms));
    }
    Err(match reasons.pop() {
        None => contradiction(described(theirs), described(ours), at),
        Some(only) if reasons.is_empty() => only,
        Some(last) => {
            reasons.push(last);
            let reasons = reasons.iter().map(ToString::to_string).collect();
            GrammarError::NoAlternative { at: at.to_owned(), reasons }
        }
    })
}

/// None where the two are of different kinds.
fn meet(a: &Form, b: &Form, rule: Rule, at: &str) -> Result<Option<Form>, GrammarError> {
    Ok(Some(match (a, b) {
        (Form::Literals(values), form) | (form, Form::Literals(values)) => {
            if !values.values().any(|value| is_kind(form, value)) {
                return Ok(None);
            }
            let left = literals(values.values().filter(|value| accepts(form, value)));
            if left == literals([]) {
                return Err(contradiction(described([b]), described([a]), at));
            }
            left
        }
        (Form::Object(a), Form::Object(b)) => Form::Object(members(a, b, rule, at)?),
        (Form::Array(a), Form::Array(b)) => Form::Array(items(a, b, rule, at)?),
        (Form::Text { least, most }, Form::Text { least: their_least, most: their_most }) => {
            let (least, most) = (*least.max(their_least), fewer(*most, *their_most));
            if most.is_some_and(|most| most < least) {
                return Err(contradiction(described([b]), described([a]), at));
            }
            Form::Text { least, most }
        }
        (Form::Number(ours), Form::Number(theirs)) => {
            let step = match (ours.step, theirs.step) {
                (None, step) | (step, None) => step,
                (Some(x), Some(y)) if x.is_multiple_of(y) => Some(x),
                (Some(x), Some(y)) if y.is_multiple_of(x) => Some(y),
                _ => return Err(contradiction(described([b]), described([a]), at)),
            };
            let range = Range {
                integer: ours.integer || theirs.integer,
                least: ours.least.max(theirs.least),
                most: lower(ours.most, theirs.most),
                step,
            };
            if range.values().is_some_and(|values| values.is_empty()) {
                return Err(contradiction(described([b]), described([a]), at));
            }
            Form::Number(range)
        }
        _ => return Ok(None),
    }))
}

fn members(a: &Members, b: &Members, rule: Rule, at: &str) -> Result<Members, GrammarError> {
    let may_add = a.others == Others::Allowed || (rule == Rule::AllOf && a.others == Others::Unsaid);
    if let Some(member) = b.named.keys().chain(&b.required).find(|name| !may_add && !a.named.contains_key(*name)) {
        return Err(GrammarError::UnknownMember {
            at: at.to_owned(),
            member: member.clone(),
            allowed: a.named.keys().cloned().collect(),
            nearest: nearest(member, a.named.keys().map(String::as_str)),
        });
    }
    let required = &a.required | &b.required;
    let mut named = b.named.clone();
    for (name, ours) in &a.named {
        if let Some(theirs) = b.named.get(name) {
            named.insert(name.clone(), both(ours, theirs, rule, &format!("{at}/{name}"))?);
        } else if b.others != Others::Forbidden || required.contains(name) {
            named.insert(name.clone(), ours.clone());
        }
    }
    Ok(Members { named, required, others: a.others.max(b.others) })
}

fn items(a: &Items, b: &Items, rule: Rule, at: &str) -> Result<Items, GrammarError> {
    let mut rest = both(&a.rest, &b.rest, rule, &format!("{at}/*"))?;
    let mut first = Vec::new();
    for place in 0..a.first.len().max(b.first.len()) {
        let item = both(item(a, place), item(b, place), rule, &format!("{at}/{place}"))?;
        if item == Choice::Of(Vec::new()) {
            rest = item;
            break;
        }
        first.push(item);
    }
    let end = (rest == Choice::Of(Vec::new())).then_some(first.len());
    let (least, most) = (a.least.max(b.least), fewer(end, fewer(a.most, b.most)));
    if most.is_some_and(|most| most < least) {
        let length = |items: &Items| described([&Form::Array(items.clone())]);
        return Err(contradiction(length(b), length(a), at));
    }
    Ok(Items { first, rest: Box::new(rest), least, most })
}

fn item(items: &Items, place: usize) -> &Choice {
    items.first.get(place).unwrap_or(&items.rest)
}

/// The stricter of two lengths.
fn fewer(a: Option<usize>, b: Option<usize>) -> Option<usize> {
    [a, b].into_iter().flatten().min()
}

fn is_kind(form: &Form, value: &Value) -> bool {
    match form {
        Form::Literals(_) => true,
        Form::Object(_) => value.is_object(),
        Form::Array(_) => value.is_array(),
        Form::Text { .. } => value.is_string(),
        Form::Number(_) => value.is_number(),
    }
}

fn accepts(form: &Form, value: &Value) -> bool {
    let within = |count: usize, least: usize, most: Option<usize>| count >= least && most.is_none_or(|m| count <= m);
    match (form, value) {
        (Form::Literals(values), value) => values.contains_key(&spelling(value)),
        (Form::Text { least, most }, Value::String(text)) => within(text.chars().count(), *least, *most),
        (Form::Number(range), Value::Number(number)) => {
            (!range.integer || !number.is_f64())
                && Decimal::from_number(number).is_some_and(|value| range.admits(value))
        }
        (Form::Array(items), Value::Array(values)) => {
            within(values.len(), items.least, items.most)
                && values.iter().enumerate().all(|(place, value)| is_one_of(item(items, place), value))
        }
        (Form::Object(members), Value::Object(values)) => {
            members.required.iter().all(|name| values.contains_key(name))
                && values.iter().all(|(name, value)| match members.named.get(name) {
                    Some(choice) => is_one_of(choice, value),
                    None => members.others != Others::Forbidden,
                })
        }
        _ => false,
    }
}

fn is_one_of(choice: &Choice, value: &Value) -> bool {
    match choice {
        Choice::Any => true,
        Choice::Of(forms) => forms.iter().any(|form| accepts(form, value)),
    }
}

fn contradiction(given: String, allowed: String, at: &str) -> GrammarError {
    GrammarError::Contradiction { at: at.to_owned(), given, allowed }
}

fn described<'a>(forms: impl IntoIterator<Item = &'a Form>) -> String {
    let span = |least: String, most: Option<String>| match most {
        Some(most) => format!("{least} to {most}"),
        None => format!("{least} or more"),
    };
    let one = |form: &Form| match form {
        Form::Literals(values) => values.keys().cloned().collect::<Vec<_>>().join(" or "),
        Form::Object(_) => "an object".to_owned(),
        Form::Array(items) => {
            format!("a list of {} items", span(items.least.to_string(), items.most.map(|most| most.to_string())))
        }
        Form::Text { least, most } => {
            format!("a text of {} characters", span(least.to_string(), most.map(|most| most.to_string())))
        }
        Form::Number(range) => {
            let kind = if range.integer { "an integer" } else { "a number" };
            let least = range.least.map(|bound| format!(" from {}", bound.value)).unwrap_or_default();
            let most = range.most.map(|bound| format!(" to {}", bound.value)).unwrap_or_default();
            let step = range.step.map(|step| format!(" by {step}")).unwrap_or_default();
            format!("{kind}{least}{most}{step}")
        }
    };
    forms.into_iter().map(one).collect::<Vec<_>>().join(" or ")
}
