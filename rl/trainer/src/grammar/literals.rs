//! A set of words as a regular expression.

use std::collections::{BTreeMap, BTreeSet};

/// Matches exactly `word`. May stand in a sequence as it is.
pub(super) fn literal(word: &str) -> String {
    word.chars().map(escaped).collect()
}

/// Matches exactly `words`, at least one of them. Letters that the same may follow share a class, so that `0.001` to
/// `0.999` is about as short as it can be said. May stand in a sequence as it is.
pub(super) fn alternatives(words: &BTreeSet<&str>) -> String {
    if let Some(word) = words.first().filter(|_| words.len() == 1) {
        return literal(word);
    }
    let mut rests: BTreeMap<char, BTreeSet<&str>> = BTreeMap::new();
    for word in words {
        let mut letters = word.chars();
        if let Some(first) = letters.next() {
            rests.entry(first).or_default().insert(letters.as_str());
        }
    }
    let mut classes: BTreeMap<String, String> = BTreeMap::new();
    for (first, rest) in &rests {
        classes.entry(alternatives(rest)).or_default().push_str(&escaped(*first));
    }
    let branches: Vec<String> = classes.into_iter().map(|(rest, class)| format!("[{class}]{rest}")).collect();
    format!("(?:{}){}", branches.join("|"), if words.contains("") { "?" } else { "" })
}

/// Within a class as well as outside.
fn escaped(letter: char) -> String {
    if letter.is_ascii_alphanumeric() || "_\":,".contains(letter) {
        return letter.to_string();
    }
    format!(r"\x{{{:X}}}", u32::from(letter))
}
