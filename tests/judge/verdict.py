"""Whether an answer is right: by the document, by the rules that it can't say, and by the leniencies."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .document import Fault, Operation
from .exchange import Exchange
from .leniencies import NOTHING, UNCHANGED, Leniency
from .rules import Rule

# What an answer may be to a request that is right in itself: who asks and what is there decide about these.
# 429 and 503 are no answers to the request at all.
OF_STATE = {401, 403, 404, 409, 410, 412, 429, 503}
# A request has no more faults than this that one after the other could be led back.
MOST_FAULTS = 500


@dataclass
class Verdict:
    """What is wrong with an answer, if anything is, and the entries of the lists by which it is right."""

    complaint: str | None = None
    used: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Judge:
    """Judges by these lists."""

    rules: Sequence[Rule]
    leniencies: Sequence[Leniency]

    def judge(self, operation: Operation, exchange: Exchange) -> Verdict:
        """The verdict on an answer of an operation."""
        request = operation.request(exchange)
        faults = list(operation.faults(request))
        if exchange.status < 400:
            return self._accepted(operation, request, faults)
        if exchange.status == 400 and not is_no_object(faults):
            return self._refused(operation, exchange, faults)
        if faults or (exchange.status in OF_STATE and exchange.code != "rest_no_route"):
            return Verdict()
        return Verdict(f"The document allows this, and it is answered with {exchange.status}.")

    def _refused(self, operation: Operation, exchange: Exchange, faults: list[Fault]) -> Verdict:
        """Each field that is named must be at fault, by the document or by a rule."""
        verdict = Verdict()
        forbidden = {fault.name for fault in faults} | {name for fault in faults for name in fault.missing}
        for name, message in exchange.faults.items():
            if name in forbidden:
                continue
            by = [rule.name for rule in self.rules if rule.explains(operation.id, name, message)]
            if not by:
                verdict.complaint = f"The document allows this {name}, and no rule forbids it: {message}"
            verdict.used.update(by)
        if not exchange.faults:
            verdict.complaint = "The document allows this, and the answer does not say what is wrong."
        return verdict

    def _accepted(self, operation: Operation, request: dict[str, Any], faults: list[Fault]) -> Verdict:
        """What the document forbids must lead back by the leniencies to what it allows."""
        verdict = Verdict()
        request = copy.deepcopy(request)
        for _ in range(MOST_FAULTS):
            if not faults:
                return verdict
            for fault in faults:
                name = self._lead_back(request, fault)
                if name:
                    verdict.used.add(name)
                    break
            else:
                verdict.complaint = f"The document forbids this, and it is accepted: {faults[0]}"
                return verdict
            faults = list(operation.faults(request))
        verdict.complaint = "The request has more faults than anybody would count."
        return verdict

    def _lead_back(self, request: dict[str, Any], fault: Fault) -> str | None:
        """Puts what the document would have said in the place of the fault, and names the leniency that knows it."""
        for leniency in self.leniencies:
            value = leniency.canonical(fault)
            if value is UNCHANGED or value == fault.value and type(value) is type(fault.value):
                continue
            put(request, fault, value)
            return leniency.name
        return None


def is_no_object(faults: list[Fault]) -> bool:
    """Whether the body is no object, so that no field of it can be named."""
    return any(fault.place == ["body"] and not fault.missing for fault in faults)


def put(request: dict[str, Any], fault: Fault, value: Any) -> None:
    parent: Any = request
    for step in fault.place[:-1]:
        parent = parent[step]
    if value is NOTHING:
        del parent[fault.place[-1]]
    else:
        parent[fault.place[-1]] = value
