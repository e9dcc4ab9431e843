"""The recorder and the client against a running service, of SPOOR_URL and SPOOR_API_KEY."""

from __future__ import annotations

import json
import os
import unittest

from spoor import Client, Recorder, SpoorError


@unittest.skipUnless("SPOOR_URL" in os.environ, "there is no service: SPOOR_URL is not set")
class ServiceTest(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Client()
        self.addCleanup(self.client.close)

    def test_recorded_is_readable_when_flush_returns(self) -> None:
        self.client.define_metric("solved", "boolean")
        spoor = Recorder(service_name="tests")
        image = bytes(range(256)) * 300
        with spoor.trace("refund", session_id="s-1", user_id="u-1", metadata={"env": "prod"}) as trace:
            with trace.step("look up", type="retrieval", metadata={"hits": 3}), spoor.step("nested", type="tool"):
                pass
            with trace.step("answer", type="llm", model="gpt-4o") as step:
                step.messages({"role": "user", "content": "Where is my refund?"})
                step.usage(input=812, output=96)
                step.attach(image, "application/octet-stream", "dump.bin")
            trace.metric("solved", True, comment="at once")
            trace.flag("look at it")
        verdicts = spoor.flush()
        self.assertTrue(verdicts.ok, verdicts)
        self.assertEqual(verdicts.stored, 6)
        found = self.client.get_trace(trace.trace_id)
        self.assertEqual([found["name"], found["session_id"], found["user_id"], found["state"]],
                         ["refund", "s-1", "u-1", "flagged"])
        self.assertEqual(found["metadata"]["env"], "prod")
        self.assertEqual(found["token_usage"]["input"], 812)
        steps = {step["name"]: step for step in found["steps"]}
        self.assertEqual(set(steps), {"look up", "nested", "answer"})
        self.assertEqual(steps["nested"]["parent_step_id"], steps["look up"]["id"])
        self.assertIsNone(steps["look up"]["parent_step_id"])
        self.assertEqual(steps["answer"]["messages"][0]["content"][0]["text"], "Where is my refund?")
        self.assertEqual([one["size_bytes"] for one in steps["answer"]["attachments"]], [len(image)])
        self.assertEqual([event["passed"] for event in found["metric_events"]], [True])
        with spoor.trace("bad") as bad:
            bad.metric("undefined", 1)
        self.assertEqual((verdicts := spoor.flush()).refused, 1, verdicts)
        with spoor.trace("bad values") as kept:
            with kept.step("usage", type="no slug!") as step:
                step.messages({"role": "user", "content": "keep me"})
                step.usage(input=-5, output=3)
            with kept.step("keys", metadata={f"key {at}": at for at in range(400)}):
                pass
            with kept.step("large") as step:
                step.messages({"role": "user", "content": "x" * 70_000_000})
        self.assertTrue((verdicts := spoor.flush()).ok, verdicts)
        found = {step["name"]: step for step in self.client.get_trace(kept.trace_id)["steps"]}
        self.assertEqual([found["usage"]["type"], found["usage"]["token_usage"]["output"]], ["other", 3])
        self.assertIn("keep me", json.dumps(found["usage"]["messages"]))
        self.assertEqual(found["keys"]["metadata"]["otel.more_attributes"]["key 399"], 399)
        self.assertIn("characters were cut", found["large"]["messages"][0]["content"][0]["text"][-40:])
        spoor.shutdown()

    def test_client(self) -> None:
        made = self.client.create_trace({"name": "native", "steps": [{"name": "a"}]}, "key-1")
        again = self.client.create_trace({"name": "native", "steps": [{"name": "a"}]}, "key-1")
        self.assertEqual(made["id"], again["id"])
        results = self.client.append_steps(made["id"], [{"name": "b"}, {"name": "c", "typo": 1}])
        self.assertEqual([one["status"] for one in results], ["created", "error"])
        self.assertEqual([row["id"] for row in self.client.list_traces(name="native", limit=1)], [made["id"]])
        found = self.client.search_steps(name="native", step_name=["b", "x"], not_argument={"city": "Bern"}, limit=1)
        self.assertEqual([(row["trace_id"], row["name"]) for row in found], [(made["id"], "b")])
        self.assertEqual(list(self.client.search_steps(argument={"city": "Bern"})), [])
        query = {"measure": "count", "bucket": "all", "name": "native", "not_argument": {"city": "Bern"}}
        series = self.client.series("steps", group_by=["step_name", "name"], **query)
        self.assertEqual(sorted((one["group"], one["subgroup"], one["count"]) for one in series["points"]),
                         [("a", "native", 1), ("b", "native", 1)])
        self.assertEqual([one["count"] for one in self.client.series("traces", **query)["points"]], [1])
        events = self.client.tail("0")
        seen = [next(events)]
        while seen[-1].data.get("id") != made["id"]:
            seen.append(next(events))
        events.close()  # type: ignore[attr-defined]
        resumed = self.client.tail(seen[-1].id)
        later = self.client.create_trace({"name": "later"})
        self.assertEqual(next(resumed).data["id"], later["id"])
        resumed.close()  # type: ignore[attr-defined]
        shorter = self.client.create_trace({"name": "shorter", "steps": [{"name": "a"}]})
        compared = self.client.compare_traces(made["id"], shorter["id"])
        self.assertEqual((compared["left"]["id"], compared["right"]["id"]), (made["id"], shorter["id"]))
        self.assertEqual([pair["kind"] for pair in compared["pairs"]], ["same", "only_left"])
        self.client.define_metric("score", "numeric", min=0, max=1)
        events_made = self.client.record_metric_events([{"name": "score", "trace_id": made["id"], "value": 0.5}])
        self.assertEqual(events_made[0]["status"], "created")
        self.assertEqual(self.client.metric_series("score", bucket="all")["points"][0]["avg"], 0.5)
        with self.assertRaises(SpoorError) as refused:
            self.client.get_trace("tr_unknown")
        self.assertEqual((refused.exception.status, refused.exception.code), (404, "not_found"))
        self.assertIn("detail", json.dumps(refused.exception.problem))


if __name__ == "__main__":
    unittest.main()
