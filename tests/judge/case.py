"""The example of an entry of one of the two lists: a request that needs the entry."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Case:
    """A request, with the ID of its operation and the requests that must precede it."""

    operation: str
    path: dict[str, Any] = field(default_factory=dict)
    query: str = ""
    body: Any = None
    media_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    before: tuple[Case, ...] = ()
