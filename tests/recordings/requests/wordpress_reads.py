"""Reads under /wp-json, in the wire format of The Events Calendar for WordPress."""

from . import event_lists, venue_lists

ROOT = "/wp-json/tribe/events/v1"
EVENT_QUERIES = """

per_page=3
per_page=1&page=2
per_page=100&_fields=events.id,total
page=x
page=1000
start_date=2026-12-01&end_date=2026-12-05
start_date=garbage
starts_after=2027-01-10&strict_dates=maybe
search=jazz&per_page=2
search=-jazz
categories=music,24&per_page=2
categories[]=1&per_page=2
categories=nothing
tags=free-entry&per_page=2
venue=1,2&per_page=2
venue=99999
organizer=1&per_page=2
featured=true&per_page=2
featured=maybe
ticketed=true&per_page=2
geoloc=true&per_page=2
geoloc_lat=51.9&geoloc_lng=-8.47&per_page=2
geoloc_lat=91
include=1,2,3
include=x
post_parent=x
status=draft
status=nothing
page=x&per_page=x&featured=x&venue=x&include=x&status=x&ticketed=x
_envelope=1&per_page=1
_envelope&page=x
_fields=nothing
_fields[]=total&_fields[]=events.title
foo=bar&per_page=1
""".split("\n")[1:-1]
TERM_QUERIES = """

per_page=3
page=1000
search=in&per_page=2
orderby=count&order=desc&per_page=3
orderby=nonsense&order=sideways&per_page=2
hide_empty=false&per_page=2
hide_empty=maybe
include=1,2
include=1,99999
exclude=1,2,3&per_page=2
exclude=99999
parent=1
parent=99999
event=997
post=99999
slug=jazz
page=x&per_page=x&parent=x&event=x
""".split("\n")[1:-1]


def record(recorder):
    wordpress = recorder.root(ROOT)
    lists(wordpress)
    items(wordpress)
    discovery(recorder.root(""))
    for path in ("/events?per_page=1", "/events/1", "/venues/1", "/tags/99999", "/nothing"):
        recorder.root("/wp-json/calendar/events/v1").get(path)


def lists(wordpress):
    for query in EVENT_QUERIES:
        wordpress.get(f"/events?{query}")
    for user in ("admin", "ann", "ben", "cleo", "sue", "token of ann"):
        wordpress.get("/events?per_page=1", user)
        wordpress.get("/events?per_page=1&status=draft", user)
        wordpress.get("/venues?per_page=1", user)
    for query in venue_lists.QUERIES:
        wordpress.get(f"/venues?{query}")
    for query in ("", "search=quinn", "page=1000", "event=99999", "status=draft", "page=x&has_events=x&event=x"):
        wordpress.get(f"/organizers?{query}")
    for query in TERM_QUERIES:
        wordpress.get(f"/categories?{query}")
        wordpress.get(f"/tags?{query}")
    for query in event_lists.BAD[:8]:
        wordpress.get(f"/events?{query}")


def items(wordpress):
    for id in (1, 187, 1359, 1422, 1692, 1337, 99999, "99999999999999999999", "0", "abc", "1.5", "001/"):
        wordpress.get(f"/events/{id}")
    for path in (
        "/events/by-slug/stone-carving-a-day-in-the-workshop",
        "/events/BY-SLUG/Stone-Carving-a-Day-in-the-Workshop/",
        "/events/by-slug/nothing",
        "/events/by-slug/monday-yoga-by-the-water-11",
        "/events/1499",
        *("/venues/1", "/venues/2", "/venues/17", "/venues/99999", "/venues/by-slug/harbour-parish-hall"),
        *("/organizers/1", "/organizers/5", "/organizers/17", "/organizers/99999", "/organizers/by-slug/nothing"),
        *("/categories/1", "/categories/2", "/categories/21", "/categories/99999", "/categories/by-slug/music"),
        *("/tags/1", "/tags/24", "/tags/99999", "/tags/abc"),
        *("/events/1?_fields=id,venue.city", "/events/1?_envelope=1", "/events/99999?_envelope", "/events/1?id=2"),
        *("/nothing", "/events/1/2", "/doc", "/doc/"),
    ):
        wordpress.get(path)
    for path in ("/events/1499", "/venues/17", "/organizers/17"):
        for user in ("sue", "ben", "ann"):
            wordpress.get(path, user)
    for path in ("/events?per_page=1", "/events/1", "/tags/1", ""):
        etag = wordpress.get(path).etag
        wordpress.get(path, if_none_match=etag)
        wordpress.get(path, accept_encoding="gzip")
        for method in ("HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE"):
            wordpress.send(method, path)
    for authorization in ("Bearer eyJhbGciOi", "Basic ???", "Digest x", "Basic YWRtaW46d3Jvbmc=", "Bearer alm_unknown"):
        wordpress.get("/events?per_page=1", authorization)
    wordpress.get("/events/1", accept="text/html")
    wordpress.get("/events/99999", accept="application/problem+json")
    wordpress.get("/events/1", origin="https://other.example")
    wordpress.send("OPTIONS", "/events", origin="https://other.example", access_control_request_method="POST")


def discovery(site):
    for path in (
        *("/wp-json", "/wp-json/", "/wp-json?context=view", "/WP-JSON/", "/index.php/wp-json/"),
        *(ROOT, f"{ROOT}/", f"{ROOT}?namespace=tribe/events/v1", f"{ROOT}?namespace=x", "/wp-json/calendar/events/v1"),
        *("/wp-json/wp/v2", "/wp-json/wp/v2/posts", "/wp-json/tribe/events/v12", "/wp-json/tribe"),
        *("/?rest_route=/", "/?rest_route=/tribe/events/v1/events/1", "/index.php?rest_route=/tribe/events/v1/tags/1"),
        *("/?rest_route=/Tribe/Events/V1/EVENTS&per_page=1", "/?rest_route=/nothing", "/?rest_route=", "/index.php"),
        *("/index.php/wp-json/tribe/events/v1/tags/1", "/WP-JSON/Tribe/Events/V1/Tags/1"),
    ):
        site.get(path)
    site.send("HEAD", "/")
    site.send("OPTIONS", "/wp-json/")
    site.post("/wp-json/")
    me = "/wp-json/wp/v2/users/me"
    for user in (None, "admin", "ann", "ben", "cleo", "sue", "token of ann", "Bearer x", "Basic YWRtaW46d3Jvbmc="):
        site.get(me, user)
        site.get(f"{me}?context=edit", user)
    site.send("OPTIONS", me)
    site.post(me)
