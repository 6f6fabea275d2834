"""Arithmetic word problems as a domain: python word_problems.py [ADDRESS].

The id of a task is its seed: `word_problems/train-17` is the same problem everywhere, and any number makes one. Stories,
names and things of the test split occur in no problem of the training split.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from maquette.serving import Component, Domain, Evidence, Limit, Refused, Score, Task, nearest, serve, tool
from pydantic import Field

PROFILE = "word_problems/1"
LISTED = 100  # of each split
MOST_NOTES, MOST_VALUE = 20, 10**9

# A story of three numbers, and what it asks for. No two stories calculate alike, so no formula solves a split unread.
STORIES = {
    "train": [
        ("{who} has {a} {things} and buys {b} bags of {c} each. How many does {who} have?", lambda a, b, c: a + b * c),
        ("{who} packs {a} crates of {b} {things}; {c} do not fit. How many are there?", lambda a, b, c: a * b + c),
        ("{who} had {a} {things}, found {b} and lost {c} of them. How many are left?", lambda a, b, c: a + b - c),
        ("{who} lost {b} of {a} {things}, then got {c} new ones. How many are there now?", lambda a, b, c: a - b + c),
        ("{b} of {a} {things} broke, {c} more are missing. How many has {who} left?", lambda a, b, c: a - b - c),
        ("On {c} days {who} sold {a} red and {b} blue {things} a day. How many in all?", lambda a, b, c: (a + b) * c),
        ("{who} makes {a} {things} a day; {b} of them break. How many good ones do {c} days give?",
         lambda a, b, c: (a - b) * c),
        ("{who} found {b} {things}, then {c}, and at last {a}. How many did {who} find?", lambda a, b, c: a + b + c),
        ("{who} used {b} {things} out of {a} packs of {c}. How many were not used?", lambda a, b, c: a * c - b),
    ],
    "test": [
        ("{who} fills {a} shelves with {b} {things} each, then gives {c} away. How many stay?", lambda a, b, c: a * b - c),
        ("Each of {a} boats carries {b} {things}, and each of them costs {who} {c} coins. How many coins in all?",
         lambda a, b, c: a * b * c),
        ("{a} rooms of {who} get {b} new {things} and keep {c} old ones each. How many is that?",
         lambda a, b, c: a * (b + c)),
        ("{c} of {a} wagons are empty; {who} loads {b} {things} on each of the rest. How many is that?",
         lambda a, b, c: (a - c) * b),
        ("{who} piles {things} {c} high in {a} places, and {b} lie beside. How many in all?", lambda a, b, c: a * c + b),
        ("{a} guests and {c} hosts bring {who} {b} {things} each. How many in all?", lambda a, b, c: (a + c) * b),
    ],
}
NAMES = {"train": ["Ada", "Bela", "Chen", "Dina", "Emil", "Fatou"], "test": ["Goran", "Hana", "Imre"]}
THINGS = {"train": ["apples", "stamps", "marbles", "shells", "pens"], "test": ["lamps", "drums", "melons"]}


@dataclass(frozen=True)
class Problem:
    prompt: str
    numbers: tuple[int, ...]
    solution: int


@dataclass(frozen=True)
class State:
    task_id: str
    #: Those of the problem, then those that were calculated.
    numbers: tuple[int, ...]
    notes: tuple[str, ...] = ()
    answer: int | None = None


def problem(task_id: str) -> Problem:
    """The story by turns; else drawn from a hash of the id: Python's own random numbers may change with its version."""
    split, number = task_id.split("/")[1].split("-")
    draws = iter(hashlib.sha256(task_id.encode()).digest())
    story, solve = STORIES[split][int(number) % len(STORIES[split])]
    who, things = (words[split][next(draws) % len(words[split])] for words in (NAMES, THINGS))
    numbers = (30 + next(draws) % 60, 2 + next(draws) % 10, 2 + next(draws) % 16)
    a, b, c = numbers
    return Problem(story.format(who=who, things=things, a=a, b=b, c=c), numbers, solve(a, b, c))


@tool(group="notes")
def note(state: State, text: Annotated[str, Field(min_length=1, max_length=500)]) -> tuple[State, dict[str, Any]]:
    """Keeps a thought; it is not scored."""
    if len(state.notes) == MOST_NOTES:
        raise Refused("OUT_OF_RANGE", "there is no room for another note", allowed=f"{MOST_NOTES} notes")
    return replace(state, notes=(*state.notes, text)), {"notes": [*state.notes, text]}


@tool()
def calculate(
    state: State, operation: Literal["add", "subtract", "multiply"], left: int, right: int
) -> tuple[State, dict[str, Any]]:
    """Calculates with two numbers of the problem, or with results of earlier calculations."""
    known = ", ".join(map(str, state.numbers))
    for name, given in (("left", left), ("right", right)):
        if given not in state.numbers:
            near, pointer = nearest(given, map(str, state.numbers)), f"/{name}"
            message = f"{given} is neither in the problem nor a result"
            raise Refused("NOT_FOUND", message, pointer=pointer, given=given, allowed=known, nearest=near)
    result = {"add": left + right, "subtract": left - right, "multiply": left * right}[operation]
    if abs(result) > MOST_VALUE:
        raise Refused("OUT_OF_RANGE", f"the result is beyond {MOST_VALUE}", allowed="smaller numbers")
    return replace(state, numbers=(*state.numbers, result)), {"result": result}


@tool()
def answer(state: State, value: Annotated[int, Field(ge=-MOST_VALUE, le=MOST_VALUE)]) -> tuple[State, dict[str, Any]]:
    """Answers the problem and ends the episode."""
    return replace(state, answer=value), {"answer": value}


class WordProblems(Domain[State]):
    name = "word_problems"
    description = "Arithmetic word problems with a calculator. Observation: task, the problem."
    tools = (note, calculate, answer)
    tool_groups = {"notes": "keeping thoughts"}
    profiles = {PROFILE: "answered 0.1: there is an answer; right 0.9: it is the solution"}
    max_calls = 30
    limits = {"notes": Limit(MOST_NOTES, "1")}

    def tasks(self) -> list[Task]:
        return [self._task(split, number) for split in STORIES for number in range(LISTED)]

    def task(self, task_id: str) -> Task | None:
        split, _, number = task_id.removeprefix(f"{self.name}/").partition("-")
        known = split in STORIES and number.isascii() and number.isdecimal() and str(int(number)) == number
        return self._task(split, int(number)) if known else None

    def _task(self, split: str, number: int) -> Task:
        id = f"{self.name}/{split}-{number}"
        return Task(id, split, problem(id).prompt, PROFILE)

    def start(self, task: Task, seed: int) -> State:
        return State(task.id, problem(task.id).numbers)

    def is_over(self, state: State) -> bool:
        return state.answer is not None

    def score(self, state: State, profile: str) -> Score:
        solution, answered = problem(state.task_id).solution, state.answer is not None
        right = state.answer == solution
        faults: tuple[Evidence, ...] = ()
        if not right:
            message = f"the answer is {state.answer}" if answered else "there is no answer"
            value, fix = float(state.answer or 0), f"answer {solution}"
            faults = (Evidence("right", value, float(solution), "1", message=message, fix=fix),)
        components = [Component("answered", float(answered), 0.1), Component("right", float(right), 0.9, evidence=faults)]
        return Score(0.1 * answered + 0.9 * right, components)


if __name__ == "__main__":
    serve(WordProblems(), *sys.argv[1:])
