//! What a file holds that neither pictures nor scores show.

use scene_document::gltf::NotEvaluated;
use std::collections::BTreeMap;

/// A line per feature, in the order of their names.
pub(crate) fn not_evaluated(features: &[NotEvaluated]) -> Vec<String> {
    let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    // Node visibility is obeyed.
    for feature in features.iter().filter(|feature| feature.what != "KHR_node_visibility") {
        places.entry(feature.what).or_default().push(&feature.pointer);
    }
    let line = |(what, places): (&str, Vec<&str>)| match places.as_slice() {
        [first, _, ..] => format!("{what} is not evaluated ({first} and {} more)", places.len() - 1),
        places => format!("{what} is not evaluated ({})", places.concat()),
    };
    places.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_named_once_with_its_first_place() {
        let features = [("weights", "/meshes/0/weights"), ("skin", "/nodes/1/skin"), ("skin", "/nodes/2/skin")];
        let features = features.map(|(what, pointer)| NotEvaluated { what, pointer: pointer.into() });
        let expected =
            ["skin is not evaluated (/nodes/1/skin and 1 more)", "weights is not evaluated (/meshes/0/weights)"];
        assert_eq!(not_evaluated(&features), expected);
    }
}
