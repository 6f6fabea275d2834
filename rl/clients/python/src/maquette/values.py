"""What episodes and rewards say, read from the wire."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Iterable, Literal, Mapping, Union, cast, get_args

import grpc
from google.protobuf.descriptor import EnumDescriptor

from .catalog import Limit, limits, seconds
from .errors import MaquetteError, ObserveError
from .v1 import episodes_pb2, reward_pb2

#: ("node.create", {"name": "crate"}), or ("node.create", "{...}") as the model wrote it.
Call = tuple[str, Union[Mapping[str, Any], str]]

#: POLICY: what the model delivered cannot be judged; TASK: the task is wrong; ENV: the environment failed;
#: VERIFIER: the judge failed; INFRA: a machine or a network failed; QUOTA: nothing was left to judge with;
#: DEADLINE: it took too long; CANCELLED: nobody waited for it; STALE: it was delivered for another version.
FailureClass = Literal["POLICY", "TASK", "ENV", "VERIFIER", "INFRA", "QUOTA", "DEADLINE", "CANCELLED", "STALE"]

_CODES: dict[int, grpc.StatusCode] = {
    code.value[0]: code for code in grpc.StatusCode if code is not grpc.StatusCode.OK
}


@dataclass(frozen=True)
class Evidence:
    """One measured fault: what, where, by how much, and what would mend it."""

    component: str
    value: float
    threshold: float
    unit: str = ""
    ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    pointer: str = ""
    position_m: tuple[float, ...] = ()
    message: str = ""
    fix: str = ""


@dataclass(frozen=True)
class Component:
    """A part of the reward; value in [0, 1]. `truncated`: there is more evidence than is listed.

    Names of `thresholds`, the bounds it was measured against, carry the unit, e.g. "touch_max_m".
    """

    name: str
    value: float
    weight: float
    uncertainty: float = 0.0
    evidence: tuple[Evidence, ...] = ()
    truncated: bool = False
    thresholds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Gate:
    """A condition without which nothing else counts."""

    name: str
    passed: bool
    evidence: tuple[Evidence, ...] = ()
    truncated: bool = False
    thresholds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Unscorable:
    """Why there is no number. Not a zero: leave such a sample out, or try again when `retryable`.

    `failure_class` is POLICY, TASK, ENV, VERIFIER, INFRA, QUOTA, DEADLINE, CANCELLED or STALE; read from a newer
    server it may be the number of another one. `code` is stable, in upper snake case.
    """

    failure_class: FailureClass
    code: str
    message: str
    retryable: bool = False

    def __post_init__(self) -> None:
        known = get_args(FailureClass)
        if self.failure_class not in known and not str(self.failure_class).isdecimal():
            raise ValueError(f"{self.failure_class!r} is no failure class; there are {', '.join(known)}")


class UnscorableError(Exception):
    """Raised by `Reward.require` when there is no number."""

    def __init__(self, unscorable: Unscorable):
        super().__init__(unscorable)
        self.unscorable = unscorable

    def __str__(self) -> str:
        return f"{self.unscorable.failure_class}/{self.unscorable.code}: {self.unscorable.message}"


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
        """The value; raises `UnscorableError` when there is none."""
        if self.value is None:
            assert self.unscorable is not None
            raise UnscorableError(self.unscorable)
        return self.value


@dataclass(frozen=True)
class ToolResult:
    """`reply` is the tool's JSON; when not `ok` it holds the error with pointer, given, allowed, nearest.

    `contents` are what the reply shows beside, by name, e.g. the picture "still.png".
    """

    ok: bool
    reply: Mapping[str, Any]
    contents: Mapping[str, bytes]


@dataclass(frozen=True)
class Budget:
    """What is left of an episode; `left` by name, e.g. "triangles"."""

    calls_left: int
    left: Mapping[str, Limit]


@dataclass(frozen=True)
class Step:
    """One result per call, in order. `reward` and `reason` are set by the step that ended the episode.

    truncated: it ended by a limit, not by the model. replayed: the server sent the reply it had kept.
    """

    results: tuple[ToolResult, ...]
    reward: Reward | None
    ended: bool
    truncated: bool
    reason: str
    replayed: bool
    state_hash: bytes
    budget: Budget


def budget(wire: episodes_pb2.Budget) -> Budget:
    return Budget(wire.calls_left, limits(wire.left))


def _factors(wire: Iterable[reward_pb2.Factor]) -> dict[str, float]:
    return {factor.name: factor.value for factor in wire}


def _word(enum: EnumDescriptor, number: int, prefix: str) -> str:
    """END_REASON_SUBMITTED is SUBMITTED; a number that this version does not know stays one."""
    value = enum.values_by_number.get(number)
    return value.name.removeprefix(prefix) if value else str(number)


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
        failure_class = _word(reward_pb2.FailureClass.DESCRIPTOR, getattr(u, "class"), "FAILURE_CLASS_")
        unscorable = Unscorable(cast(FailureClass, failure_class), u.code, u.message, u.retryable)
    return Reward(
        value=wire.value if outcome == "value" else None,
        unscorable=unscorable,
        gates=tuple(
            Gate(g.name, g.passed, _evidence(g.evidence), g.truncated, _factors(g.thresholds)) for g in wire.gates
        ),
        components=tuple(
            Component(
                c.name, c.value, c.weight, c.uncertainty, _evidence(c.evidence), c.truncated, _factors(c.thresholds)
            )
            for c in wire.components
        ),
        factors=_factors(wire.factors),
        profile=wire.profile_id,
        profile_hash=wire.profile_hash,
        scored_state_hash=wire.scored_state_hash,
    )


def _body(wire: episodes_pb2.Content) -> bytes:
    return wire.text.encode() if wire.WhichOneof("body") == "text" else wire.data


def step(wire: episodes_pb2.StepResponse) -> Step:
    ended = wire.HasField("end")
    return Step(
        results=tuple(
            ToolResult(r.ok, json.loads(r.json), {content.name: _body(content) for content in r.contents})
            for r in wire.results
        ),
        reward=reward(wire.reward) if wire.HasField("reward") else None,
        ended=ended,
        truncated=ended and wire.end.truncated,
        reason=_word(episodes_pb2.EndReason.DESCRIPTOR, wire.end.reason, "END_REASON_") if ended else "",
        replayed=wire.replayed,
        state_hash=wire.state_hash,
        budget=budget(wire.budget),
    )


def _failure(wire: episodes_pb2.ObserveError) -> MaquetteError:
    code = _CODES.get(wire.code, grpc.StatusCode.UNKNOWN)
    retry_after_secs = seconds(wire.retry_after) if wire.HasField("retry_after") else None
    return MaquetteError(code, wire.reason, wire.message, retry_after_secs=retry_after_secs)


def contents(chunks: Iterable[episodes_pb2.ObserveResponse]) -> dict[str, bytes]:
    whole: dict[str, bytearray] = {}
    failures: dict[str, MaquetteError] = {}
    for chunk in chunks:
        content = chunk.content
        if chunk.HasField("error"):
            failures[content.name] = _failure(chunk.error)
        else:
            whole.setdefault(content.name, bytearray()).extend(_body(content))
    made = {name: bytes(data) for name, data in whole.items()}
    if failures:
        raise ObserveError(failures, made)
    return made
