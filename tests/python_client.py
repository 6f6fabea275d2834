"""Checks of the Python client against a running server: python tests/python_client.py HOST:PORT."""

import asyncio
import sys

import grpc

from maquette import AsyncClient, Client


def synchronous(addr: str) -> None:
    with Client(addr) as client:
        assert client.domains() == ["scene"]
        tools = {tool.name: tool for tool in client.tools("scene")}
        assert len(tools) == 15 and tools["query.overlaps"].read_only
        assert tools["node.create"].arguments_schema["type"] == "object"
        assert len(client.tasks("scene")) == 5
        siblings = client.open_group("scene/crate", 3, seed=5)
        assert len({session.id for session in siblings}) == 3
        assert len({session.state_hash for session in siblings}) == 1
        with siblings[0] as session:
            step = session.step(("node.create", {"name": "crate"}))
            assert step.results[0].ok and step.results[0].reply["changed"] == ["n_1"]
            refused = session.step(("node.create", {"nmae": "x"})).results[0]
            assert not refused.ok and "name" in refused.reply["error"]["nearest"], refused
            reward = session.score()
            assert reward.value is not None and reward.value < 0.3 and not all(gate.passed for gate in reward.gates)
            assert session.step(("episode.submit", {})).ended
            try:
                session.step(("scene.describe", {}))
                raise AssertionError("a step after the end was accepted")
            except grpc.RpcError as error:
                assert error.code() == grpc.StatusCode.FAILED_PRECONDITION, error
        try:
            client.open("scene/nothing")
            raise AssertionError("an unknown task was opened")
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.NOT_FOUND, error


async def asynchronous(addr: str) -> None:
    async with AsyncClient(addr) as client:
        sessions = await client.open_group("scene/crate", 8)
        steps = await asyncio.gather(*(session.step(("node.create", {"name": "crate"})) for session in sessions))
        assert len({step.state_hash for step in steps}) == 1
        rewards = await asyncio.gather(*(session.score() for session in sessions))
        assert len({reward.value for reward in rewards}) == 1
        await asyncio.gather(*(session.close() for session in sessions))


synchronous(sys.argv[1])
asyncio.run(asynchronous(sys.argv[1]))
print("python client: all checks hold")
