"""A gRPC server for one domain: `maquette.v1`, health and reflection."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import Any

import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from ..channel import MAX_MESSAGE_BYTES
from ..v1 import catalog_pb2, catalog_pb2_grpc, episodes_pb2, episodes_pb2_grpc, rewards_pb2, rewards_pb2_grpc
from .bounds import MAX_LEASE_SECS
from .catalog import Catalog
from .domain import Domain
from .episodes import Episodes
from .offer import Offer
from .rewards import Rewards
from .served import MAX_REQUEST_BYTES, Served
from .sessions import REAP_EVERY_SECS, Sessions
from .work import Calls, compute

_CHECK_EVERY_SECS = 5.0
# A domain that takes longer to say whether it is ready is not.
_READY_WITHIN_SECS = 2.0
# After the signal, calls in flight have this long to end.
_DRAIN_SECS = 10.0
# A thread that has nothing to do ends within this time.
_IDLE_SECS = 0.5
_THREADS = "maquette"
_OPTIONS = [
    # A port that another server has is refused.
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", MAX_REQUEST_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_concurrent_streams", 1024),
    ("grpc.keepalive_time_ms", 30_000),
    # Clients ping idle connections every 20 s; that is no attack.
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
]
logger = logging.getLogger("maquette")


def serve(
    domain: Domain[Any],
    address: str = "127.0.0.1:50062",
    *,
    max_sessions: int = 1024,
    lease_secs: float = 120.0,
    deadline_secs: float = 30.0,
) -> None:
    """Serves until SIGINT or SIGTERM, then lets the calls in flight end, ten seconds at most; where a tool runs even
    then, the process ends with exit code 0, and what stands behind `serve` is not reached.

    address: host:port or unix:path; port 0 takes a free one, which is printed: "listening on 127.0.0.1:40123".
    max_sessions: held at once; more are refused with RESOURCE_EXHAUSTED.
    lease_secs: after so long without a call a session is closed; a client may ask for up to an hour.
    deadline_secs: of a call whose client sets none.
    Sessions are kept in memory: they do not outlive the process. `ValueError` for a domain that lacks something, a bad
    address or number; `SystemExit` where the address is taken.
    """
    if not (max_sessions > 0 and 0 < lease_secs <= MAX_LEASE_SECS and 0 < deadline_secs <= MAX_LEASE_SECS):
        raise ValueError("sessions are positive, seconds too, and an hour at most")
    asyncio.run(_serve(Offer(domain), _checked(address), max_sessions, lease_secs, deadline_secs))
    _end_if_busy()


def _checked(address: str) -> str:
    address = address.removeprefix("http://")
    host, _, port = address.rpartition(":")
    is_path = address.startswith("unix:") and address != "unix:"
    if not is_path and not (host and port.isascii() and port.isdecimal() and int(port) < 1 << 16):
        raise ValueError(f"{address!r} is no address; it is host:port with a port from 0 to 65535, or unix:path")
    return address


def _end_if_busy() -> None:
    """Python would wait for a thread that runs what an author wrote, however long it takes."""
    until = monotonic() + _IDLE_SECS
    threads = [thread for thread in threading.enumerate() if thread.name.startswith(f"{_THREADS}_")]
    for thread in threads:
        thread.join(max(0.0, until - monotonic()))
    if any(thread.is_alive() for thread in threads):
        logger.warning("a tool still runs; the process ends without it")
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(0)


async def _serve(offer: Offer, address: str, max_sessions: int, lease_secs: float, deadline_secs: float) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    pool = ThreadPoolExecutor(max_workers=(os.cpu_count() or 1) + 1, thread_name_prefix=_THREADS)
    sessions = Sessions(offer, pool, max_sessions)
    served = Served(offer, sessions, Calls(deadline_secs), pool, max_sessions, lease_secs)
    server = grpc.aio.server(options=_OPTIONS)
    catalog_pb2_grpc.add_CatalogServicer_to_server(Catalog(served), server)
    episodes_pb2_grpc.add_EpisodesServicer_to_server(Episodes(served), server)
    rewards_pb2_grpc.add_RewardsServicer_to_server(Rewards(served), server)
    reporter = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(reporter, server)
    modules = (catalog_pb2, episodes_pb2, rewards_pb2, health_pb2)
    services = [service.full_name for module in modules for service in module.DESCRIPTOR.services_by_name.values()]
    reflection.enable_server_reflection([*services, reflection.SERVICE_NAME], server)

    try:
        port = server.add_insecure_port(address)
    except RuntimeError as error:
        raise SystemExit(f"cannot listen on {address}: {str(error).splitlines()[0]}") from None
    await _report(offer, pool, reporter)
    await server.start()
    where = address if address.startswith("unix:") else f"{address.rpartition(':')[0]}:{port}"
    print(f"listening on {where}", flush=True)
    background = [asyncio.create_task(_reap(sessions)), asyncio.create_task(_watch(offer, pool, reporter))]
    await stop.wait()
    for task in background:
        task.cancel()
    await server.stop(_DRAIN_SECS)
    pool.shutdown(wait=False, cancel_futures=True)


async def _reap(sessions: Sessions) -> None:
    while True:
        await asyncio.sleep(REAP_EVERY_SECS)
        sessions.reap()


async def _watch(offer: Offer, pool: ThreadPoolExecutor, reporter: Any) -> None:
    while True:
        await asyncio.sleep(_CHECK_EVERY_SECS)
        await _report(offer, pool, reporter)


async def _report(offer: Offer, pool: ThreadPoolExecutor, reporter: Any) -> None:
    """Asks the domain whether it is ready; the service "" is what the domain is."""
    serving, not_serving = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING
    ok = True
    try:
        await asyncio.wait_for(compute(pool, offer.domain.ready), _READY_WITHIN_SECS)
    except Exception as error:
        logger.warning("%s is not ready: %r", offer.domain.name, error)
        ok = False
    for service in ("", offer.domain.name):
        await reporter.set(service, serving if ok else not_serving)
