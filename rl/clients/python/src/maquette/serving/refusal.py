"""Calls that are refused: results that the model reads, so that it can mend them."""

from __future__ import annotations

import json
from difflib import get_close_matches
from typing import Any, Iterable

_GIVEN_CHARS = 200
_MESSAGE_CHARS = 500
# Nothing that is longer is near to a name.
_NAME_CHARS = 256


class Refused(Exception):
    """Raised by a tool that does not do what it was asked; the state stays as it was.

    `code` is e.g. INVALID_ARGUMENT, TYPE_MISMATCH, OUT_OF_RANGE, NOT_FOUND. `pointer` is a JSON pointer into the
    arguments (empty for all of them), `given` what stands there, `allowed` a text that says what would have been
    accepted, `nearest` the likeliest valid words, best first.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        pointer: str = "",
        given: object = None,
        allowed: str = "",
        nearest: Iterable[object] = (),
    ):
        super().__init__(f"{code}: {message}")
        self.error = {
            "code": code,
            "message": message[:_MESSAGE_CHARS],
            "pointer": pointer,
            "given": _short(given),
            "allowed": allowed,
            "nearest": [str(word) for word in nearest],
        }


def nearest(given: object, known: Iterable[str]) -> list[str]:
    """The likeliest of the names that are known, three at most."""
    text = str(given)
    return get_close_matches(text, list(known)) if len(text) <= _NAME_CHARS else []


def _short(given: Any) -> Any:
    """A long text would fill the model's context a second time; what is no JSON, e.g. NaN, comes as its text."""
    try:
        text = json.dumps(given, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):
        given = text = repr(given)
    return given if len(text) <= _GIVEN_CHARS else text[:_GIVEN_CHARS] + "…"
