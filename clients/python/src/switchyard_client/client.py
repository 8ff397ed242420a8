"""The client: the calls of the API, and what they alone do not give: waiting for a job, and the stream of events."""

from __future__ import annotations

import http.client
import json
import random
import time
from typing import Any, Callable, Iterable, Iterator

from .calls import Calls
from .errors import ApiError, EventsLost, ServerAway, WaitTimeout
from .records import Device, Event, Job, JobStarted

HOUR = 3600.0
ENDED = ("FINISHED", "EXCEPTION", "ABORTED")
FIRST_LOOK = 0.2
LONGEST_LOOK = 3.0
LONGEST_RECONNECT = 30.0
#: The server says something at least every 15 seconds.
SILENCE = 45.0


class Switchyard(Calls):
    """A client of one server."""

    def job(self, id: int) -> Job:
        """The record of a job."""
        for found in self.get_job(id)["jobs"]:
            return found
        raise ApiError(404, {"message": f"Job {id} not found"})

    def device(self, name: str | int) -> Device:
        """The record of a device, by its hostname or id."""
        for found in self.get_device(name)["devices"]:
            return found
        raise ApiError(404, {"message": f"Device {name} not found"})

    def wait(
        self,
        job: int | JobStarted,
        *,
        timeout: float = HOUR,
        on_progress: Callable[[Job], object] | None = None,
    ) -> Job:
        """Wait for the end of a job, given as its number or as the answer that started it.

        Whether it did what it should is in ``outcome`` of the record; a follow-up job, if there is one, is ``next_job_id``. Raises
        `WaitTimeout` after so many seconds; the job goes on.
        """
        id = job if isinstance(job, int) else job["job_id"]
        end = time.monotonic() + timeout
        pause = FIRST_LOOK
        while True:
            record = self.job(id)
            if on_progress is not None:
                on_progress(record)
            if record["status"] in ENDED:
                return record
            left = end - time.monotonic()
            if left <= 0:
                raise WaitTimeout(id, timeout)
            time.sleep(min(pause, left))
            pause = min(LONGEST_LOOK, pause * 1.3)

    def events(
        self,
        *,
        kind: Iterable[str] = (),
        device: Iterable[str] = (),
        group: str | None = None,
        job: int | None = None,
        since: int | None = None,
    ) -> Iterator[Event]:
        """Events as they happen, without an end; only those after ``since``, by default from now on.

        A lost connection is made again where it was lost, so that no event is left out and none comes twice. Raises `EventsLost` if the
        server has removed events in between.
        """
        query = {"kind": ",".join(kind) or None, "device": ",".join(device) or None, "group": group, "job": job}
        last = None if since is None else str(since)
        tried = 0
        while True:
            try:
                for name, id, data in self._stream(query, last):
                    tried = 0
                    last = id or last
                    if name == "gap":
                        raise EventsLost(json.loads(data)["next"])
                    if name == "end":
                        resume = json.loads(data).get("resume")
                        last = last if resume is None else str(resume)
                    elif data and name != "skipped":
                        yield json.loads(data)
            except ApiError as error:
                if error.status < 500 and error.status != 429:
                    raise
            except ServerAway:
                pass
            time.sleep(min(LONGEST_RECONNECT, 2.0**tried) * random.uniform(0.5, 1))
            tried += 1

    def _stream(self, query: dict[str, Any], last: str | None) -> Iterator[tuple[str, str, str]]:
        """The messages of one connection: name, id and data, each empty if there is none."""
        headers = {"Accept": "text/event-stream"}
        if last is not None:
            headers["Last-Event-ID"] = last
        fields: dict[str, list[str]] = {}
        with self._send("GET", "/api/v1.0/events", query=query, headers=headers, timeout=SILENCE) as answer:
            while True:
                try:
                    line = answer.readline()
                except (OSError, http.client.HTTPException) as error:
                    raise ServerAway(f"the stream of events was lost: {error}") from error
                if line == b"":
                    return
                text = line.decode("utf-8").rstrip("\r\n")
                if text == "":
                    yield _last(fields, "event"), _last(fields, "id"), "\n".join(fields.get("data", []))
                    fields = {}
                else:
                    name, _, value = text.partition(":")
                    fields.setdefault(name, []).append(value[1:] if value.startswith(" ") else value)


def _last(fields: dict[str, list[str]], name: str) -> str:
    return fields.get(name, [""])[-1]
