"""A client for the API of Switchyard, with the standard library alone."""

from .client import Switchyard
from .errors import ApiError, EventsLost, ServerAway, SwitchyardError, WaitTimeout

__all__ = ["ApiError", "EventsLost", "ServerAway", "Switchyard", "SwitchyardError", "WaitTimeout"]
