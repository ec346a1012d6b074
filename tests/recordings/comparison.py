"""Comparison of two recordings."""

import difflib
import json
import re
from itertools import takewhile

START = re.compile(r"^=== (.*)$", re.MULTILINE)
IGNORED = "(ignored)"


def compare(old, new, ignore_texts):
    """Yields the differences between two recordings as unified diffs, one for each request."""
    old, new = entries(old), entries(new)
    for title in [*old, *(title for title in new if title not in old)]:
        sides = [recording.get(title, "").split("\n") for recording in (old, new)]
        if ignore_texts:
            sides = [without_texts(lines) for lines in sides]
        if sides[0] != sides[1]:
            difference = difflib.unified_diff(*sides, "old", "new", lineterm="")
            yield "\n".join([f"=== {title}", *difference])


def entries(recording):
    """The entries of a recording by their titles: server, group, number, method and path."""
    _, *parts = START.split(recording)
    return {title: text.strip("\n") for title, text in zip(parts[::2], parts[1::2])}


def without_texts(lines):
    """An entry without texts for people, and without the headers that depend on them."""
    head = list(takewhile(lambda line: line.startswith(("> ", "< ")), lines))
    body = "\n".join(lines[len(head) :])
    try:
        parsed = json.loads(body)
    except ValueError:
        # A document is shown by its digest, which depends on its texts.
        shown = re.sub(r"(?m)^(openapi .*\n)\(\d+ bytes, .*\)$", r"\1" + IGNORED, body)
    else:
        shown = json.dumps(strip(parsed), indent=1, ensure_ascii=False)
    return [without_digest(line) for line in head] + shown.split("\n")


def without_digest(line):
    if line.startswith("< content-length: "):
        return f"< content-length: {IGNORED}"
    # The version of the object and the encoding remain.
    return re.sub(r'^(< etag: "(?:\d+-)?)[0-9a-f]{20}', rf"\1{IGNORED}", line)


def strip(value, inside=None):
    """Replaces the messages of errors, and the descriptions of arguments in the index."""
    if isinstance(value, list):
        return [strip(item, inside) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: IGNORED if is_text(name, item, value, inside) else strip(item, name) for name, item in value.items()}


def is_text(name, item, members, inside):
    if not isinstance(item, str):
        return False
    if inside == "params":
        return True
    is_error = "code" in members
    is_argument = "required" in members
    return name in ("message", "detail") and is_error or name in ("description", "summary") and is_argument
