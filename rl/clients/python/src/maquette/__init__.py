"""Client of the Maquette environment and reward server."""

from .aio import AsyncClient, AsyncSession
from .client import Client, Session
from .values import (
    Component,
    Evidence,
    Gate,
    Reward,
    Step,
    Tool,
    ToolResult,
    Unscorable,
    UnscorableError,
)

__all__ = [
    "AsyncClient",
    "AsyncSession",
    "Client",
    "Component",
    "Evidence",
    "Gate",
    "Reward",
    "Session",
    "Step",
    "Tool",
    "ToolResult",
    "Unscorable",
    "UnscorableError",
]
