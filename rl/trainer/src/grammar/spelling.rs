//! The one spelling that a JSON value has in a call.

use serde_json::{Number, Value};

/// Whole numbers below this are exact in an f64.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Compact, members by name, whole numbers without a point: `1.0` is written `1`. What others wrote (a solution, say)
/// becomes what a policy can write.
pub fn spelling(value: &Value) -> String {
    plain(value).to_string()
}

pub(super) fn plain(value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(whole(number).unwrap_or_else(|| number.clone())),
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, value)| (name.clone(), plain(value))).collect())
        }
        Value::Null | Value::Bool(_) | Value::String(_) => value.clone(),
    }
}

fn whole(number: &Number) -> Option<Number> {
    let value = number.as_f64().filter(|value| number.is_f64() && value.fract() == 0.0 && value.abs() < EXACT)?;
    Some(Number::from(value as i64))
}
