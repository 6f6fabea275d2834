"""One episode as a value, and the pure functions that play and score it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any, Iterable, Mapping

import grpc

from ..catalog import Task
from ..errors import MaquetteError
from ..v1 import episodes_pb2, reward_pb2
from .offer import TASK, Offer
from .refusal import Refused, nearest
from .reward import scored
from .tools import Tool

_OVER = Refused("EPISODE_OVER", "the episode has ended", allowed="no more calls")


@dataclass(frozen=True)
class Origin:
    """What an episode was opened with; `profile` is empty for the task's own."""

    task_id: str
    seed: int
    profile: str
    tool_groups: tuple[str, ...]


@dataclass(frozen=True)
class Episode:
    """Where an episode stands. A snapshot or a fork is another reference to it."""

    state: Any
    calls_left: int
    #: 0 while it runs.
    end_reason: int = episodes_pb2.END_REASON_UNSPECIFIED

    @property
    def ended(self) -> bool:
        return self.end_reason != episodes_pb2.END_REASON_UNSPECIFIED

    def running(self) -> Episode:
        if self.ended:
            raise MaquetteError(grpc.StatusCode.FAILED_PRECONDITION, "EPISODE_ENDED", "the episode has ended")
        return self

    def budget(self) -> episodes_pb2.Budget:
        return episodes_pb2.Budget(calls_left=self.calls_left)


class Play:
    """How the episodes of one task are played: what siblings, snapshots and forks share."""

    def __init__(self, offer: Offer, origin: Origin):
        self.offer = offer
        self.origin = origin
        self._task: Task = offer.task(origin.task_id)
        self._tools: Mapping[str, Tool] = offer.tools_with(origin.tool_groups)
        self._profile = offer.profile(origin.profile or self._task.profile)

    def opening(self) -> Episode:
        domain = self.offer.domain
        return Episode(domain.start(self._task, self.origin.seed), domain.max_calls)

    def played(
        self, episode: Episode, calls: Iterable[episodes_pb2.ToolCall]
    ) -> tuple[Episode, list[episodes_pb2.ToolResult]]:
        """A call that is refused costs one of the calls left and changes nothing else; after the end nothing changes."""
        results = []
        for call in calls:
            try:
                episode, reply = self._called(episode, call)
                results.append(episodes_pb2.ToolResult(ok=True, json=_json(reply)))
            except Refused as refused:
                if not episode.ended:
                    episode = self._counted(episode, episode.state)
                results.append(episodes_pb2.ToolResult(ok=False, json=_json({"error": refused.error})))
        return episode, results

    def _called(self, episode: Episode, call: episodes_pb2.ToolCall) -> tuple[Episode, Mapping[str, Any]]:
        if episode.ended:
            raise _OVER
        tool = self._tools.get(call.name)
        if tool is None:
            near, known = nearest(call.name, self._tools), ", ".join(self._tools)
            raise Refused("NOT_FOUND", "there is no such tool", given=call.name, allowed=known, nearest=near)
        state, reply = tool.call(episode.state, call.arguments_json)
        return self._counted(episode, state), reply

    def _counted(self, episode: Episode, state: Any) -> Episode:
        left = episode.calls_left - 1
        reason = episode.end_reason
        if self.offer.domain.is_over(state):
            reason = episodes_pb2.END_REASON_SUBMITTED
        elif left == 0:
            reason = episodes_pb2.END_REASON_CALL_LIMIT
        return replace(episode, state=state, calls_left=left, end_reason=reason)

    def state_hash(self, episode: Episode) -> bytes:
        return hashlib.sha256(_json(self.offer.domain.canonical(episode.state), sort_keys=True).encode()).digest()

    def reward(self, episode: Episode, profile: str) -> reward_pb2.Reward:
        """`profile` is empty for that of the opening."""
        profile = self.offer.profile(profile or self._profile)
        score = self.offer.domain.score(episode.state, profile)
        return scored(score, profile, self.offer.profile_hashes[profile], self.state_hash(episode))

    def step(
        self, episode: Episode, seq: int, calls: Iterable[episodes_pb2.ToolCall]
    ) -> tuple[Episode, episodes_pb2.StepResponse]:
        """What a step answers; the end brings the reward."""
        after, results = self.played(episode.running(), calls)
        response = episodes_pb2.StepResponse(
            seq=seq,
            results=results,
            state_hash=self.state_hash(after),
            budget=after.budget(),
            usage=episodes_pb2.Usage(calls=len(results)),
        )
        if after.ended:
            response.end.reason = after.end_reason  # type: ignore[assignment]
            response.end.terminated = after.end_reason == episodes_pb2.END_REASON_SUBMITTED
            response.end.truncated = not response.end.terminated
            response.reward.CopyFrom(self.reward(after, ""))
        return after, response

    def observed(self, episode: Episode, name: str) -> episodes_pb2.Content:
        mime = self.offer.observations.get(name)
        if mime is None:
            message, near = f"no observation {name!r}", tuple(nearest(name, self.offer.observations))
            raise MaquetteError(grpc.StatusCode.INVALID_ARGUMENT, "UNKNOWN_OBSERVATION", message, "want", near)
        body = self._task.prompt if name == TASK else self.offer.domain.observe(episode.state, name)
        if isinstance(body, str):
            return episodes_pb2.Content(name=name, mime=mime, text=body)
        if not isinstance(body, bytes):
            raise TypeError(f"the observation {name!r} is a {type(body).__name__}; it must be str or bytes")
        return episodes_pb2.Content(name=name, mime=mime, data=body)


def _json(value: Any, sort_keys: bool = False) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=sort_keys)
