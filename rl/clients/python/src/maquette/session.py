"""What a session is in either client, and the rules of its steps."""

from __future__ import annotations

from typing import Iterable

from . import catalog, requests, values
from .errors import InterruptedStepError, MaquetteError
from .v1 import episodes_pb2


class SessionState:
    """`id`, `task_id`, `seed` name the episode; `observation` holds its opening texts by name, e.g. "task".
    `tool_groups`: whose tools it offers beside those of every episode, asked for or needed by its task.

    `state_hash` and `budget` are as of the last reply (`budget` is None before the first one of an attached session).
    The server forgets the session `lease_secs` after the last call on it. `next_seq` numbers the next step.
    """

    def __init__(self, wire: episodes_pb2.Session, task_id: str, seed: int, next_seq: int = 1):
        self.id: str = wire.session_id
        self.task_id = task_id
        self.seed = seed
        self.observation: dict[str, str] = {content.name: content.text for content in wire.observation}
        self.tool_groups = tuple(wire.tool_groups)
        self.state_hash: bytes = wire.state_hash
        self.lease_secs = catalog.seconds(wire.lease)
        self.budget = values.budget(wire.budget) if wire.HasField("budget") else None
        self.next_seq = next_seq
        self._pending: episodes_pb2.StepRequest | None = None  # sent, its reply not seen

    def _begin(self, calls: Iterable[values.Call]) -> episodes_pb2.StepRequest:
        request = requests.step(self.id, self.next_seq, calls)
        if self._pending is not None and self._pending != request:
            raise InterruptedStepError(
                f"step {self.next_seq} of session {self.id} was cut off and may have been played: "
                "call recover(), or step() with the same calls, for its reply"
            )
        self._pending = request
        return request

    def _settled(self) -> None:
        """What stands on the server is what the replies said."""
        if self._pending is not None:
            raise InterruptedStepError(
                f"step {self.next_seq} of session {self.id} was cut off and may have been played: call recover() first"
            )

    def _rolled_back(self, reply: episodes_pb2.RollbackResponse) -> None:
        self.state_hash, self.budget = reply.state_hash, values.budget(reply.budget)
        self.next_seq = reply.next_seq

    def _refused(self, error: MaquetteError) -> None:
        if not error.fate_unknown:
            self._pending = None

    def _answered(self, reply: episodes_pb2.StepResponse) -> values.Step:
        self._pending = None
        self.next_seq += 1
        step = values.step(reply)
        self.state_hash, self.budget = step.state_hash, step.budget
        return step
