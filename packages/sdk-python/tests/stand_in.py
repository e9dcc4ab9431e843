"""A service that keeps what it takes, and fails as a test says."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class StandIn:
    def __init__(self) -> None:
        self.spans: list[dict[str, Any]] = []
        self.calls: list[tuple[str, str, Any]] = []  # method, path, body, in their order
        self.answers: list[tuple[int, dict[str, str], bytes]] = []  # of the next requests, instead of success
        self.hangs = threading.Event()
        self.largest_export = 1 << 30  # spans; more are answered 413
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                status, headers, answer = stand_in.take(self.command, self.path, body)
                self.send_response(status)
                for name, value in {**headers, "content-length": str(len(answer))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer)

            do_PATCH = do_POST

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def take(self, method: str, path: str, body: Any) -> tuple[int, dict[str, str], bytes]:
        if self.hangs.is_set():
            threading.Event().wait(60)
        self.calls.append((method, path, body))
        if self.answers:
            return self.answers.pop(0)
        if path == "/v1/metrics/events":
            results = [{"line": at + 1, "status": "created"} for at in range(len(body))]
            return 200, {}, json.dumps({"errors": False, "results": results}).encode()
        if path == "/otlp/v1/traces":
            spans = [span for group in body["resourceSpans"] for span in group["scopeSpans"][0]["spans"]]
            if len(spans) > self.largest_export:
                return 413, {}, b'{"code":3,"message":"too large"}'
            self.spans += spans
        return 200, {}, b"{}"

    def named(self, name: str) -> dict[str, Any]:
        found = [span for span in self.spans if span["name"] == name]
        assert len(found) == 1, f"{len(found)} spans with the name {name}"
        return found[0]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def attributes_of(span: dict[str, Any]) -> dict[str, str]:
    return {one["key"]: one["value"]["stringValue"] for one in span["attributes"]}
