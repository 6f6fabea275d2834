//! Each damage to the reference scene lowers what is named for it, and nothing else but what is coupled to it.

use crate::logs::{Log, box_as_data, call, component};
use rl_protocol::{Evidence, Reward};
use serde_json::json;

const SEEN: f64 = 0.1;
const STILL: f64 = 0.02;

struct Damage {
    what: &'static str,
    log: Log,
    /// The component or gate that must fall.
    named: &'static str,
    /// Others that may move with it.
    coupled: &'static [&'static str],
    /// The node that its evidence names; none where the scene lacks it.
    blames: Option<&'static str>,
}

fn damaged(change: impl FnOnce(&mut Log)) -> Log {
    let mut log = Log::reference("table-and-chairs");
    change(&mut log);
    log
}

fn damages() -> Vec<Damage> {
    vec![
        Damage {
            what: "leg 2 cm through the top",
            log: damaged(|log| {
                log.making("leg_1")["translation"][1] = json!(0.36);
                log.meshing("leg_1")["arguments"]["shape"]["size_m"][1] = json!(0.72);
            }),
            named: "overlap",
            coupled: &[],
            blames: Some("leg_1"),
        },
        Damage {
            what: "one flipped face",
            log: damaged(|log| {
                let mesh = log.meshing("chair_1_back");
                *mesh = box_as_data(mesh, |triangle| triangle == 3);
            }),
            named: "normals",
            coupled: &[],
            blames: Some("chair_1_back"),
        },
        Damage {
            what: "chair floating 10 cm",
            log: damaged(|log| log.making("chair_2")["translation"][1] = json!(0.1)),
            named: "support",
            coupled: &["task"],
            blames: Some("chair_2"),
        },
        Damage {
            what: "camera looking away",
            log: damaged(|log| log.making("camera")["target"] = json!([6.0, 2.0, 4.0])),
            named: "visibility",
            coupled: &["foreground", "lighting"],
            blames: Some("table"),
        },
        Damage {
            what: "light off",
            log: damaged(|log| log.calls.retain(|call| call["name"] != "light.add")),
            named: "lighting",
            coupled: &[],
            blames: None,
        },
        Damage {
            what: "chair out of bounds",
            log: damaged(|log| log.making("chair_2")["translation"][2] = json!(-1.38)),
            named: "bounds",
            coupled: &["task"],
            blames: Some("chair_2"),
        },
        Damage {
            what: "no chair",
            log: damaged(|log| {
                let chair = log.node("chair_2");
                log.insert_at_the_end([call("node.delete", json!({ "node": chair }))]);
            }),
            named: "present",
            coupled: &["task"],
            blames: Some("chair_2"),
        },
    ]
}

/// Components and gates, a gate being 1 or 0.
fn columns(reward: &Reward) -> Vec<(String, f64)> {
    let gates = reward.gates.iter().map(|gate| (gate.name.clone(), if gate.passed { 1.0 } else { 0.0 }));
    let components = reward.components.iter().map(|component| (component.name.clone(), component.value));
    // A gate and a component are both called scale.
    components
        .chain(gates.map(|(name, value)| (if name == "scale" { "scale gate".into() } else { name }, value)))
        .collect()
}

fn evidence_of<'a>(reward: &'a Reward, name: &str) -> &'a [Evidence] {
    match reward.gates.iter().find(|gate| gate.name == name && !gate.passed) {
        Some(gate) => &gate.evidence,
        None => &component(reward, name).evidence,
    }
}

#[test]
fn each_damage_lowers_what_is_named_for_it() {
    let reference = columns(&Log::reference("table-and-chairs").reward());
    let mut faults = Vec::new();
    println!("{:<26}{:>8}  {}", "", "R", reference.iter().map(|(name, _)| format!("{name:>11}")).collect::<String>());
    for damage in damages() {
        let reward = damage.log.reward();
        let found = columns(&reward);
        let row: String = found.iter().map(|(_, value)| format!("{value:>11.3}")).collect();
        println!("{:<26}{:>8.3}  {row}", damage.what, reward.value().unwrap());
        for ((name, before), (_, after)) in reference.iter().zip(&found) {
            let drop = before - after;
            if name == damage.named && drop < SEEN {
                faults.push(format!("{}: {name} falls by {drop} only", damage.what));
            }
            if name != damage.named && !damage.coupled.contains(&name.as_str()) && drop.abs() > STILL {
                faults.push(format!("{}: {name} moves by {drop}", damage.what));
            }
        }
        let evidence = evidence_of(&reward, damage.named);
        evidence
            .iter()
            .for_each(|e| println!("    {} [{} {}, bound {}] {}", e.message, e.value, e.unit, e.threshold, e.fix));
        let explained = evidence.iter().any(|e| {
            let names = damage.blames.is_none_or(|name| e.names.iter().any(|given| given == name));
            names && e.value != e.threshold && !e.unit.is_empty() && !e.message.is_empty() && !e.fix.is_empty()
        });
        if !explained {
            faults.push(format!("{}: {evidence:?} does not explain it", damage.what));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_fix_of_a_sunken_leg_says_how_far() {
    let reward = damages().remove(0).log.reward();
    let evidence = &component(&reward, "overlap").evidence[0];
    assert_eq!(evidence.message, "leg_1 sinks 20 mm into top along +Y");
    assert_eq!(evidence.fix, "move leg_1 by [0, -0.02, 0]");
    assert_eq!(evidence.names, ["leg_1", "top"]);
    assert!(evidence.pointer.starts_with("/nodes/"), "{}", evidence.pointer);
}
