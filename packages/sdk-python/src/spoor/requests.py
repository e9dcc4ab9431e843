"""Spans, metric events and flags as requests and as lines of a spool."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from .connection import Answer
from .plain import quoted, to_json

SPANS_PATH = "/otlp/v1/traces"
METRICS_PATH = "/v1/metrics/events"
#: What a line of a spool may call.
CALLS = {"metric": re.escape(METRICS_PATH), "flag": "/v1/traces/[0-9a-f]{32}"}
#: Why one metric event of many may be refused although it is worth another try.
BUSY_CODES = ("queue_full", "disk_full", "storage_unavailable", "internal_error", "request_timeout")
#: What the service says of a request that it will never take. Another key or address may make others good.
REFUSALS = (400, 409, 413, 415, 422)


class Item(NamedTuple):
    kind: str  # spans, metric or flag
    path: str
    text: str  # JSON

    @property
    def size(self) -> int:
        return len(self.text) + 200  # bytes that Python adds, about


class Outcome(NamedTuple):
    stored: int = 0
    refused: int = 0
    reason: str = ""
    again: tuple[Request, ...] = ()
    busy: bool = False  # what is to be sent again must wait


class Request(NamedTuple):
    """Items of one kind. The service recognises all of them when they come again."""

    kind: str
    path: str
    texts: tuple[str, ...]
    resource: str  # of spans: what they say of the process

    def body(self) -> bytes:
        text = self.texts[0] if self.kind == "flag" else f"[{','.join(self.texts)}]"
        return (self._export() if self.kind == "spans" else text).encode("utf-8", "replace")

    def lines(self) -> list[str]:
        if self.kind == "spans":
            return [f'{{"kind":"spans","body":{self._export()}}}']
        return [f'{{"kind":"{self.kind}","path":{quoted(self.path)},"body":{text}}}' for text in self.texts]

    def _export(self) -> str:
        scope = f'{{"scope":{{"name":"spoor"}},"spans":[{",".join(self.texts)}]}}'
        return f'{{"resourceSpans":[{{"resource":{self.resource},"scopeSpans":[{scope}]}}]}}'

    def outcome(self, answer: Answer) -> Outcome:
        count = len(self.texts)
        try:
            said: Any = json.loads(answer.body)
        except ValueError:
            said = None
        is_taken = answer.status < 300 and isinstance(said, dict)
        is_refused = answer.status in REFUSALS or answer.status == 404 and self.kind == "flag"
        if not is_taken and not is_refused:
            # Also a wrong key, and what a proxy says instead of the service: it acknowledges nothing.
            return Outcome(again=(self,), busy=True, reason=f"{said_by(answer, said)}, later again")
        if not is_taken:
            if count > 1 and answer.status in (400, 413, 422):  # each half alone, until one item is refused alone
                halves = (self.texts[: count // 2], self.texts[count // 2 :])
                return Outcome(again=tuple(self._replace(texts=half) for half in halves))
            return Outcome(refused=count, reason=said_by(answer, said))
        if self.kind == "spans":
            part = said.get("partialSuccess", {})
            refused = min(count, int(part.get("rejectedSpans", 0)))
            return Outcome(count - refused, refused, str(part.get("errorMessage", "")))
        errors = [one for one in said.get("results", []) if one["status"] == "error"]
        late = tuple(self.texts[one["line"] - 1] for one in errors if one["code"] in BUSY_CODES)
        again = (self._replace(texts=late),) if late else ()
        reason = errors[0]["detail"] if errors else ""
        return Outcome(count - len(errors), len(errors) - len(late), reason, again, bool(late))


def said_by(answer: Answer, said: Any) -> str:
    reason = (said.get("detail") or said.get("message")) if isinstance(said, dict) else None
    return str(reason or f"the service answers {answer.status}")


def to_requests(items: list[Item], resource: str) -> Iterator[Request]:
    """Spans first: metric events and flags need their trace."""
    for kind, path in (("spans", SPANS_PATH), ("metric", METRICS_PATH)):
        if texts := tuple(one.text for one in items if one.kind == kind):
            yield Request(kind, path, texts, resource)
    yield from (Request("flag", one.path, (one.text,), "") for one in items if one.kind == "flag")


def from_lines(text: str) -> Iterator[Request]:
    """Raises ValueError, KeyError or TypeError for a line that is none of a spool."""
    for line in map(json.loads, text.splitlines()):
        if line["kind"] != "spans":
            if not re.fullmatch(CALLS[line["kind"]], line["path"]):
                raise ValueError("no recorder makes such a request")
            yield Request(line["kind"], line["path"], (to_json(line["body"]),), "")
            continue
        for group in line["body"]["resourceSpans"]:
            spans = tuple(to_json(span) for scope in group["scopeSpans"] for span in scope["spans"])
            yield Request("spans", SPANS_PATH, spans, to_json(group["resource"]))
