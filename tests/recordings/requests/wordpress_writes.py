"""Writes under /wp-json, in the wire format of The Events Calendar for WordPress."""

from exchange import multipart

from .samples import EVENT, FULL_EVENT, ORGANIZER, VENUE
from .wordpress_reads import ROOT

EVENTS = [
    EVENT,
    FULL_EVENT | {"title": "Rock & Roll's &quot;best&quot;", "slug": "wordpress-event", "description": "One\n\nTwo"},
    EVENT | {"venue": {"venue": "Dock Road Ballroom", "city": "Changed"}, "organizer": [{"organizer": "New group"}]},
    EVENT | {"venue": [1, 2], "organizer": 3, "tags": [99999, "unknown"], "custom_fields": {"a": 1}},
    EVENT | {"status": "private", "cost": "Donation"},
    {},
    {"title": "", "end_date": "x"},
    {"title": "", "start_date": "x", "end_date": "2030-01-01"},
    EVENT | {"all_day": "maybe", "image": 1, "timezone": "Mars", "status": "nothing"},
    EVENT | {"venue": 99999},
    EVENT | {"venue": {"city": "Nameless"}, "organizer": [{"email": "x"}]},
]
UPDATES = [
    *({"featured": True}, {"description": ""}, {"featured": None}, {"venue": []}, {"cost": 25}),
    *({"title": "A &amp; B"}, {"categories": ["nothing", 99999]}, {"venue": 99999}),
    *({"status": "trash"}, {"status": "publish"}, {"slug": "dock"}),
]


def record(recorder):
    wordpress = recorder.root(ROOT)
    events(wordpress)
    others(wordpress)
    terms(wordpress)
    methods(wordpress)
    roles(wordpress)


def events(wordpress):
    for body in EVENTS:
        wordpress.post("/events", body)
    path = "/events/by-slug/wordpress-event"
    read = wordpress.get(path, "admin")
    path = f"/events/{read.id}"
    for body in UPDATES:
        wordpress.patch(path, body)
    read = wordpress.get(path, "admin")
    wordpress.put(path, read.json)
    wordpress.patch(path, {"title": "x"}, if_match='"9-x"')
    wordpress.patch(path, {"title": "If matched"}, if_match=wordpress.get(path, "admin").etag)
    dates = "start_date=2030-05-01&end_date=2030-05-01&all_day=true"
    wordpress.post("/events", form=f"title=Form&{dates}&venue[venue]=New&tags[]=Live")
    content_type, body = multipart([*EVENT.items(), ("organizer[0][organizer]", "Bob")])
    wordpress.post("/events", body=body, content_type=content_type)
    wordpress.post("/events?title=From+the+query&start_date=2030-05-01", {"end_date": "2030-05-01"})
    for missing in ("/events/99999", "/events/by-slug/nothing", "/events/abc"):
        wordpress.put(missing, {"title": "x"})
        wordpress.delete(missing)
    wordpress.delete(path)
    wordpress.delete(path)
    for user in (None, "ann", "admin"):
        wordpress.get(path, user)
    wordpress.patch(path, {"status": "publish"})


def others(wordpress):
    venue = VENUE | {"image": "https://example.org/images/house.jpg"}
    for kind, name, body in (("venues", "venue", venue), ("organizers", "organizer", ORGANIZER)):
        created = wordpress.post(f"/{kind}", body)
        wordpress.post(f"/{kind}", body | {"phone": "1"})
        wordpress.post(f"/{kind}", {name: "The \"Big\" Arena & Co", "status": "draft", "unknown": 1})
        wrong = {name: "x", "email": "x", "website": "x", "geo_lat": 91}
        for refused in ({}, {name: " "}, {name: 5, "phone": None}, wrong):
            wordpress.post(f"/{kind}", refused)
        path = f"/{kind}/{created.id}"
        for change in ({name: "Renamed"}, {"phone": ""}, {"description": "a\n\nb"}, {"image": None}):
            wordpress.patch(path, change)
        wordpress.put(path, wordpress.get(path, "admin").json)
        wordpress.post(f"/{kind}", form=f"{name}=Form&city=Paris&show_map=maybe&email=bob%40example.org")
        wordpress.delete(path)
        wordpress.delete(path)
        wordpress.get(path)
        wordpress.get(path, "admin")


def terms(wordpress):
    for kind in ("categories", "tags"):
        created = wordpress.post(f"/{kind}", {"name": "WordPress & Co", "description": "needle", "parent": 1})
        wordpress.post(f"/{kind}", {"name": "wordpress & co", "parent": 1})
        for wrong in ({}, {"name": ""}, {"name": "Unused", "description": ""}, {"name": "Unused", "parent": 99999}):
            wordpress.post(f"/{kind}", wrong)
        path = f"/{kind}/{created.id}"
        wordpress.get(path)
        wordpress.put(path, {"name": "Renamed"})
        wordpress.patch(path, {"slug": "jazz"})
        wordpress.patch(f"/{kind}/99999", {"name": "x"})
        wordpress.delete(path)
        wordpress.delete(path)


def methods(wordpress):
    event = wordpress.post("/events", EVENT | {"title": "Overridden"}).id
    path = f"/events/{event}"
    wordpress.post(path, {"title": "By header"}, x_http_method_override="PATCH")
    wordpress.post(f"{path}?_method=PUT", {"title": "By parameter"})
    wordpress.post(path, x_http_method_override="GET")
    wordpress.get(f"{path}?_method=DELETE", "admin")
    wordpress.get(path, "admin", x_http_method_override="DELETE")
    wordpress.post(f"{path}?_method=nonsense")
    wordpress.post(f"{path}?_method=DELETE", user=None)
    wordpress.post(f"{path}?_method=delete")
    wordpress.put("/events", {})
    wordpress.post("/tags", body=b"{", content_type="application/json")
    wordpress.post("/tags", body=b"x", content_type="text/plain")
    wordpress.post("/tags", content_length="2000000", expect="100-continue")


def roles(wordpress):
    for user in (None, "sue", "cleo", "ben", "ann", "token of ann", "Bearer eyJhbGciOi"):
        own = wordpress.post("/events", EVENT | {"title": "Of a role", "tags": ["Unknown term"]}, user=user).id
        wordpress.patch(f"/events/{own}", {"title": "Changed"}, user=user)
        wordpress.patch("/events/1", {"title": "x"}, user=user)
        wordpress.delete("/events/2", user=user)
        wordpress.post("/venues", {"venue": "Harbour Parish Hall", "phone": "1"}, user=user)
        wordpress.post("/organizers", {"organizer": "Of a role"}, user=user)
        wordpress.post("/tags", {"name": "Of a role"}, user=user)
        wordpress.delete("/categories/23", user=user)
    wordpress.post("/tags", {"name": "x"}, origin="https://other.example")
