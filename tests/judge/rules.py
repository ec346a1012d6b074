"""The rules that schemas cannot express, from `rules.yaml`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from .case import Case
from .exchange import Exchange


@dataclass(frozen=True)
class Rule:
    """A reason for rejecting a value that the document allows, and how to recognise the error."""

    name: str
    reason: str
    operations: re.Pattern[str]
    fields: tuple[str, ...] | None
    """None for any name."""
    message: re.Pattern[str]
    example: Case
    variant: str | None = None
    is_strict: bool = False
    """Whether it applies only to requests that prefer strict handling."""

    def explains(self, operation: str, exchange: Exchange, field: str, message: str) -> bool:
        """Whether the rule causes this validation error."""
        return (
            (self.fields is None or field in self.fields)
            and (exchange.is_strict or not self.is_strict)
            and self.operations.fullmatch(operation) is not None
            and self.message.search(message) is not None
        )


def read(path: Path = Path(__file__).with_name("rules.yaml")) -> list[Rule]:
    """The rules, in order."""
    return [rule(entry) for entry in yaml.safe_load(path.read_text(encoding="utf-8"))]


def rule(entry: dict[str, Any]) -> Rule:
    return Rule(
        name=entry["rule"],
        reason=entry["reason"],
        operations=re.compile(entry["operations"]),
        fields=tuple(entry["fields"]) if "fields" in entry else None,
        message=re.compile(entry["message"]),
        example=case(entry["example"]),
        variant=entry.get("variant"),
        is_strict=entry.get("strict", False),
    )


def case(entry: dict[str, Any]) -> Case:
    before = tuple(case(earlier) for earlier in entry.get("before", []))
    return Case(**{**entry, "before": before})
