"""What holds for every address: methods, conditions, negotiation, compression, other sites, credentials, hosts."""

PATHS = [
    "",
    "/doc",
    "/events",
    "/events/1",
    "/events/by-slug/stone-carving-a-day-in-the-workshop",
    "/venues",
    "/venues/1",
    "/venues/by-slug/dock-road-ballroom",
    "/organizers",
    "/organizers/1",
    "/organizers/by-slug/chidi-laurent",
    "/categories",
    "/categories/1",
    "/tags",
    "/tags/1",
]
UNKNOWN = [
    *("/calendar", "/calendar/events/v2/events", "/calendar/events/v1/nothing", "/calendar/events/v1x", "/nothing"),
    *("/calendar/events/v1/eventsx", "/calendar/events/v1//events", "/event", "/event/a/b", "/wp-jsonx"),
    *("/%ff", "/a%00b"),
]
ACCEPTS = [
    *("*/*", "*", "application/json", "application/*", "application/json;q=0", "text/html", "text/html, */*;q=0.1"),
    *("application/xml, text/plain", "text/calendar", "application/problem+json", "application/hal+json"),
    *("nonsense", "", ","),
]
ORIGIN = "https://other.example"


def record(recorder):
    api = recorder.root("/calendar/events/v1")
    site = recorder.root("")
    methods(api, site)
    conditions(api)
    negotiation(api)
    cross_origin(api)
    credentials(api)
    hosts(recorder)


def methods(api, site):
    for path in PATHS:
        for method in ("HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE"):
            api.send(method, path)
    api.send("BREW", "/events")
    api.post("/events/1", {"status": "draft"}, user=None, x_http_method_override="DELETE")
    api.get("/events/1?_method=DELETE", "admin")
    for path in UNKNOWN:
        for method in ("GET", "POST", "OPTIONS"):
            site.send(method, path)
    site.send("OPTIONS", "*")
    for path in ("/", "/explorer", "/event/x", "/healthz", "/readyz", "/metrics"):
        for method in ("OPTIONS", "POST", "DELETE"):
            site.send(method, path)


def conditions(api):
    for path in PATHS:
        etag = api.get(path).etag
        api.get(path, if_none_match=etag)
        api.send("HEAD", path, if_none_match=etag)
        compressed = api.get(path, accept_encoding="gzip").etag
        api.get(path, accept_encoding="gzip", if_none_match=compressed)
    for known in ("*", '"0"', 'W/"0", *', "nonsense", ""):
        api.get("/events/1", if_none_match=known)
    api.get("/events/99999", if_none_match="*")
    api.get("/events/1", "admin", if_none_match="*")


def negotiation(api):
    for accept in ACCEPTS:
        api.get("/events/1", accept=accept)
        api.get("/events/99999", accept=accept)
    api.get("/events?page=x&venue=x", accept="application/problem+json")
    api.post("/tags", {}, accept="application/problem+json, application/json")
    api.get("/nothing", accept="application/problem+json")
    for encoding in ("gzip", "gzip;q=0", "deflate, br", "br, gzip;q=0.5", "*", "identity"):
        api.get("/venues?per_page=1", accept_encoding=encoding)
        api.get("/tags/1", accept_encoding=encoding)


def cross_origin(api):
    for origin in (ORIGIN, "null", ""):
        api.get("/events/1", origin=origin)
        api.get("/events/99999", origin=origin)
    for method in ("GET", "PATCH", "BREW", ""):
        for path in ("/events/1", "/nothing"):
            preflight = {"access_control_request_method": method, "access_control_request_headers": "if-match, x-odd"}
            api.send("OPTIONS", path, origin=ORIGIN, **preflight)
    api.send("OPTIONS", "/events", origin=ORIGIN)
    api.send("OPTIONS", "/events", access_control_request_method="GET")
    for user in (None, "admin", "token of ann"):
        api.post("/tags", {}, user=user, origin=ORIGIN)
        api.post("/tags", {}, user=user, sec_fetch_site="cross-site")
        api.post("/tags", {}, user=user, origin="http://calendar.example.org")
        api.post("/tags", {}, user=user, origin=ORIGIN, sec_fetch_site="same-origin")
        api.get("/events/1", user, origin=ORIGIN, sec_fetch_site="cross-site")
    api.delete("/tags/1", origin=ORIGIN)


def credentials(api):
    for user in ("admin", "ann", "ben", "cleo", "sue", "token of ann", "revoked token"):
        api.get("/tags/1", user)
        api.post("/tags", {}, user=user)
    for authorization in (
        *("Basic", "Basic ???", "Basic YWRtaW4=", "Basic YWRtaW46d3Jvbmc=", "Basic bm9ib2R5Ondyb25n", "Basic Og=="),
        *("Bearer", "Bearer x", "Bearer alm_unknown", "Bearer eyJhbGciOi", "Digest x", "nonsense"),
    ):
        api.get("/tags/1", authorization)
        api.post("/tags", {}, user=authorization)


def hosts(recorder):
    for hosts in (
        *([], ["a.example", "b.example"], ["a b"], ["user@a.example"], ["a.example:99999"]),
        *(["A.Example:8080"], ["[::1]:80"], ["127.0.0.1"], ["xn--bcher-kva.example"]),
    ):
        headers = [("Host", host) for host in hosts]
        recorder.send_exactly("GET", "/calendar/events/v1/tags/1", headers)
    forwarded = [("Host", "calendar.example.org"), ("X-Forwarded-Host", "a.example"), ("X-Forwarded-Proto", "https")]
    recorder.send_exactly("GET", "/calendar/events/v1/tags/1", forwarded)
    recorder.send_exactly("GET", "/calendar/events/v1/tags/1", [*forwarded[:1], ("X-Request-Id", "given")])
