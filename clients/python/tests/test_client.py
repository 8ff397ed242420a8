"""What the client does when a server is busy, cuts connections, has many pages, refuses, or loses events."""

from __future__ import annotations

import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable
from urllib.parse import parse_qs, unquote, urlsplit

from switchyard_client import ApiError, EventsLost, ServerAway, Switchyard, WaitTimeout


class Server(ThreadingHTTPServer):
    """Answers by a function of the request and its number."""

    daemon_threads = True

    def __init__(self, answer: Callable[[Any, int], None]) -> None:
        self.answer = answer
        self.asked: list[str] = []
        super().__init__(("127.0.0.1", 0), Handler)

    def __enter__(self) -> Server:
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def client(self) -> Switchyard:
        return Switchyard(f"http://127.0.0.1:{self.server_port}/", token=lambda: "t0ken")


class Handler(BaseHTTPRequestHandler):
    server: Server

    def _any(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.asked.append(f"{self.command} {unquote(self.path)}")
        self.server.answer(self, len(self.server.asked))

    do_GET = do_POST = do_PUT = _any

    def log_message(self, *_: object) -> None:
        pass

    def send(self, status: int, body: Any, **headers: str) -> None:
        text = body if isinstance(body, str) else json.dumps(body)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(text.encode())


def success(data: Any) -> dict[str, Any]:
    return {"status": "success", "data": data}


class Requests(unittest.TestCase):
    def test_a_get_is_asked_again_and_a_post_never(self) -> None:
        def answer(request: Handler, count: int) -> None:
            if count == 2:
                return request.connection.close()
            if count == 1 or request.command == "POST":
                return request.send(503, {"status": "error", "message": "the database is away"}, Retry_After="0")
            self.assertEqual(request.headers["Authorization"], "Bearer t0ken")
            request.send(200, success({"devices": []}))

        with Server(answer) as server:
            self.assertEqual(server.client().list_devices(sort="-id"), {"devices": []})
            self.assertEqual(server.asked, ["GET /api/v1.0/devices?sort=-id"] * 3)
            with self.assertRaises(ApiError) as caught:
                server.client().sync_devices({"all": True})
            self.assertEqual((caught.exception.status, caught.exception.retry_after), (503, 0))
            self.assertEqual(len(server.asked), 4)

    def test_a_server_that_is_away(self) -> None:
        with self.assertRaises(ServerAway):
            Switchyard("http://127.0.0.1:1", retries=0).get_version()

    def test_all_pages_are_read_as_they_are_needed(self) -> None:
        def answer(request: Handler, count: int) -> None:
            page = int(parse_qs(urlsplit(request.path).query)["page"][0])
            link = f'<http://x/?page={page + 1}>; rel="next"' if page < 3 else ""
            request.send(200, success({"devices": [{"id": page}]}), Link=link)

        with Server(answer) as server:
            found = server.client().all_devices(filter={"synchronized": False, "hostname[contains]": "acc"})
            self.assertEqual([device["id"] for device in found], [1, 2, 3])
            self.assertIn("page=1&filter[synchronized]=false&filter[hostname][contains]=acc", server.asked[0])
            next(server.client().all_devices())
            self.assertEqual(len(server.asked), 4)

    def test_errors_have_status_message_and_field(self) -> None:
        cases: list[tuple[Any, str, str | None]] = [
            ({"message": "Device not found"}, "Device not found", None),
            ({"message": ["Required field hostname not found", "x"]}, "Required field hostname not found", "hostname"),
            ({"message": "interfaces.Ethernet1.data: wrong"}, "interfaces.Ethernet1.data: wrong", "interfaces.Ethernet1.data"),
            ({"message": {"errors": ["Interface Ethernet99 not found"]}}, "Interface Ethernet99 not found", None),
            ("<html>", "<html>", None),
        ]
        for body, message, field in cases:
            with Server(lambda request, _: request.send(400, body)) as server, self.assertRaises(ApiError) as caught:
                server.client().update_device(3, {"description": "x"})
            error = caught.exception
            self.assertEqual((error.status, str(error), error.field), (400, message, field))


class Waiting(unittest.TestCase):
    def test_a_job_is_followed_to_its_end(self) -> None:
        def answer(request: Handler, count: int) -> None:
            request.send(200, success({"jobs": [{"id": 7, "status": "FINISHED" if count % 3 == 0 else "RUNNING"}]}))

        with Server(answer) as server:
            seen: list[str] = []
            job = server.client().wait({"status": "success", "data": "", "job_id": 7}, on_progress=lambda one: seen.append(one["status"]))
            self.assertEqual(job["status"], "FINISHED")
            self.assertEqual(seen, ["RUNNING", "RUNNING", "FINISHED"])
            with self.assertRaises(WaitTimeout):
                server.client().wait(7, timeout=0)


class Events(unittest.TestCase):
    def test_events_go_on_after_a_cut_connection(self) -> None:
        given: list[str | None] = []

        def event(id: int) -> str:
            return f'id: {id}\nevent: job\ndata: {{"id":{id},"kind":"job"}}\n\n'

        def answer(request: Handler, count: int) -> None:
            given.append(request.headers["Last-Event-ID"])
            end = 'event: end\ndata: {"reason":"the server stops","resume":6}\n\n'
            texts = [f"retry: 3000\nid: 3\n\n{event(4)}{event(5)}", f": still here\n\n{event(6)}{end}", event(7)]
            request.send(200, texts[count - 1] if count < 4 else 'event: gap\ndata: {"next":40,"oldest":31}\n\n')

        with Server(answer) as server:
            ids = []
            for found in server.client().events(kind=["job", "device"]):
                ids.append(found["id"])
                if found["id"] == 7:
                    break
            self.assertEqual(ids, [4, 5, 6, 7])
            self.assertEqual(given, [None, "5", "6"])
            self.assertEqual(server.asked[0], "GET /api/v1.0/events?kind=job,device")
            with self.assertRaises(EventsLost) as caught:
                next(server.client().events(since=2))
            self.assertEqual(caught.exception.next, 40)


if __name__ == "__main__":
    unittest.main()
