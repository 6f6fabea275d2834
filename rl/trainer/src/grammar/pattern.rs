//! The compact JSON texts of a choice as a regular expression over UTF-8.

use super::GrammarError;
use super::decimal::Decimal;
use super::literals::{alternatives, literal};
use super::schema::{Choice, Form, Items, Members, Range, VALUES};
use serde_json::Value;
use std::collections::BTreeSet;

/// What a text holds: no control characters, and nothing that JSON would escape.
const CHARACTER: &str = r#"[^"\\\x00-\x1F\x7F-\x{9F}]"#;
const WHOLE: &str = "[1-9][0-9]{0,3}";

/// Compact JSON: no white space, members in the order of their names, one spelling for each number. `at` is where
/// errors say that they are.
///
/// Texts end at 128 characters (32 where the schema has no `maxLength`), lists at 64 items (16 without `maxItems`),
/// or at their minimum. Numbers between two bounds are exact where at most 2,000 values lie between them, by
/// `multipleOf` or else of three decimals. Other numbers have four digits before and three after the point, no sign
/// where `minimum` ≥ 0, and the environment refuses those that are out of bounds. Members that the schema does not name
/// are not written.
pub fn pattern(choice: &Choice, at: &str) -> Result<String, GrammarError> {
    let Choice::Of(forms) = choice else { return Err(untyped(at)) };
    let mut values = BTreeSet::new();
    let mut patterns = Vec::new();
    for form in forms {
        match form {
            Form::Literals(literals) => values.extend(literals.keys().map(String::as_str)),
            Form::Object(members) => patterns.push(object(members, at)?),
            Form::Array(items) => patterns.push(array(items, at)?),
            Form::Text { least, most } => {
                let most = most.map_or(32, |most| most.min(128)).max(*least);
                patterns.push(format!("\"{CHARACTER}{{{least},{most}}}\""));
            }
            Form::Number(range) => patterns.push(number(range, at)?),
        }
    }
    if !values.is_empty() {
        patterns.push(alternatives(&values));
    }
    match patterns.as_slice() {
        [] => Err(GrammarError::Contradiction {
            at: at.to_owned(),
            given: "required".to_owned(),
            allowed: "forbidden".to_owned(),
        }),
        [one] => Ok(one.clone()),
        several => Ok(format!("(?:{})", several.join("|"))),
    }
}

fn object(members: &Members, at: &str) -> Result<String, GrammarError> {
    if let Some(name) = members.required.iter().find(|name| !members.named.contains_key(*name)) {
        return Err(untyped(&format!("{at}/{name}")));
    }
    let mut written = Vec::new();
    for (name, choice) in &members.named {
        let required = members.required.contains(name);
        if required || *choice != Choice::Of(Vec::new()) {
            let value = pattern(choice, &format!("{at}/{name}"))?;
            written.push((format!("{}:{value}", literal(&Value::from(name.as_str()).to_string())), required));
        }
    }
    // The first required member carries no comma; those before it end with one, those after it begin with one.
    let inside = match written.iter().position(|(_, required)| *required) {
        Some(first) => {
            let (before, after) = written.split_at(first);
            let before: String = before.iter().map(|(member, _)| format!("(?:{member},)?")).collect();
            format!("{before}{}", led(after))
        }
        None if written.is_empty() => String::new(),
        None => {
            let beginnings: Vec<String> = (0..written.len()).map(|first| led(&written[first..])).collect();
            format!("(?:{})?", beginnings.join("|"))
        }
    };
    Ok(format!(r"\{{{inside}\}}"))
}

/// The first of `members`, and then those of the others that are there.
fn led(members: &[(String, bool)]) -> String {
    let mut text = String::new();
    for (place, (member, required)) in members.iter().enumerate() {
        text += &match (place, required) {
            (0, _) => member.clone(),
            (_, true) => format!(",{member}"),
            (_, false) => format!("(?:,{member})?"),
        };
    }
    text
}

/// All of the first items are written, as far as `maxItems` goes.
fn array(items: &Items, at: &str) -> Result<String, GrammarError> {
    let longest = items.most.map_or(16, |most| most.min(64)).max(items.least);
    let mut first = Vec::new();
    for (place, item) in items.first.iter().enumerate().take(longest) {
        first.push(pattern(item, &format!("{at}/{place}"))?);
    }
    let (least, most) = (items.least.saturating_sub(first.len()), longest - first.len());
    let written = first.join(",");
    let at = format!("{at}/*");
    let none = *items.rest == Choice::Of(Vec::new());
    if most == 0 || (least == 0 && (none || (*items.rest == Choice::Any && !first.is_empty()))) {
        return Ok(format!(r"\[{written}\]"));
    }
    let item = pattern(&items.rest, &at)?;
    Ok(match (first.is_empty(), least) {
        (false, _) => format!(r"\[{written}(?:,{item}){{{least},{most}}}\]"),
        (true, 0) => format!(r"\[(?:{item}(?:,{item}){{0,{}}})?\]", most - 1),
        (true, _) => format!(r"\[{item}(?:,{item}){{{},{}}}\]", least - 1, most - 1),
    })
}

fn number(range: &Range, at: &str) -> Result<String, GrammarError> {
    if let Some(values) = range.values() {
        let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
        let texts: BTreeSet<&str> = texts.iter().map(String::as_str).collect();
        if texts.is_empty() {
            return Err(GrammarError::Contradiction {
                at: at.to_owned(),
                given: "a number within the bounds".to_owned(),
                allowed: "whole or of three decimals".to_owned(),
            });
        }
        return Ok(alternatives(&texts));
    }
    if range.step.is_some() {
        return Err(GrammarError::TooManyValues { at: at.to_owned(), limit: VALUES });
    }
    let sign = if range.least.is_some_and(|least| least.value >= Decimal::ZERO) { "" } else { "-?" };
    let mut spellings = vec![format!("{sign}{WHOLE}")];
    if range.admits(Decimal::ZERO) {
        spellings.push("0".to_owned());
    }
    if !range.integer {
        spellings.push(format!(r"{sign}(?:0|{WHOLE})\.[0-9]{{0,2}}[1-9]"));
    }
    Ok(format!("(?:{})", spellings.join("|")))
}

fn untyped(at: &str) -> GrammarError {
    GrammarError::Untyped { at: at.to_owned() }
}
