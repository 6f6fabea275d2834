"""The sessions that the server holds. They outlive connections; leases reap the abandoned."""

from __future__ import annotations

import secrets
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Iterator

import grpc

from ..errors import MaquetteError
from ..v1 import episodes_pb2
from .episode import Episode, Origin, Play
from .offer import TASK, Offer
from .remembered import Remembered
from .session import Session, Standing
from .status import duration
from .way import Leg, Way
from .work import compute

_RETRY_AFTER_SECS = 1.0
# Sessions that are remembered, for each that may be held: most of them are closed.
_REMEMBERED_TIMES = 4
REAP_EVERY_SECS = 1.0


class Sessions:
    def __init__(self, offer: Offer, pool: ThreadPoolExecutor, most: int):
        self._offer = offer
        self._pool = pool
        self._most = most
        self._table: dict[str, Session] = {}
        self._reserved = 0
        self._remembered = Remembered(_REMEMBERED_TIMES * most)

    async def open(self, origin: Origin, count: int, lease_secs: float, key: str) -> list[episodes_pb2.Session]:
        async def opened() -> list[episodes_pb2.Session]:
            with self._reserve(count):
                play, standing = await compute(self._pool, self._opened, origin)
                return [self._admit(play, standing, lease_secs) for _ in range(count)]

        return await self._remembered.once(key, ("open", origin, count, lease_secs), opened)

    async def fork(
        self, id: str, snapshot_id: str, count: int, lease_secs: float, key: str
    ) -> list[episodes_pb2.Session]:
        async def forked() -> list[episodes_pb2.Session]:
            with self.held(id) as session, self._reserve(count):
                standing = await session.standing(snapshot_id)
                return [self._admit(session.play, standing, lease_secs) for _ in range(count)]

        return await self._remembered.once(key, ("fork", id, snapshot_id, count, lease_secs), forked)

    async def import_way(self, origin: Origin, way: Way, lease_secs: float, key: str) -> list[episodes_pb2.Session]:
        """Plays a way again. FAILED_PRECONDITION names the step that leads elsewhere than before."""

        async def imported() -> list[episodes_pb2.Session]:
            with self._reserve(1):
                play, standing = await compute(self._pool, self._opened, origin)
                _same("the opening", way.opening_hash, standing.state_hash)
                legs = way.legs()
                for number, leg in enumerate(legs, 1):
                    what = f"step {number} of {len(legs)}"
                    standing = await compute(self._pool, _again, play, standing, leg, what)
                return [self._admit(play, Standing(standing.episode, standing.state_hash, way), lease_secs)]

        return await self._remembered.once(key, ("import", origin, way.opening_hash, way.legs(), lease_secs), imported)

    def _opened(self, origin: Origin) -> tuple[Play, Standing]:
        play = Play(self._offer, origin)
        episode = play.opening()
        state_hash = play.state_hash(episode)
        return play, Standing(episode, state_hash, Way(state_hash.hex()))

    def _admit(self, play: Play, standing: Standing, lease_secs: float) -> episodes_pb2.Session:
        id = secrets.token_hex(16)
        self._table[id] = Session(self._pool, play, standing, lease_secs)
        return episodes_pb2.Session(
            session_id=id,
            observation=[play.observed(standing.episode, TASK)],
            lease=duration(lease_secs),
            state_hash=standing.state_hash,
            budget=standing.episode.budget(),
            tool_groups=play.origin.tool_groups,
        )

    @contextmanager
    def held(self, id: str) -> Iterator[Session]:
        """The session, its lease renewed before and after; it is not reaped in between."""
        session = self._table.get(id)
        if session is None or session.abandoned():
            message = f"no session {id!r}: it expired, was closed, or the server was restarted"
            raise MaquetteError(grpc.StatusCode.NOT_FOUND, "SESSION_NOT_FOUND", message, "session_id")
        session.calls_in_it += 1
        session.renew()
        try:
            yield session
        finally:
            session.calls_in_it -= 1
            session.renew()

    def close(self, id: str) -> None:
        self._table.pop(id, None)

    def reap(self) -> None:
        """Removes the sessions whose lease has run out."""
        for id in [id for id, session in self._table.items() if session.abandoned()]:
            del self._table[id]

    @contextmanager
    def _reserve(self, count: int) -> Iterator[None]:
        if count > self._most:
            message = f"{count} sessions asked for; the server holds {self._most} at most"
            raise MaquetteError(grpc.StatusCode.INVALID_ARGUMENT, "TOO_MANY_SIBLINGS", message, "count")
        if self._free() < count:
            self.reap()
        if self._free() < count:
            code, message = grpc.StatusCode.RESOURCE_EXHAUSTED, f"all {self._most} sessions are in use"
            raise MaquetteError(code, "NO_SESSION_FREE", message, retry_after_secs=_RETRY_AFTER_SECS)
        self._reserved += count
        try:
            yield
        finally:
            self._reserved -= count

    def _free(self) -> int:
        return self._most - len(self._table) - self._reserved


def _again(play: Play, standing: Standing, leg: Leg, what: str) -> Standing:
    try:
        episode: Episode = play.played(standing.episode.running(), leg.tool_calls())[0]
    except MaquetteError as error:
        message = f"played again, {what} fails: {error}"
        raise MaquetteError(grpc.StatusCode.FAILED_PRECONDITION, "REPLAY_REFUSED", message, "data") from error
    state_hash = play.state_hash(episode)
    _same(what, leg.state_hash, state_hash)
    return Standing(episode, state_hash, standing.way)


def _same(what: str, before: str, now: bytes) -> None:
    if now.hex() != before:
        message = f"played again, {what} leads to the state hash {now.hex()}; it led to {before}"
        raise MaquetteError(grpc.StatusCode.FAILED_PRECONDITION, "REPLAY_DIFFERS", message, "data")
