"""What a recorder makes of calls, seen by a stand-in for the service."""

from __future__ import annotations

import asyncio
import json
import threading
import unittest
from contextvars import copy_context
from typing import Any, AsyncIterator, Iterator

from spoor import Recorder, observe
from stand_in import StandIn, attributes_of


class RecorderTest(unittest.TestCase):
    def setUp(self) -> None:
        self.service = StandIn()
        self.addCleanup(self.service.close)
        self.warnings: list[str] = []
        self.spoor = self.recorder()

    def recorder(self, **options: Any) -> Recorder:
        # Only a flush sends.
        options = {"flush_interval": 60, "on_warning": self.warnings.append, **options}
        made = Recorder(self.service.url, "key", **options)
        self.addCleanup(made.shutdown, 0)
        return made

    def sent(self, recorder: Recorder | None = None) -> StandIn:
        verdicts = (recorder or self.spoor).flush()
        self.assertTrue(verdicts.ok, verdicts)
        return self.service

    def child_of(self, name: str, parent: str) -> None:
        span, above = self.service.named(name), self.service.named(parent)
        self.assertEqual((span["traceId"], span["parentSpanId"]), (above["traceId"], above["spanId"]))

    def test_a_trace_with_everything(self) -> None:
        with self.spoor.trace("run", run_type="chat", session_id="s", user_id="u", metadata={"env": "prod"}) as trace:
            trace.metric("solved", True, comment="yes")
            trace.flag("look")
            with self.spoor.step("answer", type="llm", model="m", metadata={"a": 1}) as step:
                question = {"role": "user", "content": "hä?"}
                step.messages(question)
                question["content"] = "changed later"
                step.messages([{"role": "assistant", "content": [{"type": "text", "text": "so"}]}])
                step.usage(input=3, output=4, cache_read=2)
                step.attach(b"x", "text/plain", "a.txt")
                step.attach("media://p/1")
                step.metadata({"b": {"c": None}})
        service = self.sent()
        root, step_span = service.named("run"), service.named("answer")
        self.child_of("answer", "run")
        self.assertNotIn("parentSpanId", root)
        self.assertEqual(attributes_of(root), {
            "spoor.span.kind": "trace", "spoor.trace.run_type": "chat", "spoor.trace.session_id": "s",
            "spoor.trace.user_id": "u", "spoor.trace.metadata": '{"env":"prod"}',
        })
        found = attributes_of(step_span)
        self.assertEqual([found["spoor.step.type"], found["spoor.step.model"]], ["llm", "m"])
        self.assertEqual(json.loads(found["spoor.step.usage"]), {"input": 3, "output": 4, "cache_read": 2})
        self.assertEqual(json.loads(found["spoor.step.messages"])[0],
                         {"role": "user", "content": [{"type": "text", "text": "hä?"}]})
        metadata = json.loads(found["spoor.step.metadata"])
        self.assertEqual(metadata, {"a": 1, "b": {"c": None}, "attachments": [
            {"filename": "a.txt", "content_type": "text/plain", "data": "data:text/plain;base64,eA=="}]})
        self.assertEqual(json.loads(found["spoor.step.attachments"]), [{"uri": "media://p/1"}])
        [_, (_, path, [event]), (method, flag_path, flag)] = service.calls
        self.assertEqual((path, event["trace_id"], event["passed"]), ("/v1/metrics/events", root["traceId"], True))
        self.assertEqual((method, flag_path), ("PATCH", f"/v1/traces/{root['traceId']}"))
        self.assertEqual(flag, {"flagged": True, "reason": "look"})
        self.assertGreaterEqual(int(root["endTimeUnixNano"]), int(step_span["endTimeUnixNano"]))

    def test_exceptions_reach_the_caller_and_mark_their_spans(self) -> None:
        with self.assertRaisesRegex(KeyError, "no"), self.spoor.trace("run"), self.spoor.step("bad"):
            raise KeyError("no")
        with self.assertRaises(SystemExit), self.spoor.trace("leaving"):
            raise SystemExit(0)
        service = self.sent()
        self.assertEqual(service.named("run")["status"]["code"], 2)
        self.assertEqual(json.loads(attributes_of(service.named("bad"))["spoor.step.error"]),
                         {"type": "KeyError", "message": "'no'"})
        self.assertNotIn("status", service.named("leaving"))

    def test_callbacks_and_values_that_raise_do_not_reach_the_caller(self) -> None:
        class Bad:
            def __repr__(self) -> str:
                raise RuntimeError("bad repr")

        def mask(value: Any, path: str) -> Any:
            raise RuntimeError("bad mask")

        def warn(message: str) -> None:
            raise RuntimeError("bad warning")

        circle: list[Any] = []
        circle.append(circle)
        with self.spoor.trace("run"), self.spoor.step("odd") as step:
            step.messages({"role": "user", "content": [Bad(), float("nan"), {1: circle}, {"s"}, 10**5000, "\ud800"]})
            step.usage(input="many")  # type: ignore[arg-type]
            step.metadata("no dict")  # type: ignore[arg-type]
            step.attach("/no/such/file")
            step.metadata({"fine": Bad()})
        odd = self.recorder(mask=mask)
        odd.on_warning = warn
        with self.assertLogs("spoor"), odd.trace("secret"), odd.step("secret") as step:
            step.usage(input="many")  # type: ignore[arg-type]
            step.messages({"role": "user", "content": "secret"})
        self.sent(odd)
        service = self.sent()
        self.assertEqual(len(self.warnings), 3)
        text = attributes_of(service.named("odd"))["spoor.step.messages"]
        self.assertIn('"<Bad>","nan"', text)
        self.assertNotIn("NaN", text)
        self.assertNotIn("secret", json.dumps(service.spans))
        with self.assertLogs("spoor", "WARNING"):
            off = Recorder("ftp://nowhere", "key")
            with off.trace("nothing") as trace:
                trace.metric("a", 1)
            self.assertEqual(off.flush().stored, 0)

    def test_mask_sees_each_value_with_its_path(self) -> None:
        seen: dict[str, Any] = {}

        def mask(value: Any, path: str) -> Any:
            seen[path] = value
            return "***" if value == "4111" else value

        recorder = self.recorder(mask=mask)
        with recorder.trace("run", user_id="4111", metadata={"card": {"number": "4111"}}), recorder.step("s") as step:
            step.messages({"role": "user", "content": "4111"})
            step.error("4111")

        @observe(recorder=recorder)
        def pay(card: str) -> str:
            return card

        pay("4111")
        service = self.sent(recorder)
        self.assertNotIn("4111", json.dumps(service.calls))
        self.assertLessEqual({"metadata.card.number", "messages.0.content.0.text", "user_id", "error.message"}, {*seen})

    def test_observed_functions(self) -> None:
        @observe(recorder=self.spoor)
        def outer(number: int) -> dict[str, int]:
            inner(number, key="k")
            return {"result": number}

        @observe(recorder=self.spoor, type="tool", name="look up")
        def inner(*args: int, **kwargs: str) -> str:
            return "found"

        @observe(recorder=self.spoor, capture=False)
        async def later(word: str) -> str:
            await asyncio.sleep(0)
            with self.spoor.step("in later"):
                raise ValueError(word)

        self.assertEqual(outer(7), {"result": 7})
        with self.spoor.trace("run"), self.assertRaisesRegex(ValueError, "w"):
            asyncio.run(later("w"))
        service = self.sent()
        names = [span["name"].split(".")[-1] for span in service.spans]
        self.assertEqual(names, ["look up", "outer", "outer", "in later", "later", "run"])
        _, step, root, *_ = service.spans
        self.assertEqual(step["parentSpanId"], root["spanId"])
        self.assertEqual([message["content"][0]["text"] for message in json.loads(
            attributes_of(step)["spoor.step.messages"])], ['{"number":7}', '{"result":7}'])
        self.assertNotIn("spoor.step.messages", attributes_of(service.spans[4]))
        self.assertEqual(service.spans[4]["parentSpanId"], service.named("run")["spanId"])

    def test_generators_keep_their_parent_and_hold_no_context_over_yield(self) -> None:
        @observe(recorder=self.spoor, name="words")
        def words(count: int) -> Iterator[str]:
            try:
                for at in range(count):
                    with self.spoor.step(f"word {at}"):
                        yield f"w{at}"
            finally:
                with self.spoor.step("cleanup"):
                    pass

        with self.spoor.trace("run"):
            generator = words(3)
        with self.spoor.trace("consumer"):
            self.assertEqual(next(generator), "w0")
            with self.spoor.step("between"):
                self.assertEqual(next(generator), "w1")
                generator.close()  # type: ignore[attr-defined]
            with self.spoor.step("after"):
                pass
        self.sent()
        self.child_of("words", "run")
        for name in ("word 0", "word 1", "cleanup"):
            self.child_of(name, "words")
        for name in ("between", "after"):
            self.child_of(name, "consumer")
        self.assertNotIn("status", self.service.named("words"))

    def test_generators_pass_on_what_is_sent_thrown_and_returned(self) -> None:
        @observe(recorder=self.spoor)
        def echo() -> Any:
            got = []
            try:
                while True:
                    got.append((yield len(got)))
            except KeyError:
                return got

        def through() -> Any:
            return (yield from echo())

        generator = through()
        self.assertEqual([next(generator), generator.send("a")], [0, 1])
        with self.assertRaises(StopIteration) as end:
            generator.throw(KeyError())
        self.assertEqual(end.exception.value, ["a"])

    def test_an_async_generator_consumed_by_another_task(self) -> None:
        @observe(recorder=self.spoor, name="stream")
        async def stream() -> AsyncIterator[str]:
            for at in range(3):
                with self.spoor.step(f"piece {at}"):
                    await asyncio.sleep(0)
                    yield str(at)

        async def consume(pieces: AsyncIterator[str]) -> list[str]:
            with self.spoor.trace("consumer"):
                got = []
                async for piece in pieces:
                    with self.spoor.step(f"use {piece}"):
                        got.append(piece)
                return got

        async def main() -> None:
            with self.spoor.trace("run"):
                pieces = stream()
            task = asyncio.create_task(consume(pieces))
            self.assertEqual(await task, ["0", "1", "2"])
            with self.spoor.trace("second"):
                broken = stream()
                await broken.__anext__()
            await broken.aclose()  # type: ignore[attr-defined]
            self.assertTrue((await self.spoor.aflush()).ok)

        asyncio.run(main())
        first = [span for span in self.service.spans if span["traceId"] == self.service.named("run")["traceId"]]
        stream_id = next(span["spanId"] for span in first if span["name"] == "stream")
        parents = {span["name"]: span.get("parentSpanId") for span in first}
        self.assertEqual([parents[f"piece {at}"] for at in range(3)], [stream_id] * 3)
        for at in range(3):
            self.child_of(f"use {at}", "consumer")

    def test_ten_thousand_concurrent_traces_and_threads(self) -> None:
        async def run(at: int) -> None:
            with self.spoor.trace(f"run {at}"):
                await asyncio.sleep(0)
                with self.spoor.step(f"first {at}"):
                    await asyncio.sleep(0)
                    with self.spoor.step(f"second {at}"):
                        await asyncio.sleep(0)

        async def main() -> None:
            await asyncio.gather(*(run(at) for at in range(10_000)))

        asyncio.run(main())
        with self.spoor.trace("threads") as trace:
            def work(at: int) -> None:
                with self.spoor.step(f"thread {at}"), trace.step(f"explicit {at}"):
                    pass

            threads = [threading.Thread(target=copy_context().run, args=(work, at)) for at in range(20)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        by_name = {span["name"]: span for span in self.sent().spans}
        self.assertEqual((len(by_name), len(self.service.spans)), (30_041, 30_041))
        for at in range(10_000):
            for name, parent in ((f"first {at}", f"run {at}"), (f"second {at}", f"first {at}")):
                self.assertEqual(by_name[name]["parentSpanId"], by_name[parent]["spanId"])
        for at in range(20):
            for name in (f"thread {at}", f"explicit {at}"):
                self.assertEqual(by_name[name]["parentSpanId"], by_name["threads"]["spanId"])

    def test_sampling_by_trace_id_keeps_failed_traces_whole(self) -> None:
        recorder = self.recorder(sample_rate=0.5, keep_on_error=True)
        kept = "00-{}-b7ad6b7169203331-01".format("0" * 20 + "400000000000")
        left_out = "00-{}-b7ad6b7169203331-01".format("0" * 20 + "c00000000000")
        for name, parent, fails in (("in", kept, False), ("out", left_out, False), ("failed", left_out, True)):
            with recorder.trace(name, traceparent=parent) as trace:
                with trace.step(f"{name} step") as step:
                    step.error("bad") if fails else None
                trace.metric("m", 1)
        service = self.sent(recorder)
        names = [span["name"] for span in service.spans]
        self.assertEqual(names, ["in step", "in", "failed step", "failed"])
        self.assertEqual(sum(len(body) for _, path, body in service.calls if "metrics" in path), 2)
        none = self.recorder(sample_rate=0)
        with none.trace("none") as trace:
            self.assertTrue(trace.traceparent.endswith("-00"))
        self.assertEqual(none.flush().stored, 0)

    def test_traceparent_in_and_out(self) -> None:
        with self.spoor.trace("caller") as trace, trace.step("request") as step:
            header = step.traceparent
        with self.spoor.trace("callee", traceparent=header):
            pass
        with self.spoor.trace("alone", traceparent="nonsense"):
            pass
        service = self.sent()
        self.child_of("callee", "request")
        self.assertNotIn("spoor.span.kind", attributes_of(service.named("callee")))
        self.assertNotIn("parentSpanId", service.named("alone"))


if __name__ == "__main__":
    unittest.main()
