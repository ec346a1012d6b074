"""A server with other settings than the defaults."""

from .samples import EVENT


def record(recorder):
    api = recorder.root("/calendar/events/v1")
    site = recorder.root("")
    for path in ("", "/events", "/events/1359"):
        api.get(path)
    for query in (
        *("per_page=100", "page=2", "geoloc_lat=51.9&geoloc_lng=-8.47", "start_date=now"),
        *("start_date=today&end_date=tomorrow", "start_date=2026-12-01&end_date=2026-12-01"),
    ):
        api.get(f"/events?{query}")
    api.get("/doc")
    api.get("/doc", accept_language="en")
    for cost in ("12", "12 €", "Free", 0, [5, 10.5], "$5 – $7"):
        created = api.post("/events", EVENT | {"cost": cost})
        api.get(f"/events/{created.id}")
    api.post("/events", EVENT | {"date": "2026-11-20 06:30", "timezone": ""})
    api.post("/events", EVENT | {"date": "2026-11-20 07:30", "all_day": True})
    for origin in ("https://one.example", "https://two.example", "https://three.example", "null"):
        api.get("/tags/1", origin=origin)
        api.send("OPTIONS", "/tags/1", origin=origin, access_control_request_method="PUT")
        api.post("/tags", {}, origin=origin)
    too_large(api)
    proxies(recorder)
    for path in (
        *("/", "/explorer", "/event/stone-carving-a-day-in-the-workshop", "/venue/dock-road-ballroom", "/nothing"),
        *("/wp-json/", "/wp-json/tribe/events/v1/events", "/?rest_route=/tribe/events/v1"),
    ):
        site.get(path)


def too_large(api):
    for length in (1900, 2100):
        body = b'{"name": "' + b"x" * (length - 12) + b'"}'
        api.post("/tags", body=body, content_type="application/json")
        api.post("/tags", body=[body[:1000], body[1000:]], content_type="application/json")


def proxies(recorder):
    for headers in (
        [("X-Forwarded-For", "192.0.2.1"), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "other.example")],
        [("X-Request-Id", "given-by-the-proxy")],
        [("X-Request-Id", "not a valid id")],
        [("Forwarded", "for=192.0.2.1;proto=https;host=other.example")],
    ):
        recorder.send_exactly("GET", "/calendar/events/v1/tags/1", [("Host", "inner.example"), *headers])
