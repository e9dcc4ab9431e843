"""Records so many traces a second for so many seconds and prints their number.

After a line of input it sends all and prints the verdicts; after the next it ends.

    python3 e2e/recorder/away/at_a_rate.py TRACES_A_SECOND SECONDS
"""

import os
import sys
import time

import spoor

RATE, SECONDS = float(sys.argv[1]), float(sys.argv[2])
MESSAGE = {"role": "user", "content": "Where is order A-17? " * 20}
spoor.configure(on_warning=lambda message: None)


def record(number: int) -> None:
    with spoor.trace(f"run {number}"):
        for step in range(10):
            with spoor.step(f"step {step}", type="llm", model="m") as made:
                made.messages(MESSAGE)
                made.usage(input=1, output=1)


started_at = time.monotonic()
recorded = 0
while (elapsed := time.monotonic() - started_at) < SECONDS:
    while recorded < elapsed * RATE:
        record(recorded)
        recorded += 1
    time.sleep(0.01)
print(recorded, flush=True)

sys.stdin.readline()
folder = os.environ["SPOOR_SPOOL_DIR"]
verdicts = spoor.flush(timeout=60)
while verdicts.pending or any(name.endswith(".jsonl") for name in os.listdir(folder)):
    verdicts = spoor.flush(timeout=1)
    time.sleep(0.2)
print(verdicts, flush=True)
sys.stdin.readline()
