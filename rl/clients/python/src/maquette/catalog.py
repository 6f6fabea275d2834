"""What a server offers, read from the wire: domains with their tools, limits and profiles, and tasks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Iterable, Mapping

from google.protobuf.duration_pb2 import Duration

from .v1 import catalog_pb2


@dataclass(frozen=True)
class Limit:
    """A bound, or what is left of it; `unit` is empty for a plain count."""

    value: float
    unit: str


@dataclass(frozen=True)
class Tool:
    """A tool that steps take calls of; `arguments_schema` is a JSON Schema.

    `group` is empty for a tool of every episode; else `Client.open` must be asked for it in `tool_groups`.
    """

    name: str
    description: str
    arguments_schema: Mapping[str, Any]
    read_only: bool
    group: str = ""

    @property
    def function_name(self) -> str:
        """The name as chat APIs allow it: "node.create" is "node_create"."""
        return self.name.replace(".", "_")

    def as_function(self) -> dict[str, Any]:
        """The tool as a chat API's function; `tool_name` leads back from the name that the model calls."""
        return {"name": self.function_name, "description": self.description, "parameters": self.arguments_schema}


def tool_name(function_name: str, tools: Iterable[Tool]) -> str:
    """The tool that a model means by "node_create"; a name of no tool stays as it is, for the server to refuse."""
    return next((tool.name for tool in tools if tool.function_name == function_name), function_name)


@dataclass(frozen=True)
class Profile:
    """The rules of a reward, e.g. "r3d/0"; `hash` changes with them."""

    id: str
    description: str
    hash: bytes


@dataclass(frozen=True)
class Domain:
    """`description` names the observations; `splits` are those of the tasks.

    `tool_groups`: by name what the tools of a group are for.
    """

    name: str
    description: str
    tools: tuple[Tool, ...]
    splits: tuple[str, ...]
    profiles: tuple[Profile, ...]
    limits: Mapping[str, Limit]
    tool_groups: Mapping[str, str]


@dataclass(frozen=True)
class Task:
    """`profile` is that of its reward."""

    id: str
    split: str
    prompt: str
    profile: str


@dataclass(frozen=True)
class ServerInfo:
    """`features` are the server's optional abilities.

    `instance_id` is new at every start of a server, unless its sessions come back ("session.journal" of `features`).
    """

    version: str
    instance_id: str
    features: tuple[str, ...]
    max_sessions: int
    max_request_bytes: int
    default_lease_secs: float
    max_lease_secs: float
    default_deadline_secs: float


def server_info(wire: catalog_pb2.GetServerInfoResponse) -> ServerInfo:
    return ServerInfo(
        version=wire.version,
        instance_id=wire.instance_id,
        features=tuple(wire.features),
        max_sessions=wire.max_sessions,
        max_request_bytes=wire.max_request_bytes,
        default_lease_secs=seconds(wire.default_lease),
        max_lease_secs=seconds(wire.max_lease),
        default_deadline_secs=seconds(wire.default_deadline),
    )


def domain(wire: catalog_pb2.DescribeDomainResponse) -> Domain:
    return Domain(
        name=wire.domain,
        description=wire.description,
        tools=tuple(
            Tool(t.name, t.description, json.loads(t.arguments_schema_json), t.read_only, t.group) for t in wire.tools
        ),
        splits=tuple(wire.splits),
        profiles=tuple(Profile(p.id, p.description, p.hash) for p in wire.profiles),
        limits=limits(wire.limits),
        tool_groups={group.name: group.description for group in wire.tool_groups},
    )


def task(wire: catalog_pb2.Task) -> Task:
    return Task(wire.id, wire.split, wire.prompt, wire.profile)


def seconds(wire: Duration) -> float:
    return wire.ToNanoseconds() / 1e9


def limits(wire: Iterable[catalog_pb2.Limit]) -> dict[str, Limit]:
    return {limit.name: Limit(limit.value, limit.unit) for limit in wire}
