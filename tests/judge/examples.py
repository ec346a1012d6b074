"""Sends the example of each entry of the two lists, and reports entries that are no longer needed.

The response to an example must be correct with its entry, and incorrect without it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import quote

import requests

from . import rules
from .case import Case
from .document import Operation, operations
from .exchange import FORM, Exchange
from .leniencies import LENIENCIES, Leniency
from .rules import Rule
from .verdict import Judge

Entry = TypeVar("Entry", Rule, Leniency)


@dataclass(frozen=True)
class Caller:
    """Sends examples to a server."""

    address: str
    session: requests.Session
    operations: dict[str, Operation]

    def send(self, case: Case) -> Exchange:
        for earlier in case.before:
            self.send(earlier)
        path = self.operations[case.operation].path
        for name, value in case.path.items():
            path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
        body = case.body if case.media_type == FORM else json.dumps(case.body)
        response = self.session.request(
            self.operations[case.operation].method,
            f"{self.address}{path}{'?' if case.query else ''}{case.query}",
            data=None if case.body is None else body,
            headers={"Content-Type": case.media_type, **case.headers},
            timeout=30,
        )
        return Exchange.of(response.request, response.status_code, response.content)

    def problems(self, entry: Entry, judge: Judge, without: Judge) -> Iterator[str]:
        """The problems that the example of the entry shows."""
        case = entry.example
        operation = self.operations.get(case.operation)
        if operation is None:
            yield f"there is no operation {case.operation}"
            return
        exchange = self.send(case)
        verdict = judge.judge(operation, exchange)
        if verdict.problem:
            yield f"{verdict.problem}\n{exchange}"
        elif verdict.used != {entry.name}:
            yield f"its example needs {verdict.used or 'no entry'}\n{exchange}"
        elif not without.judge(operation, exchange).problem:
            yield f"its example is correct without it\n{exchange}"


def without(entries: Sequence[Entry], entry: Entry) -> list[Entry]:
    return [other for other in entries if other is not entry]


def of_variant(variant: str, entries: Sequence[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry.variant in (None, variant)]


def stale(caller: Caller, variant: str) -> Iterator[str]:
    """The problems of all entries of both lists."""
    known = rules.read()
    judge = Judge(known, LENIENCIES)
    for rule in of_variant(variant, known):
        for problem in caller.problems(rule, judge, Judge(without(known, rule), LENIENCIES)):
            yield f"The rule `{rule.name}`: {problem}"
    for leniency in of_variant(variant, LENIENCIES):
        for problem in caller.problems(leniency, judge, Judge(known, without(LENIENCIES, leniency))):
            yield f"The leniency `{leniency.name}`: {problem}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variant", choices=("a", "b"))
    parser.add_argument("address", help="the URL of the server")
    parser.add_argument("password", help="the administrator's application password")
    arguments = parser.parse_args()
    session = requests.Session()
    session.auth = ("admin", arguments.password)
    document = session.get(f"{arguments.address}/calendar/events/v1/doc", timeout=30).json()
    caller = Caller(arguments.address, session, operations(document))
    problems = list(stale(caller, arguments.variant))
    print("\n\n".join(problems) or "All entries of the two lists are needed.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
