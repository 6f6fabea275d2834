"""What the services share, and how a method answers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, Awaitable, Callable

import grpc

from ..errors import MaquetteError
from . import bounds
from .offer import Offer
from .refusal import nearest
from .sessions import Sessions
from .status import refuse
from .work import Calls

#: Of any request.
MAX_REQUEST_BYTES = 8 << 20
Handler = Callable[[Any, Any], Awaitable[Any]]
Method = Callable[[Any, Any, Any], Awaitable[Any]]


@dataclass(frozen=True)
class Served:
    """One domain, its sessions, and the calls in flight."""

    offer: Offer
    sessions: Sessions
    calls: Calls
    pool: ThreadPoolExecutor
    max_sessions: int
    lease_secs: float

    def check_domain(self, name: str) -> None:
        bounds.names(domain=name)
        known = self.offer.domain.name
        if name != known:
            code, near = grpc.StatusCode.NOT_FOUND, tuple(nearest(name, [known]))
            raise MaquetteError(code, "DOMAIN_NOT_FOUND", f"no domain {name!r}", "domain", near)

    def lease(self, request: Any) -> float:
        """Of a request that opens sessions."""
        bounds.names(idempotency_key=request.idempotency_key)
        return bounds.lease_secs(request.lease if request.HasField("lease") else None) or self.lease_secs


def typed(handler: Method) -> Method:
    """Errors become the status of the call."""

    @wraps(handler)
    async def method(self: Any, request: Any, context: Any) -> Any:
        try:
            return await handler(self, request, context)
        except MaquetteError as error:
            await refuse(context, error)

    return method


def unary(handler: Handler) -> Method:
    """Runs to its end, whatever becomes of the caller."""

    @wraps(handler)
    async def method(self: Any, request: Any, context: Any) -> Any:
        return await self._served.calls.to_its_end(context, partial(handler, self, request))

    return typed(method)
