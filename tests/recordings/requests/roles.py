"""What each role may do with its own objects and with those of others."""

from .samples import EVENT

USERS = ("sue", "cleo", "ben", "ann", "token of ann", "admin")


def record(recorder):
    api = recorder.root("/calendar/events/v1")
    for user in USERS:
        events(api, user)
        hosts(api, user)
        api.post("/tags", {"name": f"Of {user}"}, user=user)
        api.patch("/categories/2", {"description": user}, user=user)
        api.delete("/tags/40", user=user)


def events(api, user):
    path = "/events/1"
    for body in ({"title": "x"}, {"title": ""}, {"status": "trash"}, {"author": 1}):
        api.patch(path, body, user=user)
    api.delete("/events/99999", user=user)
    own = 0
    statuses = ({}, {"status": "draft"}, {"status": "private"}, {"date": "2030-01-01"})
    for fields in (*statuses, {"author": 1}, {"tags": ["For all"]}):
        own = api.post("/events", EVENT | {"title": f"Of {user}"} | fields, user=user).id or own
    api.get(f"/events/{own}", user)
    for fields in ({"status": "publish"}, {"status": "pending"}, {"title": "Changed"}, {"author": 2}):
        api.patch(f"/events/{own}", fields, user=user)
    api.delete(f"/events/{own}", user=user)
    api.patch(f"/events/{own}", {"status": "draft"}, user=user)
    api.get("/events?status=any&search=of&per_page=20&start_date=2027-05-07&end_date=2027-05-08", user)
    api.get("/events?status=trash", user)


def hosts(api, user):
    for kind, name in (("venues", "venue"), ("organizers", "organizer")):
        own = api.post(f"/{kind}", {name: f"Of {user}"}, user=user).id
        api.patch(f"/{kind}/{own}", {"phone": "1"}, user=user)
        api.patch(f"/{kind}/3", {"phone": "2"}, user=user)
        api.delete(f"/{kind}/{own}", user=user)
        api.delete(f"/{kind}/4", user=user)
        api.get(f"/{kind}?status=any&per_page=2", user)
