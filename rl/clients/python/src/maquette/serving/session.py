"""One session: where its episode stands, and what each call does to it. One call at a time; each runs to its end."""

from __future__ import annotations

import asyncio
import hashlib
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import monotonic
from typing import Any, Callable, Sequence, TypeVar

import grpc

from ..channel import MAX_MESSAGE_BYTES
from ..errors import MaquetteError
from ..v1 import episodes_pb2, reward_pb2
from .episode import Episode, Play
from .way import REMEMBERED_BYTES, Leg, Way
from .work import compute

_KEPT_REPLIES = 32
_KEPT_BYTES = 1 << 20
_SNAPSHOTS = 64
#: What costs one observation only.
_PASSING = (
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
)
T = TypeVar("T")


@dataclass(frozen=True)
class Standing:
    """What a snapshot keeps, and a fork begins with: an episode and the way to it."""

    episode: Episode
    state_hash: bytes
    way: Way


class Session:
    """`standing` is where it stands. The lease ends `lease_secs` after the last call."""

    def __init__(self, pool: ThreadPoolExecutor, play: Play, standing: Standing, lease_secs: float):
        self.play = play
        self.lease_secs = lease_secs
        self.calls_in_it = 0
        self._pool = pool
        self._standing = standing
        self._lock = asyncio.Lock()
        self._next_seq = 1
        self._replies: deque[tuple[bytes, episodes_pb2.StepResponse]] = deque()
        self._room_bytes = REMEMBERED_BYTES - standing.way.bytes
        self._snapshots: dict[str, Standing] = {}
        self._stands_at = ""
        self._broken = ""
        self._alive_until = monotonic() + lease_secs

    def renew(self, lease_secs: float | None = None) -> float:
        """Lengthens the lease, never shortens it; returns the seconds left."""
        now = monotonic()
        self._alive_until = max(self._alive_until, now + (lease_secs or self.lease_secs))
        return self._alive_until - now

    def abandoned(self) -> bool:
        """Expired, and nobody is in a call on it."""
        return not self.calls_in_it and monotonic() >= self._alive_until

    async def step(self, seq: int, calls: Sequence[episodes_pb2.ToolCall]) -> episodes_pb2.StepResponse:
        """Plays the calls once per seq; a repeated seq gets the kept reply."""
        asked = _fingerprint(calls)
        async with self._lock:
            if seq < self._next_seq:
                return self._kept(seq, asked)
            if seq > self._next_seq:
                raise self._out_of_order("SEQ_GAP", f"seq {seq} skips some; expected {self._next_seq}")
            # A step that failed has played nothing, so its seq is still free.
            episode, response = await self._work(self._stepped, seq, calls)
            self._next_seq += 1
            if calls:
                leg = Leg.of(calls, response.state_hash)
                way = self._standing.way.longer(leg, self._room_bytes)
                if not way.is_cut:
                    self._room_bytes -= leg.bytes()
                self._standing = Standing(episode, response.state_hash, way)
                self._stands_at = ""
            self._keep(asked, response)
            return response

    def _stepped(self, seq: int, calls: Sequence[episodes_pb2.ToolCall]) -> tuple[Episode, episodes_pb2.StepResponse]:
        episode, response = self.play.step(self._standing.episode, seq, calls)
        size = response.ByteSize()
        if size > MAX_MESSAGE_BYTES:
            message = f"the reply to seq {seq} has {size} bytes; {MAX_MESSAGE_BYTES} are allowed"
            raise MaquetteError(grpc.StatusCode.INTERNAL, "REPLY_TOO_LARGE", message)
        return episode, response

    async def observe(self, name: str) -> episodes_pb2.Content | MaquetteError:
        """An observation, or why it cannot be made now."""
        async with self._lock:
            try:
                return await self._work(self.play.observed, self._standing.episode, name)
            except MaquetteError as error:
                if error.code in _PASSING:
                    return error
                raise

    async def score(self, profile: str) -> reward_pb2.Reward:
        async with self._lock:
            return await self._work(self.play.reward, self._standing.episode, profile)

    async def snapshot(self) -> str:
        """The id of a snapshot of the state as it stands; of an unchanged state the same one."""
        async with self._lock:
            self._usable()
            if self._stands_at:
                return self._stands_at
            if len(self._snapshots) >= _SNAPSHOTS:
                message = f"a session keeps {_SNAPSHOTS} snapshots; fork it, or roll back to one of them"
                raise MaquetteError(grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_SNAPSHOTS", message)
            self._standing.episode.running()
            self._stands_at = f"s_{len(self._snapshots) + 1}"
            self._snapshots[self._stands_at] = self._standing
            return self._stands_at

    async def rollback(self, snapshot_id: str, next_seq: int) -> episodes_pb2.RollbackResponse:
        """`next_seq` is what the caller takes for the seq of its next step; 0 for any."""
        async with self._lock:
            self._usable()
            if next_seq not in (0, self._next_seq):
                message = f"steps were played that the caller does not know of; expected next_seq {self._next_seq}"
                raise self._out_of_order("SEQ_PASSED", message, "next_seq")
            self._standing = self._at(snapshot_id)
            self._stands_at = snapshot_id
            return episodes_pb2.RollbackResponse(
                state_hash=self._standing.state_hash,
                budget=self._standing.episode.budget(),
                next_seq=self._next_seq,
            )

    async def standing(self, snapshot_id: str = "") -> Standing:
        """Where it stands, or stood at a snapshot, to fork from."""
        async with self._lock:
            self._usable()
            standing = self._at(snapshot_id) if snapshot_id else self._standing
            standing.episode.running()
            return standing

    async def way(self) -> Way:
        async with self._lock:
            return self._standing.way

    def _at(self, snapshot_id: str) -> Standing:
        kept = self._snapshots.get(snapshot_id)
        if kept is None:
            message = f"no snapshot {snapshot_id!r}; this session has {len(self._snapshots)}"
            known = tuple(self._snapshots)
            raise MaquetteError(grpc.StatusCode.NOT_FOUND, "SNAPSHOT_NOT_FOUND", message, "snapshot_id", known)
        return kept

    async def _work(self, function: Callable[..., T], *args: Any) -> T:
        """After an internal error nothing that the episode says can be trusted."""
        self._usable()
        try:
            return await compute(self._pool, function, *args)
        except MaquetteError as error:
            if error.code is grpc.StatusCode.INTERNAL:
                self._broken = str(error)
            raise

    def _usable(self) -> None:
        if self._broken:
            raise MaquetteError(grpc.StatusCode.INTERNAL, "ENV_ERROR", f"this episode is lost: {self._broken}")

    def _keep(self, asked: bytes, response: episodes_pb2.StepResponse) -> None:
        """The last replies; the very last one whatever its size."""
        self._replies.append((asked, response))
        size = sum(kept.ByteSize() for _, kept in self._replies)
        while len(self._replies) > 1 and (len(self._replies) > _KEPT_REPLIES or size > _KEPT_BYTES):
            size -= self._replies.popleft()[1].ByteSize()

    def _kept(self, seq: int, asked: bytes) -> episodes_pb2.StepResponse:
        for before, response in self._replies:
            if response.seq == seq:
                if before != asked:
                    message = f"seq {seq} was a step with other calls; expected {self._next_seq}"
                    raise self._out_of_order("SEQ_REUSED", message)
                again = episodes_pb2.StepResponse()
                again.CopyFrom(response)
                again.replayed = True
                return again
        message = f"the reply to seq {seq} is no longer kept; expected {self._next_seq}"
        raise self._out_of_order("SEQ_FORGOTTEN", message)

    def _out_of_order(self, reason: str, message: str, field: str = "seq") -> MaquetteError:
        expected = (str(self._next_seq),)
        return MaquetteError(grpc.StatusCode.FAILED_PRECONDITION, reason, message, field, expected)


def _fingerprint(calls: Sequence[episodes_pb2.ToolCall]) -> bytes:
    request = episodes_pb2.StepRequest(calls=calls)
    return hashlib.sha256(request.SerializeToString(deterministic=True)).digest()
