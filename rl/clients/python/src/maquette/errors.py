"""Errors as values: what a gRPC status and its details say, read once."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import Any, Iterator, Mapping

import grpc
from google.rpc import error_details_pb2, status_pb2

_UNKNOWN_FATE = frozenset(
    {grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNKNOWN}
)


class MaquetteError(Exception):
    """A call that was refused or failed; gRPC's own error is its `__cause__`.

    `reason` is for programs, e.g. TASK_NOT_FOUND, SESSION_NOT_FOUND, NO_SESSION_FREE; GRPC_ and the code where no
    server of ours answered. `field` names the field of the request that is wrong, `nearest` the valid values closest to
    it. `retry_after_secs` is set where the server asks for patience.
    """

    def __init__(
        self,
        code: grpc.StatusCode,
        reason: str,
        message: str,
        field: str = "",
        nearest: tuple[str, ...] = (),
        retry_after_secs: float | None = None,
    ):
        super().__init__(code, reason, message, field, nearest, retry_after_secs)
        self.code = code
        self.reason = reason
        self.message = message
        self.field = field
        self.nearest = nearest
        self.retry_after_secs = retry_after_secs

    @classmethod
    def of(cls, error: Any) -> MaquetteError:
        """From a `grpc.RpcError`, synchronous or not."""
        code: grpc.StatusCode = error.code()
        reason, field, nearest, retry_after_secs = f"GRPC_{code.name}", "", (), None
        packed = dict(error.trailing_metadata() or ()).get("grpc-status-details-bin", b"")
        for detail in status_pb2.Status.FromString(packed).details:
            info, bad = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
            retry = error_details_pb2.RetryInfo()
            if detail.Unpack(info):
                reason, nearest = info.reason, tuple(json.loads(info.metadata.get("nearest", "[]")))
            elif detail.Unpack(bad) and bad.field_violations:
                field = bad.field_violations[0].field
            elif detail.Unpack(retry):
                retry_after_secs = retry.retry_delay.ToNanoseconds() / 1e9
        return cls(code, reason, error.details() or "", field, nearest, retry_after_secs)

    @property
    def retryable(self) -> bool:
        """The same call may succeed later: the server is full, slow or away."""
        away = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
        return self.retry_after_secs is not None or self.code in away

    @property
    def fate_unknown(self) -> bool:
        """The server may have done what it was asked, or may yet do it; not so where it said why it did not."""
        unanswered = self.reason.startswith("GRPC_") and self.code in _UNKNOWN_FATE
        return unanswered or self.reason in ("GRPC_INTERNAL", "DEADLINE_EXCEEDED")

    def __str__(self) -> str:
        nearest = f" (nearest: {', '.join(self.nearest)})" if self.nearest else ""
        return f"{self.reason}: {self.message}{nearest}"


class ObserveError(MaquetteError):
    """Some observations could not be made: `failures` says why by name, `contents` holds those that were.

    code, reason and message are those of the first failure, `field` is its name; `retry_after_secs` is the longest that
    a failure asks for. It is `retryable` where each failure is: else the same call would fail again.
    """

    def __init__(self, failures: Mapping[str, MaquetteError], contents: Mapping[str, bytes]):
        name, first = next(iter(failures.items()))
        asked = [failure.retry_after_secs for failure in failures.values() if failure.retry_after_secs is not None]
        longest = max(asked, default=None)
        super().__init__(first.code, first.reason, first.message, field=name, retry_after_secs=longest)
        self.args = (failures, contents)
        self.failures = failures
        self.contents = contents

    @property
    def retryable(self) -> bool:
        return all(failure.retryable for failure in self.failures.values())

    def __str__(self) -> str:
        return "; ".join(f"{name}: {failure}" for name, failure in self.failures.items())


class InterruptedStepError(Exception):
    """The step before was cut off (cancelled, deadline, lost connection): `recover` gets its reply, then step on."""


@contextmanager
def typed() -> Iterator[None]:
    """Raises `MaquetteError` in place of gRPC's errors."""
    try:
        yield
    except grpc.RpcError as error:
        raise MaquetteError.of(error) from error
