"""Errors as google.rpc.Status with details, as `MaquetteError.of` reads them."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2, status_pb2

from ..errors import MaquetteError
from ..v1 import episodes_pb2

# Longer texts would not fit the trailers that carry them.
_MESSAGE_CHARS = 500


async def refuse(context: Any, error: MaquetteError) -> NoReturn:
    """Ends the call with this error."""
    message = _shortened(error.message)
    metadata = {"nearest": json.dumps(error.nearest)} if error.nearest else {}
    info = error_details_pb2.ErrorInfo(reason=error.reason, domain="maquette", metadata=metadata)
    status = status_pb2.Status(code=error.code.value[0], message=message)
    status.details.add().Pack(info)
    if error.field:
        bad = error_details_pb2.BadRequest()
        bad.field_violations.add(field=error.field, description=message)
        status.details.add().Pack(bad)
    if error.retry_after_secs is not None:
        retry = error_details_pb2.RetryInfo(retry_delay=duration(error.retry_after_secs))
        status.details.add().Pack(retry)
    trailers = (("grpc-status-details-bin", status.SerializeToString()),)
    await context.abort(error.code, message, trailing_metadata=trailers)
    raise AssertionError("abort raises")


def item(error: MaquetteError) -> episodes_pb2.ObserveError:
    """An observation that could not be made, beside those that were."""
    delay = None if error.retry_after_secs is None else duration(error.retry_after_secs)
    message = _shortened(error.message)
    return episodes_pb2.ObserveError(
        reason=error.reason, message=message, code=error.code.value[0], retry_after=delay
    )


def duration(secs: float) -> Duration:
    wire = Duration()
    wire.FromNanoseconds(int(secs * 1e9))
    return wire


def _shortened(message: str) -> str:
    return message if len(message) <= _MESSAGE_CHARS else message[:_MESSAGE_CHARS] + "…"
