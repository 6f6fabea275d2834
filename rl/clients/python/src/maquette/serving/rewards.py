"""`maquette.v1.Rewards`."""

from __future__ import annotations

from functools import partial
from typing import Any

import grpc

from ..errors import MaquetteError
from ..v1 import rewards_pb2, rewards_pb2_grpc
from . import bounds
from .episode import Origin, Play
from .served import Served, typed
from .way import CALLS_PER_STEP
from .work import compute

_LOGGED_CALLS = 10_000


class Rewards(rewards_pb2_grpc.RewardsServicer):
    def __init__(self, served: Served):
        self._served = served

    @typed
    async def Score(self, request: rewards_pb2.ScoreRequest, context: Any) -> Any:
        """What no session holds is scored only as long as somebody waits for it."""
        bounds.names(profile=request.profile)
        subject, calls = request.WhichOneof("subject"), self._served.calls
        if subject == "session_id":
            reward = await calls.to_its_end(context, partial(self._of_session, request.session_id, request.profile))
        elif subject == "call_log":
            reward = await calls.while_awaited(context, partial(self._of_log, request.call_log, request.profile))
        elif subject == "artifact":
            self._served.check_domain(request.artifact.domain)
            code, message = grpc.StatusCode.INVALID_ARGUMENT, "this domain scores sessions and call logs, no files"
            raise MaquetteError(code, "UNKNOWN_MIME", message, "artifact.mime")
        else:
            raise bounds.invalid("subject", "is not set")
        return rewards_pb2.ScoreResponse(reward=reward)

    async def _of_session(self, session_id: str, profile: str) -> Any:
        bounds.names(session_id=session_id)
        with self._served.sessions.held(session_id) as session:
            return await session.score(profile)

    async def _of_log(self, log: rewards_pb2.CallLog, profile: str) -> Any:
        self._served.check_domain(log.domain)
        bounds.names(task_id=log.task_id)
        bounds.at_most(_LOGGED_CALLS, len(log.calls), "TOO_MANY_CALLS", "call_log.calls")
        bounds.groups(log.tool_groups)
        pool = self._served.pool
        origin = Origin(log.task_id, log.seed, profile, tuple(log.tool_groups))
        play = await compute(pool, Play, self._served.offer, origin)
        episode = await compute(pool, play.opening)
        for at in range(0, len(log.calls), CALLS_PER_STEP):
            episode, _ = await compute(pool, play.played, episode, log.calls[at : at + CALLS_PER_STEP])
        return await compute(pool, play.reward, episode, profile)
