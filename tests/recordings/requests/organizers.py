"""Creates, updates and deletes of organizers."""

from .samples import ORGANIZER
from .venues import write

GOOD = [
    {"organizer": "Renamed", "slug": "renamed-organizer"},
    {"description": None, "phone": "", "website": None, "email": "", "image": ""},
    {"email": "bücher@example.org"},
    {"image": 1},
    {"status": None},
    {"status": "pending"},
    {"status": "publish", "date_utc": "2026-01-01 10:00:00", "author": "3"},
    {"organizer": "A < B & <b>C</b>"},
    {},
]
BAD = [
    {"organizer": ""},
    {"organizer": None, "date_utc": ""},
    {"organizer": 5, "phone": 6, "description": [], "website": {}},
    {"email": "nobody", "website": "example.org", "image": 99999, "status": "x", "author": 0},
    {"slug": "chidi-laurent"},
    {"email": "x" * 250 + "@example.org"},
]


def record(recorder):
    api = recorder.root("/calendar/events/v1")
    write(api, "organizers", "organizer", ORGANIZER, GOOD, BAD)
