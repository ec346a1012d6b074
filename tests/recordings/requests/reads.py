"""Single objects, the index and the document."""

KINDS = {
    "events": ("stone-carving-a-day-in-the-workshop", "monday-yoga-by-the-water-11", 1499),
    "venues": ("dock-road-ballroom", "wojcik-bookshop", 17),
    "organizers": ("chidi-laurent", "vasquez-collective", 17),
}

# Among them: of several days, pending, private, planned, featured, with a range of prices, without coordinates.
EVENTS = [1, 2, 187, 1359, 1341, 1933, 1145, 1422, 1692, 1337, 619, 254]


def record(recorder):
    api = recorder.root("/calendar/events/v1")
    for id in EVENTS:
        api.get(f"/events/{id}")
        api.get(f"/events/{id}", "admin")
    for kind, (slug, draft, draft_id) in KINDS.items():
        for id in ("1", "001", "1/", "0", "99999", "99999999999999999999", "abc", "1x", "-1", "1.0", "%31", "1/2"):
            api.get(f"/{kind}/{id}")
        api.get(f"/{kind}/1?id=2")
        for path in (slug, slug.upper(), f"{slug}/", "nothing", draft, "", "a/b", "%20", "%2F"):
            api.get(f"/{kind}/by-slug/{path}")
        for user in (None, "sue", "cleo", "ben", "ann", "token of ann", "admin"):
            api.get(f"/{kind}/{draft_id}", user)
        api.get(f"/{kind}/by-slug/{draft}", "admin")
    for kind in ("categories", "tags"):
        for path in ("1", "21", "1/", "99999", "abc", "by-slug/music"):
            api.get(f"/{kind}/{path}")
        api.get(f"/{kind}/1", "ben")
    index(api)
    document(api)


def index(api):
    for query in (
        "",
        "/",
        "?context=view",
        "?context=embed",
        "?context=edit",
        "?context=nothing",
        "?namespace=calendar/events/v1",
        "?namespace=tribe/events/v1",
        "?namespace=&context=",
        "?namespace=x&context=x",
    ):
        api.get(query)
    api.get("", "admin")


def document(api):
    mixed = ("es-MX,es;q=0.9,en;q=0.8", "fr, es;q=0.5", "en;q=0, es;q=0.1")
    for language in (None, "en", "es", "de", "*", "nonsense", *mixed):
        api.get("/doc", accept_language=language)
    api.get("/doc/", accept="application/json", accept_encoding="gzip")
    etag = api.get("/doc", "admin").etag
    api.get("/doc", if_none_match=etag)
    api.get("/doc", accept_language="es", if_none_match=etag)
