"""Client of the Maquette environment and reward server."""

from importlib.metadata import version

from .aio import AsyncClient, AsyncSession
from .catalog import Domain, Limit, Profile, ServerInfo, Task, Tool, tool_name
from .client import Client, Session
from .errors import InterruptedStepError, MaquetteError, ObserveError
from .values import (
    Budget,
    Call,
    Component,
    Evidence,
    Gate,
    Reward,
    Step,
    ToolResult,
    Unscorable,
    UnscorableError,
)

__version__ = version("maquette")

__all__ = [
    "AsyncClient",
    "AsyncSession",
    "Budget",
    "Call",
    "Client",
    "Component",
    "Domain",
    "Evidence",
    "Gate",
    "InterruptedStepError",
    "Limit",
    "MaquetteError",
    "ObserveError",
    "Profile",
    "Reward",
    "ServerInfo",
    "Session",
    "Step",
    "Task",
    "Tool",
    "ToolResult",
    "Unscorable",
    "UnscorableError",
    "tool_name",
]
