"""Validation of requests against the document: one schema per operation, for path, query and body together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from jsonschema_rs import Draft202012Validator, ValidationErrorKind

from .exchange import JSON, Exchange

Schema = dict[str, Any]
InstancePath = list[str | int]

NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
# The formats that are validated. `int32` and `int64` are types for clients, not limits.
STRING_FORMATS = ("uri", "email")


@dataclass(frozen=True)
class Violation:
    """A value in a request that the document forbids."""

    instance_path: InstancePath
    value: Any
    schema: Schema
    message: str
    parent: Any = None
    """The object or array that contains the value."""
    missing: tuple[str, ...] = ()
    """Required fields that are missing."""

    @property
    def name(self) -> str:
        """The parameter or the top-level field; empty if the body as a whole is invalid."""
        return str(self.instance_path[1]) if len(self.instance_path) > 1 else ""

    def __str__(self) -> str:
        return f"{'/'.join(map(str, self.instance_path))}: {self.message}"


class Operation:
    """One operation of a document."""

    def __init__(self, document: dict[str, Any], path: str, method: str) -> None:
        definition = document["paths"][path][method]
        self.id: str = definition["operationId"]
        self.path = path
        self.method = method.upper()
        self._components = plain(document["components"])
        self._parameters = {
            where: {
                parameter["name"]: self._resolved(plain(parameter["schema"]))
                for parameter in definition.get("parameters", [])
                if parameter.get("in") == where
            }
            for where in ("path", "query")
        }
        self.schema = self._request_schema(definition)

    def _request_schema(self, definition: Schema) -> Schema:
        members: dict[str, Schema] = {
            where: {"type": "object", "properties": parameters} for where, parameters in self._parameters.items()
        }
        if "requestBody" in definition:
            members["body"] = plain(definition["requestBody"]["content"][JSON]["schema"])
        return {"type": "object", "properties": members}

    def request(self, exchange: Exchange) -> dict[str, Any]:
        """The request as one value, parsed as the document declares. Unknown parameters are omitted."""
        request: dict[str, Any] = {
            "path": {
                name: literal(text, self._parameters["path"][name])
                for name, text in exchange.path_values(self.path).items()
            },
            "query": {
                name: query_value(texts, self._parameters["query"][name])
                for name, texts in exchange.query.items()
                if name in self._parameters["query"]
            },
        }
        if "body" in self.schema["properties"]:
            request["body"] = exchange.json if exchange.media_type == JSON else exchange.text
        return request

    def violations(self, request: dict[str, Any]) -> Iterator[Violation]:
        """All violations of the document in the request."""
        yield from self._violations(self.schema, request, [])

    def _violations(self, schema: Schema, value: Any, instance_path: InstancePath) -> Iterator[Violation]:
        validator = Draft202012Validator({**schema, "components": self._components}, validate_formats=True)
        for error in validator.iter_errors(value):
            inner = list(error.instance_path)
            at = self._schema_at(schema, inner)
            if "oneOf" in at:
                yield from self._violations(self._choice(at, error.instance), error.instance, [*instance_path, *inner])
                continue
            missing = (error.kind.property,) if isinstance(error.kind, ValidationErrorKind.Required) else ()
            parent = inside(value, inner[:-1])
            yield Violation([*instance_path, *inner], error.instance, at, error.message, parent, missing)

    def _schema_at(self, schema: Schema, instance_path: InstancePath) -> Schema:
        for step in instance_path:
            if "oneOf" in schema:
                schema = self._choice(schema, {})
            schema = schema["items"] if isinstance(step, int) else schema.get("properties", {}).get(step, {})
            schema = self._resolved(schema)
        return schema

    def _choice(self, schema: Schema, value: Any) -> Schema:
        """The alternative that the value resembles: an object or an ID."""
        is_object = isinstance(value, dict)
        choices = map(self._resolved, schema["oneOf"])
        return next(choice for choice in choices if (choice["type"] == "object") == is_object)

    def _resolved(self, schema: Schema) -> Schema:
        """The schema with its reference resolved. Keywords beside the reference are kept."""
        if "$ref" in schema:
            return self._resolved(self._components["schemas"][schema["$ref"].rpartition("/")[2]])
        if "allOf" in schema:
            return {**self._resolved(schema["allOf"][0]), **{key: schema[key] for key in schema if key != "allOf"}}
        return schema


def operations(document: dict[str, Any]) -> dict[str, Operation]:
    """All operations of the document, by their IDs."""
    found = (Operation(document, path, method) for path, item in document["paths"].items() for method in item)
    return {operation.id: operation for operation in found}


def plain(schema: Any) -> Any:
    """The OpenAPI 3.0 schema as JSON Schema: `nullable` becomes a type."""
    if isinstance(schema, list):
        return [plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {keyword: plain(value) for keyword, value in schema.items()}
    if made.get("nullable") is True and "type" in made:
        made["type"] = [made["type"], "null"]
    if isinstance(made.get("format"), str) and made["format"] not in STRING_FORMATS:
        del made["format"]
    return made


def inside(value: Any, instance_path: InstancePath) -> Any:
    """The part of the value at this path."""
    for step in instance_path:
        value = value[step]
    return value


def literal(text: str, schema: Schema) -> Any:
    """The value of a parameter's text; the text itself if it is not a JSON literal of the declared type."""
    match schema.get("type"):
        case "integer" if NUMBER.fullmatch(text) and "." not in text and "e" not in text.lower():
            return int(text)
        case "number" if NUMBER.fullmatch(text):
            return float(text)
        case "boolean" if text in ("true", "false"):
            return text == "true"
    return text


def query_value(texts: list[str], schema: Schema) -> Any:
    """The value of a parameter. Arrays are comma-separated; repetition is not declared, and kept apart."""
    if len(texts) > 1:
        return {"repeated": texts}
    if schema.get("type") == "array":
        return [literal(item, schema["items"]) for item in texts[0].split(",")]
    return literal(texts[0], schema)
