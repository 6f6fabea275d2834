"""Plain values of the protocol, and their one mapping from and to the wire."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Iterable, Mapping, Union

from google.protobuf.duration_pb2 import Duration

from .v1 import catalog_pb2, episodes_pb2, reward_pb2, rewards_pb2

#: ("node.create", {"name": "crate"}), or ("node.create", "{...}") as the model wrote it.
Call = tuple[str, Union[Mapping[str, Any], str]]


@dataclass(frozen=True)
class Evidence:
    """One measured fault: what, where, by how much, and what would mend it."""

    component: str
    value: float
    threshold: float
    unit: str
    ids: tuple[str, ...]
    names: tuple[str, ...]
    pointer: str
    position_m: tuple[float, ...]
    message: str
    fix: str


@dataclass(frozen=True)
class Component:
    """A part of the reward; value in [0, 1]."""

    name: str
    value: float
    weight: float
    uncertainty: float
    evidence: tuple[Evidence, ...]
    truncated: bool


@dataclass(frozen=True)
class Gate:
    name: str
    passed: bool
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class Unscorable:
    """Why there is no number. Not a zero: leave such a sample out, or try again when `retryable`."""

    failure_class: str
    code: str
    message: str
    retryable: bool


class UnscorableError(Exception):
    """Raised by `Reward.require` when there is no number."""

    def __init__(self, unscorable: Unscorable):
        super().__init__(f"{unscorable.failure_class}/{unscorable.code}: {unscorable.message}")
        self.unscorable = unscorable


@dataclass(frozen=True)
class Reward:
    """`value` in [0, 1], or None with `unscorable` set."""

    value: float | None
    unscorable: Unscorable | None
    gates: tuple[Gate, ...]
    components: tuple[Component, ...]
    factors: Mapping[str, float]
    profile: str
    profile_hash: bytes
    scored_state_hash: bytes

    def require(self) -> float:
        if self.value is None:
            raise UnscorableError(self.unscorable)
        return self.value


@dataclass(frozen=True)
class ToolResult:
    """`reply` is the tool's JSON; when not `ok` it holds the error with pointer, given, allowed, nearest."""

    ok: bool
    reply: Mapping[str, Any]


@dataclass(frozen=True)
class Step:
    results: tuple[ToolResult, ...]
    reward: Reward | None
    ended: bool
    truncated: bool
    reason: str
    replayed: bool
    state_hash: bytes
    calls_left: int


@dataclass(frozen=True)
class Tool:
    name: str
    description: str
    arguments_schema: Mapping[str, Any]
    read_only: bool


def domain_of(task_id: str) -> str:
    return task_id.split("/", 1)[0]


def wire_call(call: Call) -> episodes_pb2.ToolCall:
    name, arguments = call
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return episodes_pb2.ToolCall(name=name, arguments_json=text)


def wire_seconds(seconds: float | None) -> Duration | None:
    if seconds is None:
        return None
    duration = Duration()
    duration.FromNanoseconds(int(seconds * 1e9))
    return duration


def open_request(task_id, count, seed, profile, lease_secs, key) -> episodes_pb2.OpenRequest:
    return episodes_pb2.OpenRequest(
        domain=domain_of(task_id),
        task_id=task_id,
        count=count,
        seed=seed,
        profile=profile,
        lease=wire_seconds(lease_secs),
        idempotency_key=key,
    )


def score_file_request(data: bytes, domain: str, task_id: str, mime: str) -> rewards_pb2.ScoreRequest:
    artifact = rewards_pb2.Artifact(domain=domain, task_id=task_id, mime=mime, data=data)
    return rewards_pb2.ScoreRequest(artifact=artifact)


def score_calls_request(task_id: str, calls: Iterable[Call], seed: int) -> rewards_pb2.ScoreRequest:
    log = rewards_pb2.CallLog(
        domain=domain_of(task_id), task_id=task_id, seed=seed, calls=[wire_call(call) for call in calls]
    )
    return rewards_pb2.ScoreRequest(call_log=log)


def tool(wire: catalog_pb2.Tool) -> Tool:
    return Tool(wire.name, wire.description, json.loads(wire.arguments_schema_json), wire.read_only)


def _evidence(wire: Iterable[reward_pb2.Evidence]) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(
            e.component, e.value, e.threshold, e.unit, tuple(e.ids), tuple(e.names), e.pointer,
            tuple(e.position_m), e.message, e.fix,
        )
        for e in wire
    )


def reward(wire: reward_pb2.Reward) -> Reward:
    outcome = wire.WhichOneof("outcome")
    if outcome is None:
        raise ValueError("the server sent a reward without an outcome")
    unscorable = None
    if outcome == "unscorable":
        u = wire.unscorable
        name = reward_pb2.FailureClass.Name(u.__getattribute__("class")).removeprefix("FAILURE_CLASS_")
        unscorable = Unscorable(name, u.code, u.message, u.retryable)
    return Reward(
        value=wire.value if outcome == "value" else None,
        unscorable=unscorable,
        gates=tuple(Gate(g.name, g.passed, _evidence(g.evidence)) for g in wire.gates),
        components=tuple(
            Component(c.name, c.value, c.weight, c.uncertainty, _evidence(c.evidence), c.truncated)
            for c in wire.components
        ),
        factors={f.name: f.value for f in wire.factors},
        profile=wire.profile_id,
        profile_hash=wire.profile_hash,
        scored_state_hash=wire.scored_state_hash,
    )


def step(wire: episodes_pb2.StepResponse) -> Step:
    ended = wire.HasField("end")
    return Step(
        results=tuple(ToolResult(r.ok, json.loads(r.json)) for r in wire.results),
        reward=reward(wire.reward) if wire.HasField("reward") else None,
        ended=ended,
        truncated=ended and wire.end.truncated,
        reason=episodes_pb2.EndReason.Name(wire.end.reason).removeprefix("END_REASON_") if ended else "",
        replayed=wire.replayed,
        state_hash=wire.state_hash,
        calls_left=wire.budget.calls_left,
    )


def contents(chunks: Iterable[episodes_pb2.ObserveResponse]) -> dict[str, bytes]:
    whole: dict[str, bytearray] = {}
    for chunk in chunks:
        content = chunk.content
        part = content.text.encode() if content.WhichOneof("body") == "text" else content.data
        whole.setdefault(content.name, bytearray()).extend(part)
    return {name: bytes(data) for name, data in whole.items()}
