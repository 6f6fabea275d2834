"""The synchronous client."""

from __future__ import annotations

import threading
from typing import Any, Callable, Iterable

import grpc

from . import catalog, requests, values
from .channel import OPTIONS, target
from .errors import MaquetteError, typed
from .session import SessionState
from .v1 import catalog_pb2, catalog_pb2_grpc, episodes_pb2, episodes_pb2_grpc, rewards_pb2_grpc


class Session(SessionState):
    """One episode on the server. It outlives the connection; leaving the `with` block closes it.

    Threads may share it: their steps wait for each other.
    """

    def __init__(self, client: Client, wire: episodes_pb2.Session, task_id: str, seed: int, next_seq: int = 1):
        super().__init__(wire, task_id, seed, next_seq)
        self._client = client
        self._lock = threading.Lock()

    def step(self, *calls: values.Call) -> values.Step:
        """Plays the calls in order, exactly once however often the transport retries.

        A call that the tool refuses is a result that is not `ok`, no exception. After a step that was cut off, the same
        calls again get its reply; other calls raise `InterruptedStepError` until `recover`.
        """
        with self._lock:
            return self._send(self._begin(calls))

    def recover(self) -> values.Step | None:
        """The reply to a step that was cut off, None where none was. Its calls are played once, now or before."""
        with self._lock:
            return None if self._pending is None else self._send(self._pending)

    def _send(self, request: episodes_pb2.StepRequest) -> values.Step:
        try:
            reply = self._client._ask(self._client._episodes.Step, request)
        except MaquetteError as error:
            self._refused(error)
            raise
        return self._answered(reply)

    def observe(self, *want: str, since_revision: int | None = None, max_tokens: int = 0) -> dict[str, bytes]:
        """The observations by name; `Client.describe` says which there are. Raises `ObserveError` if one is missing.

        since_revision, max_tokens: of "history", what is new since then, in so many tokens of four bytes; 0 is the
        domain's default.
        """
        with typed():
            request = requests.observe(self.id, want, since_revision, max_tokens)
            return values.contents(self._client._episodes.Observe(request, timeout=self._client.timeout_secs))

    def snapshot(self) -> str:
        """Keeps the state as it stands and returns its id, for `rollback` and `fork`.

        The same id as before where nothing has changed since. A session keeps 64; after its end it takes no more.
        """
        with self._lock:
            self._settled()
            return str(self._client._ask(self._client._episodes.Snapshot, requests.snapshot(self.id)).snapshot_id)

    def rollback(self, snapshot_id: str) -> None:
        """Puts state and budget back to a snapshot, also after the end. All snapshots stay."""
        with self._lock:
            self._settled()
            request = requests.rollback(self.id, snapshot_id, self.next_seq)
            self._rolled_back(self._client._ask(self._client._episodes.Rollback, request))

    def fork(self, count: int = 1, *, snapshot_id: str = "", lease_secs: float | None = None) -> list[Session]:
        """`count` sessions of their own that stand where this one does, or at a snapshot; after the end only that."""
        with self._lock:
            self._settled()
            request = requests.fork(self.id, snapshot_id, count, lease_secs)
            reply = self._client._ask(self._client._episodes.Fork, request)
        return [Session(self._client, wire, self.task_id, self.seed) for wire in reply.sessions]

    def export(self) -> bytes:
        """The steps that led to the state as it stands, for `Client.import_session` on this or another server."""
        with self._lock, typed():
            self._settled()
            request = requests.export(self.id)
            pieces = self._client._episodes.Export(request, timeout=self._client.timeout_secs)
            return b"".join(piece.data for piece in pieces)

    def score(self, profile: str = "") -> values.Reward:
        """The reward of the episode as it stands; the session stays open. `profile`: by default the task's own."""
        request = requests.score(self.id, profile)
        return values.reward(self._client._ask(self._client._rewards.Score, request).reward)

    def renew(self, lease_secs: float | None = None) -> float:
        """Keeps an idle session for `lease_secs` from now, by default as agreed at open; returns the seconds left.

        Every other call renews too. A lease is never shortened, and the server grants at most its `max_lease_secs`.
        """
        request = requests.renew(self.id, lease_secs)
        return catalog.seconds(self._client._ask(self._client._episodes.Renew, request).lease)

    def close(self) -> None:
        """Frees the session's place on the server. Closing twice is fine."""
        self._client._ask(self._client._episodes.Close, requests.close(self.id))

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.close()
        except MaquetteError:
            pass  # the lease ends it; the block's own error must not be hidden


class Client:
    """`addr` is host:port, http://host:port or unix:path. Every call has a deadline of `timeout_secs`.

    Calls raise `MaquetteError`. Threads may share a client.
    """

    def __init__(self, addr: str, timeout_secs: float = 60.0):
        self.timeout_secs = timeout_secs
        self._channel = grpc.insecure_channel(target(addr), options=OPTIONS)
        self._catalog = catalog_pb2_grpc.CatalogStub(self._channel)
        self._episodes = episodes_pb2_grpc.EpisodesStub(self._channel)
        self._rewards = rewards_pb2_grpc.RewardsStub(self._channel)

    def _ask(self, method: Callable[..., Any], request: object) -> Any:
        with typed():
            return method(request, timeout=self.timeout_secs)

    def server_info(self) -> catalog.ServerInfo:
        """Version, limits and leases. Another `instance_id` than before: its sessions are gone."""
        return catalog.server_info(self._ask(self._catalog.GetServerInfo, catalog_pb2.GetServerInfoRequest()))

    def domains(self) -> list[str]:
        """Names of the domains that the server offers, e.g. "scene"."""
        return list(self._ask(self._catalog.ListDomains, catalog_pb2.ListDomainsRequest()).domains)

    def describe(self, domain: str = "scene") -> catalog.Domain:
        """What a domain is: its tools, limits and reward profiles; the description names the observations."""
        return catalog.domain(self._ask(self._catalog.DescribeDomain, requests.describe(domain)))

    def tools(self, domain: str = "scene") -> tuple[catalog.Tool, ...]:
        """The tools that `Session.step` takes calls of; `Tool.as_function` is the form that chat APIs take."""
        return self.describe(domain).tools

    def tasks(self, domain: str = "scene", split: str = "") -> list[catalog.Task]:
        """The tasks of a split, by default of all."""
        tasks: list[catalog.Task] = []
        token = ""
        while True:
            page = self._ask(self._catalog.ListTasks, requests.tasks(domain, split, token))
            tasks.extend(map(catalog.task, page.tasks))
            token = page.next_page_token
            if not token:
                return tasks

    def open(
        self,
        task_id: str,
        *,
        seed: int = 0,
        profile: str = "",
        lease_secs: float | None = None,
        tool_groups: Iterable[str] = (),
    ) -> Session:
        """Starts an episode of a task, e.g. "scene/table"; see `open_group`."""
        return self.open_group(
            task_id, 1, seed=seed, profile=profile, lease_secs=lease_secs, tool_groups=tool_groups
        )[0]

    def open_group(
        self,
        task_id: str,
        count: int,
        *,
        seed: int = 0,
        profile: str = "",
        lease_secs: float | None = None,
        tool_groups: Iterable[str] = (),
    ) -> list[Session]:
        """`count` siblings from one prepared state, for group-relative training; all of them or none.

        seed: what is hidden from the model, such as the scoring cameras, is drawn from it; equal for all siblings.
        profile: the rules of the reward, e.g. "r3d/0"; by default the task's own.
        lease_secs: how long the server keeps an idle session; by default its `default_lease_secs`.
        tool_groups: whose tools may be called beside those without a group; `Domain.tool_groups` has them.
        """
        request = requests.open_group(task_id, count, seed, profile, lease_secs, tool_groups)
        return [Session(self, wire, task_id, seed) for wire in self._ask(self._episodes.Open, request).sessions]

    def attach(self, session_id: str, next_seq: int, *, task_id: str = "", seed: int = 0) -> Session:
        """A session opened before, perhaps by another process, from its `id` and `next_seq`.

        If its last step was cut off, the same calls again get the reply. `task_id` and `seed` are only noted.
        """
        lease = self._ask(self._episodes.Renew, requests.renew(session_id, None)).lease
        return Session(self, episodes_pb2.Session(session_id=session_id, lease=lease), task_id, seed, next_seq)

    def import_session(self, data: bytes, *, lease_secs: float | None = None) -> Session:
        """A session of its own from what `Session.export` gave; refused where it does not come to the same states."""
        reply = self._ask(self._episodes.Import, requests.import_session(data, lease_secs))
        return Session(self, reply.session, reply.task_id, reply.seed)

    def score_file(
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
        return values.reward(self._ask(self._rewards.Score, request).reward)

    def score_calls(
        self,
        task_id: str,
        calls: Iterable[values.Call],
        seed: int = 0,
        profile: str = "",
        tool_groups: Iterable[str] = (),
    ) -> values.Reward:
        """The reward of a call log, replayed in a fresh episode: equal to that of the session it was played in."""
        request = requests.score_calls(task_id, calls, seed, profile, tool_groups)
        return values.reward(self._ask(self._rewards.Score, request).reward)

    def close(self) -> None:
        """Closes the connection; the sessions stay on the server."""
        self._channel.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
