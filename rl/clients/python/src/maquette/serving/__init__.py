"""The other side of the protocol: a domain of your own, served as `maquette.v1`. Needs the extra `maquette[serve]`."""

from ..catalog import Limit, Task
from ..errors import MaquetteError
from ..values import Component, Evidence, Gate, Unscorable
from .domain import Domain, Score
from .refusal import Refused, nearest
from .server import serve
from .tools import Tool, tool

__all__ = [
    "Component",
    "Domain",
    "Evidence",
    "Gate",
    "Limit",
    "MaquetteError",
    "Refused",
    "Score",
    "Task",
    "Tool",
    "Unscorable",
    "nearest",
    "serve",
    "tool",
]
