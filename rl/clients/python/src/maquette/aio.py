"""The asyncio client: the same calls as `client`, awaited."""

from __future__ import annotations

import asyncio
from typing import Any, Callable, Iterable

import grpc.aio

from . import catalog, requests, values
from .channel import OPTIONS, target
from .errors import MaquetteError, typed
from .session import SessionState
from .v1 import catalog_pb2, catalog_pb2_grpc, episodes_pb2, episodes_pb2_grpc, rewards_pb2_grpc


class AsyncSession(SessionState):
    """One episode on the server. It outlives the connection; leaving the `with` block closes it.

    asyncio tasks may share it: their steps wait for each other.
    """

    def __init__(self, client: AsyncClient, wire: episodes_pb2.Session, task_id: str, seed: int, next_seq: int = 1):
        super().__init__(wire, task_id, seed, next_seq)
        self._client = client
        self._lock = asyncio.Lock()

    async def step(self, *calls: values.Call) -> values.Step:
        """As `Session.step`. A cancelled step counts as cut off."""
        async with self._lock:
            return await self._send(self._begin(calls))

    async def recover(self) -> values.Step | None:
        """The reply to a step that was cut off, None where none was. Its calls are played once, now or before."""
        async with self._lock:
            return None if self._pending is None else await self._send(self._pending)

    async def _send(self, request: episodes_pb2.StepRequest) -> values.Step:
        try:
            reply = await self._client._ask(self._client._episodes.Step, request)
        except MaquetteError as error:
            self._refused(error)
            raise
        return self._answered(reply)

    async def observe(
        self, *want: str, since_revision: int | None = None, max_tokens: int = 0
    ) -> dict[str, bytes]:
        """The observations by name, as `Session.observe`. Raises `ObserveError` if one is missing."""
        with typed():
            request = requests.observe(self.id, want, since_revision, max_tokens)
            stream = self._client._episodes.Observe(request, timeout=self._client.timeout_secs)
            return values.contents([chunk async for chunk in stream])

    async def snapshot(self) -> str:
        """Keeps the state as it stands and returns its id, as `Session.snapshot`."""
        async with self._lock:
            self._settled()
            reply = await self._client._ask(self._client._episodes.Snapshot, requests.snapshot(self.id))
            return str(reply.snapshot_id)

    async def rollback(self, snapshot_id: str) -> None:
        """Puts state and budget back to a snapshot, as `Session.rollback`."""
        async with self._lock:
            self._settled()
            request = requests.rollback(self.id, snapshot_id, self.next_seq)
            self._rolled_back(await self._client._ask(self._client._episodes.Rollback, request))

    async def fork(
        self, count: int = 1, *, snapshot_id: str = "", lease_secs: float | None = None
    ) -> list[AsyncSession]:
        """`count` sessions of their own that stand where this one does, or at a snapshot, as `Session.fork`."""
        async with self._lock:
            self._settled()
            request = requests.fork(self.id, snapshot_id, count, lease_secs)
            reply = await self._client._ask(self._client._episodes.Fork, request)
        return [AsyncSession(self._client, wire, self.task_id, self.seed) for wire in reply.sessions]

    async def export(self) -> bytes:
        """The steps that led to the state as it stands, for `AsyncClient.import_session`."""
        async with self._lock:
            with typed():
                self._settled()
                request = requests.export(self.id)
                pieces = self._client._episodes.Export(request, timeout=self._client.timeout_secs)
                return b"".join([piece.data async for piece in pieces])

    async def score(self, profile: str = "") -> values.Reward:
        """The reward of the episode as it stands; the session stays open. `profile`: by default the task's own."""
        request = requests.score(self.id, profile)
        return values.reward((await self._client._ask(self._client._rewards.Score, request)).reward)

    async def renew(self, lease_secs: float | None = None) -> float:
        """Keeps an idle session, as `Session.renew`; returns the seconds left."""
        request = requests.renew(self.id, lease_secs)
        return catalog.seconds((await self._client._ask(self._client._episodes.Renew, request)).lease)

    async def close(self) -> None:
        """Frees the session's place on the server. Closing twice is fine."""
        await self._client._ask(self._client._episodes.Close, requests.close(self.id))

    async def __aenter__(self) -> AsyncSession:
        return self

    async def __aexit__(self, *_: object) -> None:
        try:
            await self.close()
        except MaquetteError:
            pass  # the lease ends it; the block's own error must not be hidden


class AsyncClient:
    """`addr` is host:port, http://host:port or unix:path. Every call has a deadline of `timeout_secs`.

    Calls raise `MaquetteError`. Make it inside the event loop that uses it.
    """

    def __init__(self, addr: str, timeout_secs: float = 60.0):
        self.timeout_secs = timeout_secs
        self._channel = grpc.aio.insecure_channel(target(addr), options=OPTIONS)
        self._catalog = catalog_pb2_grpc.CatalogStub(self._channel)
        self._episodes = episodes_pb2_grpc.EpisodesStub(self._channel)
        self._rewards = rewards_pb2_grpc.RewardsStub(self._channel)

    async def _ask(self, method: Callable[..., Any], request: object) -> Any:
        with typed():
            return await method(request, timeout=self.timeout_secs)

    async def server_info(self) -> catalog.ServerInfo:
        """Version, limits and leases, as `Client.server_info`."""
        return catalog.server_info(await self._ask(self._catalog.GetServerInfo, catalog_pb2.GetServerInfoRequest()))

    async def domains(self) -> list[str]:
        """Names of the domains that the server offers, e.g. "scene"."""
        return list((await self._ask(self._catalog.ListDomains, catalog_pb2.ListDomainsRequest())).domains)

    async def describe(self, domain: str = "scene") -> catalog.Domain:
        """What a domain is: its tools, limits and reward profiles; the description names the observations."""
        return catalog.domain(await self._ask(self._catalog.DescribeDomain, requests.describe(domain)))

    async def tools(self, domain: str = "scene") -> tuple[catalog.Tool, ...]:
        """The tools that `AsyncSession.step` takes calls of."""
        return (await self.describe(domain)).tools

    async def tasks(self, domain: str = "scene", split: str = "") -> list[catalog.Task]:
        """The tasks of a split, by default of all."""
        tasks: list[catalog.Task] = []
        token = ""
        while True:
            page = await self._ask(self._catalog.ListTasks, requests.tasks(domain, split, token))
            tasks.extend(map(catalog.task, page.tasks))
            token = page.next_page_token
            if not token:
                return tasks

    async def open(
        self,
        task_id: str,
        *,
        seed: int = 0,
        profile: str = "",
        lease_secs: float | None = None,
        tool_groups: Iterable[str] = (),
    ) -> AsyncSession:
        """Starts an episode of a task, e.g. "scene/table"."""
        opened = await self.open_group(
            task_id, 1, seed=seed, profile=profile, lease_secs=lease_secs, tool_groups=tool_groups
        )
        return opened[0]

    async def open_group(
        self,
        task_id: str,
        count: int,
        *,
        seed: int = 0,
        profile: str = "",
        lease_secs: float | None = None,
        tool_groups: Iterable[str] = (),
    ) -> list[AsyncSession]:
        """`count` siblings from one prepared state; `Client.open_group` says what the rest is."""
        request = requests.open_group(task_id, count, seed, profile, lease_secs, tool_groups)
        reply = await self._ask(self._episodes.Open, request)
        return [AsyncSession(self, wire, task_id, seed) for wire in reply.sessions]

    async def attach(self, session_id: str, next_seq: int, *, task_id: str = "", seed: int = 0) -> AsyncSession:
        """A session opened before, as `Client.attach`."""
        lease = (await self._ask(self._episodes.Renew, requests.renew(session_id, None))).lease
        return AsyncSession(self, episodes_pb2.Session(session_id=session_id, lease=lease), task_id, seed, next_seq)

    async def import_session(self, data: bytes, *, lease_secs: float | None = None) -> AsyncSession:
        """A session of its own from what `AsyncSession.export` gave, as `Client.import_session`."""
        reply = await self._ask(self._episodes.Import, requests.import_session(data, lease_secs))
        return AsyncSession(self, reply.session, reply.task_id, reply.seed)

    async def score_file(
        self,
        data: bytes,
        *,
        domain: str = "scene",
        task_id: str = "",
        mime: str = "model/gltf-binary",
        profile: str = "",
    ) -> values.Reward:
        """The reward of a finished file by itself, or as an answer to a task."""
        request = requests.score_file(data, domain, task_id, mime, profile)
        return values.reward((await self._ask(self._rewards.Score, request)).reward)

    async def score_calls(
        self,
        task_id: str,
        calls: Iterable[values.Call],
        seed: int = 0,
        profile: str = "",
        tool_groups: Iterable[str] = (),
    ) -> values.Reward:
        """The reward of a call log, replayed in a fresh episode: equal to that of the session it was played in."""
        request = requests.score_calls(task_id, calls, seed, profile, tool_groups)
        return values.reward((await self._ask(self._rewards.Score, request)).reward)

    async def close(self) -> None:
        """Closes the connection; the sessions stay on the server."""
        await self._channel.close(grace=None)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
