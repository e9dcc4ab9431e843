"""`@observe`: calls of a function as steps."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar, overload

from .recorder import Recorder, default
from .spans import Span, Step, current

Function = TypeVar("Function", bound=Callable[..., Any])
#: Of what a generator yields, as its output.
MOST_ITEMS = 1000


@overload
def observe(fn: Function) -> Function: ...
@overload
def observe(
    *, name: str | None = None, type: str = "chain", model: str | None = None, capture: bool = True,
    recorder: Recorder = default,
) -> Callable[[Function], Function]: ...
def observe(fn: Any = None, **options: Any) -> Any:
    """A step for each call of a function, coroutine, generator or async generator.

    Arguments and result become messages unless `capture` is False. Without a current trace, a call is a trace.
    """
    return (lambda one: _Observed(one, **options).wrapper()) if fn is None else _Observed(fn).wrapper()


@dataclass
class _Observed:
    fn: Any
    name: str | None = None
    type: str = "chain"
    model: str | None = None
    capture: bool = True
    recorder: Recorder = default

    def wrapper(self) -> Any:
        self._name = self.name or getattr(self.fn, "__qualname__", "call").split("<locals>.")[-1]
        code = getattr(self.fn, "__code__", None)
        self._names: tuple[str, ...] = code.co_varnames[: code.co_argcount] if code else ()
        # The parent of what a generator does is current at its call; its consumer may run anywhere.
        if inspect.isasyncgenfunction(self.fn):
            observed: Any = lambda *args, **kwargs: self._async_items(current.get(), args, kwargs)  # noqa: E731
        elif inspect.isgeneratorfunction(self.fn):
            observed = lambda *args, **kwargs: self._items(current.get(), args, kwargs)  # noqa: E731
        elif inspect.iscoroutinefunction(self.fn):

            async def observed(*args: Any, **kwargs: Any) -> Any:
                with self._step(current.get(), args, kwargs) as step:
                    return self._record(step, 1, await self.fn(*args, **kwargs))

        else:

            def observed(*args: Any, **kwargs: Any) -> Any:
                with self._step(current.get(), args, kwargs) as step:
                    return self._record(step, 1, self.fn(*args, **kwargs))

        return functools.wraps(self.fn)(observed)

    @contextmanager
    def _step(self, parent: Span | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[Step]:
        if parent is None:
            with self.recorder.trace(self._name) as trace, self._step(trace, args, kwargs) as step:
                yield step
            return
        with parent.step(self._name, type=self.type, model=self.model) as step:
            given = {**dict(zip(self._names, args)), **kwargs}
            if len(args) > len(self._names):
                given["args"] = args[len(self._names) :]
            self._record(step, 0, {name: value for name, value in given.items() if name not in ("self", "cls")} or None)
            yield step

    def _record(self, step: Step, at: int, value: Any) -> Any:
        if self.capture and value is not None:
            step.record((("assistant", "tool") if self.type == "tool" else ("user", "assistant"))[at], value)
        return value

    def _items(self, parent: Span | None, args: Any, kwargs: Any) -> Generator[Any, Any, Any]:
        """The step is current while the generator runs, and not while its consumer does."""
        consumer = current.get()
        items: list[Any] = []
        try:
            with self._step(parent, args, kwargs) as step:
                generator = self.fn(*args, **kwargs)
                resume, given = generator.send, None
                while True:
                    try:
                        item = resume(given)
                    except StopIteration as end:
                        self._record(step, 1, _output(items))
                        return end.value
                    inner = _suspended(items, item, consumer)
                    try:
                        resume, given = generator.send, (yield item)
                    except BaseException as error:
                        resume, given = generator.throw, error
                    consumer = current.get()
                    current.set(inner)
        finally:
            current.set(consumer)

    async def _async_items(self, parent: Span | None, args: Any, kwargs: Any) -> AsyncGenerator[Any, Any]:
        consumer = current.get()
        items: list[Any] = []
        try:
            with self._step(parent, args, kwargs) as step:
                generator = self.fn(*args, **kwargs)
                resume, given = generator.asend, None
                while True:
                    try:
                        item = await resume(given)
                    except StopAsyncIteration:
                        self._record(step, 1, _output(items))
                        return
                    inner = _suspended(items, item, consumer)
                    try:
                        resume, given = generator.asend, (yield item)
                    except BaseException as error:
                        resume, given = generator.athrow, error
                    consumer = current.get()
                    current.set(inner)
        finally:
            current.set(consumer)


def _suspended(items: list[Any], item: Any, consumer: Span | None) -> Span | None:
    """What was current in a generator that yields."""
    if len(items) < MOST_ITEMS:
        items.append(item)
    inner = current.get()
    current.set(consumer)
    return inner


def _output(items: list[Any]) -> Any:
    return "".join(items) if all(isinstance(item, str) for item in items) else items
