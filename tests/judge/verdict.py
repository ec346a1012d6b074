"""Whether a response is correct by the document, the rules that it cannot express, and the leniencies."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .document import Violation, Operation
from .exchange import Exchange
from .leniencies import NOTHING, UNCHANGED, Leniency
from .rules import Rule

# Possible errors of valid requests, which depend on the caller and the data, and on limits (429, 503).
STATE_DEPENDENT = {401, 403, 404, 409, 410, 412, 422, 429, 503}
# Limit on the number of conversions.
MAX_VIOLATIONS = 500


@dataclass
class Verdict:
    """The problem with a response, if there is one, and the entries of the lists that it needs."""

    problem: str | None = None
    used: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Judge:
    """Judges responses by these lists."""

    rules: Sequence[Rule]
    leniencies: Sequence[Leniency]

    def judge(self, operation: Operation, exchange: Exchange) -> Verdict:
        """The verdict on a response of this operation."""
        request = operation.request(exchange)
        violations = list(operation.violations(request))
        if exchange.status < 400:
            return self._accepted(operation, request, violations)
        if exchange.status == 400 and not is_not_object(violations):
            return self._rejected(operation, exchange, violations)
        if violations or (exchange.status in STATE_DEPENDENT and exchange.code != "rest_no_route"):
            return Verdict()
        return Verdict(f"The document allows this request, and the status is {exchange.status}.")

    def _rejected(self, operation: Operation, exchange: Exchange, violations: list[Violation]) -> Verdict:
        """Each field with an error must violate the document or a rule."""
        verdict = Verdict()
        forbidden = {violation.name for violation in violations}
        forbidden.update(name for violation in violations for name in violation.missing)
        for name, message in exchange.errors.items():
            if name in forbidden:
                continue
            by = [rule.name for rule in self.rules if rule.explains(operation.id, exchange, name, message)]
            if not by:
                verdict.problem = f"The document and the rules allow this {name}, and it is rejected: {message}"
            verdict.used.update(by)
        if not exchange.errors:
            verdict.problem = "The document allows this request, and the error names no field."
        return verdict

    def _accepted(self, operation: Operation, request: dict[str, Any], violations: list[Violation]) -> Verdict:
        """The leniencies must convert the request to one that the document allows."""
        verdict = Verdict()
        request = copy.deepcopy(request)
        for _ in range(MAX_VIOLATIONS):
            if not violations:
                return verdict
            for violation in violations:
                name = self._convert(request, violation)
                if name:
                    verdict.used.add(name)
                    break
            else:
                verdict.problem = f"The document forbids this request, and it is accepted: {violations[0]}"
                return verdict
            violations = list(operation.violations(request))
        verdict.problem = "The request has too many violations."
        return verdict

    def _convert(self, request: dict[str, Any], violation: Violation) -> str | None:
        """Replaces the value by its canonical form, and returns the name of the leniency that applies."""
        for leniency in self.leniencies:
            value = leniency.canonical(violation)
            if value is UNCHANGED or value == violation.value and type(value) is type(violation.value):
                continue
            put(request, violation, value)
            return leniency.name
        return None


def is_not_object(violations: list[Violation]) -> bool:
    """Whether the body is not an object, so that the error cannot name a field."""
    return any(violation.instance_path == ["body"] and not violation.missing for violation in violations)


def put(request: dict[str, Any], violation: Violation, value: Any) -> None:
    parent: Any = request
    for step in violation.instance_path[:-1]:
        parent = parent[step]
    if value is NOTHING:
        del parent[violation.instance_path[-1]]
    else:
        parent[violation.instance_path[-1]] = value
