//! A run as a page that needs nothing beside itself.

use super::curve::{CurveError, Run, curve};
use super::evaluate::{EvaluationLine, SampleLine};
use super::folder::RunFolder;
use super::line::{Line, LineError, read_lines};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error(transparent)]
    Lines(#[from] LineError),
    #[error(transparent)]
    Curve(#[from] CurveError),
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
}

const STYLE: &str = "
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; } th, td { padding: .2rem .8rem; text-align: right; border-bottom: 1px solid #ddd; }
pre { background: #f6f6f4; padding: .6rem; white-space: pre-wrap; overflow-wrap: anywhere; margin: .3rem 0; }
pre.policy { background: #e9f1fb; } img { max-width: 100%; }
";

/// Draws all runs on one curve, and writes it as curve.png and within report.html into the folder of the first.
/// → the page.
pub fn report(folders: &[RunFolder]) -> Result<PathBuf, ReportError> {
    let mut runs = Vec::new();
    for folder in folders {
        runs.push((label(folder), read_lines::<Line>(&folder.metrics())?));
    }
    let title = runs.iter().map(|(label, _)| label.as_str()).collect::<Vec<_>>().join(", ");
    let drawn: Vec<Run> = runs.iter().map(|(label, lines)| Run { label, lines }).collect();
    let picture = curve(&title, &drawn)?;
    let mut parts = Vec::new();
    for (folder, (label, lines)) in folders.iter().zip(&runs) {
        let samples: Vec<SampleLine> =
            if folder.samples().exists() { read_lines(&folder.samples())? } else { Vec::new() };
        let config = std::fs::read_to_string(folder.config())
            .map_err(|source| ReportError::Io { path: folder.config(), source })?;
        parts.push(run(label, lines, &samples, &config));
    }
    let page = page(&title, &picture, &parts).into_string();
    let Some(first) = folders.first() else { return Ok(PathBuf::new()) };
    write(first.curve(), &picture)?;
    write(first.report(), page.as_bytes())?;
    Ok(first.report())
}

fn write(path: PathBuf, bytes: &[u8]) -> Result<(), ReportError> {
    std::fs::write(&path, bytes).map_err(|source| ReportError::Io { path, source })
}

fn label(folder: &RunFolder) -> String {
    let name = folder.path().file_name().unwrap_or(folder.path().as_os_str());
    name.to_string_lossy().into_owned()
}

fn page(title: &str, picture: &[u8], runs: &[Markup]) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (title) }
                img alt="Rewards over updates" src={ "data:image/png;base64," (base64(picture)) };
                @for run in runs { (run) }
            }
        }
    }
}

fn run(label: &str, lines: &[Line], samples: &[SampleLine], config: &str) -> Markup {
    html! {
        h2 { (label) }
        (evaluations(lines))
        h3 { "Episodes" }
        @for sample in shown(samples) { (episode(sample)) }
        details { summary { "Configuration" } pre { (config) } }
    }
}

fn evaluations(lines: &[Line]) -> Markup {
    let rows: Vec<(String, &EvaluationLine)> = lines
        .iter()
        .filter_map(|line| match line {
            Line::Random(line) => Some(("random calls".to_owned(), line)),
            Line::Evaluation(line) => Some((line.step.to_string(), line)),
            Line::Step(_) | Line::WarmStart { .. } => None,
        })
        .collect();
    let sources: BTreeSet<&String> = rows.iter().flat_map(|(_, line)| line.sources.keys()).collect();
    html! {
        h3 { "Held-out tasks" }
        table {
            tr { th { "updates" } th { "episodes" } th { "reward" } @for source in &sources { th { (source) } } }
            @for (name, line) in &rows {
                tr {
                    td { (name) }
                    td { (line.episodes) }
                    td { (format!("{:.3}", line.reward)) }
                    @for source in &sources {
                        td { (line.sources.get(*source).map_or("–".to_owned(), |score| format!("{:.3}", score.reward))) }
                    }
                }
            }
        }
    }
}

/// Of the first, the middle and the last evaluation.
fn shown(samples: &[SampleLine]) -> Vec<&SampleLine> {
    let steps: Vec<u64> = samples.iter().map(|sample| sample.step).collect::<BTreeSet<_>>().into_iter().collect();
    let last = steps.len().saturating_sub(1);
    let wanted: BTreeSet<u64> = [0, last / 2, last].into_iter().filter_map(|index| steps.get(index).copied()).collect();
    samples.iter().filter(|sample| wanted.contains(&sample.step)).collect()
}

fn episode(sample: &SampleLine) -> Markup {
    let components: Vec<String> = sample.components.iter().map(|(name, value)| format!("{name} {value:.3}")).collect();
    html! {
        details open[sample.reward >= 1.0] {
            summary {
                (sample.task_id) ", after " (sample.step) " updates: reward " (format!("{:.3}", sample.reward))
                @if !components.is_empty() { " (" (components.join(", ")) ")" }
            }
            @if let Some(failure) = &sample.failure { p { (failure) } }
            @for (index, turn) in sample.turns.iter().enumerate() {
                @if index % 2 == 1 { pre.policy { (turn) } } @else { pre { (turn) } }
            }
        }
    }
}

/// RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let whole = chunk.iter().chain([&0; 2]).take(3).fold(0_usize, |whole, &byte| (whole << 8) | usize::from(byte));
        for place in 0..4 {
            let digit = DIGITS[(whole >> (18 - 6 * place)) & 63];
            text.push(if place <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_rfc() {
        let of = |text: &str| base64(text.as_bytes());
        assert_eq!([of(""), of("f"), of("fo"), of("foo"), of("foob")], ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
    }
}
