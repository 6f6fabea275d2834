"""Plain values to requests on the wire."""

from __future__ import annotations

import json
import uuid
from typing import Iterable, Iterator

from google.protobuf.duration_pb2 import Duration

from .v1 import catalog_pb2, episodes_pb2, rewards_pb2
from .values import Call

IMPORT_PIECE_BYTES = 1 << 20


def describe(domain: str) -> catalog_pb2.DescribeDomainRequest:
    return catalog_pb2.DescribeDomainRequest(domain=domain)


def tasks(domain: str, split: str, page_token: str) -> catalog_pb2.ListTasksRequest:
    return catalog_pb2.ListTasksRequest(domain=domain, split=split, page_token=page_token)


def open_group(
    task_id: str, count: int, seed: int, profile: str, lease_secs: float | None, tool_groups: Iterable[str]
) -> episodes_pb2.OpenRequest:
    """With a key of its own, so that a repeated request opens nothing twice."""
    return episodes_pb2.OpenRequest(
        domain=_domain_of(task_id),
        task_id=task_id,
        count=count,
        seed=seed,
        profile=profile,
        lease=_duration(lease_secs),
        idempotency_key=uuid.uuid4().hex,
        tool_groups=_names(tool_groups),
    )


def step(session_id: str, seq: int, calls: Iterable[Call]) -> episodes_pb2.StepRequest:
    return episodes_pb2.StepRequest(session_id=session_id, seq=seq, calls=_calls(calls))


def observe(
    session_id: str, want: Iterable[str], since_revision: int | None, max_tokens: int
) -> episodes_pb2.ObserveRequest:
    return episodes_pb2.ObserveRequest(
        session_id=session_id, want=want, since_revision=since_revision, max_tokens=max_tokens
    )


def snapshot(session_id: str) -> episodes_pb2.SnapshotRequest:
    return episodes_pb2.SnapshotRequest(session_id=session_id)


def rollback(session_id: str, snapshot_id: str, next_seq: int) -> episodes_pb2.RollbackRequest:
    return episodes_pb2.RollbackRequest(session_id=session_id, snapshot_id=snapshot_id, next_seq=next_seq)


def fork(session_id: str, snapshot_id: str, count: int, lease_secs: float | None) -> episodes_pb2.ForkRequest:
    """With a key of its own, as `open_group`."""
    return episodes_pb2.ForkRequest(
        session_id=session_id,
        snapshot_id=snapshot_id,
        count=count,
        lease=_duration(lease_secs),
        idempotency_key=uuid.uuid4().hex,
    )


def export(session_id: str) -> episodes_pb2.ExportRequest:
    return episodes_pb2.ExportRequest(session_id=session_id)


def import_session(data: bytes, lease_secs: float | None) -> Iterator[episodes_pb2.ImportRequest]:
    """In pieces; the first one has lease and key."""
    first = episodes_pb2.ImportRequest(
        data=data[:IMPORT_PIECE_BYTES], lease=_duration(lease_secs), idempotency_key=uuid.uuid4().hex
    )
    rest = range(IMPORT_PIECE_BYTES, len(data), IMPORT_PIECE_BYTES)
    return iter([first, *(episodes_pb2.ImportRequest(data=data[at : at + IMPORT_PIECE_BYTES]) for at in rest)])


def renew(session_id: str, lease_secs: float | None) -> episodes_pb2.RenewRequest:
    return episodes_pb2.RenewRequest(session_id=session_id, lease=_duration(lease_secs))


def close(session_id: str) -> episodes_pb2.CloseRequest:
    return episodes_pb2.CloseRequest(session_id=session_id)


def score(session_id: str, profile: str) -> rewards_pb2.ScoreRequest:
    return rewards_pb2.ScoreRequest(session_id=session_id, profile=profile)


def score_file(data: bytes, domain: str, task_id: str, mime: str, profile: str) -> rewards_pb2.ScoreRequest:
    artifact = rewards_pb2.Artifact(domain=domain, task_id=task_id, mime=mime, data=data)
    return rewards_pb2.ScoreRequest(artifact=artifact, profile=profile)


def score_calls(
    task_id: str, calls: Iterable[Call], seed: int, profile: str, tool_groups: Iterable[str]
) -> rewards_pb2.ScoreRequest:
    log = rewards_pb2.CallLog(
        domain=_domain_of(task_id), task_id=task_id, seed=seed, calls=_calls(calls), tool_groups=_names(tool_groups)
    )
    return rewards_pb2.ScoreRequest(call_log=log, profile=profile)


def _names(names: Iterable[str]) -> list[str]:
    """A string alone would be taken for the names of its letters."""
    if isinstance(names, str):
        raise TypeError(f'names are a list, e.g. ["history"]; got {names!r}')
    return list(names)


def _domain_of(task_id: str) -> str:
    return task_id.split("/", 1)[0]


def _pair(call: Call) -> Call:
    if isinstance(call, tuple) and len(call) == 2:
        return call
    raise TypeError(f'a call is (tool, arguments), e.g. ("node.create", {{"name": "crate"}}); got {call!r}')


def _calls(calls: Iterable[Call]) -> list[episodes_pb2.ToolCall]:
    return [
        episodes_pb2.ToolCall(
            name=name, arguments_json=arguments if isinstance(arguments, str) else json.dumps(arguments)
        )
        for name, arguments in map(_pair, calls)
    ]


def _duration(seconds: float | None) -> Duration | None:
    if seconds is None:
        return None
    duration = Duration()
    duration.FromNanoseconds(int(seconds * 1e9))
    return duration
