"""Checks of the Python client against a running server: python tests/python_client.py HOST:PORT."""

import asyncio
import json
import pickle
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import grpc

import maquette
from maquette import AsyncClient, Client, InterruptedStepError, MaquetteError, ObserveError, play, tool_name, values
from maquette.v1 import episodes_pb2

NO_TIME_SECS = -1.0  # a deadline that has passed


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


@contextmanager
def no_time(client):
    """Every call of the block is cut off."""
    client.timeout_secs, before = NO_TIME_SECS, client.timeout_secs
    try:
        yield
    finally:
        client.timeout_secs = before


def node(name):
    return ("node.create", {"name": name})


def catalog(client: Client) -> None:
    assert maquette.__version__
    assert client.domains() == ["scene"]
    info = client.server_info()
    assert info.version and info.max_sessions > 0 and 0 < info.default_lease_secs <= info.max_lease_secs
    scene = client.describe()
    assert "preview.png" in scene.description and scene.limits["calls"].value > 0
    assert "r3d/0" in [profile.id for profile in scene.profiles]
    tools = {tool.name: tool for tool in client.tools()}
    assert tools["query.overlaps"].read_only
    function = tools["node.create"].as_function()
    assert function["name"] == "node_create" and function["parameters"]["type"] == "object"
    assert tool_name("node_create", scene.tools) == "node.create" and tool_name("no_such", scene.tools) == "no_such"
    assert [task.split for task in client.tasks() if task.id == "scene/crate" and task.prompt]


def episode(client: Client) -> None:
    siblings = client.open_group("scene/crate", 3, seed=5)
    assert len({session.id for session in siblings}) == 3
    assert len({session.state_hash for session in siblings}) == 1
    with siblings[0] as session:
        assert (session.task_id, session.seed) == ("scene/crate", 5) and session.observation["task"]
        assert session.renew(session.lease_secs) > 0
        calls_left = session.budget.calls_left
        step = session.step(node("crate"))
        assert step.results[0].ok and step.results[0].reply["changed"] == ["n_1"]
        assert session.budget.calls_left == step.budget.calls_left == calls_left - 1
        refused = session.step(("node.create", {"nmae": "x"})).results[0]
        assert not refused.ok and "name" in refused.reply["error"]["nearest"], refused
        reward = session.score()
        assert reward.value is not None and reward.value < 0.3 and not all(gate.passed for gate in reward.gates)
        assert session.step(("episode.submit", {})).reason == "SUBMITTED"
        with raises(MaquetteError, code=grpc.StatusCode.FAILED_PRECONDITION):
            session.step(("scene.describe", {}))
    played = [node("crate"), ("node.create", {"nmae": "x"}), ("episode.submit", {})]
    assert client.score_calls("scene/crate", played, seed=5).value == reward.value


def branches(client: Client) -> None:
    with client.open("scene/crate", seed=5) as session:
        session.step(node("crate"))
        first = session.snapshot()
        assert session.snapshot() == first, "nothing has changed since"
        before = (session.state_hash, session.budget)
        session.step(node("lid"))
        forks = session.fork(2)
        assert {fork.state_hash for fork in forks} == {session.state_hash} and forks[0].next_seq == 1
        assert (forks[0].task_id, forks[0].seed) == ("scene/crate", 5) and forks[0].observation == session.observation
        assert session.step(("episode.submit", {})).ended
        with raises(MaquetteError, code=grpc.StatusCode.FAILED_PRECONDITION):
            session.fork()
        session.rollback(first)
        assert (session.state_hash, session.budget) == before and session.next_seq == 4
        assert session.step(node("lid")).state_hash == forks[0].state_hash
        (older,) = session.fork(snapshot_id=first)
        assert older.state_hash == before[0]
        with raises(MaquetteError, reason="SNAPSHOT_NOT_FOUND", nearest=(first,)):
            session.rollback("nothing")
        with client.import_session(session.export()) as imported:
            assert (imported.task_id, imported.seed) == ("scene/crate", 5) and imported.observation["task"]
            assert (imported.state_hash, imported.budget) == (session.state_hash, session.budget)
            assert imported.score().value == session.score().value
        with raises(MaquetteError, reason="EXPORT_DAMAGED", field="data"):
            client.import_session(session.export()[:-1])
        with no_time(client), raises(MaquetteError, fate_unknown=True):
            session.step(node("top"))
        for ask in (session.snapshot, session.fork, session.export, lambda: session.rollback(first)):
            with raises(InterruptedStepError):
                ask()
        session.recover()
        for fork in (*forks, older):
            fork.close()


def groups(client: Client) -> None:
    offered = client.describe().tool_groups
    assert offered["history"] and {tool.group for tool in client.tools()} <= {"", *offered}
    with client.open("scene/crate", tool_groups=["history", "node"]) as session:
        assert set(session.tool_groups) == {"history", "node"}
        assert session.step(node("crate")).results[0].ok
    with client.open("scene/gen-animation-0-0") as session:
        assert session.tool_groups == ("animation",)
    unknown = {"code": grpc.StatusCode.INVALID_ARGUMENT, "field": "tool_groups"}
    with raises(MaquetteError, **unknown) as caught:
        client.open("scene/crate", tool_groups=["histroy"])
    assert "history" in caught[0].nearest
    with raises(MaquetteError, **unknown):
        client.score_calls("scene/crate", [], tool_groups=["histroy"])
    with raises(TypeError):
        client.open("scene/crate", tool_groups="history")


def errors(client: Client) -> None:
    unknown = {"code": grpc.StatusCode.NOT_FOUND, "reason": "TASK_NOT_FOUND", "field": "task_id"}
    with raises(MaquetteError, retryable=False, **unknown) as caught:
        client.open("scene/cratee")
    error = caught[0]
    assert isinstance(error.__cause__, grpc.RpcError) and "scene/crate" in error.nearest, error
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    with raises(MaquetteError, reason="SESSION_NOT_FOUND"):
        client.attach("nobody", 1)
    with no_time(client), raises(MaquetteError, reason="GRPC_DEADLINE_EXCEEDED", retryable=True):
        client.tasks()
    away = grpc.StatusCode.UNAVAILABLE
    assert MaquetteError(away, "GRPC_UNAVAILABLE", "").fate_unknown
    assert not MaquetteError(away, "RENDERER_FAILED", "").fate_unknown
    assert MaquetteError(grpc.StatusCode.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED", "").fate_unknown
    session = client.open("scene/crate")
    with no_time(client), raises(KeyError), session:
        raise KeyError("the block's own error")


def interrupted(client: Client) -> None:
    with client.open("scene/crate") as session:
        with no_time(client), raises(MaquetteError, code=grpc.StatusCode.DEADLINE_EXCEEDED):
            session.step(node("a"))
        with raises(InterruptedStepError):
            session.step(node("b"))
        assert session.step(node("a")).results[0].reply["changed"] == ["n_1"]
        assert session.recover() is None
        with no_time(client), raises(MaquetteError, fate_unknown=True):
            session.step(node("b"))
        assert session.recover().results[0].reply["changed"] == ["n_2"]
        again = client.attach(session.id, session.next_seq - 1)
        step = again.step(node("b"))
        assert step.replayed and step.results[0].reply["changed"] == ["n_2"]
        assert again.step(node("c")).results[0].reply["changed"] == ["n_3"]
        with raises(MaquetteError, reason="SEQ_REUSED", nearest=("4",)):
            session.step(node("d"))
        with raises(MaquetteError, reason="SEQ_REUSED"):  # a refused step is not pending
            session.step(node("e"))
    with client.open("scene/crate") as session:
        threads = [threading.Thread(target=session.step, args=(node(f"n{i}"),)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert session.next_seq == 5


def observations(client: Client) -> None:
    with client.open("scene/crate") as session:
        assert list(session.observe("task", "scene.json")) == ["task", "scene.json"]
        with raises(MaquetteError, code=grpc.StatusCode.INVALID_ARGUMENT):
            session.observe("nothing")
        with raises(MaquetteError, code=grpc.StatusCode.FAILED_PRECONDITION):
            session.observe("task", "preview.png")  # there is no camera
        session.step(node("a"))
        session.step(node("b"), ("node.delete", {"node": "n_9"}))
        history = json.loads(session.observe("history", since_revision=1, max_tokens=256)["history"])
        assert [change["id"] for change in history["changes"]] == ["n_2"], history
        assert history["errors"]["by_code"] == {"NOT_FOUND": 1}, history
        with raises(MaquetteError, reason="REVISION_UNKNOWN", field="since_revision"):
            session.observe("history", since_revision=3)
    content = episodes_pb2.Content
    drawn = episodes_pb2.ToolResult(
        ok=True, json="{}", contents=[content(name="still.png", data=b"PNG"), content(name="note", text="é")]
    )
    step = values.step(episodes_pb2.StepResponse(results=[drawn]))
    assert step.results[0].contents == {"still.png": b"PNG", "note": "é".encode()}
    chunks = [
        episodes_pb2.ObserveResponse(content=content(name="task", text="a cr")),
        episodes_pb2.ObserveResponse(content=content(name="task", text="ate"), last=True),
        episodes_pb2.ObserveResponse(
            content=content(name="preview.png"),
            error=episodes_pb2.ObserveError(reason="NO_CAMERA", message="add one", code=9),
        ),
    ]
    failed = grpc.StatusCode.FAILED_PRECONDITION
    facts = {"code": failed, "reason": "NO_CAMERA", "field": "preview.png", "contents": {"task": b"a crate"}}
    with raises(ObserveError, retryable=False, retry_after_secs=None, **facts):
        values.contents(chunks)
    busy = episodes_pb2.ObserveError(reason="RENDER_QUEUE_FULL", message="256 wait", code=8)
    busy.retry_after.FromMilliseconds(1500)
    late = episodes_pb2.ObserveError(reason="RENDER_DEADLINE", message="late", code=4)
    late.retry_after.FromSeconds(5)
    passing = [
        episodes_pb2.ObserveResponse(content=content(name=name), error=error, last=True)
        for name, error in (("beauty.png", busy), ("ids.png", late))
    ]
    with raises(ObserveError, reason="RENDER_QUEUE_FULL", retryable=True, retry_after_secs=5.0) as caught:
        values.contents(passing)
    error = pickle.loads(pickle.dumps(caught[0]))
    assert [failure.retry_after_secs for failure in error.failures.values()] == [1.5, 5.0]
    with raises(ObserveError, retryable=False, retry_after_secs=5.0):  # a camera does not come by waiting
        values.contents([*passing, *chunks])


def patience() -> None:
    """A server that comes back after three seconds is waited for."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        addr = f"127.0.0.1:{free.getsockname()[1]}"
    server = grpc.server(ThreadPoolExecutor(1))  # answers UNIMPLEMENTED

    def up() -> None:
        server.add_insecure_port(addr)
        server.start()

    late = threading.Timer(3, up)
    late.start()
    with Client(addr) as client, raises(MaquetteError, code=grpc.StatusCode.UNIMPLEMENTED):
        client.server_info()
    late.join()
    server.stop(None)


def player(addr: str) -> None:
    with TemporaryDirectory() as folder:
        log, out = Path(folder) / "log.jsonl", Path(folder) / "out"

        def exit_code(text: str, task: str = "scene/crate", *where: str) -> int:
            log.write_text(text)
            where = where or ("--addr", f"http://{addr}")
            sys.argv = ["maquette-play", str(log), "--task", task, "--out", str(out), *where]
            return play.main()

        line = '{"name": "node.create", "arguments": {"name": "crate"}}\n'
        assert exit_code(line) == 0  # without a camera there is no picture, and a reward all the same
        assert (out / "scene.glb").exists() and not (out / "preview.png").exists()
        assert exit_code(line, "scene/nothing") == 2
        assert exit_code(line, "scene/crate", "--addr", "127.0.0.1:1") == 2
        assert exit_code(line, "scene/crate", "--serve", "/bin/false") == 2
        assert exit_code(line, "scene/crate", "--serve", f"{folder}/missing") == 2
        assert exit_code('{"name": "node.create"}') == exit_code("{") == 2
        sys.argv[1] = f"{folder}/missing.jsonl"
        assert play.main() == 2


async def asynchronous(addr: str) -> None:
    async with AsyncClient(addr) as client:
        assert (await client.tools())[0].name and await client.tasks() and (await client.server_info()).version
        sessions = await client.open_group("scene/crate", 8)
        steps = await asyncio.gather(*(session.step(node("crate")) for session in sessions))
        assert len({step.state_hash for step in steps}) == 1
        rewards = await asyncio.gather(*(session.score() for session in sessions))
        assert len({reward.value for reward in rewards}) == 1
        await asyncio.gather(*(session.step(node(f"n{i}")) for i in range(4) for session in sessions[:1]))
        assert sessions[0].next_seq == 6
        await asyncio.gather(*(session.close() for session in sessions))
        async with await client.open("scene/crate") as session:
            step = asyncio.create_task(session.step(node("a")))
            await asyncio.sleep(0)  # until it waits for the server
            step.cancel()
            with raises(asyncio.CancelledError):
                await step
            with raises(InterruptedStepError):
                await session.step(node("b"))
            assert (await session.recover()).results[0].reply["changed"] == ["n_1"]
            assert (await session.step(node("b"))).results[0].reply["changed"] == ["n_2"]
            again = await client.attach(session.id, 2)
            assert (await again.step(node("b"))).replayed
            assert await session.observe("task")
            history = json.loads((await session.observe("history", since_revision=2, max_tokens=256))["history"])
            assert (history["revision"], history["changes"]) == (2, []), history
            with raises(MaquetteError, code=grpc.StatusCode.FAILED_PRECONDITION):
                await session.observe("preview.png")
        async with await client.open("scene/crate", tool_groups=["history"]) as session:
            start = await session.snapshot()
            await session.step(node("a"))
            (fork,) = await session.fork()
            imported = await client.import_session(await session.export())
            assert fork.state_hash == imported.state_hash == session.state_hash
            await session.rollback(start)
            assert (await session.step(node("a"))).state_hash == fork.state_hash
            await asyncio.gather(fork.close(), imported.close())
        with raises(MaquetteError, reason="TASK_NOT_FOUND"):
            await client.open("scene/nothing")
        session = await client.open("scene/crate")
        with no_time(client), raises(KeyError):
            async with session:
                raise KeyError("the block's own error")


def main(addr: str) -> None:
    with Client(f"http://{addr}") as client:
        for check in (catalog, episode, branches, groups, errors, interrupted, observations):
            check(client)
    patience()
    player(addr)
    asyncio.run(asynchronous(addr))
    print("python client: all checks hold")


main(sys.argv[1])
