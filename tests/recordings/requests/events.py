"""Creates, updates and deletes of events: every field with good and bad values."""

from .samples import EVENT, FULL_EVENT

# Fields of one update each, on an event that was created with all fields.
GOOD = [
    {"title": "  A < B & <i>C</i> \u0007 "},
    {"description": "<a href='javascript:x'>x</a><img src=x onerror=y> é e\u0301\n\ttwo"},
    {"excerpt": ""},
    {"slug": "another-slug"},
    {"status": "draft"},
    {"status": "private"},
    {"status": "pending"},
    {"status": "publish"},
    {"date": "2030-01-01 10:00"},
    {"date_utc": "2026-01-01 10:00"},
    {"date": "2026-02-01 10:00:00", "date_utc": "2026-02-01T10:00:00Z"},
    {"timezone": "UTC+5.5"},
    {"timezone": "-03:30"},
    {"timezone": "utc-5"},
    {"timezone": ""},
    {"timezone": "America/New_York"},
    {"start_date": "2027-05-07T19:30:00Z", "end_date": "2027-05-07T22:00:00+02:00"},
    {"start_date": "tomorrow 9am", "end_date": "next monday"},
    {"start_date": "2026-11-19"},
    {"end_date": "2027/12/31 23:00"},
    {"start_date": "2027-03-14 02:30", "end_date": "2027-11-07 01:30"},
    {"all_day": True},
    {"all_day": False},
    {"all_day": "yes", "start_date": "2027-06-01 12:00", "end_date": "2027-06-03 12:00"},
    {"image": 1},
    {"image": {"id": 2}},
    {"image": "https://example.org/images/spring.jpg"},
    {"image": None},
    {"cost": "Free"},
    {"cost": 0},
    {"cost": 12.5},
    {"cost": [10, "20"]},
    {"cost": "$1,000.00"},
    {"cost": "CHF 20"},
    {"cost": "Donation"},
    {"cost": ""},
    {"website": ""},
    {"website": "http://bücher.example/ä b"},
    {"show_map": False, "show_map_link": "off", "hide_from_listings": "1", "sticky": "no", "featured": "false"},
    {"hide_from_listings": False},
    {"ticketed": None, "sticky": None, "all_day": None},
    {"post_parent": None},
    {"post_parent": "12"},
    {"custom_fields": {}},
    {"custom_fields": []},
    {"custom_fields": {"a": "b"}},
    {"author": 2},
    {"categories": []},
    {"categories": "music, jazz"},
    {"categories": [{"id": 1, "name": "ignored"}]},
    {"categories": 24},
    {"tags": ["1", "live-music", "Rock, Paper"]},
    {"tags": None},
    {},
    {"unknown": 1, "id": 99999, "url": "x", "modified": "x"},
]
BAD = [
    {"title": ""},
    {"title": None},
    {"title": "<b></b>"},
    {"title": "x" * 201},
    {"title": 5},
    {"description": ["x"]},
    {"description": "x" * 100_001},
    {"slug": "!!!"},
    {"slug": "sunrise-rowing-with-saoirse-zhou-10"},
    {"slug": "x" * 201},
    {"status": "nothing"},
    {"status": "future"},
    {"status": 1},
    {"date": "garbage", "date_utc": ""},
    {"date": "2027-01-01 10:00", "date_utc": "2027-01-01 11:00"},
    {"timezone": "Mars/Olympus"},
    {"timezone": "UTC+15"},
    {"start_date": "now"},
    {"start_date": "+1 day"},
    {"start_date": ""},
    {"start_date": "2027-02-30", "end_date": 1_800_000_000},
    {"start_date": "2099-01-01"},
    {"end_date": "2000-01-01"},
    {"all_day": "maybe", "featured": 2, "sticky": "x", "ticketed": {}, "show_map": [], "hide_from_listings": "2"},
    {"image": 99999},
    {"image": "ftp://example.org/x.jpg"},
    {"image": {}},
    {"cost": {"amount": 5}},
    {"cost": True},
    {"website": "javascript:alert(1)"},
    {"website": "example.org"},
    {"post_parent": "x"},
    {"post_parent": -1},
    {"custom_fields": "x"},
    {"custom_fields": [1]},
    {"author": 99999},
    {"author": "x"},
    {"categories": [99999]},
    {"categories": [True]},
    {"categories": {"name": "x"}},
    {"tags": [99999, "", None]},
    {"tags": ["x" * 201]},
    {"tags": [f"tag {number}" for number in range(101)]},
    {"venue": 99999},
    {"organizer": ["x"]},
    {"title": 1, "start_date": 2, "timezone": 3, "cost": {}, "website": 4, "image": [], "slug": 5, "tags": 0},
]


def record(recorder):
    api = recorder.root("/calendar/events/v1")
    for body in ({}, {"title": ""}, {"start_date": "x", "end_date": "now"}, {"title": "x", "status": "trash"}):
        api.post("/events", body)
        api.post("/events", body, user=None)
    api.post("/events", EVENT, user=None)
    minimal = api.post("/events", EVENT).id
    api.get(f"/events/{minimal}")
    api.post("/events", EVENT)
    event = api.post("/events", FULL_EVENT).id
    path = f"/events/{event}"
    api.get(path)
    api.get("/events?post_parent=7&tags=a-new-tag&ticketed=true")
    for body in GOOD:
        api.patch(path, body)
    api.get(path)
    for body in BAD:
        api.patch(path, body)
    for body in BAD[:12]:
        api.post("/events", EVENT | body)
    update_methods(api, path)
    publication(api)
    round_trip(api, path)
    api.delete(path)
    api.get("/events?per_page=100&start_date=2027-05-07&end_date=2027-05-08")


def update_methods(api, path):
    body = {"title": "Renamed", "slug": "renamed"}
    api.post(path, body)
    api.put("/events/by-slug/renamed", {"description": None, "featured": True})
    api.patch("/events/by-slug/renamed", {"cost": "5 €"})
    api.post("/events/by-slug/Renamed", {"title": "Again"})
    for missing in ("/events/99999", "/events/by-slug/nothing", "/events/abc"):
        api.patch(missing, body)
        api.patch(missing, {"title": 5})
        api.delete(missing)
    created = api.post("/events", EVENT | {"slug": "to-delete"})
    api.get(f"/events/{created.id}/")
    api.delete("/events/by-slug/to-delete")


def publication(api):
    for fields in (
        {"date": "2030-01-01 00:00"},
        {"date_utc": "2030-01-01 00:00", "status": "draft"},
        {"date": "2020-01-01 00:00", "status": "future"},
        {"status": "pending"},
        {"status": "private", "date": "2030-01-01"},
        {"hide_from_listings": True},
    ):
        created = api.post("/events", EVENT | {"title": "Planned"} | fields)
        api.get(f"/events/{created.id}")
        api.get(f"/events?include={created.id}")


def round_trip(api, path):
    """What was read is sent back, and changes nothing."""
    for read in (path, "/events/1359", "/events/1422"):
        body = api.get(read, "admin").json
        api.put(read, body)
        api.get(read, "admin")
