"""Records traces until it is killed. Prints the trace id of each that is stored or spooled.

A flush that has not decided in a minute is repeated, and said: only its time is forgiven, no loss.
"""

import itertools
import os
import sys
import time

import spoor

PREFIX, MOST = sys.argv[1], int(sys.argv[2])
spoor.configure(flush_interval=0.05, on_warning=lambda message: print(message, file=sys.stderr))

for number in itertools.islice(itertools.count(), MOST):
    with spoor.trace(f"{PREFIX}.{number}") as trace:
        for step in range(3):
            with spoor.step(f"step {step}", type="llm", model="m") as made:
                made.messages({"role": "user", "content": "x" * (20_000 if number % 7 == 0 else 10)})
                made.usage(input=7, output=1)
        trace.metric("solved", True)
    # What an earlier agent left on disk is sent first, and may be much.
    while (verdicts := spoor.flush(timeout=60)).pending and not (verdicts.refused or verdicts.dropped):
        print(f"repeated {verdicts}", flush=True)
    if verdicts.refused or verdicts.dropped:
        print(f"lost {verdicts}", flush=True)
    else:
        print(f"kept {trace.trace_id}", flush=True)
    if verdicts.spooled:
        time.sleep(0.05)  # so that few files wait while a service starts

# Nothing is left on disk at the end, if the service is there.
folder = os.environ.get("SPOOR_SPOOL_DIR", "")
while MOST < 10 and any(name.endswith(".jsonl") for name in os.listdir(folder)):
    spoor.flush(timeout=0.1)
