"""The client of the API: traces and steps in, tail and metrics out. Unlike the recorder, it raises."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from .connection import CONNECTION_ERRORS, DEFAULT_URL, Connection
from .plain import to_json

#: A JSON object, as the documentation of the operation describes it.
Json = dict[str, Any]


class SpoorError(Exception):
    """What the service refuses. `code` is one of its catalogue of errors."""

    def __init__(self, status: int, problem: Json) -> None:
        super().__init__(f"{status} {problem.get('code')}: {problem.get('detail')}")
        self.status = status
        self.code: str | None = problem.get("code")
        self.problem = problem


class TailEvent(NamedTuple):
    id: str
    #: `trace.committed`, or `gap`: events before this are not stored any more.
    type: str
    data: Json


class Client:
    """For one thread at a time. Requests that the service does not take now are sent again, safely."""

    def __init__(self, url: str = "", api_key: str = "", *, timeout: float = 30.0, tries: int = 5) -> None:
        self._url = url or os.environ.get("SPOOR_URL") or DEFAULT_URL
        self._api_key = api_key or os.environ.get("SPOOR_API_KEY") or ""
        self._connection = Connection(self._url, self._api_key, timeout)
        self._tries = tries

    def create_trace(self, trace: Json, idempotency_key: str | None = None) -> Json:
        """Commits a trace with its steps. The same key with the same content commits nothing twice."""
        headers = {"idempotency-key": idempotency_key or os.urandom(16).hex()}
        return self._object("POST", "/v1/traces", trace, headers)

    def append_steps(self, trace_id: str, steps: Iterable[Json]) -> list[Json]:
        """A result for each step, in their order. Steps without an idempotency key get one."""
        lines = [to_json({"idempotency_key": os.urandom(16).hex(), **step}) for step in steps]
        headers = {"content-type": "application/x-ndjson"}
        path = f"/v1/traces/{quote(trace_id)}/steps"
        return list(self._object("POST", path, "\n".join(lines), headers)["results"])

    def get_trace(self, trace_id: str) -> Json:
        return self._object("GET", f"/v1/traces/{quote(trace_id)}")

    def compare_traces(self, left: str, right: str) -> Json:
        """Two traces, step by step."""
        return self._object("GET", f"/v1/traces/compare?{urlencode({'left': left, 'right': right})}")

    def patterns(self, **query: Any) -> Json:
        """What failed traces have that others have not, of those that pass the filters."""
        return self._object("GET", f"/v1/patterns?{urlencode(query, doseq=True)}")

    def versions(self, **query: Any) -> Json:
        """Versions with their failure rates, each compared with the one before it."""
        return self._object("GET", f"/v1/versions?{urlencode(query, doseq=True)}")

    def divergence(self, trace_id: str, **query: str) -> Json:
        """Where a run first leaves what successful runs do."""
        return self._object("GET", f"/v1/traces/{quote(trace_id)}/divergence?{urlencode(query)}")

    def similar_traces(self, trace_id: str, **query: Any) -> list[Json]:
        """Traces like this one, the most similar first."""
        return list(self._object("GET", f"/v1/traces/{quote(trace_id)}/similar?{urlencode(query)}")["traces"])

    def origins(self, trace_id: str, step_id: str) -> Json:
        """Where the arguments of a step came from."""
        return self._object("GET", f"/v1/traces/{quote(trace_id)}/origins?{urlencode({'step_id': step_id})}")

    def list_traces(self, **filters: Any) -> Iterator[Json]:
        """All rows that match the filters of `GET /v1/traces`, page by page."""
        return self._rows("traces", filters)

    def search_steps(self, **filters: Any) -> Iterator[Json]:
        """All rows that match the filters of `GET /v1/steps`, page by page; `argument={"city": "Bern"}`."""
        return self._rows("steps", filters)

    def series(self, rows: str, **query: Any) -> Json:
        """A measure of `traces` or `steps` over time and by group: the parameters of `GET /v1/{rows}/series`."""
        return self._object("GET", f"/v1/{rows}/series?{_query(query)}")

    def _rows(self, kind: str, filters: Json) -> Iterator[Json]:
        cursor: str | None = None
        while True:
            page = self._object("GET", f"/v1/{kind}?{_query({**filters, 'cursor': cursor or []})}")
            yield from page[kind]
            if (cursor := page["next_cursor"]) is None:
                return

    def define_metric(self, name: str, kind: str, **definition: Any) -> Json:
        return self._object("POST", "/v1/metrics", {"name": name, "kind": kind, **definition})

    def record_metric_events(self, events: Iterable[Json]) -> list[Json]:
        """A result for each event, in their order. Events without an idempotency key get one."""
        keyed = [{"idempotency_key": os.urandom(16).hex(), **event} for event in events]
        return list(self._object("POST", "/v1/metrics/events", keyed)["results"])

    def metric_series(self, name: str, **query: Any) -> Json:
        return self._object("GET", f"/v1/metrics/{quote(name, '')}/series?{urlencode(query, True)}")

    def tail(self, last_event_id: str | None = None) -> Iterator[TailEvent]:
        """New traces as they are committed, without end. After `last_event_id`, nothing is missed or repeated."""
        position, failures = last_event_id or "", 0
        while True:
            connection = Connection(self._url, self._api_key, 60.0)  # the service sends something every 15 s
            try:
                headers = {"accept": "text/event-stream", **({"last-event-id": position} if position else {})}
                response = connection.open("GET", "/v1/traces/tail", None, headers)
                if 400 <= response.status < 500 and response.status not in (408, 429):
                    raise SpoorError(response.status, _problem(response.read()))
                event: dict[str, str] = {}
                while response.status == 200 and (line := response.readline()):
                    field, _, value = line.decode().rstrip("\r\n").partition(": ")
                    if field:
                        event[field] = value
                        continue
                    position = event.get("id", position)
                    if "data" in event:
                        failures = 0
                        yield TailEvent(position, event.get("event", "message"), json.loads(event["data"]))
                    event = {}
            except CONNECTION_ERRORS:
                pass
            finally:
                connection.close()
            failures += 1
            time.sleep(_back_off(failures))

    def close(self) -> None:
        self._connection.close()

    def _object(self, *request: Any) -> Json:
        answer = self.request(*request)
        if not isinstance(answer, dict):
            raise SpoorError(200, {"detail": "the answer is no object"})
        return answer

    def request(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        """Any operation of the API. Raises SpoorError, or what a connection raises."""
        data = None if body is None else (body if isinstance(body, str) else to_json(body)).encode()
        for tries in range(1, self._tries + 1):
            try:
                answer = self._connection.request(method, path, data, headers)
            except CONNECTION_ERRORS:
                if tries == self._tries:
                    raise
                time.sleep(_back_off(tries))
                continue
            if answer.status not in (408, 429, 502, 503, 504) or tries == self._tries:
                break
            time.sleep(max(answer.retry_after, _back_off(tries)))
        if answer.status >= 300:
            raise SpoorError(answer.status, _problem(answer.body))
        return json.loads(answer.body) if answer.body else None


def _back_off(failures: int) -> float:
    return min(10.0, 0.1 * 2.0 ** min(failures, 8)) * random.uniform(0.5, 1)


def _problem(body: bytes) -> Json:
    try:
        problem = json.loads(body)
    except ValueError:
        problem = None
    return problem if isinstance(problem, dict) else {"detail": body[:200].decode("utf-8", "replace")}


def _query(filters: Json) -> str:
    """Lists repeat their parameter; members of an object are `name.key`."""
    flat: Json = {}
    for name, value in filters.items():
        flat |= {f"{name}.{key}": one for key, one in value.items()} if isinstance(value, dict) else {name: value}
    return urlencode(flat, True)
