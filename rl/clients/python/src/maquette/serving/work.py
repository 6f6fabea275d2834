"""Work of a call: bounded in number, done by its deadline or answered as late, in threads beside the event loop."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Awaitable, Callable, TypeVar

import grpc

from ..errors import MaquetteError

_MAX_CALLS = 4096
_MAX_DEADLINE_SECS = 3600.0
# The reply must arrive before the client's own timer fires.
_REPLY_MARGIN_SECS = 0.05
_BUSY_RETRY_AFTER_SECS = 0.2

T = TypeVar("T")
logger = logging.getLogger("maquette")


async def compute(pool: ThreadPoolExecutor, function: Callable[..., T], *args: Any) -> T:
    """Runs what the author wrote. Anything that it raises but `MaquetteError` becomes one, INTERNAL: PANICKED."""
    return await asyncio.get_running_loop().run_in_executor(pool, _guarded, function, *args)


def _guarded(function: Callable[..., T], *args: Any) -> T:
    try:
        return function(*args)
    except MaquetteError:
        raise
    except BaseException as error:
        logger.exception("the domain failed")
        raise MaquetteError(grpc.StatusCode.INTERNAL, "PANICKED", f"{type(error).__name__}: {error}") from error


def deadline_secs(context: Any, default_secs: float) -> float:
    """How long a call may take: what its client allows, or the default; never forever."""
    asked: float | None = context.time_remaining()
    if asked is None or asked > 1e8:  # gRPC's infinite future
        return default_secs
    return min(asked - min(asked / 10, _REPLY_MARGIN_SECS), _MAX_DEADLINE_SECS)


class Calls:
    """The calls in flight."""

    def __init__(self, default_deadline_secs: float):
        self.default_deadline_secs = default_deadline_secs
        self._running: set[asyncio.Future[Any]] = set()

    async def to_its_end(self, context: Any, work: Callable[[], Awaitable[T]]) -> T:
        """Runs `work` to its end, whatever becomes of the caller; answers by the call's deadline."""
        return await self._in_time(context, asyncio.shield(self._begun(work)), "the work goes on")

    async def while_awaited(self, context: Any, work: Callable[[], Awaitable[T]]) -> T:
        """Runs `work` until the call's deadline, or until the caller has gone."""
        return await self._in_time(context, self._begun(work), "the work was given up")

    def _begun(self, work: Callable[[], Awaitable[T]]) -> asyncio.Future[T]:
        if len(self._running) >= _MAX_CALLS:
            message = f"{_MAX_CALLS} calls run already"
            code = grpc.StatusCode.RESOURCE_EXHAUSTED
            raise MaquetteError(code, "BUSY", message, retry_after_secs=_BUSY_RETRY_AFTER_SECS)
        task = asyncio.ensure_future(work())
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Future[Any]) -> None:
        self._running.discard(task)
        # Of work that goes on for nobody the error is nobody's either.
        if not task.cancelled():
            task.exception()

    async def _in_time(self, context: Any, work: Awaitable[T], late: str) -> T:
        secs = deadline_secs(context, self.default_deadline_secs)
        try:
            return await asyncio.wait_for(work, secs)
        except asyncio.TimeoutError:
            message = f"no reply within {secs:g} s; {late}"
            raise MaquetteError(grpc.StatusCode.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED", message) from None
