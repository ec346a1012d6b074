"""The leniencies: spellings that the document forbids and the server takes all the same.

Each is a way back to what the document would have said. A request counts as right if these ways alone lead from it
to one that the document allows. Each has an example, which is sent: one that nothing needs any more is found out.
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
from .document import Fault, Schema, literal
from .exchange import FORM, parsed


class Instead(Enum):
    """What a leniency may give back that is no value."""

    NOTHING = auto()
    """The value counts as absent."""
    UNCHANGED = auto()
    """This leniency has nothing to say here."""


NOTHING, UNCHANGED = Instead.NOTHING, Instead.UNCHANGED
SPELLINGS = {**dict.fromkeys(("true", "1", "yes", "on"), True), **dict.fromkeys(("false", "0", "no", "off"), False)}
DIGITS = re.compile(r"[+-]?\d+")


@dataclass(frozen=True)
class Leniency:
    """One way back. `canonical` tells the value that the document would have, or what `Instead` names."""

    name: str
    reason: str
    canonical: Callable[[Fault], Any]
    example: Case
    variant: str | None = None
    """The one that needs it, if it is one alone."""


def types(schema: Schema) -> list[str]:
    """The types that a schema names."""
    named = schema.get("type", [])
    return named if isinstance(named, list) else [named]


def is_blank(value: Any) -> bool:
    return isinstance(value, str) and not value.strip()


def in_query(fault: Fault) -> bool:
    return fault.place[0] == "query"


def empty_parameter(fault: Fault) -> Any:
    return NOTHING if in_query(fault) and is_blank(fault.value) else UNCHANGED


def repeated(fault: Fault) -> Any:
    if not (in_query(fault) and isinstance(fault.value, dict)):
        return UNCHANGED
    texts = [text for text in fault.value["repeated"] if text.strip()]
    if not texts:
        return NOTHING
    if "array" in types(fault.schema):
        return [literal(item, fault.schema["items"]) for text in texts for item in text.split(",")]
    return literal(texts[-1], fault.schema)


def boolean(fault: Fault) -> Any:
    meant = SPELLINGS.get(str(fault.value).strip().lower(), UNCHANGED)
    if "boolean" in types(fault.schema) or meant is UNCHANGED:
        return meant
    # The switches of a venue are declared as text.
    return str(meant).lower() if fault.place[-1] in ("show_map", "show_map_link") else UNCHANGED


def direction(fault: Fault) -> Any:
    return str(fault.value).strip().lower() if in_query(fault) and fault.name == "order" else UNCHANGED


def number(fault: Fault) -> Any:
    text = fault.value.strip() if isinstance(fault.value, str) else ""
    if "integer" in types(fault.schema) and DIGITS.fullmatch(text):
        return int(text)
    if "number" in types(fault.schema):
        try:
            return float(text)
        except ValueError:
            return UNCHANGED
    return UNCHANGED


def single(fault: Fault) -> Any:
    if "array" not in types(fault.schema) or fault.value is None or isinstance(fault.value, list):
        return UNCHANGED
    return [fault.value]


def term(fault: Fault) -> Any:
    if fault.name not in ("categories", "tags") or "integer" not in types(fault.schema):
        return UNCHANGED
    if isinstance(fault.value, dict):
        return fault.value.get("id", UNCHANGED)
    # A number that is no ID may be a name.
    return 1 if not isinstance(fault.value, float | list | bool) and str(fault.value).strip() else UNCHANGED


def cleared(fault: Fault) -> Any:
    is_field = fault.place[0] == "body" and len(fault.place) > 1
    return NOTHING if is_field and (fault.value is None or is_blank(fault.value)) else UNCHANGED


def linked(fault: Fault) -> Any:
    is_nested = fault.name in ("venue", "organizer") and isinstance(fault.parent, dict)
    return NOTHING if is_nested and fault.parent.get("id") and fault.place[-1] != "id" else UNCHANGED


def no_id(fault: Fault) -> Any:
    is_nested = len(fault.place) > 2 and fault.place[-1] == "id"
    return NOTHING if is_nested and str(fault.value).strip() == "0" else UNCHANGED


def image(fault: Fault) -> Any:
    if fault.name != "image":
        return UNCHANGED
    if isinstance(fault.value, dict):
        named = fault.value.get("id") or fault.value.get("url")
        return UNCHANGED if named is None else str(named)
    return str(fault.value) if isinstance(fault.value, int) and not isinstance(fault.value, bool) else UNCHANGED


def cleaned(fault: Fault) -> Any:
    if not isinstance(fault.value, str) or "string" not in types(fault.schema):
        return UNCHANGED
    text = "".join(letter for letter in fault.value if letter in "\n\t" or unicodedata.category(letter) != "Cc")
    text = unicodedata.normalize("NFC", re.sub(r"<[^>]*>", "", text)).strip()
    return UNCHANGED if text == fault.value else text


def nothing_said(fault: Fault) -> Any:
    return {} if fault.place == ["body"] and fault.value == "" else UNCHANGED


def address(fault: Fault) -> Any:
    if fault.schema.get("format") != "uri" or not re.match("https?://", str(fault.value)):
        return UNCHANGED
    try:
        return requests.Request("GET", fault.value).prepare().url
    except requests.RequestException:
        return UNCHANGED


def form(fault: Fault) -> Any:
    if fault.place != ["body"] or not isinstance(fault.value, str) or is_blank(fault.value):
        return UNCHANGED
    if fault.value.lstrip().startswith("{"):
        return parsed(fault.value.encode())
    return dict(parse_qsl(fault.value, keep_blank_values=True))


LENIENCIES = [
    Leniency("no body", "It says nothing, and an update changes nothing.", nothing_said, Case("patchEvent", path={"id": 1})),
    Leniency(
        "a form",
        "Bodies may be forms, and JSON under the media type of a form. Declared, they would break client generators.",
        form,
        Case("patchEvent", path={"id": 1}, body="cost=12", media_type=FORM),
    ),
    Leniency("an empty parameter", "It counts as absent.", empty_parameter, Case("listEvents", query="page=")),
    Leniency(
        "a parameter that is repeated",
        "The last of a single value counts; a list is the same with commas and repeated.",
        repeated,
        Case("listEvents", query="page=7&page=1"),
    ),
    Leniency(
        "a boolean in other words",
        "true/false, 1/0, yes/no, on/off, as text, number or boolean, in any letter case.",
        boolean,
        Case("listEvents", query="featured=yes"),
    ),
    Leniency("a direction in any letter case", "SQL is written so.", direction, Case("listTags", query="order=DESC")),
    Leniency("a number as text", "IDs and numbers may come so.", number, Case("patchEvent", path={"id": 1}, body={"post_parent": "7"})),
    Leniency("one value for a list", "It is a list of one.", single, Case("patchEvent", path={"id": 1}, body={"venue": 1})),
    Leniency(
        "a term by slug, name or object",
        "Declared are the IDs alone, which suffice; people know names.",
        term,
        Case("patchEvent", path={"id": 1}, body={"tags": ["Open air"]}),
        variant="b",
    ),
    Leniency("an empty text", "It clears a field, as null does.", cleared, Case("patchVenue", path={"id": 1}, body={"website": ""})),
    Leniency(
        "an object with an ID",
        "It links, and its other fields are ignored, so that what was read can be sent back.",
        linked,
        Case("patchEvent", path={"id": 1}, body={"venue": [{"id": 1, "geo_lat": "x"}]}),
    ),
    Leniency(
        "an object whose ID is 0",
        "No object has that ID: clients send it with the fields of a new one.",
        no_id,
        Case("patchEvent", path={"id": 1}, body={"organizer": [{"id": 0, "organizer": "City Orchestra"}]}),
    ),
    Leniency(
        "an image as number or object",
        "Its ID is a number, and reads give an object, which can be sent back.",
        image,
        Case("patchEvent", path={"id": 1}, body={"image": {"url": "https://example.org/a.jpg"}}),
    ),
    Leniency(
        "an address with letters of any script",
        "An address may be written as people do, with letters beyond ASCII and spaces. It is kept as the URI that it is.",
        address,
        Case("patchVenue", path={"id": 1}, body={"website": "https://example.org/Köln 1"}),
    ),
    Leniency(
        "a text that is to be cleaned",
        "Texts are trimmed, normalised and freed of control characters, names of markup. What is left counts.",
        cleaned,
        Case("patchEvent", path={"id": 1}, body={"title": "Spring" + " " * 200}),
    ),
]
