"""The leniencies: values that the document forbids and the server accepts.

Each converts such a value to its canonical form. An accepted request is correct if these conversions alone turn it into
one that the document allows. `examples` sends the example of each, and reports those that are no longer needed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any
from urllib.parse import parse_qsl

import requests

from .case import Case
from .document import Violation, Schema, literal
from .exchange import FORM, parsed


class Instead(Enum):
    """Results of a conversion that are not values."""

    NOTHING = auto()
    """The value is treated as absent."""
    UNCHANGED = auto()
    """This leniency does not apply."""


NOTHING, UNCHANGED = Instead.NOTHING, Instead.UNCHANGED
SPELLINGS = {**dict.fromkeys(("true", "1", "yes", "on"), True), **dict.fromkeys(("false", "0", "no", "off"), False)}
DIGITS = re.compile(r"[+-]?\d+")


@dataclass(frozen=True)
class Leniency:
    """A conversion. `canonical` returns the value that the document allows, or a member of `Instead`."""

    name: str
    reason: str
    canonical: Callable[[Violation], Any]
    example: Case
    variant: str | None = None
    """The only variant that needs it, if there is one."""


def types(schema: Schema) -> list[str]:
    """The types of a schema."""
    named = schema.get("type", [])
    return named if isinstance(named, list) else [named]


def is_blank(value: Any) -> bool:
    return isinstance(value, str) and not value.strip()


def in_query(violation: Violation) -> bool:
    return violation.instance_path[0] == "query"


def empty_parameter(violation: Violation) -> Any:
    is_empty = is_blank(violation.value) or violation.value == []
    return NOTHING if in_query(violation) and is_empty else UNCHANGED


def repeated(violation: Violation) -> Any:
    if not (in_query(violation) and isinstance(violation.value, dict)):
        return UNCHANGED
    texts = [text for text in violation.value["repeated"] if text.strip()]
    if not texts:
        return NOTHING
    if "array" in types(violation.schema):
        return [literal(item, violation.schema["items"]) for text in texts for item in text.split(",")]
    return literal(texts[-1], violation.schema)


def boolean(violation: Violation) -> Any:
    value = SPELLINGS.get(str(violation.value).strip().lower(), UNCHANGED)
    if "boolean" in types(violation.schema) or value is UNCHANGED:
        return value
    # These fields of venues are declared as strings.
    return str(value).lower() if violation.instance_path[-1] in ("show_map", "show_map_link") else UNCHANGED


def direction(violation: Violation) -> Any:
    return str(violation.value).strip().lower() if in_query(violation) and violation.name == "order" else UNCHANGED


def number(violation: Violation) -> Any:
    text = violation.value.strip() if isinstance(violation.value, str) else ""
    if "integer" in types(violation.schema) and DIGITS.fullmatch(text):
        return int(text)
    if "number" in types(violation.schema):
        try:
            return float(text)
        except ValueError:
            return UNCHANGED
    return UNCHANGED


def single(violation: Violation) -> Any:
    if "array" not in types(violation.schema) or violation.value is None or isinstance(violation.value, list):
        return UNCHANGED
    return [violation.value]


def term(violation: Violation) -> Any:
    if violation.name not in ("categories", "tags") or "integer" not in types(violation.schema):
        return UNCHANGED
    if isinstance(violation.value, dict):
        return violation.value.get("id", UNCHANGED)
    # Other numbers may be names.
    return 1 if not isinstance(violation.value, float | list | bool) and str(violation.value).strip() else UNCHANGED


def cleared(violation: Violation) -> Any:
    is_field = violation.instance_path[0] == "body" and len(violation.instance_path) > 1
    return NOTHING if is_field and (violation.value is None or is_blank(violation.value)) else UNCHANGED


def linked(violation: Violation) -> Any:
    is_nested = violation.name in ("venue", "organizer") and isinstance(violation.parent, dict)
    return NOTHING if is_nested and violation.parent.get("id") and violation.instance_path[-1] != "id" else UNCHANGED


def no_id(violation: Violation) -> Any:
    is_nested = len(violation.instance_path) > 2 and violation.instance_path[-1] == "id"
    return NOTHING if is_nested and str(violation.value).strip() == "0" else UNCHANGED


def image(violation: Violation) -> Any:
    if violation.name != "image":
        return UNCHANGED
    if isinstance(violation.value, dict):
        named = violation.value.get("id") or violation.value.get("url")
        return UNCHANGED if named is None else str(named)
    is_number = isinstance(violation.value, int) and not isinstance(violation.value, bool)
    return str(violation.value) if is_number else UNCHANGED


def cleaned(violation: Violation) -> Any:
    if not isinstance(violation.value, str) or "string" not in types(violation.schema):
        return UNCHANGED
    text = "".join(letter for letter in violation.value if letter in "\n\t" or unicodedata.category(letter) != "Cc")
    text = unicodedata.normalize("NFC", re.sub(r"<[^>]*>", "", text)).strip()
    return UNCHANGED if text == violation.value else text


def empty_body(violation: Violation) -> Any:
    return {} if violation.instance_path == ["body"] and violation.value == "" else UNCHANGED


def address(violation: Violation) -> Any:
    if violation.schema.get("format") != "uri" or not re.match("https?://", str(violation.value)):
        return UNCHANGED
    try:
        return requests.Request("GET", violation.value).prepare().url
    except requests.RequestException:
        return UNCHANGED


def form(violation: Violation) -> Any:
    if violation.instance_path != ["body"] or not isinstance(violation.value, str) or is_blank(violation.value):
        return UNCHANGED
    if violation.value.lstrip().startswith("{"):
        return parsed(violation.value.encode())
    return dict(parse_qsl(violation.value, keep_blank_values=True))


LENIENCIES = [
    Leniency(
        "no body",
        "An update without fields changes nothing.",
        empty_body,
        Case("patchEvent", path={"id": 1}),
    ),
    Leniency(
        "a form",
        "Bodies may be forms, or JSON with the media type of a form. Declaring them would break client generators.",
        form,
        Case("patchEvent", path={"id": 1}, body="cost=12", media_type=FORM),
    ),
    Leniency("an empty parameter", "It is treated as absent.", empty_parameter, Case("listEvents", query="page=")),
    Leniency(
        "a repeated parameter",
        "The last value of a scalar wins; an array may be repeated or comma-separated.",
        repeated,
        Case("listEvents", query="page=7&page=1"),
    ),
    Leniency(
        "a boolean in another spelling",
        "true/false, 1/0, yes/no, on/off, as string, number or boolean, in any case.",
        boolean,
        Case("listEvents", query="featured=yes"),
    ),
    Leniency("a sort order in any case", "As in SQL.", direction, Case("listTags", query="order=DESC")),
    Leniency(
        "a number as a string",
        "IDs and numbers may be strings.",
        number,
        Case("patchEvent", path={"id": 1}, body={"post_parent": "7"}),
    ),
    Leniency(
        "a single value for an array",
        "It is an array of one item.",
        single,
        Case("patchEvent", path={"id": 1}, body={"venue": 1}),
    ),
    Leniency(
        "a term by slug, name or object",
        "Only IDs are declared, which suffices for programs; people use names.",
        term,
        Case("patchEvent", path={"id": 1}, body={"tags": ["Open air"]}),
        variant="b",
    ),
    Leniency(
        "an empty string",
        "It clears a field, as null does.",
        cleared,
        Case("patchVenue", path={"id": 1}, body={"website": ""}),
    ),
    Leniency(
        "an object with an ID",
        "It is linked, and its other fields are ignored, so that responses can be sent back.",
        linked,
        Case("patchEvent", path={"id": 1}, body={"venue": [{"id": 1, "geo_lat": "x"}]}),
    ),
    Leniency(
        "an object whose ID is 0",
        "No object has this ID. Clients send it with the fields of a new object.",
        no_id,
        Case("patchEvent", path={"id": 1}, body={"organizer": [{"id": 0, "organizer": "City Orchestra"}]}),
    ),
    Leniency(
        "an image as number or object",
        "The ID of an image is a number, and responses have an object, which can be sent back.",
        image,
        Case("patchEvent", path={"id": 1}, body={"image": {"url": "https://example.org/a.jpg"}}),
    ),
    Leniency(
        "an international URL",
        "A URL may have non-ASCII letters and spaces. It is stored as a URI.",
        address,
        Case("patchVenue", path={"id": 1}, body={"website": "https://example.org/Köln 1"}),
    ),
    Leniency(
        "a string before normalisation",
        "Strings are trimmed and normalised, and lose control characters and, in names, markup before validation.",
        cleaned,
        Case("patchEvent", path={"id": 1}, body={"title": "Spring" + " " * 200}),
    ),
]
