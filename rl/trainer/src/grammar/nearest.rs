//! The name that was probably meant.

/// A remark for an error: the one of `allowed` that takes the fewest changes of a letter to get from `given`.
pub(super) fn nearest<'a>(given: &str, allowed: impl IntoIterator<Item = &'a str>) -> String {
    match allowed.into_iter().min_by_key(|name| changes(given, name)) {
        Some(name) => format!("the nearest is `{name}`"),
        None => "there is none at all".to_owned(),
    }
}

/// Levenshtein's distance.
fn changes(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.chars().count()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut next = vec![i + 1];
        let mut left = i + 1;
        for ((b, above), above_left) in to.chars().zip(row.iter().skip(1)).zip(&row) {
            left = (left + 1).min(above + 1).min(above_left + usize::from(a != b));
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}
