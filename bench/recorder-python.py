"""What the Python recorder costs the program that records.

    python3 bench/recorder-python.py [--away SECONDS]

With `--away`: memory at 1,000 steps a second while there is no service.

The service is a process of its own that answers and does nothing else. Processor time is that of the calling thread;
elapsed time also has the share of the sending thread.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "packages/sdk-python/src"))

import spoor  # noqa: E402

LIMIT_US = 30
STEPS, TURNS = 5_000, 9
SERVICE = """
import http.server
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""


def turn() -> tuple[float, float]:
    used, began = time.thread_time(), time.perf_counter()
    with spoor.trace("bench"):
        for _ in range(STEPS):
            with spoor.step("answer", type="llm", model="gpt-4o") as step:
                step.messages({"role": "user", "content": "Where is my refund?"})
                step.usage(input=812, output=96)
    took = (time.thread_time() - used) / STEPS * 1e6, (time.perf_counter() - began) / STEPS * 1e6
    assert spoor.flush().ok
    return took


def memory_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def away(seconds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for spool_dir in (None, folder):
            spoor.configure(url="http://127.0.0.1:9", api_key="bench", spool_dir=spool_dir, on_warning=lambda _: None)
            begin, memory = time.monotonic(), []
            for second in range(seconds):
                with spoor.trace("bench"):
                    for _ in range(1000):
                        with spoor.step("answer", type="llm") as step:
                            step.messages({"role": "user", "content": "x" * 1000})
                memory.append(memory_mb())
                time.sleep(max(0.0, begin + second + 1 - time.monotonic()))
            kept = spoor.flush(0)
            third = max(memory[seconds // 3 : 2 * seconds // 3])
            print(f"spool {'on' if spool_dir else 'off'}: {third:.0f} MB after two thirds, {max(memory):.0f} MB at most; {kept}")
            spoor.shutdown(0)


if "--away" in sys.argv:
    away(int(sys.argv[-1]))
    sys.exit()

service = subprocess.Popen([sys.executable, "-c", SERVICE], stdout=subprocess.PIPE, text=True)
try:
    assert service.stdout is not None
    os.environ |= {"SPOOR_URL": f"http://127.0.0.1:{service.stdout.readline().strip()}", "SPOOR_API_KEY": "bench"}
    turn()
    processor, elapsed = (statistics.median(values) for values in zip(*(turn() for _ in range(TURNS))))
    print(f"processor time of the caller, a step: {processor:.1f} us, at most {LIMIT_US}: ", end="")
    print("PASS" if processor <= LIMIT_US else "FAIL")
    print(f"elapsed time of the caller, a step:   {elapsed:.1f} us")
finally:
    spoor.shutdown()
    service.kill()
