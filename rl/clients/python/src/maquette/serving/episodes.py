"""`maquette.v1.Episodes`."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any, AsyncIterator

import grpc

from ..errors import MaquetteError
from ..v1 import episodes_pb2, episodes_pb2_grpc
from . import bounds
from .episode import Origin
from .served import Served, typed, unary
from .status import duration, item
from .way import CALLS_PER_STEP, read_export, write_export
from .work import compute, deadline_secs

_OBSERVATIONS = 64
_PIECE_BYTES = 64 << 10
_IMPORT_BYTES = 16 << 20
# A reader that leaves one piece lying for this long is given up.
_READ_WITHIN_SECS = 30.0


class Episodes(episodes_pb2_grpc.EpisodesServicer):
    def __init__(self, served: Served):
        self._served = served

    @unary
    async def Open(self, request: episodes_pb2.OpenRequest) -> episodes_pb2.OpenResponse:
        self._served.check_domain(request.domain)
        bounds.names(task_id=request.task_id, profile=request.profile)
        bounds.groups(request.tool_groups)
        origin = Origin(request.task_id, request.seed, request.profile, tuple(request.tool_groups))
        lease_secs, key = self._served.lease(request), request.idempotency_key
        return episodes_pb2.OpenResponse(
            sessions=await self._served.sessions.open(origin, max(request.count, 1), lease_secs, key)
        )

    @unary
    async def Step(self, request: episodes_pb2.StepRequest) -> episodes_pb2.StepResponse:
        bounds.names(session_id=request.session_id)
        bounds.at_most(CALLS_PER_STEP, len(request.calls), "TOO_MANY_CALLS", "calls")
        if request.seq == 0:
            raise bounds.invalid("seq", "it starts at 1")
        with self._served.sessions.held(request.session_id) as session:
            return await session.step(request.seq, list(request.calls))

    @typed
    async def Observe(self, request: episodes_pb2.ObserveRequest, context: Any) -> None:
        """Makes each observation when the one before it has been read."""
        bounds.names(session_id=request.session_id)
        bounds.at_most(_OBSERVATIONS, len(request.want), "TOO_MANY_OBSERVATIONS", "want")
        bounds.distinct("want", request.want)
        with self._served.sessions.held(request.session_id) as session:
            for name in request.want:
                observed = await self._served.calls.to_its_end(context, partial(session.observe, name))
                for piece in _pieces(name, observed):
                    await self._sent(context, piece)

    @unary
    async def Snapshot(self, request: episodes_pb2.SnapshotRequest) -> episodes_pb2.SnapshotResponse:
        bounds.names(session_id=request.session_id)
        with self._served.sessions.held(request.session_id) as session:
            return episodes_pb2.SnapshotResponse(snapshot_id=await session.snapshot())

    @unary
    async def Rollback(self, request: episodes_pb2.RollbackRequest) -> episodes_pb2.RollbackResponse:
        bounds.names(session_id=request.session_id, snapshot_id=request.snapshot_id)
        with self._served.sessions.held(request.session_id) as session:
            return await session.rollback(request.snapshot_id, request.next_seq)

    @unary
    async def Fork(self, request: episodes_pb2.ForkRequest) -> episodes_pb2.ForkResponse:
        bounds.names(session_id=request.session_id, snapshot_id=request.snapshot_id)
        lease_secs, key = self._served.lease(request), request.idempotency_key
        id, count = request.session_id, max(request.count, 1)
        forks = await self._served.sessions.fork(id, request.snapshot_id, count, lease_secs, key)
        return episodes_pb2.ForkResponse(sessions=forks)

    @typed
    async def Export(self, request: episodes_pb2.ExportRequest, context: Any) -> None:
        bounds.names(session_id=request.session_id)
        with self._served.sessions.held(request.session_id) as session:
            way = await self._served.calls.to_its_end(context, session.way)
            name, origin = self._served.offer.domain.name, session.play.origin
            data = await compute(self._served.pool, write_export, name, origin, way)
            for at in range(0, len(data), _PIECE_BYTES):
                await self._sent(context, episodes_pb2.ExportResponse(data=data[at : at + _PIECE_BYTES]))

    @typed
    async def Import(self, pieces: AsyncIterator[episodes_pb2.ImportRequest], context: Any) -> Any:
        """What is not sent whole is not begun."""
        first, data = await self._served.calls.while_awaited(context, partial(_gathered, pieces))
        return await self._served.calls.to_its_end(context, partial(self._imported, first, data))

    async def _imported(self, first: episodes_pb2.ImportRequest, data: bytes) -> episodes_pb2.ImportResponse:
        lease_secs, key = self._served.lease(first), first.idempotency_key
        export = await compute(self._served.pool, read_export, data)
        self._served.check_domain(export.domain)
        origin = export.origin
        (session,) = await self._served.sessions.import_way(origin, export.way, lease_secs, key)
        return episodes_pb2.ImportResponse(session=session, task_id=origin.task_id, seed=origin.seed)

    @unary
    async def Renew(self, request: episodes_pb2.RenewRequest) -> episodes_pb2.RenewResponse:
        bounds.names(session_id=request.session_id)
        lease_secs = bounds.lease_secs(request.lease if request.HasField("lease") else None)
        with self._served.sessions.held(request.session_id) as session:
            return episodes_pb2.RenewResponse(lease=duration(session.renew(lease_secs)))

    @unary
    async def Close(self, request: episodes_pb2.CloseRequest) -> episodes_pb2.CloseResponse:
        bounds.names(session_id=request.session_id)
        self._served.sessions.close(request.session_id)
        return episodes_pb2.CloseResponse()

    async def _sent(self, context: Any, piece: Any) -> None:
        within_secs = min(_READ_WITHIN_SECS, deadline_secs(context, self._served.calls.default_deadline_secs))
        try:
            await asyncio.wait_for(context.write(piece), within_secs)
        except asyncio.TimeoutError:
            message = f"nobody read a piece within {within_secs:g} s"
            raise MaquetteError(grpc.StatusCode.DEADLINE_EXCEEDED, "NOBODY_READS", message) from None


async def _gathered(
    pieces: AsyncIterator[episodes_pb2.ImportRequest],
) -> tuple[episodes_pb2.ImportRequest, bytes]:
    """The first request, and the data of all."""
    first, data = None, bytearray()
    async for piece in pieces:
        first = first or piece
        data += piece.data
        if len(data) > _IMPORT_BYTES:
            message = f"an export has {_IMPORT_BYTES} bytes at most"
            raise MaquetteError(grpc.StatusCode.INVALID_ARGUMENT, "EXPORT_TOO_LARGE", message, "data")
    if first is None:
        raise bounds.invalid("data", "is not set")
    return first, bytes(data)


def _pieces(name: str, observed: episodes_pb2.Content | MaquetteError) -> list[episodes_pb2.ObserveResponse]:
    """At least one, empty for an empty content; text is cut between characters."""
    if isinstance(observed, MaquetteError):
        content = episodes_pb2.Content(name=name)
        return [episodes_pb2.ObserveResponse(content=content, last=True, error=item(observed))]
    is_text = observed.WhichOneof("body") == "text"
    # A character has four bytes at most.
    body, size = (observed.text, _PIECE_BYTES // 4) if is_text else (observed.data, _PIECE_BYTES)
    parts = [body[at : at + size] for at in range(0, len(body), size)] or [body]
    return [
        episodes_pb2.ObserveResponse(
            content=episodes_pb2.Content(name=name, mime=observed.mime, **{"text" if is_text else "data": part}),  # type: ignore[arg-type]
            last=number == len(parts),
        )
        for number, part in enumerate(parts, 1)
    ]
