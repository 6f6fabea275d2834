"""The synchronous client."""

from __future__ import annotations

import uuid
from typing import Iterable

import grpc

from . import values
from .channel import OPTIONS
from .v1 import catalog_pb2, catalog_pb2_grpc, episodes_pb2, episodes_pb2_grpc, rewards_pb2, rewards_pb2_grpc


class Session:
    """One episode on the server. It outlives the connection; leaving the `with` block closes it."""

    def __init__(self, client: Client, wire: episodes_pb2.Session):
        self.id = wire.session_id
        self.observation = {content.name: content.text for content in wire.observation}
        self.state_hash = wire.state_hash
        self._client = client
        self._seq = 0

    def step(self, *calls: values.Call) -> values.Step:
        """Plays the calls in order, exactly once however often the transport retries."""
        request = episodes_pb2.StepRequest(
            session_id=self.id, seq=self._seq + 1, calls=[values.wire_call(call) for call in calls]
        )
        step = values.step(self._client.episodes.Step(request, timeout=self._client.timeout_secs))
        self._seq += 1
        self.state_hash = step.state_hash
        return step

    def observe(self, *want: str) -> dict[str, bytes]:
        request = episodes_pb2.ObserveRequest(session_id=self.id, want=want)
        return values.contents(self._client.episodes.Observe(request, timeout=self._client.timeout_secs))

    def score(self, profile: str = "") -> values.Reward:
        request = rewards_pb2.ScoreRequest(session_id=self.id, profile=profile)
        return values.reward(self._client.rewards.Score(request, timeout=self._client.timeout_secs).reward)

    def renew(self, lease_secs: float) -> None:
        request = episodes_pb2.RenewRequest(session_id=self.id, lease=values.wire_seconds(lease_secs))
        self._client.episodes.Renew(request, timeout=self._client.timeout_secs)

    def close(self) -> None:
        request = episodes_pb2.CloseRequest(session_id=self.id)
        self._client.episodes.Close(request, timeout=self._client.timeout_secs)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_) -> None:
        self.close()


class Client:
    """`addr` is host:port or unix:path. Every call has a deadline of `timeout_secs`."""

    def __init__(self, addr: str, timeout_secs: float = 60.0):
        self.timeout_secs = timeout_secs
        self._channel = grpc.insecure_channel(addr, options=OPTIONS)
        self.catalog = catalog_pb2_grpc.CatalogStub(self._channel)
        self.episodes = episodes_pb2_grpc.EpisodesStub(self._channel)
        self.rewards = rewards_pb2_grpc.RewardsStub(self._channel)

    def domains(self) -> list[str]:
        return list(self.catalog.ListDomains(catalog_pb2.ListDomainsRequest(), timeout=self.timeout_secs).domains)

    def tools(self, domain: str) -> list[values.Tool]:
        request = catalog_pb2.DescribeDomainRequest(domain=domain)
        return [values.tool(tool) for tool in self.catalog.DescribeDomain(request, timeout=self.timeout_secs).tools]

    def tasks(self, domain: str, split: str = "") -> list[catalog_pb2.Task]:
        tasks, token = [], ""
        while True:
            request = catalog_pb2.ListTasksRequest(domain=domain, split=split, page_token=token)
            page = self.catalog.ListTasks(request, timeout=self.timeout_secs)
            tasks.extend(page.tasks)
            token = page.next_page_token
            if not token:
                return tasks

    def open(self, task_id: str, *, seed: int = 0, profile: str = "", lease_secs: float | None = None) -> Session:
        return self.open_group(task_id, 1, seed=seed, profile=profile, lease_secs=lease_secs)[0]

    def open_group(
        self, task_id: str, count: int, *, seed: int = 0, profile: str = "", lease_secs: float | None = None
    ) -> list[Session]:
        """`count` siblings from one prepared state, for group-relative training."""
        request = values.open_request(task_id, count, seed, profile, lease_secs, uuid.uuid4().hex)
        return [Session(self, wire) for wire in self.episodes.Open(request, timeout=self.timeout_secs).sessions]

    def score_file(
        self, data: bytes, *, domain: str = "scene", task_id: str = "", mime: str = "model/gltf-binary"
    ) -> values.Reward:
        request = values.score_file_request(data, domain, task_id, mime)
        return values.reward(self.rewards.Score(request, timeout=self.timeout_secs).reward)

    def score_calls(self, task_id: str, calls: Iterable[values.Call], seed: int = 0) -> values.Reward:
        request = values.score_calls_request(task_id, calls, seed)
        return values.reward(self.rewards.Score(request, timeout=self.timeout_secs).reward)

    def close(self) -> None:
        self._channel.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_) -> None:
        self.close()
