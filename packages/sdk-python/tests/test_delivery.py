"""Queue, back-off, spool, exit and fork, with a stand-in that fails."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
from pathlib import Path
from typing import Any

from spoor import Recorder
from stand_in import StandIn

BUSY = (503, {"retry-after": "0"}, b'{"code":14,"message":"queue_full"}')
NOWHERE = "http://127.0.0.1:9"


def record(recorder: Recorder, name: str) -> None:
    with recorder.trace(name) as trace:
        with trace.step(f"{name} step"):
            pass
        trace.metric("solved", True)


class DeliveryTest(unittest.TestCase):
    def setUp(self) -> None:
        self.service = StandIn()
        self.addCleanup(self.service.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.warnings: list[str] = []

    def recorder(self, url: str = "", **options: Any) -> Recorder:
        options = {"flush_interval": 60, "on_warning": self.warnings.append, **options}
        made = Recorder(url or self.service.url, "key", **options)
        self.addCleanup(made.shutdown, 0)
        return made

    def test_what_the_service_does_not_take_now_is_sent_again(self) -> None:
        recorder = self.recorder()
        page = (200, {}, b"<html>sign in</html>")
        late = b'{"errors":true,"results":[{"line":1,"status":"error","code":"queue_full","detail":"full"}]}'
        self.service.answers = [BUSY, (429, {}, b""), (502, {}, b"gone"), page, (200, {}, b"{}"), (207, {}, late)]
        record(recorder, "run")
        self.assertEqual(recorder.flush().stored, 3)
        paths = [path for _, path, _ in self.service.calls]
        self.assertEqual(paths, ["/otlp/v1/traces"] * 5 + ["/v1/metrics/events"] * 2)

    def test_what_is_taken_in_part_is_said(self) -> None:
        recorder = self.recorder()
        self.service.answers = [(200, {}, b'{"partialSuccess":{"errorMessage":"usage was moved aside"}}')]
        record(recorder, "run")
        self.assertTrue(recorder.flush().ok)
        recorder.shutdown()
        self.assertIn("changed: usage was moved aside", "".join(self.warnings))

    def test_one_item_is_refused_alone_and_reported(self) -> None:
        recorder = self.recorder()
        self.service.largest_export = 1
        record(recorder, "halved")
        self.assertEqual(recorder.flush().stored, 3)
        refusal = b'{"partialSuccess":{"rejectedSpans":"1","errorMessage":"bad usage"}}'
        self.service.answers = [(413, {}, b"{}"), (200, {}, refusal)]
        record(recorder, "partly")
        verdicts = recorder.flush()
        self.assertEqual((verdicts.stored, verdicts.refused, verdicts.ok), (2, 1, False))
        self.assertIn("bad usage", verdicts.reasons)
        self.service.answers = [(401, {}, b'{"message":"no such key"}')] * 2
        record(recorder, "other key")
        self.assertEqual(recorder.flush().stored, 3)
        recorder.shutdown()
        self.assertIn("no such key", "".join(self.warnings))

    def test_an_item_that_is_too_large_alone_is_not_sent_again(self) -> None:
        recorder = self.recorder()
        self.service.answers = [(413, {"retry-after": "0"}, b"{}")] * 4
        record(recorder, "large")
        verdicts = recorder.flush()
        self.assertEqual((verdicts.stored, verdicts.refused, verdicts.pending), (0, 3, 0))
        recorder.shutdown()
        self.assertEqual(len(self.service.calls), 4)

    def test_a_queue_without_service_is_limited_in_bytes_and_waits_for_nobody(self) -> None:
        recorder = self.recorder(NOWHERE, queue_bytes=100_000)
        for at in range(1000):
            with recorder.trace("run", metadata={"text": "x" * 500}):
                pass
        verdicts = recorder.flush(timeout=0)
        self.assertEqual(verdicts.dropped + verdicts.pending, 1000)
        self.assertTrue(50 < verdicts.pending < 150, verdicts)
        self.assertIn("the queue is full", verdicts.reasons)

    def test_a_spool_takes_what_the_service_does_not_and_is_sent_first(self) -> None:
        recorder = self.recorder(spool_dir=self.folder)
        self.service.answers = [BUSY] * 3
        record(recorder, "first")
        verdicts = recorder.flush()
        self.assertEqual((verdicts.spooled, verdicts.stored, verdicts.ok), (3, 0, False))
        [path] = self.folder.iterdir()
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        self.assertEqual([line["kind"] for line in lines], ["spans", "metric"])
        self.assertEqual((lines[1]["path"], lines[1]["body"]["name"]), ("/v1/metrics/events", "solved"))
        while len(self.service.spans) < 2:
            time.sleep(0.01)
        record(recorder, "second")
        recorder.flush()
        self.assertEqual([span["name"] for span in self.service.spans],
                         ["first step", "first", "second step", "second"])
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_another_recorder_takes_the_spool_and_sets_damage_aside(self) -> None:
        first = self.recorder(NOWHERE, spool_dir=self.folder)
        record(first, "left")
        first.shutdown()
        self.assertEqual(len(list(self.folder.glob("*.jsonl"))), 1)
        (self.folder / "0.jsonl").write_text("no line of a spool\n")
        (self.folder / "1.part").write_text("{")
        second = self.recorder(spool_dir=self.folder)
        record(second, "new")
        second.shutdown()
        self.assertEqual([span["name"] for span in self.service.spans], ["left step", "left", "new step", "new"])
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["0.refused", "1.part"])

    def test_from_a_spool_only_requests_are_sent_that_a_recorder_makes(self) -> None:
        trace = "0123456789abcdef" * 2
        good = [("flag", f"/v1/traces/{trace}"), ("metric", "/v1/metrics/events")]
        bad = [
            ("flag", "/v1/projects/proj_1"), ("flag", "/v1/traces/../keys"), ("flag", f"/v1/traces/{trace}/steps"),
            ("flag", f"/v1/traces/{trace}\n"), ("flag", "/v1/metrics/events"), ("metric", "/v1/keys"),
            ("metric", "/v1/metrics/events?x=1"), ("metric", "//elsewhere/v1/metrics/events"),
            ("metric", f"/v1/traces/{trace}"), ("other", "/v1/metrics/events"), ("metric", ["/v1/metrics/events"]),
            ("metric", None),
        ]
        for at, (kind, path) in enumerate(bad + good):
            (self.folder / f"{at:02}.jsonl").write_text(json.dumps({"kind": kind, "path": path, "body": {}}) + "\n")
        recorder = self.recorder(spool_dir=self.folder)
        record(recorder, "new")
        recorder.shutdown()
        sent = [path for _, path, _ in self.service.calls]
        self.assertEqual(sent[:-2], [path for _, path in good])
        self.assertEqual(len(list(self.folder.glob("*.refused"))), len(bad))

    def test_a_spool_that_is_made_is_private_and_one_that_others_may_write_to_is_used_with_a_warning(self) -> None:
        made = self.folder / "made" / "spool"
        self.addCleanup(os.umask, os.umask(0))
        record(self.recorder(NOWHERE, spool_dir=made), "run")
        self.assertEqual(made.stat().st_mode & 0o777, 0o700)
        self.assertEqual(self.warnings, [])
        for mode in (0o755, 0o770, 0o702, 0o1777):
            made.chmod(mode)
            self.warnings.clear()
            record(self.recorder(NOWHERE, spool_dir=made), "run")
            expected = [] if mode == 0o755 else [f"spoor: others may write to the spool {made}"]
            self.assertEqual(self.warnings, expected, oct(mode))

    def test_a_full_spool_leaves_the_rest_in_the_queue(self) -> None:
        recorder = self.recorder(NOWHERE, spool_dir=self.folder, spool_bytes=10)
        record(recorder, "run")
        recorder.shutdown(0.3)
        self.assertEqual(recorder.flush().dropped, 3)
        self.assertIn("its limit", "".join(self.warnings))

    def test_flushes_of_many_threads_and_of_a_callback(self) -> None:
        recorder = self.recorder()
        recorder.on_warning = lambda _: recorder.flush()
        self.service.answers = [(400, {}, b"{}")]
        stored: list[int] = []

        def work(at: int) -> None:
            record(recorder, f"run {at}")
            stored.append(recorder.flush().pending)

        threads = [threading.Thread(target=work, args=(at,)) for at in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        self.assertEqual(stored, [0] * 8)

    def test_exit_in_the_middle_of_a_trace(self) -> None:
        program = """
            import spoor, sys
            with spoor.trace("run"):
                with spoor.step("done"):
                    pass
                with spoor.step("open"):
                    sys.exit(3)
        """
        self.assertEqual(self.run_program(program), 3)
        self.assertEqual([span["name"] for span in self.service.spans], ["done", "open", "run"])

    def test_exit_waits_no_longer_than_its_limit(self) -> None:
        self.service.hangs.set()
        program = """
            import spoor, sys, time
            spoor.configure(shutdown_timeout=0.3, spool_dir=sys.argv[1], flush_interval=0.01)
            with spoor.trace("run"):
                pass
            time.sleep(0.3)
        """
        # The request hangs for a minute, which is more than the program gets.
        self.assertEqual(self.run_program(program), 0)
        self.assertEqual(len(list(self.folder.glob("*.jsonl"))), 1)

    def test_a_fork_sends_its_own_spans_only(self) -> None:
        recorder = self.recorder()
        with recorder.trace("run") as trace:
            with trace.step("before"):
                pass
            child = os.fork()
            if child == 0:
                with trace.step("in child"):
                    pass
                os._exit(0 if recorder.flush().stored == 1 else 1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)

            def work() -> None:
                with trace.step("in process"):
                    pass

            process = multiprocessing.get_context("fork").Process(target=work)
            process.start()
            process.join()
            self.assertEqual(process.exitcode, 0)
        self.assertEqual(recorder.flush().stored, 2)
        names = sorted(span["name"] for span in self.service.spans)
        self.assertEqual(names, ["before", "in child", "in process", "run"])
        self.assertEqual({span["traceId"] for span in self.service.spans}, {trace.trace_id})

    def run_program(self, program: str) -> int:
        environment = {**os.environ, "SPOOR_URL": self.service.url, "SPOOR_API_KEY": "key",
                       "PYTHONPATH": os.pathsep.join(sys.path)}
        return subprocess.run([sys.executable, "-c", textwrap.dedent(program), str(self.folder)], env=environment, timeout=30).returncode


if __name__ == "__main__":
    unittest.main()
