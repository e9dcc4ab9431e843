"""Traces and their steps, as user code sees them."""

from __future__ import annotations

import base64
import functools
import json
import os
import time
from collections.abc import Callable
from contextvars import ContextVar
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, TypeVar

from .plain import masked, masked_json, quoted, to_json
from .requests import METRICS_PATH, SPANS_PATH, Item

if TYPE_CHECKING:
    from .recorder import Recorder

Method = TypeVar("Method", bound=Callable[..., Any])
SpanType = TypeVar("SpanType", bound="Span")
#: Exceptions that end a span without a failure.
NO_FAILURES = (GeneratorExit, SystemExit)
#: Of names; the service takes no longer ones.
MOST_CHARACTERS = 255

current: ContextVar[Span | None] = ContextVar("spoor", default=None)


def _safe(method: Method) -> Method:
    """Recording never raises into user code."""

    @functools.wraps(method)
    def guarded(self: Span, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        except Exception as error:
            self.run.recorder.warn(f"{type(self).__name__}.{method.__name__} recorded nothing: {error!r}")

    return guarded  # type: ignore[return-value]


class Run:
    """What the spans of one trace in this process share."""

    def __init__(self, recorder: Recorder, trace_id: str, mode: str) -> None:
        self.recorder = recorder
        self.trace_id = trace_id
        self.mode = mode  # send, hold (until the trace ends) or drop
        self.failed = False
        self._exists = False  # spans are queued: what follows finds its trace at the service
        self._held: list[Item] = []

    def add(self, kind: str, path: str, text: str) -> None:
        sender = self.recorder.sender
        if self.mode == "drop" or sender is None:
            return
        item = Item(kind, path, text)
        with sender.changed:
            if self.mode == "hold" or not (self._exists or kind == "spans"):
                if sender.reserve(item.size):
                    self._held.append(item)
                return
            sender.put(item)
            self._exists = True
            while self._held:
                sender.put(self._held.pop(0), reserved=True)

    def end(self) -> None:
        """A held trace is sent whole if it has failed."""
        sender = self.recorder.sender
        if self.mode != "hold" or sender is None:
            return
        with sender.changed:
            self.mode = "send" if self.failed else "drop"
            self._exists = self.failed
            for item in self._held:
                sender.put(item, reserved=True) if self.failed else sender.reserve(-item.size)
            self._held = []

    def __del__(self) -> None:
        """A trace that never ended gives back what it holds of the queue."""
        if self._held and (sender := self.recorder.sender) is not None:
            with sender.changed:
                sender.reserve(-sum(item.size for item in self._held))


class Span:
    _prefix = "step"

    def __init__(self, run: Run, parent_id: str, name: str, metadata: dict[str, Any] | None, **facts: Any) -> None:
        self.run = run
        self.span_id = os.urandom(8).hex()
        self._parent_id = parent_id
        self._facts = facts
        self._name = name
        self._metadata: dict[str, str] = {}
        self._error: tuple[str, str] | None = None
        self._before: Span | None = None
        self._ended = False
        self._start = time.time_ns()
        self._clock = time.perf_counter_ns()
        if metadata:
            self.metadata(metadata)

    @property
    def trace_id(self) -> str:
        """32 hex digits; every route of the service takes them."""
        return self.run.trace_id

    @property
    def traceparent(self) -> str:
        """The header of a request whose work belongs below this."""
        return f"00-{self.run.trace_id}-{self.span_id}-{'00' if self.run.mode == 'drop' else '01'}"

    def step(
        self, name: str, *, type: str = "other", model: str | None = None, metadata: dict[str, Any] | None = None
    ) -> Step:
        """A child of this one; `spoor.step` makes a child of the current one."""
        return Step(self.run, self.span_id, name, metadata, type=type, model=model)

    @_safe
    def metadata(self, values: dict[str, Any]) -> None:
        """Adds a copy to the metadata."""
        for key, value in values.items():
            self._metadata[str(key)] = masked_json(value, self.run.recorder.mask, f"metadata.{key}")

    @_safe
    def update(self, **facts: str) -> None:
        """Sets `name`; of a step also `type` and `model`; of a trace `session_id`, `user_id` and `run_type`."""
        self._name = facts.pop("name", self._name)
        self._facts.update(facts)

    @_safe
    def error(self, error: BaseException | str, type: str | None = None) -> None:
        """Marks it as failed. An exception that leaves a `with` does so too."""
        self.run.failed = True
        self._error = (type or (error.__class__.__name__ if isinstance(error, BaseException) else "Error"), str(error))

    @_safe
    def end(self) -> None:
        """The end of a `with`; to be called where there is none."""
        if self._ended:
            return
        self._ended = True
        if self.run.mode != "drop":
            end = self._start + time.perf_counter_ns() - self._clock
            parent = f'"parentSpanId":"{self._parent_id}",' if self._parent_id else ""
            pairs = [f'{{"key":"{key}","value":{{"stringValue":{quoted(text)}}}}}' for key, text in self._attributes()]
            message = self._masked(self._error[1], "error.message") if self._error else ""
            name = self._masked(self._name, "name")[:MOST_CHARACTERS] or "unnamed"
            status = f',"status":{{"code":2,"message":{quoted(message)}}}' if self._error else ""
            text = (
                f'{{"traceId":"{self.run.trace_id}","spanId":"{self.span_id}",{parent}'
                f'"name":{quoted(name)},"kind":1,"startTimeUnixNano":"{self._start}",'
                f'"endTimeUnixNano":"{end}","attributes":[{",".join(pairs)}]{status}}}'
            )
            self.run.add("spans", SPANS_PATH, text)

    def _attributes(self) -> list[tuple[str, str]]:
        facts = [(key, self._masked(value, key)[:MOST_CHARACTERS]) for key, value in self._facts.items() if value is not None]
        if self._metadata:
            pairs = (f"{quoted(key)}:{text}" for key, text in self._metadata.items())
            facts.append(("metadata", f"{{{','.join(pairs)}}}"))
        return [(f"spoor.{self._prefix}.{key}", text) for key, text in facts]

    def _masked(self, value: Any, path: str) -> str:
        mask = self.run.recorder.mask
        return str(value if mask is None else masked(value, mask, path))

    def __enter__(self: SpanType) -> SpanType:
        self._before = current.get()
        current.set(self)
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if error is not None and not isinstance(error, NO_FAILURES):
            self.error(error)
        self.end()
        if current.get() is self:  # not if it was left in another order than entered
            while self._before is not None and self._before._ended:
                self._before = self._before._before
            current.set(self._before)


class Step(Span):
    def __init__(self, run: Run, parent_id: str, name: str, metadata: dict[str, Any] | None, **facts: Any) -> None:
        self._messages: list[str] = []
        self._usage: dict[str, int] = {}
        self._files: list[str] = []
        self._uris: list[str] = []
        super().__init__(run, parent_id, name, metadata, **facts)

    @_safe
    def messages(self, *messages: Any) -> None:
        """Adds copies of messages `{"role": …, "content": …}`, or of lists of them."""
        for one in messages:
            for message in one if isinstance(one, (list, tuple)) else [one]:
                if isinstance(message, dict) and isinstance(message.get("content"), str):
                    message = {**message, "content": [{"type": "text", "text": message["content"]}]}
                path = f"messages.{len(self._messages)}"
                self._messages.append(masked_json(message, self.run.recorder.mask, path))

    @_safe
    def record(self, role: str, value: Any) -> None:
        """Adds a message whose text is any value, as JSON unless it is a text."""
        mask = self.run.recorder.mask
        text = masked_json(value, mask, f"messages.{len(self._messages)}")
        text = str(json.loads(text)) if isinstance(value, str) else text
        self._messages.append(to_json({"role": role, "content": [{"type": "text", "text": text}]}))

    @_safe
    def usage(self, input: int = 0, output: int = 0, **parts: int | None) -> None:
        """Tokens; also `cache_read`, `cache_write` (parts of `input`) and `reasoning` (of `output`)."""
        self._usage = {"input": int(input), "output": int(output)}
        self._usage.update({name: int(count) for name, count in parts.items() if count is not None})

    @_safe
    def attach(
        self, file: bytes | str | os.PathLike[str], content_type: str = "application/octet-stream", name: str = ""
    ) -> None:
        """A file by its bytes or its path, or the `media://` uri of one that is stored."""
        if isinstance(file, str) and file.startswith("media://"):
            self._uris.append(file)
            return
        if not isinstance(file, bytes):
            name = name or os.path.basename(file)
            with open(file, "rb") as opened:
                file = opened.read()
        mask = self.run.recorder.mask
        kept = file if mask is None else masked(file, mask, f"attachments.{name}")
        if isinstance(kept, bytes):
            kept = f"data:{content_type};base64,{base64.b64encode(kept).decode()}"
        self._files.append(to_json({"filename": name or "file", "content_type": content_type, "data": kept}))

    def _attributes(self) -> list[tuple[str, str]]:
        if self._files:  # the service makes media of the large ones, in the commit of the step
            self._metadata["attachments"] = f"[{','.join(self._files)}]"
        made = super()._attributes()
        if self._messages:
            made.append(("spoor.step.messages", f"[{','.join(self._messages)}]"))
        if self._usage:
            made.append(("spoor.step.usage", to_json(self._usage)))
        if self._uris:
            made.append(("spoor.step.attachments", to_json([{"uri": uri} for uri in self._uris])))
        if self._error:
            kind, message = self._error
            error = {"type": kind, "message": self._masked(message, "error.message")}
            made.append(("spoor.step.error", to_json(error)))
        return made


class Trace(Span):
    _prefix = "trace"

    @_safe
    def metric(self, name: str, value: bool | float | str, comment: str | None = None, source: str = "code") -> None:
        """A value of a metric that is defined, for this trace."""
        body = {
            "name": name,
            "trace_id": self.trace_id,
            "passed" if isinstance(value, bool) else "value": value,
            "source": source,
            "idempotency_key": os.urandom(16).hex(),
            "at": datetime.now(timezone.utc).isoformat(timespec="milliseconds"),
            **({} if comment is None else {"comment": self._masked(comment, "comment")}),
        }
        self.run.add("metric", METRICS_PATH, to_json(body))

    @_safe
    def flag(self, reason: str = "") -> None:
        self.run.failed = True  # so that a held trace is sent
        body = {"flagged": True, "reason": self._masked(reason, "reason")[:MOST_CHARACTERS]}
        self.run.add("flag", f"/v1/traces/{self.trace_id}", to_json(body))

    def _attributes(self) -> list[tuple[str, str]]:
        kind = ("spoor.step.type", "agent") if self._parent_id else ("spoor.span.kind", "trace")
        return [kind, *super()._attributes()]

    def end(self) -> None:
        super().end()
        self.run.end()
