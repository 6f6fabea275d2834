//! What a misspelt name may have meant.

const OFFERED: usize = 3;
/// Longer names are cut before they are compared and told: comparing is quadratic, and names may be a file's.
const NAME_CHARS: usize = 64;

/// Best first; letter case does not matter, and ties keep their order.
pub(crate) fn nearest<'a>(asked: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let cut = |name: &str| name.chars().take(NAME_CHARS).collect::<String>();
    let asked = cut(asked).to_lowercase();
    let likeness = |name: &str| strsim::jaro_winkler(&asked, &name.to_lowercase());
    let mut ranked: Vec<(f64, String)> = names.into_iter().map(cut).map(|name| (likeness(&name), name)).collect();
    ranked.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    ranked.into_iter().take(OFFERED).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_are_answered_with_the_likeliest() {
        assert_eq!(nearest("fornt", ["side", "Front", "top", "frontal"]), ["Front", "frontal", "top"]);
    }

    #[test]
    fn endless_names_are_neither_compared_nor_told_whole() {
        let long = "ü".repeat(1 << 20);
        let start = std::time::Instant::now();
        let told = nearest(&long, [long.as_str(); 100]);
        assert_eq!(told, ["ü".repeat(NAME_CHARS), "ü".repeat(NAME_CHARS), "ü".repeat(NAME_CHARS)]);
        assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    }
}
