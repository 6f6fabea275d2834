"""What a domain offers, checked once when its server starts, and looked up by name."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Iterable, TypeVar

import grpc

from ..catalog import Task
from ..errors import MaquetteError
from ..v1 import catalog_pb2
from .domain import Domain
from .refusal import nearest
from .tools import Tool

TASK = "task"
T = TypeVar("T")


class Offer:
    """A domain with its tools and tasks by name. `ValueError` says what an author has left out."""

    def __init__(self, domain: Domain[Any]):
        self.domain = domain
        self.tools = _by_name("tools", ((tool.name, tool) for tool in map(Tool.of, domain.tools)))
        self.tasks = dict(sorted(_by_name("tasks", ((task.id, task) for task in domain.tasks())).items()))
        self.profile_hashes = {
            id: hashlib.sha256(f"{id}\n{text}".encode()).digest() for id, text in domain.profiles.items()
        }
        self.observations = {TASK: "text/plain", **domain.observations}
        self._check()

    def _check(self) -> None:
        domain = self.domain
        for what in ("name", "description", "tools", "profiles", "splits"):
            if not getattr(domain, what, None):
                raise ValueError(f"{type(domain).__name__}.{what} is missing")
        if isinstance(domain.splits, str):
            raise ValueError(f"splits is the text {domain.splits!r}; it must be a tuple of names, e.g. ({domain.splits!r},)")
        if not 0 < domain.max_calls < 1 << 32:
            raise ValueError(f"{domain.max_calls} are no calls of an episode")
        for tool in self.tools.values():
            if not tool.description:
                raise ValueError(f"the tool {tool.name} has no docstring, which is all that a model knows of it")
            if tool.group and tool.group not in domain.tool_groups:
                raise ValueError(f"the tool {tool.name} is of the group {tool.group!r}, which is not in tool_groups")
        for id, text in (*domain.profiles.items(), *domain.tool_groups.items()):
            if not id or not text:
                raise ValueError(f"{id!r} has no text that says what it is")
        for task in self.tasks.values():
            self.checked(task)

    def checked(self, task: Task) -> Task:
        """The task, if it keeps the rules."""
        if not task.id.startswith(f"{self.domain.name}/"):
            raise ValueError(f"the id of the task {task.id!r} does not begin with {self.domain.name}/")
        if task.split not in self.domain.splits or task.profile not in self.domain.profiles or not task.prompt:
            raise ValueError(f"the task {task.id} has a split or a profile that is not there, or no prompt")
        if not isinstance(task.prompt, str):
            raise ValueError(f"the prompt of the task {task.id} is no text: {task.prompt!r:.100}")
        return task

    def task(self, task_id: str) -> Task:
        task = self.tasks.get(task_id) or self.domain.task(task_id)
        # An id under another spelling would be the same task twice.
        if task is None or task.id != task_id:
            raise _not_found("task", "task_id", task_id, self.tasks)
        return self.checked(task)

    def listed(self, split: str) -> list[Task]:
        """Ordered by id; `split` is empty for all."""
        if split and split not in self.domain.splits:
            raise _not_found("split", "split", split, self.domain.splits)
        return [task for task in self.tasks.values() if not split or task.split == split]

    def profile(self, given: str) -> str:
        if given not in self.domain.profiles:
            raise _not_found("profile", "profile", given, self.domain.profiles)
        return given

    def tools_with(self, groups: Iterable[str]) -> dict[str, Tool]:
        """Those of every episode, and those of these groups."""
        known = self.domain.tool_groups
        for group in groups:
            if group not in known:
                message = f"no tool group {group!r}; there are {', '.join(known) or 'none'}"
                code, near = grpc.StatusCode.INVALID_ARGUMENT, tuple(nearest(group, known))
                raise MaquetteError(code, "TOOL_GROUP_UNKNOWN", message, "tool_groups", near)
        asked = {"", *groups}
        return {name: tool for name, tool in self.tools.items() if tool.group in asked}

    def described(self) -> catalog_pb2.DescribeDomainResponse:
        domain = self.domain
        calls = catalog_pb2.Limit(name="calls", value=domain.max_calls, unit="1")
        own = (catalog_pb2.Limit(name=name, value=bound.value, unit=bound.unit) for name, bound in domain.limits.items())
        return catalog_pb2.DescribeDomainResponse(
            domain=domain.name,
            description=domain.description,
            tools=[
                catalog_pb2.Tool(
                    name=tool.name,
                    description=tool.description,
                    arguments_schema_json=json.dumps(tool.schema, ensure_ascii=False),
                    read_only=tool.read_only,
                    group=tool.group,
                )
                for tool in self.tools.values()
            ],
            splits=domain.splits,
            profiles=[
                catalog_pb2.Profile(id=id, description=text, hash=self.profile_hashes[id])
                for id, text in domain.profiles.items()
            ],
            limits=[calls, *own],
            tool_groups=[catalog_pb2.ToolGroup(name=name, description=text) for name, text in domain.tool_groups.items()],
        )


def _by_name(what: str, pairs: Iterable[tuple[str, T]]) -> dict[str, T]:
    named: dict[str, T] = {}
    for name, thing in pairs:
        if name in named:
            raise ValueError(f"two {what} are named {name}")
        named[name] = thing
    return named


def _not_found(what: str, field: str, given: str, known: Iterable[str]) -> MaquetteError:
    near = tuple(nearest(given, known))
    reason = f"{what.upper()}_NOT_FOUND"
    return MaquetteError(grpc.StatusCode.NOT_FOUND, reason, f"no {what} {given!r}", field, near)
