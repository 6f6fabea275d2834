"""How a state was reached: the steps from the opening, without what was rolled back. What an export is made of."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Sequence

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


@dataclass(frozen=True)
class Way:
    """From the opening on. `legs` is None where more was played than is remembered."""

    opening_hash: str
    legs: tuple[Leg, ...] | None = ()

    def longer(self, leg: Leg, room_bytes: int) -> Way:
        keep = self.legs is not None and leg.bytes() <= room_bytes
        return Way(self.opening_hash, (*(self.legs or ()), leg) if keep else None)


@dataclass(frozen=True)
class Export:
    domain: str
    origin: Origin
    way: Way


def write_export(domain: str, origin: Origin, way: Way) -> bytes:
    """Equal for equal ways: JSON behind its checksum."""
    if way.legs is None:
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
        "legs": [[leg.calls, leg.state_hash] for leg in way.legs],
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
        legs = tuple(
            Leg(tuple((str(name), str(arguments)) for name, arguments in calls), str(state_hash))
            for calls, state_hash in said["legs"]
        )
        json.dumps(said, ensure_ascii=False).encode()  # raises for the half of a character
        export = Export(str(said["domain"]), origin, Way(str(said["state_hash"]), legs))
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
    for number, leg in enumerate(export.way.legs or (), 1):
        if not 1 <= len(leg.calls) <= CALLS_PER_STEP:
            raise bounds.invalid("data", f"step {number} has {len(leg.calls)} calls; 1 to {CALLS_PER_STEP} are allowed")


def _damaged(problem: str) -> MaquetteError:
    message = f"no whole export: {problem}"
    return MaquetteError(grpc.StatusCode.INVALID_ARGUMENT, "EXPORT_DAMAGED", message, "data")
