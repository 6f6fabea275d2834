//! The preview page.

mod verdict;

use super::marks::NodeRow;
use crate::html::{self, data_uri};
use maud::{Markup, html};
use rl_protocol::Reward;
use scene_document::gltf::{Issue, Severity};
use std::collections::BTreeMap;
use verdict::verdict;

const SCRIPT: &str = include_str!("page.js");
const HINT: &str = "Choose a fault or a node to see it outlined here.";

pub(super) struct Page<'a> {
    /// Of the file.
    pub(super) name: &'a str,
    /// Camera, light, adapter.
    pub(super) facts: &'a [String],
    pub(super) passes: &'a [Shown],
    /// A PNG as large as the passes; its 24-bit pixels are the numbers in `marks`.
    pub(super) ids: Vec<u8>,
    /// At equal angles all round.
    pub(super) turntable: &'a [Shown],
    pub(super) reward: &'a Reward,
    /// What the reward's profile measures.
    pub(super) profile: &'a str,
    pub(super) nodes: Vec<NodeRow>,
    /// By evidence id.
    pub(super) marks: &'a BTreeMap<String, Vec<u32>>,
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
        main.columns {
            div {
                .sticky { (stage(page)) }
                (turntable(page.turntable))
            }
            div {
                (verdict(page.reward, page.profile, page.marks))
                (nodes(&page.nodes))
                (remarks(&page.remarks, page.issues))
            }
        }
    };
    html::page(page.name, &body, SCRIPT)
}

/// The picture, its passes, and a layer for outlines.
fn stage(page: &Page<'_>) -> Markup {
    html! {
        section aria-label="Picture" {
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
        }
    }
}

fn nodes(nodes: &[NodeRow]) -> Markup {
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

fn remarks(remarks: &[String], issues: &[Issue]) -> Markup {
    html! {
        section aria-labelledby="remarks" {
            h2 #remarks { "Remarks on the file" }
            @if remarks.is_empty() && issues.is_empty() {
                p { "The pictures show everything that is in it, and it is faultless." }
            }
            ul {
                @for remark in remarks { li { (remark) } }
                @for issue in issues {
                    li.bad[issue.severity == Severity::Error] {
                        (issue.code) ": " (issue.message) " " code { (issue.pointer) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rl_protocol::{Component, Evidence, FailureClass, Gate, Outcome, Unscorable};

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

    #[test]
    fn the_page_holds_everything_and_takes_nothing_as_markup() {
        let shown = ["beauty", "id"].map(|name| Shown { name: name.into(), png: vec![1] });
        let node = NodeRow { id: "n_1".into(), path: "<i>a</i>".into(), triangles: 2, visible_px: 3, mark: 1 };
        let text = page(&Page {
            name: "<script>x</script>.glb",
            facts: &[],
            passes: &shown,
            ids: vec![3],
            turntable: &shown,
            reward: &reward(),
            profile: "",
            nodes: vec![node],
            marks: &BTreeMap::from([("n_1".to_owned(), vec![1, 2]), ("n_9".to_owned(), vec![2, 7])]),
            remarks: vec!["skin is not evaluated".into()],
            issues: &[],
        });
        assert!(!text.contains("<script>x") && !text.contains("<b>leg") && !text.contains("<i>a"), "{text}");
        assert!(text.contains(r#"data-marks="1 2 7""#) && text.contains(r#"data-marks="1 2""#), "{text}");
        assert!(!text.contains("http://") && !text.contains("https://"), "{text}");
        assert_eq!(text.matches("src=\"").count(), text.matches("src=\"data:image/png;base64,").count());
        for expected in ["too &lt;small&gt;", "sinks", "weight 0.25", "skin is not evaluated", "0.7"] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
    }
}
