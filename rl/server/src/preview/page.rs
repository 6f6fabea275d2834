//! The preview page.

mod verdict;

use super::marks::NodeRow;
use super::places::Places;
use crate::html::{self, data_uri};
use maud::{Markup, html};
use rl_protocol::Reward;
use scene_document::gltf::{Issue, Severity};
use verdict::verdict;

const SCRIPT: &str = include_str!("page.js");
const HINT: &str = "Choose a fault or a node to see it outlined here.";

pub(super) struct Page<'a> {
    /// Of the file.
    pub(super) name: &'a str,
    /// Camera, light, adapter.
    pub(super) facts: &'a [String],
    pub(super) passes: &'a [Shown],
    /// A PNG as large as the passes; its 24-bit pixels are the numbers in the marks of `places`.
    pub(super) ids: Vec<u8>,
    /// At equal angles all round.
    pub(super) turntable: &'a [Shown],
    pub(super) reward: &'a Reward,
    /// Task, profile and seed, as far as they are known.
    pub(super) terms: &'a str,
    /// What the reward's profile measures.
    pub(super) profile: &'a str,
    pub(super) nodes: Vec<NodeRow>,
    pub(super) places: &'a Places,
    /// What the pictures do not show.
    pub(super) remarks: Vec<String>,
    pub(super) issues: &'a [Issue],
}

pub(super) struct Shown {
    /// On the page, and of its file without the ending.
    pub(super) name: String,
    pub(super) png: Vec<u8>,
}

/// Nothing outside the page is needed to read it.
pub(super) fn page(page: &Page<'_>) -> String {
    let body = html! {
        header {
            h1 { (page.name) }
            p.faint { (page.facts.join(" · ")) }
        }
        main {
            .columns {
                div {
                    .pictures { (stage(page)) (left_out(&page.remarks)) }
                }
                div {
                    (verdict(page.reward, page.terms, page.profile, page.places))
                    (nodes(&page.nodes))
                    (rules(page))
                }
            }
            (turntable(page.turntable))
        }
    };
    html::page(page.name, &body, SCRIPT)
}

/// The picture, its passes, and a layer for outlines and crosses.
fn stage(page: &Page<'_>) -> Markup {
    html! {
        section.picture aria-label="Picture" {
            .switch role="group" aria-label="Pass" {
                @for (index, shown) in page.passes.iter().enumerate() {
                    button type="button" data-pass=(index) aria-pressed=(index == 0) title={ "Key " (index + 1) } {
                        (shown.name)
                    }
                }
                button #clear type="button" title="Escape" { "no outline" }
            }
            figure {
                #stage .stage {
                    @for (index, shown) in page.passes.iter().enumerate() {
                        img.pass src=(data_uri(&shown.png)) alt={ "The scene, " (shown.name) } hidden[index > 0];
                    }
                    canvas #marks .over hidden {}
                }
                img #ids src=(data_uri(&page.ids)) alt="" hidden;
                figcaption #status role="status" data-hint=(HINT) { (HINT) }
            }
        }
    }
}

fn turntable(frames: &[Shown]) -> Markup {
    html! {
        section aria-labelledby="all-round" {
            h2 #all-round { "All round, in studio light" }
            figure {
                #turntable .stage {
                    @for (index, shown) in frames.iter().enumerate() {
                        img src=(data_uri(&shown.png)) alt={ "The scene, " (shown.name) } hidden[index > 0];
                    }
                }
                figcaption {
                    label for="angle" { "Angle " output #degrees { "0°" } }
                }
            }
            input #angle type="range" min="0" max=(frames.len().saturating_sub(1)) value="0" step="1";
            button #spin type="button" aria-pressed="false" { "turn" }
            p.faint { a href="sheet.png" { "All of them on one sheet" } ", sheet.png beside this page" }
        }
    }
}

fn nodes(nodes: &[NodeRow]) -> Markup {
    if nodes.is_empty() {
        return html! {};
    }
    html! {
        section aria-labelledby="nodes" {
            h2 #nodes { "Nodes with meshes" }
            .scroll {
                table {
                    thead { tr { th { "node" } th { "id" } th.number { "triangles" } th.number { "pixels" } } }
                    tbody {
                        @for node in nodes {
                            tr {
                                td {
                                    button type="button" aria-pressed="false" data-marks=(node.mark)
                                        data-names=(node.path) { (node.path) }
                                }
                                td { code { (node.id) } }
                                td.number { (node.triangles) }
                                td.number { (node.visible_px) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What the pictures do not show.
fn left_out(remarks: &[String]) -> Markup {
    html! {
        @if !remarks.is_empty() {
            section.remarks aria-labelledby="remarks" {
                h2 #remarks { "Not as in the file" }
                ul { @for remark in remarks { li { (remark) } } }
            }
        }
    }
}

/// What glTF's rules say of the file; nothing of one that holds nothing.
fn rules(page: &Page<'_>) -> Markup {
    let praise = match (page.issues, page.remarks.as_slice()) {
        _ if page.nodes.is_empty() => None,
        ([], []) => Some("The file breaks no glTF rule, and nothing in it is left out of the pictures."),
        ([], _) => Some("The file breaks no glTF rule."),
        _ => None,
    };
    html! {
        @if praise.is_some() || !page.issues.is_empty() {
            section aria-labelledby="rules" {
                h2 #rules { "The file by glTF's rules" }
                @if let Some(praise) = praise { p { (praise) } }
                ul {
                    @for issue in page.issues {
                        li.bad[issue.severity == Severity::Error] {
                            (issue.code) ": " (issue.message) " " code { (issue.pointer) }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Point3;
    use rl_protocol::{Component, Evidence, FailureClass, Gate, Outcome, Unscorable};
    use scene_document::View;
    use std::collections::BTreeMap;

    fn reward() -> Reward {
        let evidence = |ids: &[&str], message: &str| Evidence {
            ids: ids.iter().map(|id| (*id).to_owned()).collect(),
            names: vec!["<b>leg</b>".into()],
            message: message.into(),
            unit: "m".into(),
            ..Evidence::default()
        };
        let unscorable =
            Unscorable { class: FailureClass::Task, code: "X".into(), message: "none".into(), retryable: false };
        Reward {
            outcome: Outcome::Value(0.7),
            gates: vec![Gate {
                name: "scale".into(),
                passed: false,
                evidence: vec![evidence(&["n_1"], "too <small>")],
                truncated: false,
                thresholds: Vec::new(),
            }],
            components: vec![Component {
                name: "overlap".into(),
                value: 0.5,
                weight: 0.25,
                uncertainty: 0.01,
                evidence: vec![evidence(&["n_1", "n_9"], "sinks")],
                truncated: true,
                thresholds: Vec::new(),
            }],
            ..Reward::unscorable("r3d/0", unscorable)
        }
    }

    /// Of a file whose one node is `nodes`; `more` is the evidence of one more gate.
    fn text(nodes: Vec<NodeRow>, remarks: &[&str], more: Vec<Evidence>) -> String {
        let shown = ["beauty", "id"].map(|name| Shown { name: name.into(), png: vec![1] });
        let marks = BTreeMap::from([("n_1".to_owned(), vec![1, 2]), ("n_9".to_owned(), vec![2, 7])]);
        let view = View::looking_at(Point3::new(0.0, 0.0, 5.0), Point3::origin(), 1.0, 200, 100);
        let mut reward = reward();
        let (name, thresholds) = ("delivery".into(), Vec::new());
        reward.gates.push(Gate { name, passed: true, evidence: more, truncated: false, thresholds });
        page(&Page {
            name: "<script>x</script>.glb",
            facts: &[],
            passes: &shown,
            ids: vec![3],
            turntable: &shown,
            reward: &reward,
            terms: "Task scene/table, seed 7",
            profile: "",
            nodes,
            places: &Places { marks, view },
            remarks: remarks.iter().map(|remark| (*remark).to_owned()).collect(),
            issues: &[],
        })
    }

    fn node() -> NodeRow {
        NodeRow { id: "n_1".into(), path: "<i>a</i>".into(), triangles: 2, visible_px: 3, mark: 1 }
    }

    #[test]
    fn the_page_holds_everything_and_takes_nothing_as_markup() {
        let text = text(vec![node()], &["skins are not applied"], Vec::new());
        assert!(!text.contains("<script>x") && !text.contains("<b>leg") && !text.contains("<i>a"), "{text}");
        assert!(text.contains(r#"data-marks="1 2 7""#) && text.contains(r#"data-marks="1 2""#), "{text}");
        assert!(!text.contains("http://") && !text.contains("https://"), "{text}");
        assert_eq!(text.matches("src=\"").count(), text.matches("src=\"data:image/png;base64,").count());
        let expected = ["too &lt;small&gt;", "sinks", "weight 0.25", "skins are not applied", "0.7"];
        for expected in expected.into_iter().chain(["0.05 · passed/all", "Task scene/table, seed 7", "sheet.png"]) {
            assert!(text.contains(expected), "{expected}: {text}");
        }
    }

    #[test]
    fn only_evidence_with_a_place_in_the_picture_is_a_button() {
        let evidence = |message: &str, id: &str, position_m| {
            let (message, ids) = (message.into(), vec![id.to_owned()]);
            Evidence { message, ids, position_m, ..Evidence::default() }
        };
        let list = vec![
            evidence("hidden fault", "n_5", Some([0.0; 3])),
            evidence("far fault", "n_5", Some([0.0, 99.0, 0.0])),
            evidence("nodeless fault", "", None),
        ];
        let text = text(vec![node()], &[], list);
        let at = text.find(r#"data-at="100.0 50.0""#).unwrap();
        assert!(text[at..].split_once('>').unwrap().1.starts_with("hidden fault"), "{text}");
        assert!(text.contains("<p>far fault") && text.contains("<p>nodeless fault"), "{text}");
    }

    #[test]
    fn a_file_is_called_flawless_only_where_something_in_it_was_seen() {
        let whole = "nothing in it is left out of the pictures";
        assert!(text(vec![node()], &[], Vec::new()).contains(whole));
        let remarked = text(vec![node()], &["skins are not applied"], Vec::new());
        assert!(remarked.contains("breaks no glTF rule") && !remarked.contains(whole), "{remarked}");
        assert!(!text(Vec::new(), &[], Vec::new()).contains("breaks no glTF rule"));
    }
}
