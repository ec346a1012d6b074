"""Venues, organizers and terms that come with an event."""

from .samples import EVENT, ORGANIZER, VENUE

LINKED = [
    {"venue": 2, "organizer": 3},
    {"venue": "2", "organizer": "3"},
    {"venue": [2, 4], "organizer": [3, 2]},
    {"venue": [2, 2], "organizer": [{"id": 3}, 3]},
    {"venue": {"id": 2, "venue": "Renamed"}, "organizer": {"id": "3", "email": "x"}},
    {"venue": 0, "organizer": "0"},
    {"venue": [], "organizer": {}},
    {"venue": None, "organizer": ""},
    {"venue": ["", {}, 0, 2], "organizer": [{}, "0"]},
    {"venue": 17, "organizer": 17},
    {"venue": {"venue": "Dock Road Ballroom"}, "organizer": {"organizer": "chidi LAURENT"}},
    {"venue": {"venue": "Dock Road Ballroom", "city": "Elsewhere"}, "organizer": {"organizer": "Tidewater Guild"}},
    {"venue": VENUE, "organizer": [ORGANIZER, {"organizer": "Second"}]},
    {"venue": [{"venue": "First"}, {"venue": "First"}], "organizer": [{"organizer": "Ann", "status": "draft"}]},
    {"venue": {"venue": "With draft", "status": "publish"}, "organizer": {"organizer": "Drafted"}, "status": "draft"},
    {"venue": {"venue": "Planned"}, "organizer": {"organizer": "Planned"}, "date": "2030-01-01"},
    {"categories": ["Planned", {"id": 1}, "jazz"], "tags": [{"id": "2"}, "New"]},
]
REFUSED = [
    {"venue": {"city": "Nameless"}},
    {"organizer": {"email": "x"}},
    {"venue": [{"venue": "Good"}, {"venue": ""}], "organizer": [{"organizer": "Good"}, {"phone": 5}]},
    {"venue": {"venue": "x", "website": "x", "geo_lat": 91}},
    {"venue": {"id": "x"}, "organizer": {"id": 99999}},
    {"venue": [1, 99999], "organizer": [True]},
    {"venue": list(range(1, 103))},
    {"title": "", "venue": {"venue": 5}, "organizer": {"organizer": "x", "email": "nobody"}, "tags": [99999]},
]


def record(recorder):
    api = recorder.root("/calendar/events/v1")
    last = 0
    for fields in LINKED:
        last = api.post("/events", EVENT | {"title": "Nested"} | fields).id
    for fields in REFUSED:
        api.post("/events", EVENT | {"title": "Refused"} | fields)
        api.patch(f"/events/{last}", fields)
    for fields in LINKED[:9]:
        api.patch(f"/events/{last}", fields)
    for user in ("ben", "cleo", "sue"):
        api.post("/events", EVENT | {"venue": {"venue": f"Of {user}"}, "organizer": 3}, user=user)
        api.post("/events", EVENT | {"tags": ["Unknown to all"], "categories": [1]}, user=user)
        api.post("/events", EVENT | {"venue": 17}, user=user)
    for kind in ("venues", "organizers", "categories", "tags"):
        api.get(f"/{kind}?per_page=2")
        api.get(f"/{kind}?search=planned&hide_empty=false")
