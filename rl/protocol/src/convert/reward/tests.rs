use super::*;
use prost::Message as _;

fn reward() -> Reward {
    Reward {
        outcome: Outcome::Value(0.625),
        gates: vec![Gate {
            name: "reads".into(),
            passed: true,
            evidence: Vec::new(),
            truncated: true,
            thresholds: vec![Factor { name: "size_max_bytes".into(), value: 1024.0 }],
        }],
        components: vec![Component {
            name: "overlap".into(),
            value: 0.5,
            weight: 1.0,
            uncertainty: 0.125,
            evidence: vec![Evidence {
                component: "overlap".into(),
                value: 0.002,
                threshold: 0.001,
                unit: "m".into(),
                ids: vec!["n_1".into(), "n_2".into()],
                names: vec!["cup".into(), "table".into()],
                pointer: "/nodes/3".into(),
                position_m: Some([1.0, 0.5, -2.0]),
                message: "cup is in table".into(),
                fix: "move cup up by 0.002 m".into(),
            }],
            truncated: true,
            thresholds: vec![Factor { name: "touch_max_m".into(), value: 0.001 }],
        }],
        factors: vec![Factor { name: "T".into(), value: 1.0 }],
        profile_id: "count/1".into(),
        profile_hash: vec![1, 2],
        attempt: 1,
        scored_state_hash: vec![0xff],
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Made with the Python protobuf runtime from the same `reward.proto`.
const GOLDEN: &str = "\
    09000000000000e43f1a260a057265616473100120012a190a0e73697a655f6d61785f62797465731100000000000090\
    4022c2010a076f7665726c617011000000000000e03f19000000000000f03f21000000000000c03f2a81010a076f7665\
    726c617011fca9f1d24d62603f19fca9f1d24d62503f22016d2a036e5f312a036e5f32320363757032057461626c653a\
    082f6e6f6465732f334218000000000000f03f000000000000e03f00000000000000c04a0f63757020697320696e2074\
    61626c6552166d6f76652063757020757020627920302e303032206d30013a160a0b746f7563685f6d61785f6d11fca9\
    f1d24d62503f2a0c0a015411000000000000f03f3207636f756e742f313a02010240014a01ff";

#[test]
fn the_bytes_of_a_reward_are_those_of_another_runtime() {
    assert_eq!(hex(&wire::Reward::try_from(reward()).unwrap().encode_to_vec()), GOLDEN);
}

#[test]
fn a_reward_comes_back_as_it_was() {
    let there = wire::Reward::try_from(reward()).unwrap();
    assert_eq!(Reward::try_from(there).unwrap(), reward());

    let unscorable =
        Unscorable { class: FailureClass::Verifier, code: "NO_GPU".into(), message: "none".into(), retryable: true };
    let absent = Reward::unscorable("r3d/0", unscorable);
    let there = wire::Reward::try_from(absent.clone()).unwrap();
    assert_eq!(Reward::try_from(there).unwrap(), absent);
}

#[test]
fn a_missing_outcome_is_an_error_and_not_zero() {
    let mut wire = wire::Reward::try_from(reward()).unwrap();
    wire.outcome = None;
    assert_eq!(Reward::try_from(wire).unwrap_err().field, "reward.outcome");
}

#[test]
fn a_value_of_zero_is_sent_as_a_value() {
    let zero = Reward { outcome: Outcome::Value(0.0), ..reward() };
    let bytes = wire::Reward::try_from(zero).unwrap().encode_to_vec();
    let back = Reward::try_from(wire::Reward::decode(bytes.as_slice()).unwrap()).unwrap();
    assert_eq!(back.value(), Some(0.0));
}

#[test]
fn values_outside_the_unit_interval_are_refused() {
    for bad in [f64::NAN, f64::INFINITY, -0.001, 1.001] {
        let error = wire::Reward::try_from(Reward { outcome: Outcome::Value(bad), ..reward() }).unwrap_err();
        assert_eq!(error.field, "reward.value");

        let mut wire = wire::Reward::try_from(reward()).unwrap();
        wire.components[0].value = bad;
        assert_eq!(Reward::try_from(wire).unwrap_err().field, "components.value");
    }
}

#[test]
fn evidence_that_is_not_finite_is_refused() {
    let mut wire = wire::Reward::try_from(reward()).unwrap();
    wire.components[0].evidence[0].value = f64::INFINITY;
    assert_eq!(Reward::try_from(wire).unwrap_err().field, "evidence.value");
}

#[test]
fn a_threshold_that_is_not_finite_is_refused() {
    let mut wire = wire::Reward::try_from(reward()).unwrap();
    wire.gates[0].thresholds[0].value = f64::NAN;
    assert_eq!(Reward::try_from(wire).unwrap_err().field, "gates.thresholds");
    let mut wire = wire::Reward::try_from(reward()).unwrap();
    wire.components[0].thresholds[0].value = f64::INFINITY;
    assert_eq!(Reward::try_from(wire).unwrap_err().field, "components.thresholds");
}

#[test]
fn a_position_has_three_numbers_or_none() {
    let mut wire = wire::Reward::try_from(reward()).unwrap();
    wire.components[0].evidence[0].position_m = vec![1.0, 2.0];
    assert_eq!(Reward::try_from(wire).unwrap_err().field, "evidence.position_m");
}

#[test]
fn an_unknown_failure_class_is_refused() {
    for class in [0, 99] {
        let unscorable = wire::Unscorable { class, ..Default::default() };
        assert_eq!(Unscorable::try_from(unscorable).unwrap_err().field, "unscorable.class");
    }
}
