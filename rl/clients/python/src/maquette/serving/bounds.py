"""What a request may hold, checked before anything of it is quoted or reaches a domain."""

from __future__ import annotations

from typing import Sequence

import grpc
from google.protobuf.duration_pb2 import Duration

from ..errors import MaquetteError

_NAME_BYTES = 256
_TOOL_GROUPS = 64
MAX_LEASE_SECS = 3600.0


def names(**fields: str) -> None:
    """Refuses a text that is too long for the id or name of anything."""
    for field, text in fields.items():
        size = len(text.encode())
        if size > _NAME_BYTES:
            raise invalid(field, f"{size} bytes; {_NAME_BYTES} are allowed")


def at_most(allowed: int, given: int, reason: str, field: str) -> None:
    if given > allowed:
        message = f"{given} given; one request takes {allowed} at most"
        raise MaquetteError(grpc.StatusCode.INVALID_ARGUMENT, reason, message, field)


def distinct(field: str, given: Sequence[str]) -> None:
    for name in given:
        names(**{field: name})
    twice = next((name for at, name in enumerate(given) if name in given[:at]), None)
    if twice is not None:
        raise invalid(field, f"{twice!r} is named twice")


def groups(given: Sequence[str]) -> None:
    at_most(_TOOL_GROUPS, len(given), "TOO_MANY_TOOL_GROUPS", "tool_groups")
    distinct("tool_groups", given)


def lease_secs(given: Duration | None) -> float | None:
    """Positive, and shortened to what is granted at most; None where none is asked for."""
    if given is None:
        return None
    if given.seconds < 0 or not 0 <= given.nanos < 1_000_000_000 or not given.seconds + given.nanos:
        raise invalid("lease", f"{given.seconds} s and {given.nanos} ns are no lease; it must be positive")
    return min(given.seconds + given.nanos / 1e9, MAX_LEASE_SECS)


def invalid(field: str, problem: str) -> MaquetteError:
    return MaquetteError(grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD", f"{field}: {problem}", field)
