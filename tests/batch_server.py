"""A loopback server that speaks the batch protocols of OpenAI and of Anthropic, beside their ordinary ones.

A batch stays in progress until `release`. `created` and `asked` tell what came in; `answer` makes the text of
a reply from the body of a request, or an (HTTP status, error type) where that one request fails.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[dict[str, Any]], str | tuple[int, str]]


class BatchServer:
    """Serves in threads of its own, between `with BatchServer(answer) as server:` and its end."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.asked: list[dict[str, Any]] = []  # bodies of ordinary requests
        self.created: list[dict[str, Any]] = []  # batches: id, custom_id -> body, created_at, metadata
        self.polls = 0
        self.release = threading.Event()
        self.hold_create = threading.Event()  # while set, a batch is made, but nobody is told
        self.fail_create = 0  # so many creations are answered by 500, though the batch was made
        self._files: dict[str, str] = {}

    def __enter__(self) -> BatchServer:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments: Any) -> None:
                pass

            def do_GET(self) -> None:
                self._answer(b"")

            def do_POST(self) -> None:
                self._answer(self.rfile.read(int(self.headers["content-length"])))

            def _answer(self, content: bytes) -> None:
                status, body = outer._route(self.path.partition("?")[0], content)
                encoded = body.encode() if isinstance(body, str) else json.dumps(body).encode()
                try:
                    self.send_response(status)
                    self.send_header("content-type", "application/json")
                    self.send_header("content-length", str(len(encoded)))
                    self.end_headers()
                    self.wfile.write(encoded)
                except OSError:  # the client was killed
                    self.close_connection = True

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        ).start()
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        return self

    def __exit__(self, *error: object) -> None:
        self.hold_create.clear()
        self._server.shutdown()
        self._server.server_close()

    def _route(self, path: str, content: bytes) -> tuple[int, Any]:
        if path == "/v1/chat/completions":
            self.asked.append(json.loads(content))
            return 200, self._completion(self.asked[-1])
        if path == "/v1/messages":
            self.asked.append(json.loads(content))
            return 200, self._message(self.asked[-1])
        if path == "/v1/files":
            lines = [line.strip() for line in content.split(b"\n") if line.startswith(b'{"custom_id"')]
            self._files[name := f"file-{len(self._files)}"] = b"\n".join(lines).decode()
            return 200, {
                "id": name,
                "object": "file",
                "bytes": 1,
                "created_at": 1,
                "filename": "f",
                "purpose": "batch",
            }
        if path.startswith("/v1/files/"):
            return 200, self._files[path.split("/")[3]]
        if path == "/v1/batches":
            if not content:
                return 200, {
                    "object": "list",
                    "data": [self._batch(b) for b in self.created[::-1]],
                    "has_more": False,
                }
            asked = json.loads(content)
            lines = [json.loads(line) for line in self._files[asked["input_file_id"]].splitlines()]
            return self._create(
                {line["custom_id"]: line["body"] for line in lines}, asked["metadata"], self._batch
            )
        if path == "/v1/messages/batches":
            if not content:
                data = [self._message_batch(b) for b in self.created[::-1]]
                return 200, {"data": data, "has_more": False, "first_id": None, "last_id": None}
            lines = json.loads(content)["requests"]
            return self._create(
                {line["custom_id"]: line["params"] for line in lines}, {}, self._message_batch
            )
        if path.endswith("/results"):
            return 200, self._results(self._found(path.split("/")[4]))
        self.polls += 1
        show = self._message_batch if "messages" in path else self._batch
        if path.rsplit("/", 1)[1] not in [batch["id"] for batch in self.created]:
            return 404, {"error": {"type": "not_found_error", "message": "no such batch"}}
        return 200, show(self._found(path.rsplit("/", 1)[1]))

    def _create(self, bodies: dict[str, Any], metadata: Any, show: Callable[[Any], Any]) -> tuple[int, Any]:
        batch = {
            "id": f"batch_{len(self.created)}",
            "bodies": bodies,
            "metadata": metadata,
            "created_at": int(time.time()),
        }
        self.created.append(batch)
        if self.fail_create:
            self.fail_create -= 1
            return 500, {"error": {"type": "api_error", "message": "lost"}}
        while self.hold_create.is_set():
            time.sleep(0.02)
        return 200, show(batch)

    def _found(self, batch_id: str) -> dict[str, Any]:
        return next(batch for batch in self.created if batch["id"] == batch_id)

    def _batch(self, batch: dict[str, Any]) -> dict[str, Any]:
        done = self.release.is_set()
        good, bad = f"{batch['id']}-good", f"{batch['id']}-bad"
        if done and good not in self._files:
            answers = {key: self.answer(body) for key, body in batch["bodies"].items()}
            self._files[good] = "\n".join(
                json.dumps(
                    {
                        "custom_id": key,
                        "response": {"status_code": 200, "body": self._completion(batch["bodies"][key])},
                        "error": None,
                    }
                )
                for key, answer in answers.items()
                if isinstance(answer, str)
            )
            self._files[bad] = "\n".join(
                json.dumps(
                    {
                        "custom_id": key,
                        "response": {
                            "status_code": answer[0],
                            "body": {"error": {"type": answer[1], "message": "no"}},
                        },
                        "error": None,
                    }
                )
                for key, answer in answers.items()
                if not isinstance(answer, str)
            )
        total = len(batch["bodies"])
        return {
            "id": batch["id"],
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "input_file_id": "file-0",
            "created_at": batch["created_at"],
            "metadata": batch["metadata"],
            "status": "completed" if done else "in_progress",
            "request_counts": {"total": total, "completed": total if done else 0, "failed": 0},
            "output_file_id": good if done and self._files[good] else None,
            "error_file_id": bad if done and self._files[bad] else None,
        }

    def _message_batch(self, batch: dict[str, Any]) -> dict[str, Any]:
        done = self.release.is_set()
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(batch["created_at"]))
        total = len(batch["bodies"])
        return {
            "id": batch["id"],
            "type": "message_batch",
            "processing_status": "ended" if done else "in_progress",
            "request_counts": {
                "processing": 0 if done else total,
                "succeeded": total if done else 0,
                "errored": 0,
                "canceled": 0,
                "expired": 0,
            },
            "created_at": moment,
            "expires_at": moment,
            "results_url": f"{self.address}/v1/messages/batches/{batch['id']}/results",
        }

    def _results(self, batch: dict[str, Any]) -> str:
        lines = []
        for key, body in batch["bodies"].items():
            answer = self.answer(body)
            if isinstance(answer, str):
                result: dict[str, Any] = {"type": "succeeded", "message": self._message(body)}
            else:
                error = {"type": "error", "error": {"type": answer[1], "message": "no"}, "request_id": None}
                result = {"type": "errored", "error": error}
            lines.append(json.dumps({"custom_id": key, "result": result}))
        return "\n".join(lines)

    def _completion(self, body: dict[str, Any]) -> dict[str, Any]:
        message = {"role": "assistant", "content": self.answer(body)}
        return {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
        }

    def _message(self, body: dict[str, Any]) -> dict[str, Any]:
        return {
            "id": "1",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [{"type": "text", "text": self.answer(body)}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 2},
        }
