//! Rewards. Both directions pass the same check: no number outside its range, no outcome that is absent.

use super::InvalidField;
use crate::{Component, Evidence, Factor, FailureClass, Gate, Outcome, Reward, Unscorable, wire};

impl TryFrom<Reward> for wire::Reward {
    type Error = InvalidField;

    fn try_from(reward: Reward) -> Result<Self, InvalidField> {
        check(&reward)?;
        let outcome = match reward.outcome {
            Outcome::Value(value) => wire::reward::Outcome::Value(value),
            Outcome::Unscorable(unscorable) => wire::reward::Outcome::Unscorable(unscorable.into()),
        };
        Ok(Self {
            outcome: Some(outcome),
            gates: reward.gates.into_iter().map(Into::into).collect(),
            components: reward.components.into_iter().map(Into::into).collect(),
            factors: reward.factors.into_iter().map(Into::into).collect(),
            profile_id: reward.profile_id,
            profile_hash: reward.profile_hash,
            attempt: reward.attempt,
            scored_state_hash: reward.scored_state_hash,
        })
    }
}

impl TryFrom<wire::Reward> for Reward {
    type Error = InvalidField;

    fn try_from(wire: wire::Reward) -> Result<Self, InvalidField> {
        let outcome = match wire.outcome.ok_or_else(|| InvalidField::missing("reward.outcome"))? {
            wire::reward::Outcome::Value(value) => Outcome::Value(value),
            wire::reward::Outcome::Unscorable(unscorable) => Outcome::Unscorable(unscorable.try_into()?),
        };
        let reward = Self {
            outcome,
            gates: wire.gates.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
            components: wire.components.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
            factors: wire.factors.into_iter().map(Into::into).collect(),
            profile_id: wire.profile_id,
            profile_hash: wire.profile_hash,
            attempt: wire.attempt,
            scored_state_hash: wire.scored_state_hash,
        };
        check(&reward)?;
        Ok(reward)
    }
}

fn check(reward: &Reward) -> Result<(), InvalidField> {
    if let Outcome::Value(value) = reward.outcome {
        unit("reward.value", value)?;
    }
    for component in &reward.components {
        unit("components.value", component.value)?;
        unit("components.weight", component.weight)?;
        finite("components.uncertainty", component.uncertainty)?;
        evidence_finite(&component.evidence)?;
        factors_finite("components.thresholds", &component.thresholds)?;
    }
    for gate in &reward.gates {
        evidence_finite(&gate.evidence)?;
        factors_finite("gates.thresholds", &gate.thresholds)?;
    }
    factors_finite("factors.value", &reward.factors)
}

fn factors_finite(field: &'static str, factors: &[Factor]) -> Result<(), InvalidField> {
    factors.iter().try_for_each(|factor| finite(field, factor.value))
}

fn evidence_finite(evidence: &[Evidence]) -> Result<(), InvalidField> {
    for fault in evidence {
        finite("evidence.value", fault.value)?;
        finite("evidence.threshold", fault.threshold)?;
        for coordinate in fault.position_m.iter().flatten() {
            finite("evidence.position_m", *coordinate)?;
        }
    }
    Ok(())
}

fn unit(field: &'static str, value: f64) -> Result<(), InvalidField> {
    if (0.0..=1.0).contains(&value) {
        Ok(())
    } else {
        Err(InvalidField::new(field, format!("{value} is not in [0, 1]")))
    }
}

fn finite(field: &'static str, value: f64) -> Result<(), InvalidField> {
    if value.is_finite() { Ok(()) } else { Err(InvalidField::new(field, format!("{value} is not finite"))) }
}

impl From<Unscorable> for wire::Unscorable {
    fn from(unscorable: Unscorable) -> Self {
        let class = match unscorable.class {
            FailureClass::Policy => wire::FailureClass::Policy,
            FailureClass::Task => wire::FailureClass::Task,
            FailureClass::Env => wire::FailureClass::Env,
            FailureClass::Verifier => wire::FailureClass::Verifier,
            FailureClass::Infra => wire::FailureClass::Infra,
            FailureClass::Quota => wire::FailureClass::Quota,
            FailureClass::Deadline => wire::FailureClass::Deadline,
            FailureClass::Cancelled => wire::FailureClass::Cancelled,
            FailureClass::Stale => wire::FailureClass::Stale,
        };
        Self {
            class: class.into(),
            code: unscorable.code,
            message: unscorable.message,
            retryable: unscorable.retryable,
        }
    }
}

impl TryFrom<wire::Unscorable> for Unscorable {
    type Error = InvalidField;

    fn try_from(wire: wire::Unscorable) -> Result<Self, InvalidField> {
        let class = match wire::FailureClass::try_from(wire.class) {
            Ok(wire::FailureClass::Policy) => FailureClass::Policy,
            Ok(wire::FailureClass::Task) => FailureClass::Task,
            Ok(wire::FailureClass::Env) => FailureClass::Env,
            Ok(wire::FailureClass::Verifier) => FailureClass::Verifier,
            Ok(wire::FailureClass::Infra) => FailureClass::Infra,
            Ok(wire::FailureClass::Quota) => FailureClass::Quota,
            Ok(wire::FailureClass::Deadline) => FailureClass::Deadline,
            Ok(wire::FailureClass::Cancelled) => FailureClass::Cancelled,
            Ok(wire::FailureClass::Stale) => FailureClass::Stale,
            Ok(wire::FailureClass::Unspecified) | Err(_) => {
                return Err(InvalidField::new("unscorable.class", format!("{} is no class", wire.class)));
            }
        };
        Ok(Self { class, code: wire.code, message: wire.message, retryable: wire.retryable })
    }
}

impl From<Component> for wire::Component {
    fn from(component: Component) -> Self {
        Self {
            name: component.name,
            value: component.value,
            weight: component.weight,
            uncertainty: component.uncertainty,
            evidence: component.evidence.into_iter().map(Into::into).collect(),
            truncated: component.truncated,
            thresholds: component.thresholds.into_iter().map(Into::into).collect(),
        }
    }
}

impl TryFrom<wire::Component> for Component {
    type Error = InvalidField;

    fn try_from(wire: wire::Component) -> Result<Self, InvalidField> {
        Ok(Self {
            name: wire.name,
            value: wire.value,
            weight: wire.weight,
            uncertainty: wire.uncertainty,
            evidence: wire.evidence.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
            truncated: wire.truncated,
            thresholds: wire.thresholds.into_iter().map(Into::into).collect(),
        })
    }
}

impl From<Gate> for wire::Gate {
    fn from(gate: Gate) -> Self {
        Self {
            name: gate.name,
            passed: gate.passed,
            evidence: gate.evidence.into_iter().map(Into::into).collect(),
            truncated: gate.truncated,
            thresholds: gate.thresholds.into_iter().map(Into::into).collect(),
        }
    }
}

impl TryFrom<wire::Gate> for Gate {
    type Error = InvalidField;

    fn try_from(wire: wire::Gate) -> Result<Self, InvalidField> {
        Ok(Self {
            name: wire.name,
            passed: wire.passed,
            evidence: wire.evidence.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
            truncated: wire.truncated,
            thresholds: wire.thresholds.into_iter().map(Into::into).collect(),
        })
    }
}

impl From<Factor> for wire::Factor {
    fn from(factor: Factor) -> Self {
        Self { name: factor.name, value: factor.value }
    }
}

impl From<wire::Factor> for Factor {
    fn from(wire: wire::Factor) -> Self {
        Self { name: wire.name, value: wire.value }
    }
}

impl From<Evidence> for wire::Evidence {
    fn from(evidence: Evidence) -> Self {
        Self {
            component: evidence.component,
            value: evidence.value,
            threshold: evidence.threshold,
            unit: evidence.unit,
            ids: evidence.ids,
            names: evidence.names,
            pointer: evidence.pointer,
            position_m: evidence.position_m.map(Vec::from).unwrap_or_default(),
            message: evidence.message,
            fix: evidence.fix,
        }
    }
}

impl TryFrom<wire::Evidence> for Evidence {
    type Error = InvalidField;

    fn try_from(wire: wire::Evidence) -> Result<Self, InvalidField> {
        let position_m = match wire.position_m.as_slice() {
            [] => None,
            &[x, y, z] => Some([x, y, z]),
            other => {
                let problem = format!("{} numbers; none or three are allowed", other.len());
                return Err(InvalidField::new("evidence.position_m", problem));
            }
        };
        Ok(Self {
            component: wire.component,
            value: wire.value,
            threshold: wire.threshold,
            unit: wire.unit,
            ids: wire.ids,
            names: wire.names,
            pointer: wire.pointer,
            position_m,
            message: wire.message,
            fix: wire.fix,
        })
    }
}

#[cfg(test)]
mod tests;
