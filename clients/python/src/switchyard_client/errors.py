"""The errors of this client. Each says what a program can do about it."""

from __future__ import annotations

import re
from typing import Any


class SwitchyardError(Exception):
    """Any error of this client."""


class ApiError(SwitchyardError):
    """The server refused the request, or failed."""

    def __init__(self, status: int, body: Any, retry_after: float | None = None) -> None:
        #: All sentences of the server; the text of the error is the first one.
        self.messages: list[str] = _messages_of(body)
        self.message: str = self.messages[0] if self.messages else f"The server answered with status {status}"
        super().__init__(self.message)
        #: The HTTP status.
        self.status: int = status
        #: The field or parameter that the first sentence is about, such as ``management_ip``; None if it names none.
        self.field: str | None = _field_of(self.message)
        #: The body of the answer.
        self.body: Any = body
        #: Seconds after which the server asks to try again.
        self.retry_after: float | None = retry_after


class ServerAway(SwitchyardError):
    """No answer came: the server is away, or the connection was lost. A request that was not a GET may have been carried out."""


class WaitTimeout(SwitchyardError):
    """A job had not ended in time. It goes on."""

    def __init__(self, job_id: int, seconds: float) -> None:
        super().__init__(f"Job {job_id} has not ended within {seconds} seconds; it goes on")
        self.job_id: int = job_id


class EventsLost(SwitchyardError):
    """Events were removed before they were read: load again what depends on them, then continue after ``next``."""

    def __init__(self, next_number: int) -> None:
        super().__init__(f"Events before number {next_number} were removed before they were read")
        self.next: int = next_number


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [one for one in value if isinstance(one, str)]
    return _texts(value.get("errors")) if isinstance(value, dict) else []


def _messages_of(body: Any) -> list[str]:
    return _texts(body.get("message")) if isinstance(body, dict) else _texts(body or None)


#: How the server names a field in its sentences.
_NAMED = [
    re.compile(pattern)
    for pattern in (
        r"([A-Za-z_][\w.[\]-]*): ",
        r"Required field (\w+) not found",
        r"Invalid (?:device )?(\w+) received",
        r"Unknown attribute '([^']+)'",
        r"Validation error for setting (\w+),",
        r"(\w+) \S+ (?:is used already|overlaps)",
    )
]


def _field_of(message: str) -> str | None:
    found = (pattern.match(message) for pattern in _NAMED)
    return next((match.group(1) for match in found if match), None)
