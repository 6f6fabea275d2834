//! What a JSON value may be, as far as a grammar can hold it, read from a JSON Schema.

use super::GrammarError;
use super::decimal::Decimal;
use super::narrow::{Rule, both};
use super::nearest::nearest;
use super::spelling::{plain, spelling};
use serde_json::{Map, Value};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Anything at all (the schema says nothing), or a value of one of these forms; of none where the list is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    Any,
    Of(Vec<Form>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// One of these values, by their spelling.
    Literals(BTreeMap<String, Value>),
    Object(Members),
    Array(Items),
    /// Numbers of characters; `most` is unbounded if None.
    Text {
        least: usize,
        most: Option<usize>,
    },
    Number(Range),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Members {
    pub named: BTreeMap<String, Choice>,
    pub required: BTreeSet<String>,
    pub others: Others,
}

/// Whether there may be members that the schema does not name. The grammar writes none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Others {
    Unsaid,
    Allowed,
    Forbidden,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Items {
    pub first: Vec<Choice>,
    /// Of every item after those.
    pub rest: Box<Choice>,
    pub least: usize,
    pub most: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    pub integer: bool,
    pub least: Option<Bound>,
    pub most: Option<Bound>,
    pub step: Option<Decimal>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bound {
    pub value: Decimal,
    /// The value itself is outside.
    pub open: bool,
}

/// More values than these between two bounds are not written one by one.
pub const VALUES: usize = 2_000;

impl Range {
    pub fn admits(&self, value: Decimal) -> bool {
        let within = |bound: Option<Bound>, inside: Ordering| {
            bound.is_none_or(|bound| match value.cmp(&bound.value) {
                Ordering::Equal => !bound.open,
                other => other == inside,
            })
        };
        within(self.least, Ordering::Greater)
            && within(self.most, Ordering::Less)
            && self.step.is_none_or(|step| value.is_multiple_of(step))
            && (!self.integer || value.is_multiple_of(Decimal::ONE))
    }

    /// All values, ascending, where both bounds are known: by the step, else whole or of three decimals. None where
    /// there are more than [`VALUES`].
    pub fn values(&self) -> Option<Vec<Decimal>> {
        let step = self.step.unwrap_or(if self.integer { Decimal::ONE } else { Decimal::THOUSANDTH });
        let mut values = Decimal::multiples(step, self.least?.value, self.most?.value, VALUES)?;
        values.retain(|value| self.admits(*value));
        Some(values)
    }
}

static KINDS: [(&str, &[&str]); 4] = [
    ("object", &["properties", "required", "additionalProperties", "only"]),
    ("array", &["items", "prefixItems", "minItems", "maxItems"]),
    ("string", &["minLength", "maxLength"]),
    ("number", &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
];
static OF_ANY_KIND: [&str; 8] = ["type", "const", "enum", "anyOf", "oneOf", "allOf", "title", "description"];

/// Reads the schema of a tool's arguments; `at` is where errors say that they are. `oneOf` is read as `anyOf` (its
/// branches are told apart by a tag). Keywords that a grammar cannot hold (`pattern`, `uniqueItems`, `not`, …) are
/// passed over: the environment refuses such a call with its own words.
pub fn read(schema: &Value, at: &str) -> Result<Choice, GrammarError> {
    Reader { root: schema, narrowing: false }.choice(schema, at, &mut Vec::new())
}

/// Reads what a run narrows by: the same, but every keyword must be one that is heeded.
pub(super) fn read_narrowing(by: &Value, at: &str) -> Result<Choice, GrammarError> {
    Reader { root: by, narrowing: true }.choice(by, at, &mut Vec::new())
}

struct Reader<'a> {
    root: &'a Value,
    narrowing: bool,
}

impl<'a> Reader<'a> {
    /// `trail` holds the references that are being read.
    fn choice(&self, schema: &'a Value, at: &str, trail: &mut Vec<&'a str>) -> Result<Choice, GrammarError> {
        let map = match schema {
            Value::Bool(true) => return Ok(Choice::Any),
            Value::Bool(false) => return Ok(Choice::Of(Vec::new())),
            Value::Object(map) => map,
            _ => return Err(malformed(at, "schema", "an object or a boolean")),
        };
        if self.narrowing {
            refuse_unknown_keywords(map, at)?;
        }
        let mut choice = self.of_its_own(map, at, trail)?;
        if let Some(reference) = map.get("$ref") {
            choice = both(&choice, &self.referred(reference, at, trail)?, Rule::AllOf, at)?;
        }
        for part in list(map, "allOf", at)?.into_iter().flatten() {
            choice = both(&choice, &self.choice(part, at, trail)?, Rule::AllOf, at)?;
        }
        for keyword in ["anyOf", "oneOf"] {
            let Some(branches) = list(map, keyword, at)? else { continue };
            let (mut forms, mut any) = (Vec::new(), false);
            for branch in branches {
                match self.choice(branch, at, trail)? {
                    Choice::Of(more) => forms.extend(more),
                    Choice::Any => any = true,
                }
            }
            if !any {
                choice = both(&choice, &Choice::Of(forms), Rule::AllOf, at)?;
            }
        }
        Ok(choice)
    }

    fn referred(&self, reference: &'a Value, at: &str, trail: &mut Vec<&'a str>) -> Result<Choice, GrammarError> {
        let Some(reference) = reference.as_str() else { return Err(malformed(at, "$ref", "a string")) };
        if trail.contains(&reference) {
            return Err(GrammarError::Recursive { at: at.to_owned(), reference: reference.to_owned() });
        }
        let Some(target) = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)) else {
            return Err(GrammarError::UnknownReference { at: at.to_owned(), reference: reference.to_owned() });
        };
        trail.push(reference);
        let choice = self.choice(target, at, trail);
        trail.pop();
        choice
    }

    /// What `type` and its keywords, `enum` and `const` say.
    fn of_its_own(
        &self,
        map: &'a Map<String, Value>,
        at: &str,
        trail: &mut Vec<&'a str>,
    ) -> Result<Choice, GrammarError> {
        let kinds = kinds(map, at)?;
        let mut choice = Choice::Any;
        if !kinds.is_empty() {
            let forms: Result<Vec<Form>, GrammarError> =
                kinds.into_iter().map(|kind| self.form(kind, map, at, trail)).collect();
            choice = Choice::Of(forms?);
        }
        if let Some(values) = list(map, "enum", at)? {
            choice = both(&choice, &Choice::Of(vec![literals(values)]), Rule::AllOf, at)?;
        }
        if let Some(value) = map.get("const") {
            choice = both(&choice, &Choice::Of(vec![literals([value])]), Rule::AllOf, at)?;
        }
        Ok(choice)
    }

    fn form(
        &self,
        kind: &str,
        map: &'a Map<String, Value>,
        at: &str,
        trail: &mut Vec<&'a str>,
    ) -> Result<Form, GrammarError> {
        Ok(match kind {
            "null" => literals([&Value::Null]),
            "boolean" => literals([&Value::Bool(false), &Value::Bool(true)]),
            "string" => {
                let (least, most) = lengths(map, ["minLength", "maxLength"], at)?;
                Form::Text { least, most }
            }
            "integer" | "number" => Form::Number(range(map, kind == "integer", at)?),
            "array" => {
                let mut first = Vec::new();
                for (place, item) in list(map, "prefixItems", at)?.into_iter().flatten().enumerate() {
                    first.push(self.choice(item, &format!("{at}/{place}"), trail)?);
                }
                let rest = match map.get("items") {
                    Some(items) => self.choice(items, &format!("{at}/*"), trail)?,
                    None => Choice::Any,
                };
                let (least, most) = lengths(map, ["minItems", "maxItems"], at)?;
                Form::Array(Items { first, rest: Box::new(rest), least, most })
            }
            "object" => Form::Object(self.members(map, at, trail)?),
            _ => return Err(malformed(at, "type", "a type of JSON")),
        })
    }

    fn members(
        &self,
        map: &'a Map<String, Value>,
        at: &str,
        trail: &mut Vec<&'a str>,
    ) -> Result<Members, GrammarError> {
        let mut named = BTreeMap::new();
        match map.get("properties") {
            None => {}
            Some(Value::Object(properties)) => {
                for (name, schema) in properties {
                    named.insert(name.clone(), self.choice(schema, &format!("{at}/{name}"), trail)?);
                }
            }
            Some(_) => return Err(malformed(at, "properties", "an object")),
        }
        let mut required = BTreeSet::new();
        for name in list(map, "required", at)?.into_iter().flatten() {
            required.insert(name.as_str().ok_or_else(|| malformed(at, "required", "a list of names"))?.to_owned());
        }
        let only = match map.get("only").filter(|_| self.narrowing) {
            None => false,
            Some(only) => only.as_bool().ok_or_else(|| malformed(at, "only", "true or false"))?,
        };
        let others = match map.get("additionalProperties") {
            Some(Value::Bool(false)) => Others::Forbidden,
            _ if only => Others::Forbidden,
            Some(_) => Others::Allowed,
            None => Others::Unsaid,
        };
        Ok(Members { named, required, others })
    }
}

/// The values of `type`, or what the other keywords speak of.
fn kinds<'a>(map: &'a Map<String, Value>, at: &str) -> Result<Vec<&'a str>, GrammarError> {
    match map.get("type") {
        Some(Value::String(kind)) => Ok(vec![kind]),
        Some(Value::Array(several)) => {
            several.iter().map(|kind| kind.as_str().ok_or_else(|| malformed(at, "type", "names of types"))).collect()
        }
        Some(_) => Err(malformed(at, "type", "names of types")),
        None => {
            let said = KINDS.iter().filter(|(_, keywords)| keywords.iter().any(|keyword| map.contains_key(*keyword)));
            Ok(said.map(|(kind, _)| *kind).collect())
        }
    }
}

fn range(map: &Map<String, Value>, integer: bool, at: &str) -> Result<Range, GrammarError> {
    let bound = |keyword: &str, open: bool| -> Result<Option<Bound>, GrammarError> {
        Ok(number(map, keyword, at)?.and_then(Decimal::from_number).map(|value| Bound { value, open }))
    };
    let step = match number(map, "multipleOf", at)? {
        None => None,
        Some(step) => {
            let step = Decimal::from_number(step).filter(|step| *step > Decimal::ZERO);
            Some(step.ok_or_else(|| malformed(at, "multipleOf", "above zero"))?)
        }
    };
    Ok(Range {
        integer,
        least: bound("minimum", false)?.max(bound("exclusiveMinimum", true)?),
        most: lower(bound("maximum", false)?, bound("exclusiveMaximum", true)?),
        step,
    })
}

/// The stricter of two upper bounds.
pub(super) fn lower(a: Option<Bound>, b: Option<Bound>) -> Option<Bound> {
    [a, b].into_iter().flatten().min_by_key(|bound| (bound.value, !bound.open))
}

pub(super) fn literals<'a>(values: impl IntoIterator<Item = &'a Value>) -> Form {
    Form::Literals(values.into_iter().map(|value| (spelling(value), plain(value))).collect())
}

fn refuse_unknown_keywords(map: &Map<String, Value>, at: &str) -> Result<(), GrammarError> {
    let known = || OF_ANY_KIND.iter().chain(KINDS.iter().flat_map(|(_, keywords)| keywords.iter())).copied();
    match map.keys().find(|keyword| !known().any(|known| known == *keyword)) {
        None => Ok(()),
        Some(keyword) => Err(GrammarError::UnknownKeyword {
            at: at.to_owned(),
            keyword: keyword.clone(),
            nearest: nearest(keyword, known()),
        }),
    }
}

fn list<'a>(map: &'a Map<String, Value>, keyword: &str, at: &str) -> Result<Option<&'a Vec<Value>>, GrammarError> {
    match map.get(keyword) {
        None => Ok(None),
        Some(Value::Array(list)) => Ok(Some(list)),
        Some(_) => Err(malformed(at, keyword, "a list")),
    }
}

fn number<'a>(
    map: &'a Map<String, Value>,
    keyword: &str,
    at: &str,
) -> Result<Option<&'a serde_json::Number>, GrammarError> {
    match map.get(keyword) {
        None => Ok(None),
        Some(Value::Number(number)) => Ok(Some(number)),
        Some(_) => Err(malformed(at, keyword, "a number")),
    }
}

fn lengths(
    map: &Map<String, Value>,
    [least_keyword, most_keyword]: [&str; 2],
    at: &str,
) -> Result<(usize, Option<usize>), GrammarError> {
    let length = |keyword: &str| match number(map, keyword, at)? {
        None => Ok(None),
        Some(number) => match number.as_u64().and_then(|length| usize::try_from(length).ok()) {
            Some(length) => Ok(Some(length)),
            None => Err(malformed(at, keyword, "a whole number, not negative")),
        },
    };
    let (least, most) = (length(least_keyword)?.unwrap_or(0), length(most_keyword)?);
    if most.is_some_and(|most| most < least) {
        return Err(malformed(at, most_keyword, "no less than the minimum"));
    }
    Ok((least, most))
}

fn malformed(at: &str, keyword: &str, wanted: &'static str) -> GrammarError {
    GrammarError::Malformed { at: at.to_owned(), keyword: keyword.to_owned(), wanted }
}
