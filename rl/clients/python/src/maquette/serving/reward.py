"""Scores to rewards on the wire: no number outside its range, nothing that is absent as 0."""

from __future__ import annotations

import math
from typing import Iterable, Mapping

from ..v1 import reward_pb2
from ..values import Evidence, Unscorable
from .domain import Score

_EVIDENCE = 10
# Of a sum or a mean that an author has calculated.
_ROUNDING = 1e-9


def scored(score: Score | Unscorable, profile: str, profile_hash: bytes, state_hash: bytes) -> reward_pb2.Reward:
    """`ValueError` names what is out of its range: it is the domain's fault, and no reward."""
    reward = reward_pb2.Reward(
        profile_id=profile, profile_hash=profile_hash, attempt=1, scored_state_hash=state_hash
    )
    if isinstance(score, Unscorable):
        failure_class = reward_pb2.FailureClass.Value(f"FAILURE_CLASS_{score.failure_class}")
        members = {"class": failure_class, "code": score.code, "message": score.message, "retryable": score.retryable}
        reward.unscorable.CopyFrom(reward_pb2.Unscorable(**members))  # type: ignore[arg-type]
        return reward
    reward.value = _unit("the value", score.value)
    weights = sum(component.weight for component in score.components)
    if score.components and abs(weights - 1) > _ROUNDING:
        raise ValueError(f"the weights of the components sum to {weights}, not to 1")
    for gate in score.gates:
        reward.gates.add(
            name=gate.name,
            passed=gate.passed,
            evidence=_evidence(gate.name, gate.evidence),
            truncated=gate.truncated,
            thresholds=_factors(gate.thresholds),
        )
    for component in score.components:
        reward.components.add(
            name=component.name,
            value=_unit(component.name, component.value),
            weight=_unit(f"the weight of {component.name}", component.weight),
            uncertainty=_finite(component.name, component.uncertainty),
            evidence=_evidence(component.name, component.evidence),
            truncated=component.truncated,
            thresholds=_factors(component.thresholds),
        )
    reward.factors.extend(_factors(score.factors))
    return reward


def _evidence(part: str, evidence: Iterable[Evidence]) -> list[reward_pb2.Evidence]:
    wire = [
        reward_pb2.Evidence(
            component=fault.component,
            value=_finite(part, fault.value),
            threshold=_finite(part, fault.threshold),
            unit=fault.unit,
            ids=fault.ids,
            names=fault.names,
            pointer=fault.pointer,
            position_m=[_finite(part, coordinate) for coordinate in fault.position_m],
            message=fault.message,
            fix=fault.fix,
        )
        for fault in evidence
    ]
    if len(wire) > _EVIDENCE:
        raise ValueError(f"{part} has {len(wire)} pieces of evidence; {_EVIDENCE} are allowed: keep the worst")
    return wire


def _factors(factors: Mapping[str, float]) -> list[reward_pb2.Factor]:
    return [reward_pb2.Factor(name=name, value=_finite(name, value)) for name, value in factors.items()]


def _unit(what: str, value: float) -> float:
    if not -_ROUNDING <= value <= 1 + _ROUNDING:
        raise ValueError(f"{what} is {value}, not in [0, 1]")
    return min(max(0.0, value), 1.0)


def _finite(what: str, value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(f"a number of {what} is {value}")
    return value
