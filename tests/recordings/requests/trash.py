"""What is deleted, and restored."""

from .samples import EVENT


def record(recorder):
    api = recorder.root("/calendar/events/v1")
    venue = api.post("/venues", {"venue": "Trashed hall", "slug": "trashed-hall"}).id
    event = api.post("/events", EVENT | {"title": "Trashed", "slug": "trashed", "venue": venue}).id
    organizer = api.post("/organizers", {"organizer": "Trashed group", "slug": "trashed-group"}).id
    for kind, id, slug, name in (
        ("venues", venue, "trashed-hall", "venue"),
        ("events", event, "trashed", "title"),
        ("organizers", organizer, "trashed-group", "organizer"),
    ):
        path = f"/{kind}/{id}"
        api.delete(path, user="sue")
        api.delete(path, user=None)
        api.delete(path)
        api.delete(path)
        for user in (None, "sue", "ben", "ann"):
            api.get(path, user)
        api.get(f"/{kind}/by-slug/{slug}", "admin")
        api.get(f"/{kind}?status=trash", "admin")
        api.patch(path, {name: "x"}, user="ben")
        api.patch(path, {name: "Changed in the trash"})
        # The slug is free for others meanwhile.
        taken = api.post(f"/{kind}", EVENT | {name: "Taken", "slug": slug}).id
        api.patch(path, {"status": "draft"}, user="sue")
        api.patch(path, {"status": "publish"})
        api.get(path)
        api.patch(f"/{kind}/{taken}", {"status": "trash"}, user="ben")
        api.patch(f"/{kind}/{taken}", {"status": "trash"})
        api.patch(f"/{kind}/{taken}", {"status": "trash", name: "Again"})
    api.get(f"/events/{event}")
    api.get(f"/events?venue={venue}&include={event}")
