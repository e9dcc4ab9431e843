"""The recorder: its options, and where traces begin."""

from __future__ import annotations

import asyncio
import atexit
import logging
import multiprocessing.util
import os
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .connection import DEFAULT_URL, Connection
from .plain import Mask, to_json
from .sender import Sender, Verdicts
from .spans import Run, Step, Trace, current
from .spool import Spool

MB = 1024 * 1024
TRACEPARENT = re.compile(r"\s*[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?\s*")


@dataclass(eq=False)
class Recorder:
    """Sends traces from a thread of its own. Nothing raises; only `flush` and `shutdown` wait."""

    url: str | None = None  # default: SPOOR_URL
    api_key: str | None = None  # default: SPOOR_API_KEY
    service_name: str | None = None
    sample_rate: float = 1.0
    keep_on_error: bool = False  # of traces that are not sampled
    mask: Mask | None = None
    spool_dir: str | os.PathLike[str] | None = None  # default: SPOOR_SPOOL_DIR
    spool_bytes: int = 1024 * MB
    queue_bytes: int = 32 * MB
    batch_bytes: int = MB
    flush_interval: float = 0.5
    request_timeout: float = 10.0
    shutdown_timeout: float = 5.0
    on_warning: Callable[[str], object] = logging.getLogger("spoor").warning

    def __post_init__(self) -> None:
        self._opening = threading.Lock()
        self._opened = False
        self._sender: Sender | None = None

    def configure(self, **options: Any) -> None:
        """Takes the fields of `Recorder`, for traces that begin from now on."""
        self.shutdown()
        try:
            Recorder.__init__(self, **options)
        except TypeError as error:
            self.warn(f"nothing is configured: {error}")

    @property
    def sender(self) -> Sender | None:
        """Made at the first trace. None if nothing can be recorded."""
        if not self._opened:
            with self._opening:
                if not self._opened:
                    try:
                        self._sender = self._open()
                    except Exception as error:
                        self.warn(f"nothing is recorded: {error}")
                    self._opened = True
        return self._sender

    def _open(self) -> Sender:
        url = self.url or os.environ.get("SPOOR_URL") or DEFAULT_URL
        connection = Connection(url, self.api_key or os.environ.get("SPOOR_API_KEY") or "", self.request_timeout)
        facts = {"telemetry.sdk.name": "spoor", "telemetry.sdk.language": "python", "service.name": self.service_name}
        attributes = [{"key": key, "value": {"stringValue": value}} for key, value in facts.items() if value]
        folder = self.spool_dir or os.environ.get("SPOOR_SPOOL_DIR")
        spool = Spool(folder, self.spool_bytes) if folder else None
        if spool and spool.is_open_to_others():
            self.warn(f"others may write to the spool {folder}")
        limits = (self.queue_bytes, self.batch_bytes, self.flush_interval, self.request_timeout)
        sender = Sender(connection, to_json({"attributes": attributes}), spool, self.warn, *limits)
        # Processes of multiprocessing end without `atexit`.
        finalize = multiprocessing.util.Finalize
        multiprocessing.util.register_after_fork(sender, lambda _: finalize(None, self.shutdown, exitpriority=0))
        atexit.register(self.shutdown)
        if spool and spool.files():
            sender.start()
        return sender

    def trace(
        self, name: str, *, run_type: str | None = None, session_id: str | None = None, user_id: str | None = None,
        metadata: dict[str, Any] | None = None, traceparent: str | None = None,
    ) -> Trace:
        """A new trace. With the `traceparent` of a caller that is recorded, a step of the caller's trace."""
        joined = TRACEPARENT.fullmatch(traceparent) if isinstance(traceparent, str) else None
        trace_id = joined[1] if joined else os.urandom(16).hex()
        # The last digits are random in every W3C trace id; recorders in all languages take the same.
        sampled = int(trace_id[-12:], 16) < self.sample_rate * 2**48
        run = Run(self, trace_id, "send" if sampled else "hold" if self.keep_on_error else "drop")
        facts = {"run_type": run_type, "session_id": session_id, "user_id": user_id}
        return Trace(run, joined[2] if joined else "", name, metadata, **facts)

    def step(
        self, name: str, *, type: str = "other", model: str | None = None, metadata: dict[str, Any] | None = None
    ) -> Step:
        """A child of the current step or trace. Without one, nothing is recorded."""
        parent = current.get() or Trace(Run(self, "0" * 32, "drop"), "", "", None)
        return parent.step(name, type=type, model=model, metadata=metadata)

    def flush(self, timeout: float = 30.0) -> Verdicts:
        """Waits until the service has decided on all that was recorded before."""
        return self._sender.flush(timeout) if self._sender else Verdicts()

    async def aflush(self, timeout: float = 30.0) -> Verdicts:
        return await asyncio.to_thread(self.flush, timeout)

    def shutdown(self, timeout: float | None = None) -> None:
        """Sends or spools what is left; called at exit. Nothing is recorded afterwards."""
        if self._sender:
            self._sender.close(self.shutdown_timeout if timeout is None else timeout)

    def warn(self, message: str) -> None:
        try:
            self.on_warning(f"spoor: {message}")
        except Exception:
            logging.getLogger("spoor").exception("on_warning failed")


#: What the functions of the package use.
default = Recorder()
