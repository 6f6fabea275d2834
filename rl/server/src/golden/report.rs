//! The page that shows why goldens failed, or that none did.

use super::{is_same, passed, scene_change};
use crate::html::{self, data_uri, number};
use anyhow::Result;
use maud::{Markup, html};
use renderer::golden::{Checked, Compared, Moved, bless_command};
use std::path::Path;

const SCRIPT: &str = include_str!("report.js");
/// Rows of the table of nodes.
const NODES: usize = 50;

/// The failed ones with their pictures, then the names of the others.
pub(super) fn page(folder: &Path, checked: &[Checked]) -> Result<String> {
    let (held, failed): (Vec<&Checked>, Vec<&Checked>) = checked.iter().partition(|checked| passed(checked));
    let sections = failed.iter().map(|checked| section(folder, checked)).collect::<Result<Vec<Markup>>>()?;
    let title = match failed.len() {
        0 => format!("{} goldens hold", held.len()),
        failed => format!("{failed} of {} goldens failed", checked.len()),
    };
    let body = html! {
        header {
            h1 { (title) }
            p.faint { (folder.display()) }
            ul { @for checked in &failed { li { a href={ "#" (checked.name) } { (checked.name) } } } }
        }
        main {
            @for section in &sections { (section) }
            @if !held.is_empty() {
                section {
                    h2 { @if failed.is_empty() { "All hold" } @else { "The others hold" } }
                    p { (held.iter().map(|checked| checked.name.as_str()).collect::<Vec<_>>().join(", ")) }
                }
            }
        }
    };
    Ok(html::page(&title, &body, SCRIPT))
}

fn section(folder: &Path, checked: &Checked) -> Result<Markup> {
    let content = match &checked.outcome {
        Ok(compared) => html! {
            @if compared.scene_changed {
                p.bad { (scene_change(compared)) ": " code { (bless_command(folder, &checked.name)) } }
            }
            (comparison(compared)?)
        },
        Err(error) => html! { p.bad { (error) } },
    };
    Ok(html! { section.golden id=(checked.name) { h2 { (checked.name) } (content) } })
}

fn comparison(compared: &Compared) -> Result<Markup> {
    let picture = |pixels: &[[u8; 3]]| -> Result<String> {
        Ok(data_uri(&scene_picture::png(compared.sidecar.width, compared.sidecar.height, pixels, &[])?))
    };
    let reference = picture(&compared.reference_rgb)?;
    let actual = picture(&compared.actual_rgb)?;
    let map = picture(&compared.flip_map_rgb)?;
    Ok(html! {
        .trio {
            (figure(&reference, "reference"))
            (figure(&actual, "actual"))
            (figure(&map, "difference (FLIP): black none, yellow all"))
        }
        .trio {
            div {
                .stage.compare {
                    img src=(reference) alt="reference";
                    img.over.half src=(actual) alt="actual";
                }
                label { "Left reference, right actual"
                    input.split type="range" min="0" max="100" value="50" aria-label="Where the actual picture begins";
                }
                button.flicker type="button" aria-pressed="false" { "flicker" }
            }
            div { (figures(compared)) (facts(compared)) }
        }
        (nodes(compared))
    })
}

fn figure(uri: &str, caption: &str) -> Markup {
    html! { figure { .stage { img src=(uri) alt=(caption); } figcaption { (caption) } } }
}

/// What was measured beside what is allowed.
fn figures(compared: &Compared) -> Markup {
    let pixels = compared.reference_rgb.len() as f64;
    let counted = |count: u64| format!("{count} pixels ({} %)", number(100.0 * count as f64 / pixels, 3));
    let tolerance = &compared.sidecar.tolerance;
    let allowed = |share: f64| match compared.exact {
        true => "0".to_owned(),
        false => format!("{} pixels ({} %)", number((share * pixels).floor(), 0), number(100.0 * share, 3)),
    };
    let eye = |most: f64| if compared.exact { "any".to_owned() } else { number(most, 4) };
    let colours = if compared.exact { "0" } else { "any" };
    let rows = [
        ("FLIP, mean", number(compared.flip_mean, 4), eye(tolerance.flip_mean)),
        ("FLIP, 99th percentile", number(compared.flip_p99, 4), eye(tolerance.flip_p99)),
        ("another colour, by 2 of 255 or more", counted(compared.colours_differing), colours.to_owned()),
        ("another node", counted(compared.ids_differing), allowed(tolerance.ids_share)),
        ("another depth", counted(compared.depth_differing), allowed(tolerance.depth_share)),
    ];
    html! {
        table {
            thead { tr { th { } th.number { "measured" } th.number { "allowed" } } }
            tbody {
                @for (what, measured, allowed) in &rows {
                    tr { td { (what) } td.number { (measured) } td.number { (allowed) } }
                }
            }
        }
    }
}

fn facts(compared: &Compared) -> Markup {
    html! {
        dl.facts {
            dt { "compared" } dd { @if compared.exact { "pixel by pixel" } @else { "within tolerances" } }
            dt { "blessed because" } dd { (compared.sidecar.reason) }
            dt { "reference by" } dd { (compared.sidecar.adapter) }
            dt { "actual by" } dd { (compared.adapter) }
        }
    }
}

fn nodes(compared: &Compared) -> Markup {
    let moved: &[Moved] = &compared.moved;
    html! {
        @if is_same(compared) {
            p { "No pixel differs." }
        } @else if moved.is_empty() {
            p { "No node's pixels changed: only the background differs." }
        } @else {
            h3 { "Nodes whose pixels changed, the likeliest cause first" }
            .scroll {
                table {
                    thead {
                        tr {
                            th { "node" } th { "id" } th.number { "pixels before" } th.number { "now" }
                            th.number { "moved" } th.number { "changed" } th.number { "FLIP, mean" }
                        }
                    }
                    tbody {
                        @for node in moved.iter().take(NODES) {
                            tr {
                                td { (node.name) } td { code { (node.node) } }
                                td.number { (node.pixels_reference) } td.number { (node.pixels_actual) }
                                td.number { (node.pixels_moved) } td.number { (node.pixels_changed) }
                                td.number { (number(node.mean_flip, 4)) }
                            }
                        }
                    }
                }
            }
            @if moved.len() > NODES { p.faint { "… and " (moved.len() - NODES) " more" } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use renderer::golden::{GoldenError, Images, Sidecar, Tolerance, Versions};
    use renderer::{AdapterInfo, AdapterKind};
    use scene_document::NodeId;

    fn adapter(name: &str) -> AdapterInfo {
        let (name, text) = (name.to_owned(), String::new);
        AdapterInfo { name, kind: AdapterKind::Software, backend: text(), driver: text(), driver_info: text() }
    }

    fn compared(passed: bool) -> Compared {
        Compared {
            passed,
            scene_changed: !passed,
            exact: true,
            flip_mean: 0.125,
            flip_p99: 0.5,
            colours_differing: 3,
            ids_differing: 1,
            depth_differing: 2,
            reference_rgb: vec![[0; 3]; 4],
            actual_rgb: vec![[9; 3]; 4],
            flip_map_rgb: vec![[1; 3]; 4],
            moved: vec![Moved {
                node: NodeId(7),
                name: "<leg>".into(),
                pixels_reference: 4,
                pixels_actual: 3,
                pixels_moved: 1,
                pixels_changed: 3,
                mean_flip: 0.25,
            }],
            adapter: adapter("one card"),
            sidecar: Sidecar {
                scene_blake3: String::new(),
                camera: None,
                width: 2,
                height: 2,
                adapter: adapter("another card"),
                versions: Versions::current(),
                ev100: 0.0,
                white_cd_m2: 100.0,
                tonemapping: String::new(),
                tolerance: Tolerance::default(),
                reason: "the legs are <thinner>".into(),
                images: Images { beauty: String::new(), ids: String::new(), depth: String::new() },
                previous: None,
            },
        }
    }

    #[test]
    fn the_report_names_nodes_reason_and_adapters_and_needs_nothing_else() {
        let checked = [
            Checked { name: "table".into(), outcome: Ok(compared(false)) },
            Checked { name: "lamp".into(), outcome: Ok(compared(true)) },
            Checked { name: "chair".into(), outcome: Err(GoldenError::NoReason) },
        ];
        let text = page(Path::new("assets/goldens"), &checked).unwrap();
        let reason = GoldenError::NoReason.to_string();
        let command = bless_command(Path::new("assets/goldens"), "table").replace('"', "&quot;");
        let changed = format!("the scene file changed too: <code>{command}</code>");
        assert!(text.contains(&changed), "{text}");
        for expected in ["2 of 3", "&lt;leg&gt;", "n_7", "&lt;thinner&gt;", "one card", "another card", &reason] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
        assert!(!text.contains("http://") && !text.contains("https://") && !text.contains("<leg>"), "{text}");
        assert_eq!(text.matches("src=\"data:image/png").count(), 5);
        assert_eq!(text.matches("src=\"").count(), 5);
    }

    #[test]
    fn a_report_of_goldens_that_hold_says_so() {
        let checked = [Checked { name: "lamp".into(), outcome: Ok(compared(true)) }];
        let text = page(Path::new("assets/goldens"), &checked).unwrap();
        assert!(text.contains("1 goldens hold") && text.contains("lamp") && !text.contains("failed"), "{text}");
    }
}
