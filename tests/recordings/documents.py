"""Comparison of OpenAPI documents by what they mean."""

import json
from pathlib import Path

# References to these components are replaced by what they refer to.
INLINED = ("responses", "parameters", "headers")
TEXTS = ("summary", "description", "message")
ABSENT = object()


def compare(old, new, ignore_texts, renames):
    """Yields the differences between the documents in two folders, or between two files."""
    for name in names(old, new):
        sides = [load(folder, name, ignore_texts) for folder in (old, new)]
        if ABSENT in sides:
            yield f"{name}: only in {old if sides[1] is ABSENT else new}"
            continue
        sides[0] = rename(sides[0], renames)
        for difference in differences("", *sides):
            yield f"{name} {difference}".lstrip()


def names(old, new):
    folders = [Path(path) for path in (old, new) if Path(path).is_dir()]
    return sorted({file.name for folder in folders for file in folder.glob("*.json")}) or [""]


def load(folder, name, ignore_texts):
    file = Path(folder, name)
    if not file.exists():
        return ABSENT
    document = json.loads(file.read_text())
    components = document.get("components", {})
    shared = {kind: components.pop(kind, {}) for kind in INLINED}
    document = inline(document, shared)
    return without_texts(document) if ignore_texts else document


def inline(value, shared):
    if isinstance(value, list):
        return [inline(item, shared) for item in value]
    if not isinstance(value, dict):
        return value
    parts = str(value.get("$ref", "")).split("/")
    if parts[:2] == ["#", "components"] and parts[2] in shared:
        return inline(shared[parts[2]][parts[3]], shared)
    return {name: inline(item, shared) for name, item in value.items()}


def without_texts(value):
    if isinstance(value, list):
        return [without_texts(item) for item in value]
    if not isinstance(value, dict):
        return value
    # A property may have one of these names; its value is a schema.
    kept = {name: item for name, item in value.items() if not (name in TEXTS and isinstance(item, str))}
    return {name: without_texts(item) for name, item in kept.items()}


def rename(document, renames):
    """The document with schemas renamed, and all references to them."""
    schemas = document.get("components", {}).get("schemas", {})
    document["components"]["schemas"] = {renames.get(name, name): schema for name, schema in schemas.items()}
    references = {f"#/components/schemas/{old}": f"#/components/schemas/{new}" for old, new in renames.items()}
    return replace_texts(document, references)


def replace_texts(value, texts):
    if isinstance(value, list):
        return [replace_texts(item, texts) for item in value]
    if isinstance(value, dict):
        return {name: replace_texts(item, texts) for name, item in value.items()}
    return texts.get(value, value) if isinstance(value, str) else value


def differences(pointer, old, new):
    """Yields lines of a JSON pointer, the old and the new value. Only `properties` and lists have an order."""
    if isinstance(old, dict) and isinstance(new, dict):
        yield from differences_of_objects(pointer, old, new)
    elif isinstance(old, list) and isinstance(new, list):
        yield from differences_of_lists(pointer, old, new)
    elif type(old) is not type(new) or old != new:
        yield f"{pointer}: {show(old)} -> {show(new)}"


def differences_of_objects(pointer, old, new):
    if pointer.endswith("/properties"):
        yield from difference_of_order(pointer, list(old), list(new))
    for name in [*old, *(name for name in new if name not in old)]:
        escaped = name.replace("~", "~0").replace("/", "~1")
        yield from differences(f"{pointer}/{escaped}", old.get(name, ABSENT), new.get(name, ABSENT))


def differences_of_lists(pointer, old, new):
    if pointer.endswith("/parameters"):
        old, new = [{f"{item.get('in')} {item.get('name')}": item for item in side} for side in (old, new)]
        yield from difference_of_order(pointer, list(old), list(new))
        yield from differences_of_objects(pointer, old, new)
    elif sorted(map(show, old)) == sorted(map(show, new)):
        yield from difference_of_order(pointer, list(map(show, old)), list(map(show, new)))
    else:
        for index in range(max(len(old), len(new))):
            items = [side[index] if index < len(side) else ABSENT for side in (old, new)]
            yield from differences(f"{pointer}/{index}", *items)


def difference_of_order(pointer, old, new):
    """One line if the names that both sides have come in another order."""
    before, after = [name for name in old if name in new], [name for name in new if name in old]
    if before != after:
        yield f"{pointer}: order {', '.join(before)} -> {', '.join(after)}"


def show(value):
    return "(absent)" if value is ABSENT else json.dumps(value, ensure_ascii=False)
