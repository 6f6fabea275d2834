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
            coupled: &["task"],
            blames: Some("table/leg_1"),
        },
        Damage {
            what: "one flipped face",
            log: damaged(|log| {
                let mesh = log.meshing("chair_1_back");
                *mesh = box_as_data(mesh, |triangle| triangle == 3);
            }),
            named: "normals",
            coupled: &[],
            blames: Some("chair_1/chair_1_back"),
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
    assert_eq!(evidence.message, "table/leg_1 sinks 20 mm into table/top along +Y");
    // A move down would bury it.
    let (scale, back) = (r#"{"node":"n_3","scale":[1,0.972222,1]}"#, r#"{"node":"n_3","move_by_m":[0,-0.01,0]}"#);
    assert_eq!(evidence.fix, format!("node.set_transform {scale}, then node.set_transform {back}"));
    assert_eq!(evidence.names, ["table/leg_1", "table/top"]);
    assert!(evidence.pointer.starts_with("/nodes/"), "{}", evidence.pointer);
}

#[test]
fn fixes_name_calls_and_places() {
    let fix = |name: &str, log: Log| component(&log.reward(), name).evidence[0].clone();

    let sunk = fix("overlap", damaged(|log| log.making("chair_1")["translation"] = json!([0.0, 0.0, 0.2])));
    assert!(sunk.fix.starts_with(r#"node.set_transform {"node":"n_7","move_by_m":[0,0,0.02]}"#), "{sunk:?}");

    let buried = fix("support", damaged(|log| log.making("chair_1")["translation"][1] = json!(-0.1)));
    assert_eq!(buried.message, "chair_1 is sunk 100 mm into the ground");
    assert_eq!(buried.fix, r#"node.set_transform {"node":"n_7","move_by_m":[0,0.1,0]}"#);

    let away = fix("visibility", damaged(|log| log.making("camera")["target"] = json!([6.0, 2.0, 4.0])));
    assert!(away.fix.starts_with(r#"camera.look_at {"camera":"n_23","target":[0,0.45,0]}"#), "{away:?}");

    let turned = damaged(|log| log.making("chair_1")["rotation_euler_deg"] = json!([0, 30, 0]));
    let turned = fix("scale", turned);
    assert!(turned.message.contains("turned by 30° about +Y"), "{turned:?}");
    assert!(turned.fix.contains(r#""node":"n_7","space":"world","rotation_euler_deg":[0,0,0]"#), "{turned:?}");

    let dim = fix(
        "lighting",
        damaged(|log| {
            log.making("key")["intensity"] = json!(20.0);
            log.making("fill")["intensity"] = json!(10.0);
        }),
    );
    assert!(dim.value < dim.threshold && dim.threshold == -1.5, "{dim:?}");
    assert_eq!(dim.ids, ["n_21", "n_22"]);
}

#[test]
fn the_exposure_fix_reaches_the_full_band() {
    let with = |key: f64, fill: f64| {
        damaged(|log| {
            log.making("key")["intensity"] = json!(key);
            log.making("fill")["intensity"] = json!(fill);
        })
    };
    let reward = with(100.0, 50.0).reward();
    let evidence = component(&reward, "lighting").evidence.iter().find(|e| e.unit.starts_with("EV")).unwrap();
    let factor: f64 =
        evidence.fix.strip_prefix("multiply all light by ").unwrap().split(':').next().unwrap().parse().unwrap();
    let mended = with(100.0 * factor, 50.0 * factor).reward();
    assert!(!component(&mended, "lighting").evidence.iter().any(|e| e.unit.starts_with("EV")), "{factor}");
}

#[test]
fn a_name_below_the_object_itself_is_no_duplicate() {
    let mut log = Log::reference("table");
    log.making("top")["name"] = json!("table");
    let reward = log.reward();
    let present = reward.gates.iter().find(|gate| gate.name == "present").unwrap();
    assert!(present.passed && present.evidence.is_empty(), "{present:?}");
}

#[test]
fn what_cannot_be_measured_is_said_once() {
    let reward = damaged(|log| log.delete(&["chair_2"])).reward();
    let task = component(&reward, "task");
    assert_eq!(task.evidence.iter().filter(|e| e.message.starts_with("not measured without")).count(), 1, "{task:?}");
}

#[test]
fn every_finding_has_unit_bound_and_fix() {
    for damage in damages() {
        let reward = damage.log.reward();
        let failed = reward.gates.iter().filter(|gate| !gate.passed).flat_map(|gate| &gate.evidence);
        for evidence in failed.chain(reward.components.iter().flat_map(|component| &component.evidence)) {
            let complete = !evidence.unit.is_empty() && !evidence.message.is_empty() && !evidence.fix.is_empty();
            assert!(complete, "{}: {evidence:?}", damage.what);
        }
        assert!(reward.components.iter().all(|component| !component.thresholds.is_empty()));
        assert!(reward.gates.iter().all(|gate| !gate.thresholds.is_empty()));
    }
}
