"""Creates, updates and deletes of venues."""

from .samples import VENUE

GOOD = [
    {"venue": "Renamed", "slug": "renamed-venue"},
    {"description": None, "address": "", "city": None, "zip": "", "phone": None, "website": "", "image": None},
    {"country": "United States", "stateprovince": "CA"},
    {"country": "Canada", "stateprovince": "Ontario"},
    {"country": "", "state": "TX", "province": None},
    {"stateprovince": None},
    {"show_map": True, "show_map_link": "false"},
    {"show_map": None, "show_map_link": ""},
    {"geo_lat": None, "geo_lng": ""},
    {"geo_lat": -90, "geo_lng": "180"},
    {"geo_lat": 1},
    {"status": "draft"},
    {"status": "publish", "date": "2030-01-01"},
    {"date": "2026-01-01 10:00:00", "author": 3},
    {"venue": "A < B & <b>C</b>"},
    {"website": "http://example.org"},
    {},
]
BAD = [
    {"venue": ""},
    {"venue": None, "date": None},
    {"venue": 5, "city": 6, "zip": 10969, "phone": [], "description": {}},
    {"website": "x", "image": "x", "geo_lat": 91, "geo_lng": -181, "show_map": "maybe"},
    {"geo_lat": "north", "geo_lng": True},
    {"status": "nothing", "author": 99999, "date": "garbage"},
    {"slug": "dock-road-ballroom"},
    {"address": "x" * 501},
    {"status": "future"},
]


def record(recorder):
    api = recorder.root("/calendar/events/v1")
    write(api, "venues", "venue", VENUE, GOOD, BAD)


def write(api, kind, name, full, good, bad):
    """Creates, updates and deletes an object of a kind. `name` is the field of its name."""
    for body in ({}, {name: " "}, {name: "x", "status": "trash"}, {name: "x" * 201}):
        api.post(f"/{kind}", body)
    api.post(f"/{kind}", full, user=None)
    api.post(f"/{kind}", {name: "Minimal"})
    api.post(f"/{kind}", {name: "Minimal"})
    api.post(f"/{kind}", {name: "!!!"})
    api.post(f"/{kind}", {name: "Planned for later", "date": "2030-01-01"})
    path = f"/{kind}/{api.post(f'/{kind}', full).id}"
    api.get(path)
    for body in good:
        api.patch(path, body)
    for body in bad:
        api.patch(path, body)
    for method, slug in (("PUT", "by-put"), ("POST", "by-post"), ("PATCH", "by-patch")):
        api.send(method, path, "admin", {"slug": slug})
        api.send(method, f"/{kind}/by-slug/{slug}", "admin", {name: slug})
    body = api.get(path, "admin").json
    api.put(path, body)
    api.patch(f"/{kind}/99999", {name: "x"})
    api.patch(f"/{kind}/by-slug/nothing", {name: "x"})
    api.delete(f"/{kind}/by-slug/by-patch")
    api.delete(path)
    api.delete(f"/{kind}/99999")
    api.delete(f"/{kind}/by-slug/nothing")
    api.get(f"/{kind}?search=minimal")
