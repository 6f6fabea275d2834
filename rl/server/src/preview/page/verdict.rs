//! The reward and its evidence on the page.

use crate::html::number;
use crate::preview::places::Places;
use crate::report::measured;
use maud::{Markup, html};
use rl_protocol::{Component, Evidence, Gate, Outcome, Reward};

/// `terms`: what it was scored by; `profile`: what that measures.
pub(super) fn verdict(reward: &Reward, terms: &str, profile: &str, places: &Places) -> Markup {
    html! {
        section aria-labelledby="verdict" {
            h2 #verdict { "Reward" }
            @match &reward.outcome {
                Outcome::Value(value) => p.value.(tone(*value)) { (number(*value, 4)) },
                Outcome::Unscorable(why) => p.bad { "There is none: " (why.message) " (" code { (why.code) } ")" },
            }
            p.faint { (terms) @if !profile.is_empty() { ". " (profile) } }
            dl.facts {
                @for factor in &reward.factors {
                    dt { (factor_name(&factor.name)) }
                    dd { (number(factor.value, 4)) }
                }
            }
            @if !reward.gates.is_empty() { (gates(&reward.gates, places)) }
            @for component in &reward.components { (graded(component, places)) }
        }
    }
}

fn tone(value: f64) -> &'static str {
    match value {
        value if value >= 0.8 => "good",
        value if value >= 0.5 => "middling",
        _ => "bad",
    }
}

fn factor_name(name: &str) -> String {
    match name {
        "G" => "gates (G)".into(),
        "T" => "task (T)".into(),
        "Q" => "quality (Q)".into(),
        "c" => "least component (c)".into(),
        other => other.into(),
    }
}

fn gates(gates: &[Gate], places: &Places) -> Markup {
    html! {
        .component {
            p { strong { "Gates" } }
            @if gates.iter().any(|gate| !gate.passed) {
                p { "A failed gate leaves 0.05 · passed/all of the reward." }
            }
            ul.evidence {
                @for gate in gates {
                    li {
                        @if gate.passed { span.good { "✓ " (gate.name) } } @else { span.bad { "✗ " (gate.name) } }
                        (evidence(&gate.evidence, gate.truncated, places))
                    }
                }
            }
        }
    }
}

fn graded(component: &Component, places: &Places) -> Markup {
    let percent = |value: f64| number(value.clamp(0.0, 1.0) * 100.0, 2);
    let least = component.value - component.uncertainty;
    let most = component.value + component.uncertainty;
    let value = number(component.value, 4);
    html! {
        .component {
            p {
                strong { (component.name) }
                span {
                    (value) " ± " (number(component.uncertainty, 4))
                    span.faint { " weight " (number(component.weight, 4)) }
                }
            }
            .bar.(tone(component.value)) role="meter" aria-label=(component.name) aria-valuemin="0" aria-valuemax="1"
                aria-valuenow=(value) {
                span.unsure style={ "width:" (percent(most)) "%" } {}
                span style={ "width:" (percent(least)) "%" } {}
            }
            (evidence(&component.evidence, component.truncated, places))
        }
    }
}

fn evidence(list: &[Evidence], truncated: bool, places: &Places) -> Markup {
    html! {
        @if !list.is_empty() {
            ul.evidence {
                @for item in list { li { (fault(item, places)) } }
                @if truncated { li.faint { "… and more" } }
            }
        }
    }
}

/// What has a place in the picture is a button, so that the keyboard reaches it, too; it outlines its nodes and draws
/// a cross at its point.
fn fault(item: &Evidence, places: &Places) -> Markup {
    let marks = places.marks_of(&item.ids);
    let pixel = item.position_m.and_then(|position_m| places.pixel_of(position_m));
    if marks.is_empty() && pixel.is_none() {
        return html! { p { (text(item)) } };
    }
    let marks: Vec<String> = marks.iter().map(u32::to_string).collect();
    let at = pixel.map(|[x, y]| format!("{x:.1} {y:.1}"));
    html! {
        button type="button" aria-pressed="false" data-marks=(marks.join(" ")) data-at=[at]
            data-names=(item.names.join(", ")) data-message=(item.message) {
            (text(item))
        }
    }
}

fn text(item: &Evidence) -> Markup {
    html! {
        (item.message)
        span.faint {
            " [" (measured(item.value)) " " (item.unit) " against " (measured(item.threshold)) "]"
            @if !item.pointer.is_empty() { " at " code { (item.pointer) } }
        }
        @if !item.fix.is_empty() { br; "→ " code { (item.fix) } }
    }
}
