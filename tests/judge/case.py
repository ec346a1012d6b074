"""An example of a list's entry: a request that the entry is there for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Case:
    """A request by the ID of its operation, with those that must come before it."""

    operation: str
    path: dict[str, Any] = field(default_factory=dict)
    query: str = ""
    body: Any = None
    media_type: str = "application/json"
    before: tuple[Case, ...] = ()
