"""How a state was reached: the steps from the opening, without what was rolled back. What an export is made of."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Iterable, Sequence

import grpc

from ..errors import MaquetteError
from ..v1 import episodes_pb2
from . import bounds
from .episode import Origin

#: Of the steps that one session remembers, on all its branches.
REMEMBERED_BYTES = 8 << 20
CALLS_PER_STEP = 64
_VERSION = 1


@dataclass(frozen=True)
class Leg:
    """The calls of one step, and the hash of the state that they lead to."""

    calls: tuple[tuple[str, str], ...]
    state_hash: str

    @classmethod
    def of(cls, calls: Sequence[episodes_pb2.ToolCall], state_hash: bytes) -> Leg:
        return cls(tuple((call.name, call.arguments_json) for call in calls), state_hash.hex())

    def tool_calls(self) -> list[episodes_pb2.ToolCall]:
        return [episodes_pb2.ToolCall(name=name, arguments_json=arguments) for name, arguments in self.calls]

    def bytes(self) -> int:
        return 160 + sum(len(name) + len(arguments) for name, arguments in self.calls)


@dataclass(frozen=True, eq=False, repr=False)
class Way:
    """From the opening on. Each knows its last leg and the way before it, so ways share what they have in common."""

    opening_hash: str
    before: Way | None = None
    last: Leg | None = None
    #: Of its legs.
    bytes: int = 0
    #: More was played than is remembered.
    is_cut: bool = False

    @classmethod
    def of(cls, opening_hash: str, legs: Iterable[Leg]) -> Way:
        way = cls(opening_hash)
        for leg in legs:
            way = way._and(leg)
        return way

    def longer(self, leg: Leg, room_bytes: int) -> Way:
        cut = self.is_cut or leg.bytes() > room_bytes
        return Way(self.opening_hash, is_cut=True) if cut else self._and(leg)

    def _and(self, leg: Leg) -> Way:
        return Way(self.opening_hash, self, leg, self.bytes + leg.bytes())

    def legs(self) -> list[Leg]:
        """In order; none of a way that is cut."""
        legs: list[Leg] = []
        way = self
        while way.before is not None and way.last is not None:
            legs.append(way.last)
            way = way.before
        return legs[::-1]


@dataclass(frozen=True)
class Export:
    domain: str
    origin: Origin
    way: Way


def write_export(domain: str, origin: Origin, way: Way) -> bytes:
    """Equal for equal ways: JSON behind its checksum."""
    if way.is_cut:
        message = f"more than {REMEMBERED_BYTES} bytes of calls were played in this session"
        raise MaquetteError(grpc.StatusCode.RESOURCE_EXHAUSTED, "HISTORY_TOO_LONG", message)
    said = {
        "version": _VERSION,
        "domain": domain,
        "task_id": origin.task_id,
        "seed": origin.seed,
        "profile": origin.profile,
        "tool_groups": origin.tool_groups,
        "state_hash": way.opening_hash,
        "legs": [[leg.calls, leg.state_hash] for leg in way.legs()],
    }
    text = json.dumps(said, ensure_ascii=False).encode()
    return hashlib.sha256(text).hexdigest().encode() + b"\n" + text


def read_export(data: bytes) -> Export:
    """INVALID_ARGUMENT where it is cut short, changed, of another version, or no export at all."""
    checksum, _, text = data.partition(b"\n")
    if checksum != hashlib.sha256(text).hexdigest().encode():
        raise _damaged("its checksum is not that of its text")
    try:
        said = json.loads(text)
        if said["version"] != _VERSION:
            raise _damaged(f"it is of version {said['version']!r}; this server reads version {_VERSION}")
        groups = tuple(map(str, said["tool_groups"]))
        origin = Origin(str(said["task_id"]), int(said["seed"]), str(said["profile"]), groups)
        legs = [
            Leg(tuple((str(name), str(arguments)) for name, arguments in calls), str(state_hash))
            for calls, state_hash in said["legs"]
        ]
        json.dumps(said, ensure_ascii=False).encode()  # raises for the half of a character
        export = Export(str(said["domain"]), origin, Way.of(str(said["state_hash"]), legs))
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        raise _damaged(f"{type(error).__name__}: {error}") from error
    _bounded(export)
    return export


def _bounded(export: Export) -> None:
    """An export may come from anybody, so it keeps the bounds of the requests that it stands for."""
    origin = export.origin
    bounds.names(domain=export.domain, task_id=origin.task_id, profile=origin.profile)
    bounds.groups(origin.tool_groups)
    if not 0 <= origin.seed < 1 << 64:
        raise _damaged(f"{origin.seed} is no seed")
    for number, leg in enumerate(export.way.legs(), 1):
        if not 1 <= len(leg.calls) <= CALLS_PER_STEP:
            raise bounds.invalid("data", f"step {number} has {len(leg.calls)} calls; 1 to {CALLS_PER_STEP} are allowed")


def _damaged(problem: str) -> MaquetteError:
    message = f"no whole export: {problem}"
    return MaquetteError(grpc.StatusCode.INVALID_ARGUMENT, "EXPORT_DAMAGED", message, "data")
