"""Tools: functions whose type hints are the schema that the model is told and that its arguments are checked against."""

from __future__ import annotations

import inspect
import json
from functools import update_wrapper
from typing import Any, Callable, Iterator, Mapping, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, PydanticSerializationError, from_json, to_jsonable_python
from typing_extensions import NotRequired, TypedDict

from .refusal import Refused, nearest

_CONFIG = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
_NO_OBJECT = ("dict_type", "model_attributes_type", "model_type", "dataclass_type")
_BY_KEYWORD = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class Tool:
    """A function with what the model is told of it. Its docstring is the description, its name the tool's.

    The first argument is the state; each other one has a type hint that pydantic knows, e.g.
    `n: Annotated[int, Field(ge=0, le=9, description="how many")]`. One with a default may be left out. Objects in hints
    are dataclasses or TypedDicts; `TypeError` for what would be converted or would take members that it does not know.
    """

    def __init__(self, function: Callable[..., Any], *, name: str = "", group: str = "", read_only: bool = False):
        self.function = function
        self.name = name or function.__name__
        self.description = inspect.cleandoc(function.__doc__ or "")
        self.group = group
        self.read_only = read_only
        self._arguments = _arguments(function)
        self.schema: Mapping[str, Any] = _schema(self._arguments, function)
        update_wrapper(self, function)

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Tool:
        return function if isinstance(function, Tool) else cls(function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def call(self, state: Any, arguments_json: str) -> tuple[Any, Mapping[str, Any]]:
        """The state after it and the reply; raises `Refused` for arguments that the schema does not allow."""
        try:
            arguments = self._arguments.validate_json(arguments_json)
        except ValidationError as error:
            raise self._refused(error.errors(include_url=False)[0], arguments_json) from None
        after, reply = self.function(state, **arguments)
        return after, reply

    def _refused(self, error: ErrorDetails, arguments_json: str) -> Refused:
        known: Mapping[str, Any] = self.schema.get("properties", {})
        kind, message, place = error["type"], error["msg"], error["loc"]
        names = ", ".join(known) or "no arguments"
        if kind == "json_invalid":
            return Refused("INVALID_ARGUMENT", message, given=arguments_json, allowed=f"a JSON object of {names}")
        pointer = "".join(_resolved(place, from_json(arguments_json)))
        given = error["input"]
        if not place:
            code = "TYPE_MISMATCH" if kind in _NO_OBJECT else "INVALID_ARGUMENT"
            return Refused(code, message, given=given, allowed=f"a JSON object of {names}")
        if kind == "extra_forbidden" and len(place) == 1:
            near = nearest(place[0], known)
            return Refused("INVALID_ARGUMENT", "there is no such argument", given=place[0], allowed=names, nearest=near)
        if kind == "missing":
            message, given = f"{place[-1]} is missing", None
        schema = known.get(str(place[0]), {})
        allowed = json.dumps(schema, ensure_ascii=False)
        near = nearest(given, map(str, schema.get("enum", ())))
        return Refused(_code(kind), message, pointer=pointer, given=given, allowed=allowed, nearest=near)


def tool(*, name: str = "", group: str = "", read_only: bool = False) -> Callable[[Callable[..., Any]], Tool]:
    """Makes a tool of a function by more than its signature.

    group: one of `Domain.tool_groups`; only episodes that asked for it may call the tool.
    read_only: it gives back the state that it got.
    """
    return lambda function: Tool(function, name=name, group=group, read_only=read_only)


def _arguments(function: Callable[..., Any]) -> TypeAdapter[dict[str, Any]]:
    parameters = list(inspect.signature(function).parameters.values())[1:]
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    for parameter in parameters:
        if parameter.kind not in _BY_KEYWORD or parameter.name not in hints:
            raise TypeError(f"{function.__name__}: the argument {parameter} needs a name and a type hint")
        if isinstance(parameter.default, FieldInfo):
            # As a default it would be no bound, and a value for the function.
            told = f"write {parameter.name}: Annotated[…, Field(…)], and a default behind it"
            raise TypeError(f"{function.__name__}: {parameter.name} has a Field as its default; {told}")
        hint = hints[parameter.name]
        fields[parameter.name] = hint if parameter.default is parameter.empty else NotRequired[hint]
    made_of: Any = TypedDict  # its members are known only now
    return TypeAdapter(with_config(_CONFIG)(made_of("Arguments", fields)))


def _schema(arguments: TypeAdapter[dict[str, Any]], function: Callable[..., Any]) -> dict[str, Any]:
    """Closed, with the defaults that are JSON."""
    schema = arguments.json_schema()
    open_objects = {
        name
        for name, inner in schema.get("$defs", {}).items()
        if inner.get("type") == "object" and inner.get("additionalProperties") is not False
    }
    for name in sorted(open_objects | set(_lax_models(arguments.core_schema))):
        problem = f"{name} is not closed and strict; make it a dataclass or a TypedDict, without a config of its own"
        raise TypeError(f"{function.__name__}: {problem}")
    schema = _without_titles(schema)
    for name, parameter in inspect.signature(function).parameters.items():
        if name in schema.get("properties", {}) and parameter.default is not parameter.empty:
            try:
                schema["properties"][name]["default"] = to_jsonable_python(parameter.default, inf_nan_mode="null")
            except PydanticSerializationError:
                pass  # a value of the function's own, which says that nothing was given
    return schema


def _lax_models(core: Any) -> Iterator[str]:
    """Names of pydantic's models, which take no configuration from outside, unless they are strict themselves."""
    if isinstance(core, dict):
        if core.get("type") == "model" and not core.get("config", {}).get("strict"):
            yield core["cls"].__name__
        core = list(core.values())
    if isinstance(core, list):
        for inner in core:
            yield from _lax_models(inner)


def _code(kind: str) -> str:
    if kind.endswith(("_type", "_parsing", "int_from_float")):
        return "TYPE_MISMATCH"
    if kind in ("missing", "extra_forbidden", "literal_error", "enum"):
        return "INVALID_ARGUMENT"
    return "OUT_OF_RANGE"


def _resolved(place: tuple[int | str, ...], value: Any) -> Iterator[str]:
    """The parts of a JSON pointer, as far as they lead into the arguments: a place may also name a choice of types."""
    for part in place:
        if isinstance(value, dict):
            yield "/" + str(part).replace("~", "~0").replace("/", "~1")
            value = value.get(part)
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            yield f"/{part}"
            value = value[part]
        else:
            return


def _without_titles(schema: Any) -> Any:
    """Pydantic repeats each name as a title, which tells a model nothing and costs it context."""
    if isinstance(schema, dict):
        return {
            key: {name: _without_titles(inner) for name, inner in value.items()}
            if key in ("properties", "$defs")
            else _without_titles(value)
            for key, value in schema.items()
            if key != "title"
        }
    return [_without_titles(inner) for inner in schema] if isinstance(schema, list) else schema
