"""Hooks for schemathesis: checks in addition to its own."""

from __future__ import annotations

import os
from functools import cache
from itertools import count
from typing import Any

import requests
import schemathesis
from schemathesis import Case, CheckContext, HookContext, Response

from . import rules
from .document import Operation, operations
from .exchange import Exchange
from .leniencies import LENIENCIES
from .verdict import Judge

ANONYMOUS = os.environ.get("JUDGE_CALLER") == "anonymous"


@cache
def judge() -> Judge:
    return Judge(rules.read(), LENIENCIES)


_operations: dict[str, Operation] = {}


def operation(case: Case[Any]) -> Operation:
    if not _operations:
        _operations.update(operations(case.operation.schema.raw_schema))
    return _operations[case.operation.definition.raw["operationId"]]


@schemathesis.hook
def before_load_schema(context: HookContext, raw_schema: dict[str, Any]) -> None:
    """Replaces examples of versions and slugs by values that exist on the server."""
    version = raw_schema["components"]["parameters"]["If-Match"]["schema"]
    version.update({"enum": ["*", version["example"]], "example": "*"})
    for path, item in raw_schema["paths"].items():
        collection, by_slug, _ = path.partition("/by-slug/{slug}")
        if by_slug:
            query = {"per_page": str(len(item)), "start_date": "2000-01-01"}
            found = requests.get(os.environ["JUDGE_ADDRESS"] + collection, params=query, timeout=30).json()
            listed = found[collection.rpartition("/")[2]]
            for operation, listed_item in zip(item.values(), listed, strict=True):
                slug = next(parameter for parameter in operation["parameters"] if parameter.get("name") == "slug")
                slug["schema"]["example"] = listed_item["slug"]


_sent = count()


@schemathesis.hook
def before_call(context: HookContext, case: Case[Any], kwargs: dict[str, Any]) -> None:
    """Gives each request another idempotency key, if it has one, and another client address: `ignored_auth` would exceed the login limit of a single one."""
    number = next(_sent)
    if "Idempotency-Key" in case.headers:
        # A key identifies one request.
        case.headers["Idempotency-Key"] = f"{case.headers['Idempotency-Key']}{number}"
    case.headers["X-Forwarded-For"] = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


@schemathesis.check
def input_as_documented(ctx: CheckContext, response: Response, case: Case[Any]) -> None:
    """The server accepts what the document allows, and rejects what it forbids, apart from the two lists."""
    called = operation(case)
    if response.request.method != called.method:
        return
    exchange = Exchange.of(response.request, response.status_code, response.content)
    problem = judge().judge(called, exchange).problem
    if problem:
        raise AssertionError(f"{problem}\n{exchange}")


@schemathesis.check
def response_as_documented(ctx: CheckContext, response: Response, case: Case[Any]) -> None:
    """The response matches its schema or, with `fields`, each object has the selected members."""
    exchange = Exchange.of(response.request, response.status_code, response.content)
    if not exchange.selected or exchange.method != "GET" or exchange.status != 200:
        case.operation.validate_response(response, case=case)
        return
    objects = exchange.response.get(exchange.path.rpartition("/")[2], [exchange.response])
    for found in map(set, objects):
        if found != exchange.selected:
            raise AssertionError(f"selected {exchange.selected}, found {found}\n{exchange}")


@schemathesis.check
class EveryOperationSucceeds:
    """Each operation succeeds at least once: without credentials, those that do not require them."""

    def __init__(self) -> None:
        self.tried: set[str] = set()
        self.succeeded: set[str] = set()

    def after_response(self, ctx: CheckContext, response: Response, case: Case[Any]) -> None:
        if ANONYMOUS and {} not in case.operation.definition.raw["security"]:
            return
        self.tried.add(case.operation.label)
        if response.status_code < 300:
            self.succeeded.add(case.operation.label)

    def after_run(self, ctx: CheckContext) -> None:
        failed = sorted(self.tried - self.succeeded)
        if failed or not self.tried:
            raise AssertionError(f"never succeeded: {', '.join(failed)}")
