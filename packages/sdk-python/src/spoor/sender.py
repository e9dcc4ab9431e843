"""The queue of a recorder, and the thread that sends it."""

from __future__ import annotations

import os
import random
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from .connection import CONNECTION_ERRORS, Connection
from .requests import Item, Outcome, Request, from_lines, to_requests
from .spool import Spool

LONGEST_BACK_OFF = 30.0
SECONDS_BETWEEN_WARNINGS = 10.0
#: After so many failed tries the spool takes what the service does not.
TRIES_BEFORE_SPOOL = 3


@dataclass(frozen=True)
class Verdicts:
    """What became of spans, metric events and flags since the flush before, of all threads."""

    stored: int = 0  # durable and readable
    refused: int = 0  # by the service, for good
    spooled: int = 0  # on disk, to be sent later
    dropped: int = 0  # lost: no room in the queue, or no time at exit
    pending: int = 0  # undecided when the time of the flush was over
    reasons: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return self.refused + self.spooled + self.dropped + self.pending == 0


@dataclass(eq=False)
class Sender:
    """Callers append to a queue of limited bytes and never wait. One thread sends it in order."""

    connection: Connection
    resource: str
    spool: Spool | None
    warn: Callable[[str], None]
    queue_bytes: int
    batch_bytes: int
    flush_interval: float
    request_timeout: float

    def __post_init__(self) -> None:
        self._begin()
        _senders.add(self)

    def _begin(self) -> None:
        self.changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._queue: deque[Item] = deque()
        self._waiting = 0  # bytes of the queue
        self._bytes = 0  # of the queue, of what is being sent, and of held traces
        self._flying: deque[Request] = deque()
        self._flying_bytes = self._failures = 0
        self._put = self._resolved = self._flush_to = 0  # items
        self._retry_at = self._warns_at = 0.0
        self._has_files = self.spool is not None  # perhaps
        self._counts = {"stored": 0, "refused": 0, "spooled": 0, "dropped": 0}
        self._reasons: dict[str, None] = {}
        self._news: dict[str, None] = {}
        self._closes_at: float | None = None

    def forget(self) -> None:
        """In the child of a fork: the parent sends what was queued, and locks may be held by threads that are gone."""
        self.connection.close()
        self._begin()

    def reserve(self, size: int) -> bool:
        """Takes bytes of the limit; a negative size gives them back. Under the lock `changed`."""
        if size > 0 and self._bytes + size > self.queue_bytes:
            self._count("dropped", 1, "the queue is full")
            return False
        self._bytes = max(0, self._bytes + size)
        return True

    def put(self, item: Item, reserved: bool = False) -> None:
        """Under the lock `changed`."""
        if self._closes_at is not None:
            self._count("dropped", 1, "the recorder is shut down")
        elif reserved or self.reserve(item.size):
            before = self._waiting
            self._waiting += item.size
            self._queue.append(item)
            self._put += 1
            if self._thread is None:
                self.start()
            elif before == 0 or before < self.batch_bytes <= self._waiting:
                self.changed.notify_all()

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="spoor", daemon=True)
        try:
            self._thread.start()
        except RuntimeError:  # no memory, or Python is ending
            self._thread = None

    def flush(self, timeout: float) -> Verdicts:
        ends_at = monotonic() + (0 if threading.current_thread() is self._thread else timeout)
        with self.changed:
            target = self._flush_to = self._put
            self.changed.notify_all()
            while self._resolved < target and (left := ends_at - monotonic()) > 0:
                self.changed.wait(left)
            pending = max(0, target - self._resolved)
            verdicts = Verdicts(**self._counts, pending=pending, reasons=tuple(self._reasons))
            self._counts = dict.fromkeys(self._counts, 0)
            self._reasons = {}
        return verdicts

    def close(self, timeout: float) -> None:
        """Sends what is queued until the time is over. The rest goes to the spool."""
        with self.changed:
            if self._closes_at is not None:
                return
            self._closes_at = monotonic() + timeout
            self.changed.notify_all()
        if self._thread is None:
            self._run()  # Python is ending: it starts no thread any more
        elif self._thread is not threading.current_thread():
            self._thread.join(timeout)
        while self._take():
            if not self._to_spool():
                self._resolve("dropped", "the time at exit is over")
        self._tell(at_once=True)
        if self._thread is None or not self._thread.is_alive():
            self.connection.close()

    def _run(self) -> None:
        while self._wait_for_work():
            try:
                self._work()
            except Exception as error:  # a fault of this library does not end the thread
                self._fail(0, f"sending failed: {error!r}")
            self._tell()

    def _wait_for_work(self) -> bool:
        """False at the end."""
        with self.changed:
            while True:
                now = monotonic()
                closing = self._closes_at is not None
                if self._closes_at is not None and (now > self._closes_at or not (self._queue or self._flying)):
                    return False
                full = closing or self._flush_to > self._resolved or self._waiting >= self.batch_bytes
                back_off = self._retry_at - now
                works = back_off <= 0 or self._spools()
                if works and (self._flying or self._queue and full) or back_off <= 0 and self._has_files:
                    return True
                timeout = self.flush_interval if works and self._queue else back_off if back_off > 0 else None
                if self._closes_at is not None:
                    timeout = min(timeout or self.flush_interval, self._closes_at - now)
                if not self.changed.wait(timeout) and works and self._queue:
                    return True

    def _spools(self) -> bool:
        return self.spool is not None and (self._failures >= TRIES_BEFORE_SPOOL or self._closes_at is not None)

    def _work(self) -> None:
        if monotonic() < self._retry_at:
            if self._take() and not self._to_spool():
                time.sleep(0.1)  # the disk is full: the queue fills
        elif self._has_files and not self._flying:
            # First what is on disk: a later flag may be about a trace in it.
            if self._waiting > self.queue_bytes / 2 and self._take():
                self._to_spool()
            self._send_file()
        elif self._take():
            self._send()

    def _take(self) -> bool:
        """Moves a batch from the queue to what is being sent, unless there is something."""
        with self.changed:
            items: list[Item] = []
            size = 0
            while not self._flying and self._queue and size < self.batch_bytes:
                items.append(self._queue.popleft())
                size += items[-1].size
            if items:
                self._waiting -= size
                self._flying_bytes = size
                self._flying.extend(to_requests(items, self.resource))
            return bool(self._flying)

    def _send(self) -> None:
        request = self._flying[0]
        outcome, retry_after = self._deliver(request)
        with self.changed:
            if not self._flying or self._flying[0] is not request:
                return  # `close` has taken it
            self._flying.popleft()
            self._flying.extendleft(reversed(outcome.again))
            self._resolved += outcome.stored + outcome.refused
            if not self._flying:
                self.reserve(-self._flying_bytes)
            self._note(outcome)
            self.changed.notify_all()
        if outcome.busy:
            self._fail(retry_after, outcome.reason)
        else:
            self._failures = 0

    def _send_file(self) -> None:
        path = next(iter(self.spool.files() if self.spool else []), None)
        if path is None:
            self._has_files = False
            return
        outcomes: list[Outcome] = []
        try:
            requests = deque(from_lines(path.read_text("utf-8")))
        except OSError as error:  # another process has sent it, or it cannot be read
            self._has_files = isinstance(error, FileNotFoundError)
            return
        except (ValueError, KeyError, TypeError) as error:
            requests = deque()
            outcomes.append(Outcome(refused=1, reason=f"{path} is damaged: {error!r}"))
        while requests:
            outcome, retry_after = self._deliver(requests.popleft())
            if outcome.busy:
                return self._fail(retry_after, outcome.reason)  # later again the whole file
            requests.extendleft(reversed(outcome.again))
            outcomes.append(outcome)
        if any(one.refused > one.stored for one in outcomes):
            path.replace(path.with_suffix(".refused"))  # kept for `spoor import`
        path.unlink(missing_ok=True)
        self._failures = 0
        for one in outcomes:
            self._note(one)

    def _deliver(self, request: Request) -> tuple[Outcome, float]:
        left = self.request_timeout if self._closes_at is None else max(0.05, self._closes_at - monotonic())
        self.connection.set_timeout(min(left, self.request_timeout))
        try:
            method = "PATCH" if request.kind == "flag" else "POST"
            answer = self.connection.request(method, request.path, request.body())
        except CONNECTION_ERRORS as error:
            return Outcome(again=(request,), busy=True, reason=f"the service is away: {error!r}"), 0
        return request.outcome(answer), answer.retry_after

    def _to_spool(self) -> bool:
        if self.spool is None:
            return False
        try:
            self.spool.write([line for request in list(self._flying) for line in request.lines()])
        except OSError as error:
            self._count("spooled", 0, f"the spool takes nothing: {error}")
            return False
        self._has_files = True
        self._resolve("spooled", "the service is away")
        return True

    def _resolve(self, how: str, reason: str) -> None:
        """All that is being sent."""
        with self.changed:
            count = sum(len(request.texts) for request in self._flying)
            self._flying.clear()
            self.reserve(-self._flying_bytes)
            self._resolved += count
            self._count(how, count, reason)
            self.changed.notify_all()

    def _note(self, outcome: Outcome) -> None:
        self._count("stored", outcome.stored)
        if outcome.reason and not outcome.refused and not outcome.busy:  # taken, but not all as it was sent
            self._news[f"changed: {outcome.reason}"] = None
        else:
            self._count("refused", outcome.refused, outcome.reason)

    def _count(self, how: str, count: int, reason: str = "") -> None:
        with self.changed:
            self._counts[how] += count
            if reason and len(self._reasons) < 20:
                self._reasons[reason] = self._news[f"{how}: {reason}"] = None

    def _tell(self, at_once: bool = False) -> None:
        """Warns a few times a minute, and not in the caller's time."""
        if self._news and (at_once or monotonic() >= self._warns_at):
            self._warns_at = monotonic() + SECONDS_BETWEEN_WARNINGS
            news, self._news = self._news, {}
            self.warn("; ".join(news))

    def _fail(self, retry_after: float, reason: str) -> None:
        self._failures += 1
        back_off = min(LONGEST_BACK_OFF, 0.1 * 2.0 ** min(self._failures, 10)) * random.uniform(0.5, 1)
        self._retry_at = monotonic() + max(back_off, min(retry_after, 2 * LONGEST_BACK_OFF))
        self._count("refused", 0, reason)


_senders: weakref.WeakSet[Sender] = weakref.WeakSet()


def _after_fork() -> None:
    for sender in list(_senders):
        sender.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
