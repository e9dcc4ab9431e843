"""JSON of any value. No value makes anything here raise."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import isfinite
from typing import Any

Mask = Callable[[Any, str], Any]
#: Of the representation of an object that has no other form.
MOST_CHARACTERS = 10_000
#: Of one text of JSON: a request that is much larger is refused. The service shortens what is left.
MOST_OF_ALL = 16 * 1024 * 1024
#: Of each text in a larger one.
CUT_AT = (65_536, 1024)
#: The service takes 64 levels, some of which are around a value.
MOST_LEVELS = 48


def quoted(text: str) -> str:
    """The JSON of a text."""
    return _encode(text)


def to_json(value: object) -> str:
    try:
        text = _encode(value)
    except Exception:  # circular, too deep, not finite, keys that are no texts
        text = _encode(_simple(value, 0))
    for most in CUT_AT:
        if len(text) <= MOST_OF_ALL:
            return text
        text = _encode(_cut(json.loads(text), most))
    return text if len(text) <= MOST_OF_ALL else _encode(_cut(text, CUT_AT[0]))


def _cut(value: Any, most: int) -> Any:
    if isinstance(value, dict):
        return {key: _cut(one, most) for key, one in value.items()}
    if isinstance(value, list):
        return [_cut(one, most) for one in value]
    if not isinstance(value, str) or len(value) <= most:
        return value
    return f"{value[:most]}… [{len(value) - most} characters were cut]"


def masked_json(value: object, mask: Mask | None, path: str) -> str:
    """`mask` gets each text and number with its path, such as `messages.0.content.0.text`."""
    text = to_json(value)
    return text if mask is None else to_json(masked(json.loads(text), mask, path))


def masked(value: Any, mask: Mask, path: str) -> Any:
    if isinstance(value, dict):
        return {key: masked(one, mask, f"{path}.{key}") for key, one in value.items()}
    if isinstance(value, list):
        return [masked(one, mask, f"{path}.{at}") for at, one in enumerate(value)]
    try:
        return value if value is None or isinstance(value, bool) else mask(value, path)
    except Exception:
        return "[mask failed]"


def _plain(value: Any) -> Any:
    """What an object says of itself, one level deep."""
    try:
        if isinstance(value, (set, frozenset)):
            return list(value)
        if hasattr(type(value), "__dataclass_fields__"):
            return {name: getattr(value, name) for name in value.__dataclass_fields__}
        method = getattr(type(value), "model_dump", None) or getattr(type(value), "isoformat", None)
        return method(value) if method else repr(value)[:MOST_CHARACTERS]  # pydantic; times
    except Exception:
        return f"<{type(value).__name__}>"


def _simple(value: Any, depth: int) -> Any:
    if isinstance(value, float) and not isfinite(value) or isinstance(value, int) and value.bit_length() > 4096:
        return f"{value:e}" if isinstance(value, float) else hex(value)
    if value is None or isinstance(value, (bool, str, int, float)):
        return value
    if depth == MOST_LEVELS:
        return "…"
    if isinstance(value, dict):
        pairs = list(value.items())
        return {key if isinstance(key, str) else str(_plain(key)): _simple(one, depth + 1) for key, one in pairs}
    if isinstance(value, (list, tuple)):
        return [_simple(one, depth + 1) for one in value]
    return _simple(_plain(value), depth + 1)


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain).encode
