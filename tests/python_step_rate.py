"""Steps a second that the Python client gets answered, 64 sessions in flight on one connection, beside a bare echo of
grpc.aio on both ends, in which client and server share nothing of ours: python tests/python_step_rate.py MAQUETTE."""

import asyncio
import subprocess
import sys
import time
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path

import grpc.aio

from maquette import AsyncClient
from maquette.play import read_calls, served

IN_FLIGHT = 64
WARM_UP_SECS = 1.0
ROUND_SECS = 1.0
ROUNDS = 5
SERVICE, METHOD = "bare.Echo", "Echo"
PAYLOAD = bytes(64)  # about that of a no-op step
TASK = "scene/table"
LOG = Path(__file__).resolve().parents[1] / "assets/tasks/scene/table.calls.jsonl"
NOT_BUILDING = {"query.overlaps", "scene.export", "episode.submit"}


async def load(what, callers):
    """Prints and returns the calls a second, the median of the rounds; each caller calls again when it is answered."""
    begin = time.perf_counter() + WARM_UP_SECS
    rounds, took = [0] * ROUNDS, []

    async def repeat(call):
        while True:
            sent = time.perf_counter()
            await call()
            now = time.perf_counter()
            if now >= begin + ROUNDS * ROUND_SECS:
                return
            if now >= begin:
                rounds[int((now - begin) / ROUND_SECS)] += 1
                took.append(now - sent)

    await asyncio.gather(*map(repeat, callers))
    per_sec = sorted(count / ROUND_SECS for count in rounds)
    took.sort()
    p50_ms, p99_ms = (1000 * took[len(took) * percent // 100] for percent in (50, 99))
    median = per_sec[ROUNDS // 2]
    spread = f"median of {ROUNDS} rounds, {per_sec[0]:.0f}-{per_sec[-1]:.0f}"
    print(f"{what}: {median:.0f}/s ({spread}), p50 {p50_ms:.2f} ms, p99 {p99_ms:.2f} ms", flush=True)
    return median


async def serve_echo():
    async def echo(request, _):
        return request

    server = grpc.aio.server()
    handlers = {METHOD: grpc.unary_unary_rpc_method_handler(echo)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    await server.start()
    await server.wait_for_termination()


@contextmanager
def echo_served():
    server = subprocess.Popen([sys.executable, __file__, "--echo"], stdout=subprocess.PIPE, text=True)
    try:
        yield f"127.0.0.1:{int(server.stdout.readline())}"
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


async def bare(addr):
    async with grpc.aio.insecure_channel(addr) as channel:
        await channel.channel_ready()
        call = channel.unary_unary(f"/{SERVICE}/{METHOD}")

        async def echo():
            assert await call(PAYLOAD) == PAYLOAD

        return await load("grpc.aio alone, an echo", [echo] * IN_FLIGHT)


async def steps(addr):
    async with AsyncClient(addr) as client:
        session = await client.open(TASK)
        built = await session.step(*(call for call in read_calls(LOG) if call[0] not in NOT_BUILDING))
        assert all(result.ok for result in built.results)
        sessions = [session, *await session.fork(IN_FLIGHT - 1)]
        no_op = await load("no-op Step, scene of a table", [session.step for session in sessions])
        starts = await asyncio.gather(*(session.snapshot() for session in sessions))
        movers = [mover(session, start) for session, start in zip(sessions, starts)]
        await load("Step of node.set_transform", movers)
        return no_op


def mover(session, start):
    """Moves a leg of the table to and fro; where the calls are used up, a rollback gives them back."""
    by_m = cycle((0.01, -0.01))

    async def move():
        step = await session.step(("node.set_transform", {"node": "n_3", "move_by_m": [next(by_m), 0, 0]}))
        assert step.results[0].ok
        if step.budget.calls_left <= 1:
            await session.rollback(start)

    return move


def main(binary):
    with echo_served() as addr:
        ceiling = asyncio.run(bare(addr))
    with served(binary) as addr:
        no_op = asyncio.run(steps(addr))
    print(f"ratio of no-op Step to the echo: {no_op / ceiling:.2f}")


if sys.argv[1] == "--echo":
    asyncio.run(serve_echo())
else:
    main(Path(sys.argv[1]))
