//! HTML pages that need nothing but themselves: pictures are data URIs, style and script stand in the page.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Stands in the head of every page, so that a later run knows it as its own.
const GENERATOR: &str = "Maquette";
const STYLE: &str = include_str!("html/style.css");
/// What a page may load: nothing from anywhere. A browser holds it to that.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// `script` is our own and holds nothing that was given.
pub(crate) fn page(title: &str, body: &Markup, script: &'static str) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="generator" content=(GENERATOR);
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (body)
                script { (PreEscaped(script)) }
            }
        }
    };
    page.into_string()
}

/// Whether a file that begins with these bytes is a page of ours.
pub(crate) fn is_ours(start: &[u8]) -> bool {
    String::from_utf8_lossy(start).contains(&format!("<meta name=\"generator\" content=\"{GENERATOR}\">"))
}

pub(crate) fn data_uri(png: &[u8]) -> String {
    format!("data:image/png;base64,{}", STANDARD.encode(png))
}

/// At most `digits` after the point, no trailing zeros.
pub(crate) fn number(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    let short = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let texts = [number(0.25, 4), number(1.0, 4), number(-1e-9, 2), number(120.0, 0)];
        assert_eq!(texts, ["0.25", "1", "0", "120"]);
    }
}
