//! The reward and its evidence on the page.

use crate::html::number;
use crate::report::measured;
use maud::{Markup, html};
use rl_protocol::{Component, Evidence, Gate, Outcome, Reward};
use std::collections::{BTreeMap, BTreeSet};

/// By evidence id: the numbers of the pixels that show the node.
type Marks = BTreeMap<String, Vec<u32>>;

pub(super) fn verdict(reward: &Reward, profile: &str, marks: &Marks) -> Markup {
    html! {
        section aria-labelledby="verdict" {
            h2 #verdict { "Reward" }
            @match &reward.outcome {
                Outcome::Value(value) => p.value.(tone(*value)) { (number(*value, 4)) },
                Outcome::Unscorable(why) => p.bad { "There is none: " (why.message) " (" code { (why.code) } ")" },
            }
            p.faint { "Profile " code { (reward.profile_id) } @if !profile.is_empty() { ". " (profile) } }
            dl.facts {
                @for factor in &reward.factors {
                    dt { (factor_name(&factor.name)) }
                    dd { (number(factor.value, 4)) }
                }
            }
            @if !reward.gates.is_empty() { (gates(&reward.gates, marks)) }
            @for component in &reward.components { (graded(component, marks)) }
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

fn gates(gates: &[Gate], marks: &Marks) -> Markup {
    html! {
        .component {
            p { strong { "Gates" } }
            ul.evidence {
                @for gate in gates {
                    li {
                        @if gate.passed { span.good { "✓ " (gate.name) } } @else { span.bad { "✗ " (gate.name) } }
                        (evidence(&gate.evidence, gate.truncated, marks))
                    }
                }
            }
        }
    }
}

fn graded(component: &Component, marks: &Marks) -> Markup {
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
            (evidence(&component.evidence, component.truncated, marks))
        }
    }
}

fn evidence(list: &[Evidence], truncated: bool, marks: &Marks) -> Markup {
    html! {
        @if !list.is_empty() {
            ul.evidence {
                @for item in list { li { (fault(item, marks)) } }
                @if truncated { li.faint { "… and more" } }
            }
        }
    }
}

/// A button, so that it can be reached by the keyboard; it outlines its nodes.
fn fault(item: &Evidence, marks: &Marks) -> Markup {
    let shown: BTreeSet<u32> = item.ids.iter().filter_map(|id| marks.get(id)).flatten().copied().collect();
    let shown: Vec<String> = shown.iter().map(u32::to_string).collect();
    let names = if item.names.is_empty() { item.message.clone() } else { item.names.join(", ") };
    html! {
        button type="button" aria-pressed="false" data-marks=(shown.join(" ")) data-names=(names) {
            (item.message)
            span.faint {
                " [" (measured(item.value)) " " (item.unit) " against " (measured(item.threshold)) "]"
                @if !item.pointer.is_empty() { " at " code { (item.pointer) } }
            }
            @if !item.fix.is_empty() { br; "→ " code { (item.fix) } }
        }
    }
}
