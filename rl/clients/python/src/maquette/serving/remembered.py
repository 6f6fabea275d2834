"""Requests for sessions by idempotency key, so that a repeated request opens nothing."""

from __future__ import annotations

import asyncio
import hashlib
from time import monotonic
from typing import Awaitable, Callable

import grpc

from ..errors import MaquetteError
from ..v1 import episodes_pb2

_REMEMBERED_SECS = 600.0
_KEYS = 4096


class Remembered:
    def __init__(self, most_sessions: int) -> None:
        self._most_sessions = most_sessions
        # Oldest first.
        self._slots: dict[str, _Slot] = {}

    async def once(
        self, key: str, asked: object, work: Callable[[], Awaitable[list[episodes_pb2.Session]]]
    ) -> list[episodes_pb2.Session]:
        if not key:
            return await work()
        slot = self._slot(key, hashlib.sha256(repr(asked).encode()).digest())
        async with slot.lock:
            if slot.sessions is None:
                slot.sessions = await work()
                self._forget()
            return slot.sessions

    def _forget(self) -> None:
        """The oldest, until no more sessions are remembered than may be; not what is being opened now."""
        held = sum(slot.opened() for slot in self._slots.values())
        for key, slot in list(self._slots.items()):
            if held <= self._most_sessions:
                return
            if slot.sessions is not None:
                held -= slot.opened()
                del self._slots[key]

    def _slot(self, key: str, asked: bytes) -> _Slot:
        now = monotonic()
        while self._slots and now - next(iter(self._slots.values())).since >= _REMEMBERED_SECS:
            del self._slots[next(iter(self._slots))]
        slot = self._slots.get(key)
        if slot is None:
            if len(self._slots) >= _KEYS:
                del self._slots[next(iter(self._slots))]
            slot = self._slots[key] = _Slot(asked, now)
        if slot.asked != asked:
            message = "this key stood for another request"
            raise MaquetteError(grpc.StatusCode.INVALID_ARGUMENT, "KEY_REUSED", message, "idempotency_key")
        return slot


class _Slot:
    def __init__(self, asked: bytes, since: float):
        self.asked = asked
        self.since = since
        self.lock = asyncio.Lock()
        self.sessions: list[episodes_pb2.Session] | None = None

    def opened(self) -> int:
        return len(self.sessions or ())
