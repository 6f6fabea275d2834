"""What an author writes: a domain, and what a state of it is worth."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from typing import Any, Callable, Generic, Iterable, Mapping, Sequence, TypeVar

from ..catalog import Limit, Task
from ..values import Component, Gate, Unscorable

State = TypeVar("State")


@dataclasses.dataclass(frozen=True)
class Score:
    """What a state is worth: `value` in [0, 1], and the parts that say why.

    The weights of `components` sum to 1. Each lists ten pieces of evidence at most and says in `truncated` if there are
    more; so does each gate, a condition without which nothing else counts. `factors`: other numbers of the formula.
    """

    value: float
    components: Sequence[Component] = ()
    gates: Sequence[Gate] = ()
    factors: Mapping[str, float] = dataclasses.field(default_factory=dict)


class Domain(ABC, Generic[State]):
    """Tasks, tools and a reward over an immutable state, e.g. a frozen dataclass of numbers, texts and tuples.

    Every method is a pure function of its arguments: no clock, no random source but `seed`, no file that may change.
    They are called from several threads. What they raise, but `Refused` in a tool and `MaquetteError`, is a fault of
    the domain's own: it ends the episode it came from, and is never a reward.
    """

    name: str
    #: Also names the observations.
    description: str
    #: A function each, or what `tool` makes of one: (state, arguments with type hints …) -> (state, reply).
    tools: Sequence[Callable[..., Any]]
    #: By id the text of the rules of a reward; another text is another hash, so say in it all that numbers depend on.
    profiles: Mapping[str, str]
    splits: Sequence[str] = ("train", "test")
    #: By name what the tools of a group are for; see `tool`.
    tool_groups: Mapping[str, str] = {}
    #: Of an episode; a call that is refused counts.
    max_calls: int = 50
    #: Bounds that the domain holds itself.
    limits: Mapping[str, Limit] = {}
    #: By name the MIME type of what `observe` gives, beside "task", the prompt.
    observations: Mapping[str, str] = {}

    @abstractmethod
    def tasks(self) -> Iterable[Task]:
        """All that are listed. Ids begin with the domain's name and a slash; prompts say all that is asked for."""

    def task(self, task_id: str) -> Task | None:
        """A task that is not listed, e.g. one of any number that its id makes."""
        return None

    @abstractmethod
    def start(self, task: Task, seed: int) -> State:
        """The state in which an episode begins. Siblings share the seed, and with it all that is drawn at random."""

    @abstractmethod
    def is_over(self, state: State) -> bool:
        """Whether the episode has ended by what the model did; else it ends with its last call."""

    @abstractmethod
    def score(self, state: State, profile: str) -> Score | Unscorable:
        """What the state is worth, at the end or before. A failure of your own is `Unscorable`, never 0."""

    def observe(self, state: State, name: str) -> str | bytes:
        """One of `observations`. One that cannot be made now raises `MaquetteError`, e.g. FAILED_PRECONDITION."""
        raise NotImplementedError(name)

    def canonical(self, state: State) -> Any:
        """The state as JSON: equal where what would be scored is equal, different where it differs. It is hashed."""
        return dataclasses.asdict(state)  # type: ignore[call-overload]

    def ready(self) -> None:
        """Raises where something that the domain needs cannot be used now."""
