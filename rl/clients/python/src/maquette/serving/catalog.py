"""`maquette.v1.Catalog`."""

from __future__ import annotations

import secrets
from importlib.metadata import version

from ..v1 import catalog_pb2, catalog_pb2_grpc
from . import bounds
from .served import MAX_REQUEST_BYTES, Served, unary
from .status import duration
from .work import compute

# Abilities that a client may count on.
_FEATURES = (
    "open.idempotency",
    "open.siblings",
    "open.tool_groups",
    "score.call_log",
    "session.export",
    "session.fork",
    "session.snapshot",
)
_PAGE, _MAX_PAGE = 100, 1000


class Catalog(catalog_pb2_grpc.CatalogServicer):
    def __init__(self, served: Served):
        self._served = served
        self._instance_id = secrets.token_hex(16)

    @unary
    async def GetServerInfo(self, _: catalog_pb2.GetServerInfoRequest) -> catalog_pb2.GetServerInfoResponse:
        return catalog_pb2.GetServerInfoResponse(
            version=version("maquette"),
            features=_FEATURES,
            max_sessions=self._served.max_sessions,
            max_request_bytes=MAX_REQUEST_BYTES,
            default_lease=duration(self._served.lease_secs),
            max_lease=duration(bounds.MAX_LEASE_SECS),
            default_deadline=duration(self._served.calls.default_deadline_secs),
            instance_id=self._instance_id,
        )

    @unary
    async def ListDomains(self, _: catalog_pb2.ListDomainsRequest) -> catalog_pb2.ListDomainsResponse:
        return catalog_pb2.ListDomainsResponse(domains=[self._served.offer.domain.name])

    @unary
    async def DescribeDomain(self, request: catalog_pb2.DescribeDomainRequest) -> catalog_pb2.DescribeDomainResponse:
        self._served.check_domain(request.domain)
        return self._served.offer.described()

    @unary
    async def ListTasks(self, request: catalog_pb2.ListTasksRequest) -> catalog_pb2.ListTasksResponse:
        """A page token is the id of the last task sent."""
        self._served.check_domain(request.domain)
        bounds.names(split=request.split, page_token=request.page_token)
        tasks = await compute(self._served.pool, self._served.offer.listed, request.split)
        ids = [task.id for task in tasks]
        if request.page_token and request.page_token not in ids:
            raise bounds.invalid("page_token", f"{request.page_token!r} was not given for a page of these tasks")
        sent = ids.index(request.page_token) + 1 if request.page_token else 0
        until = sent + min(request.page_size or _PAGE, _MAX_PAGE)
        page = [
            catalog_pb2.Task(id=task.id, split=task.split, prompt=task.prompt, profile=task.profile)
            for task in tasks[sent:until]
        ]
        return catalog_pb2.ListTasksResponse(tasks=page, next_page_token=page[-1].id if until < len(tasks) else "")
