"""Checks of a server of the Python package, beside the conformance suite: what only its wire shows.

`python tests/python_domain.py` starts servers of its own; with `serve` as argument it is one of them.
"""

import hashlib
import itertools
import operator
import re
import select
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import grpc
from pydantic import BaseModel, ConfigDict, Field

from maquette import Client, MaquetteError, ObserveError
from maquette.errors import typed
from maquette.serving import Component, Domain, Evidence, Refused, Score, Task, Tool, Unscorable, serve, tool
from maquette.serving.offer import Offer
from maquette.serving.reward import scored
from maquette.v1 import episodes_pb2, episodes_pb2_grpc, rewards_pb2

START_SECS = 30
LEASE_SECS = 1.0
MAX_SESSIONS = 8
TASK = "faulty/sum"
PLAYED = 0  # steps that were played by this server


@dataclass(frozen=True)
class Sum:
    value: int = 0
    done: bool = False


@tool()
def add(state: Sum, n: Annotated[int, Field(ge=-9, le=9)], times: int = 1):
    """Adds n."""
    return replace(state, value=state.value + n * times), {"value": state.value + n * times}


@tool(name="clock.sleep")
def sleep(state: Sum, secs: Annotated[float, Field(ge=0, le=60)]):
    """Takes its time and says how often it was played."""
    global PLAYED
    PLAYED += 1
    time.sleep(secs)
    return state, {"played": PLAYED}


@tool(group="faults")
def fail(state: Sum):
    """Is broken."""
    raise SystemExit("as asked")


@tool(group="faults", read_only=True)
def unwilling(state: Sum, why: list[Annotated[str, Field(max_length=3)]]):
    """Refuses."""
    raise Refused("OUT_OF_RANGE", "not now" * 1000, given="x" * 10_000)


def submit(state: Sum):
    """Ends the episode."""
    return replace(state, done=True), {}


class Faulty(Domain[Sum]):
    name = "faulty"
    description = "Sums. Observations: task, big, early."
    tools = (add, sleep, fail, unwilling, submit)
    tool_groups = {"faults": "what goes wrong"}
    profiles = {"sum/1": "a tenth of the sum", "sum/none": "never a number"}
    splits = ("train",)
    max_calls = 8
    observations = {"big": "text/plain", "early": "image/png", "none": "text/plain"}

    def tasks(self):
        return [Task(f"{TASK}-{number:03}", "train", "Add up to ten.", "sum/1") for number in range(150)]

    def task(self, task_id):
        return Task(TASK, "train", "Add up to ten.", "sum/1") if task_id in (TASK, "faulty/Sum") else None

    def start(self, task, seed):
        return Sum()

    def is_over(self, state):
        return state.done

    def score(self, state, profile):
        if profile == "sum/none":
            return Unscorable("INFRA", "AWAY", "the judge is away", retryable=True)
        return Score(state.value / 10, [Component("sum", state.value / 10, 1.0)])  # beyond 1 where the sum is beyond 10

    def observe(self, state, name):
        if name == "early":
            raise MaquetteError(grpc.StatusCode.FAILED_PRECONDITION, "TOO_EARLY", "not yet", retry_after_secs=1.5)
        if name == "none":
            return None
        return "é€" * 100_000


class Exits(Faulty):
    def ready(self):
        raise SystemExit("not ready")


@contextmanager
def served(kind="serve"):
    """A server of this file's domain, as a process; yields its address."""
    server = subprocess.Popen([sys.executable, __file__, kind], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert select.select([server.stdout], [], [], START_SECS)[0], "it does not start"
        yield server.stdout.readline().removeprefix("listening on ").strip()
    finally:
        server.terminate()
        assert server.wait(START_SECS) == 0


@contextmanager
def raises(kind, **facts):
    """The block raises `kind`, and the error's attributes are `facts`; yields a list that gets the error."""
    caught = []
    try:
        yield caught
    except kind as error:
        caught.append(error)
        for name, value in facts.items():
            assert getattr(error, name) == value, f"{name}: {error!r}"
    else:
        raise AssertionError(f"no {kind.__name__} {facts} was raised")


def invalid(**facts):
    return raises(MaquetteError, code=grpc.StatusCode.INVALID_ARGUMENT, **facts)


def step_request(session, seq, *calls):
    wire = [episodes_pb2.ToolCall(name=name, arguments_json=arguments) for name, arguments in calls]
    return episodes_pb2.StepRequest(session_id=session.id, seq=seq, calls=wire)


def once(client, episodes):
    with client.open(TASK) as session:
        ask = step_request(session, 1, ("clock.sleep", '{"secs": 0.3}'))
        replies = []
        threads = [threading.Thread(target=lambda: replies.append(episodes.Step(ask))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len({reply.results[0].json for reply in replies}) == 1
        assert sorted(reply.replayed for reply in replies) == [False, True, True, True]
        with raises(MaquetteError, reason="SEQ_REUSED", nearest=("2",)), typed():
            episodes.Step(step_request(session, 1, ("add", "{}")))
        with raises(MaquetteError, reason="SEQ_GAP", field="seq", nearest=("2",)), typed():
            episodes.Step(step_request(session, 3))
        for seq in range(2, 36):
            episodes.Step(step_request(session, seq))
        with raises(MaquetteError, reason="SEQ_FORGOTTEN"), typed():
            episodes.Step(ask)
        assert episodes.Step(step_request(session, 4)).replayed


def deadlines(client, episodes):
    with client.open(TASK) as session:
        ask = step_request(session, 1, ("clock.sleep", '{"secs": 1.2}'))
        before = time.monotonic()
        with raises(MaquetteError, code=grpc.StatusCode.DEADLINE_EXCEEDED), typed():
            episodes.Step(ask, timeout=0.3)
        assert time.monotonic() - before < 1
        assert episodes.Step(ask, timeout=5).replayed, "the step went on and was not lost"
        # The default deadline is 1.5 s.
        with raises(MaquetteError, reason="DEADLINE_EXCEEDED"), typed():
            episodes.Step(step_request(session, 2, ("clock.sleep", '{"secs": 2}')))
        assert episodes.Step(step_request(session, 2, ("clock.sleep", '{"secs": 2}')), timeout=5).replayed
        log = rewards_pb2.CallLog(domain="faulty", task_id=TASK)
        log.calls.extend(ask.calls)
        with raises(MaquetteError, reason="DEADLINE_EXCEEDED"), typed():
            client._rewards.Score(rewards_pb2.ScoreRequest(call_log=log), timeout=0.5)


def leases(client, episodes):
    session = client.open(TASK)
    assert session.lease_secs == LEASE_SECS
    for _ in range(3):
        time.sleep(0.6)
        session.step()
    assert session.renew(3) > 2.9
    time.sleep(1.5)
    session.step(("clock.sleep", {"secs": 1.2}))  # longer than the lease
    time.sleep(LEASE_SECS + 2.5)
    with raises(MaquetteError, reason="SESSION_NOT_FOUND", field="session_id"):
        session.step()
    session.close()
    with raises(MaquetteError, reason="INVALID_FIELD", field="lease"):
        client.open(TASK, lease_secs=-1)
    assert client.open(TASK, lease_secs=9e9).lease_secs == 3600


def places(client, episodes):
    with invalid(reason="TOO_MANY_SIBLINGS", field="count"):
        client.open_group(TASK, MAX_SESSIONS + 1)
    with raises(MaquetteError, code=grpc.StatusCode.RESOURCE_EXHAUSTED, reason="NO_SESSION_FREE", retry_after_secs=1.0):
        client.open_group(TASK, MAX_SESSIONS)  # one was left open before
    key = episodes_pb2.OpenRequest(domain="faulty", task_id=TASK, count=2, idempotency_key="k")
    first, again = episodes.Open(key), episodes.Open(key)
    assert [session.session_id for session in first.sessions] == [session.session_id for session in again.sessions]
    key.seed = 1
    with invalid(reason="KEY_REUSED", field="idempotency_key"), typed():
        episodes.Open(key)
    for session in first.sessions:
        episodes.Close(episodes_pb2.CloseRequest(session_id=session.session_id))
    first = again = None
    for number in range(4 * MAX_SESSIONS + 1):
        again = episodes.Open(episodes_pb2.OpenRequest(domain="faulty", task_id=TASK, idempotency_key=f"{number}"))
        first = first or again
        episodes.Close(episodes_pb2.CloseRequest(session_id=again.sessions[0].session_id))
    for number, kept, before in ((4 * MAX_SESSIONS, True, again), (0, False, first)):
        now = episodes.Open(episodes_pb2.OpenRequest(domain="faulty", task_id=TASK, idempotency_key=f"{number}"))
        assert (now == before) is kept, f"key {number}"
        episodes.Close(episodes_pb2.CloseRequest(session_id=now.sessions[0].session_id))
    assert len(client.open_group(TASK, MAX_SESSIONS - 1)) == MAX_SESSIONS - 1  # left to their leases


def failures(client, episodes):
    with client.open(TASK, tool_groups=["faults"]) as session, client.open(TASK, tool_groups=["faults"]) as other:
        refused = session.step(("unwilling", {"why": ["abcd"]}), ("unwilling", {"why": []}), ("add", {"n": 1, "tims": 2}))
        errors = [result.reply["error"] for result in refused.results]
        assert [error["pointer"] for error in errors] == ["/why/0", "", ""]
        assert [error["code"] for error in errors] == ["OUT_OF_RANGE", "OUT_OF_RANGE", "INVALID_ARGUMENT"]
        assert len(str(errors[1])) < 1500 and errors[2]["nearest"] == ["times"]
        assert session.budget.calls_left == 5
        with raises(MaquetteError, code=grpc.StatusCode.INTERNAL, reason="PANICKED"):
            session.step(("fail", {}))
        with raises(MaquetteError, code=grpc.StatusCode.INTERNAL, reason="ENV_ERROR"):
            session.step(("add", {"n": 1}))
        assert other.step(("add", {"n": 9})).results[0].reply == {"value": 9}
        assert other.score().value == 0.9
        unscorable = other.score("sum/none").unscorable
        assert (unscorable.failure_class, unscorable.code, unscorable.retryable) == ("INFRA", "AWAY", True)
        other.step(("add", {"n": 9, "times": 2}))
        with raises(MaquetteError, code=grpc.StatusCode.INTERNAL):  # a reward of 2.7 is none
            other.score()
    with client.open(TASK) as session:
        step = session.step(*[("add", {"n": 1})] * 9)
        assert step.ended and step.truncated and step.reason == "CALL_LIMIT" and step.reward.value == 0.8
        assert step.results[8].reply["error"]["code"] == "EPISODE_OVER" and step.budget.calls_left == 0
    with invalid(reason="UNKNOWN_MIME", field="artifact.mime"):
        client.score_file(b"", domain="faulty")


def observations(client, episodes):
    with client.open(TASK) as session:
        assert session.observe("big", "task")["big"].decode() == "é€" * 100_000
        want = episodes_pb2.ObserveRequest(session_id=session.id, want=["big", "early"])
        pieces = list(episodes.Observe(want))
        assert all(len(piece.content.text.encode()) <= 65536 for piece in pieces)
        assert [piece.last for piece in pieces][:-2] == [False] * (len(pieces) - 2)
        with raises(ObserveError, reason="TOO_EARLY", retry_after_secs=1.5) as caught:
            session.observe("early", "task")
        assert caught[0].contents == {"task": b"Add up to ten."}
        with client.open(TASK) as other, raises(MaquetteError, code=grpc.StatusCode.INTERNAL, reason="PANICKED"):
            other.observe("none")
        with invalid(field="want"):
            session.observe("bigg")
        with invalid(field="want"):
            session.observe("task", "task")
        with invalid(reason="TOO_MANY_OBSERVATIONS"):
            session.observe(*["task"] * 65)


def bounds(client, episodes):
    with invalid(reason="INVALID_FIELD", field="task_id"):
        client.open("faulty/" + "x" * 300)
    with client.open(TASK) as session:
        with invalid(reason="TOO_MANY_CALLS", field="calls"):
            session.step(*[("add", {"n": 1})] * 65)
        with invalid(field="seq"), typed():
            episodes.Step(step_request(session, 0))
        hostile = ['{"n": NaN}', '{"n": 1e999}', '{"n": ' + "9" * 4200 + "}", "[" * 50_000, '{"n": "\\ud800"}', "", "null"]
        for arguments in hostile:
            with session.fork()[0] as fork:
                result = fork.step(("add", arguments)).results[0]
            assert not result.ok and len(str(result.reply)) < 1500, arguments[:80]
        result = session.step(("x" * 1_000_000, {})).results[0]
        assert result.reply["error"]["code"] == "NOT_FOUND" and len(str(result.reply)) < 1500
    with invalid(reason="TOO_MANY_CALLS", field="call_log.calls"):
        client.score_calls(TASK, [("add", {"n": 0})] * 10_001)
    with raises(MaquetteError, reason="TASK_NOT_FOUND", field="task_id"):
        client.open("faulty/Sum")
    with raises(MaquetteError, reason="DOMAIN_NOT_FOUND", field="domain", nearest=("faulty",)):
        client.describe("fault")
    assert len(client.tasks("faulty")) == 150, "two pages"
    assert client.describe("faulty").limits["calls"].value == 8


def branches(client, episodes):
    with client.open(TASK) as session:
        start = session.snapshot()
        for number in range(7):
            session.step(("add", {"n": 1}))
            session.snapshot()
        late = episodes_pb2.RollbackRequest(session_id=session.id, snapshot_id=start, next_seq=2)
        with raises(MaquetteError, reason="SEQ_PASSED", field="next_seq", nearest=("8",)), typed():
            episodes.Rollback(late)
        export = session.export()
        damaged = [export[:-1], export + b" ", b"", export.replace(b'"seed": 0', b'"seed": 1'), b"\n{}"]
        for old, new in ((b'"add"', b'"\\ud800"'), (b'"faulty"', b'"\xed\xa0\x80"'), (b'"seed": 0', b'"seed": 1e999')):
            text = export.split(b"\n", 1)[1].replace(old, new)
            damaged.append(hashlib.sha256(text).hexdigest().encode() + b"\n" + text)
        for data in damaged:
            with invalid(reason="EXPORT_DAMAGED"):
                client.import_session(data)
        for _ in range(9, 65):
            session.rollback(start)
            session.step(("add", {"n": 1}))
            snapshot = session.snapshot()
        assert snapshot == "s_64"
        session.step(("add", {"n": 1}))
        with raises(MaquetteError, reason="TOO_MANY_SNAPSHOTS"):
            session.snapshot()


def authors():
    """What is forgotten is told when the server starts; what is out of range is no reward."""

    def untold(state: Sum):
        return state, {}

    def untyped(state: Sum, n):
        """Adds."""

    class Lax(BaseModel):
        model_config = ConfigDict(extra="forbid")
        n: int

    class Twice(Faulty):
        def tasks(self):
            return [Task(TASK, "train", prompt, "sum/1") for prompt in ("one", "two")]

    class Wordless(Faulty):
        def tasks(self):
            return [Task(TASK, "train", ["Add"], "sum/1")]

    def modelled(state: Sum, lax: list[Lax]):
        """Adds."""

    def bounded(state: Sum, n: int = Field(ge=0, le=9)):
        """Adds."""

    for domain, text in ((Twice(), f"two tasks are named {TASK}"), (Wordless(), "is no text")):
        with raises(ValueError) as caught:
            Offer(domain)
        assert text in str(caught[0]), caught
    for address in ("localhost", ":1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:x", "unix:", ""):
        with raises(ValueError) as caught:
            serve(Faulty(), address)
        assert "is no address" in str(caught[0]), caught
    assert add.schema["properties"]["times"] == {"type": "integer", "default": 1}
    for member, value, text in (
        ("tools", (untold,), "docstring"),
        ("tools", (add, add), "two tools"),
        ("profiles", {}, "profiles is missing"),
        ("tool_groups", {}, "faults"),
        ("splits", ("dev",), "split"),
        ("splits", "train", "splits is the text"),
        ("name", "other", "does not begin with other/"),
    ):
        domain = Faulty()
        setattr(domain, member, value)
        with raises(ValueError) as caught:
            Offer(domain)
        assert text in str(caught[0]), caught
    for function, text in ((untyped, "n"), (modelled, "modelled: Lax"), (bounded, "n: Annotated[")):
        with raises(TypeError) as caught:
            Tool(function)
        assert text in str(caught[0]), caught
    fault = Evidence("x", float("inf"), 0.0)
    for score in (
        Score(float("nan")),
        Score(-0.1),
        Score(1.0, [Component("x", 1.0, 0.5)]),
        Score(1.0, [Component("x", 1.0, 1.0, evidence=(fault,))]),
        Score(1.0, [Component("x", 1.0, 1.0, evidence=(replace(fault, value=0.0),) * 11)]),
    ):
        with raises(ValueError):
            scored(score, "sum/1", b"x", b"x")
    with raises(ValueError) as caught:
        Unscorable("NOBODY", "X", "x")
    assert "VERIFIER" in str(caught[0])
    for value, wire in ((1 + 2e-16, 1.0), (-1e-17, 0.0), (0.1 + 0.2, 0.1 + 0.2)):
        assert scored(Score(value, [Component("x", value, 1.0)]), "sum/1", b"x", b"x").value == wire


def example():
    """What is held out shares no word with what is trained on, and an id makes the same problem everywhere."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "rl/clients/python/examples"))
    import word_problems as problems

    tasks = problems.WordProblems().tasks()
    assert len({task.prompt for task in tasks}) == len(tasks) == 200
    for words in (problems.NAMES, problems.THINGS):
        for split, other in (("train", "test"), ("test", "train")):
            prompts = " ".join(task.prompt for task in tasks if task.split == split)
            assert any(word in prompts for word in words[split])
            assert not any(word in prompts for word in words[other])
    first = problems.problem("word_problems/train-0")
    assert (first.prompt, first.numbers, first.solution) == (
        "Fatou has 32 marbles and buys 10 bags of 9 each. How many does Fatou have?", (32, 10, 9), 122,
    )
    assert problems.WordProblems().task("word_problems/test-5000").split == "test"
    for id in ("word_problems/train-007", "word_problems/dev-1", "word_problems/train--1", "word_problems/train-²"):
        assert problems.WordProblems().task(id) is None, id


def unread():
    """No formula of the three numbers, in the order of the text or of their sizes, solves more than some problems."""
    import word_problems as problems

    operations = (operator.add, operator.sub, operator.mul)
    stories = [text for split in problems.STORIES.values() for text, _ in split]
    assert len(set(stories)) == len(stories), "no story is in two splits"
    for split, most in (("train", 0.15), ("test", 0.2)):
        assert len(problems.STORIES[split]) >= 6, split
        right = formulas_right(problems, split, operations)
        assert max(right.values()) <= most * problems.LISTED, (split, right.most_common(3))


def formulas_right(problems, split, operations):
    """How many problems of the split each formula solves."""
    right = Counter()
    for number in range(problems.LISTED):
        problem = problems.problem(f"word_problems/{split}-{number}")
        told = [int(word) for word in re.findall(r"[0-9]+", problem.prompt)]
        assert sorted(told) == sorted(problem.numbers) and problem.solution > 0, problem
        for order, numbers in (("told", told), ("sized", sorted(told)), ("listed", problem.numbers)):
            for places, (f, g) in itertools.product(itertools.permutations(range(3)), itertools.product(operations, repeat=2)):
                x, y, z = (numbers[place] for place in places)
                right[order, places, f, g, "left"] += g(f(x, y), z) == problem.solution
                right[order, places, f, g, "right"] += f(x, g(y, z)) == problem.solution
    return right


def endings():
    """A taken port is told in a line; a tool or a domain that will not end does not keep the process."""
    with served() as addr:
        second = [sys.executable, __file__, "serve", addr]
        ended = subprocess.run(second, capture_output=True, text=True, timeout=START_SECS)
        assert ended.returncode == 1 and f"cannot listen on {addr}" in ended.stderr, ended
        assert "Traceback" not in ended.stderr, ended.stderr
    with served("exits") as addr, Client(addr) as client:
        with client.open(TASK) as session:
            assert session.step(("add", {"n": 1})).results[0].ok, "what ready raises does not end the server"
    with served() as addr, Client(addr) as client:
        session = client.open(TASK)
        ask = step_request(session, 1, ("clock.sleep", '{"secs": 60}'))
        with grpc.insecure_channel(addr) as channel, raises(MaquetteError, reason="DEADLINE_EXCEEDED"), typed():
            episodes_pb2_grpc.EpisodesStub(channel).Step(ask, timeout=0.3)
        # The server is ended while the tool sleeps.


def main():
    authors()
    example()
    unread()
    endings()
    for check in (once, deadlines, leases, places, failures, observations, bounds, branches):
        with served() as addr, Client(addr) as client, grpc.insecure_channel(addr) as channel:
            if check is places:
                client.open(TASK, lease_secs=600)
            check(client, episodes_pb2_grpc.EpisodesStub(channel))
    print("python domain: all checks hold")


if sys.argv[1:2] in (["serve"], ["exits"]):
    address = sys.argv[2] if sys.argv[2:] else "127.0.0.1:0"
    domain = Faulty() if sys.argv[1] == "serve" else Exits()
    serve(domain, address, max_sessions=MAX_SESSIONS, lease_secs=LEASE_SECS, deadline_secs=1.5)
else:
    main()
