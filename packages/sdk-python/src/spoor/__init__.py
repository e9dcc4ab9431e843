"""Records what agents do, and sends it to a Spoor service. See docs/guide/recorder-python.md."""

from .client import Client, SpoorError, TailEvent
from .connection import VERSION as __version__
from .observe import observe
from .recorder import Recorder, default
from .sender import Verdicts
from .spans import Span, Step, Trace, current

configure = default.configure
trace = default.trace
step = default.step
flush = default.flush
aflush = default.aflush
shutdown = default.shutdown


def current_span() -> Span | None:
    """The step or trace that a new `spoor.step` would be a child of."""
    return current.get()


__all__ = [
    "Client", "Recorder", "Span", "SpoorError", "Step", "TailEvent", "Trace", "Verdicts", "__version__", "aflush",
    "configure", "current_span", "flush", "observe", "shutdown", "step", "trace",
]  # fmt: skip
