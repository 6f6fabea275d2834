//! What a misspelt word may have meant.

/// Longer words are cut before they are compared: comparing is quadratic, and the word comes from the model.
const COMPARED_CHARS: usize = 64;
const OFFERED: usize = 3;

/// The candidates most like `given`, best first; ties keep the order of `candidates`.
pub(crate) fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let given = cut(given);
    let mut ranked: Vec<(f64, &str)> =
        candidates.into_iter().map(|candidate| (likeness(&given, candidate), candidate)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranked.into_iter().take(OFFERED).map(|(_, candidate)| candidate.to_owned()).collect()
}

/// In [0, 1]; letter case does not matter.
pub(crate) fn likeness(given: &str, candidate: &str) -> f64 {
    strsim::jaro_winkler(&cut(given).to_lowercase(), &cut(candidate).to_lowercase())
}

fn cut(word: &str) -> String {
    word.chars().take(COMPARED_CHARS).collect()
}
