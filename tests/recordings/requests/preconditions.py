"""If-Match on writes, and the ETags of what was written."""

from .samples import EVENT


def record(recorder):
    api = recorder.root("/calendar/events/v1")
    for kind, name, body in (
        ("events", "title", EVENT),
        ("venues", "venue", {"venue": "Conditional"}),
        ("organizers", "organizer", {"organizer": "Conditional"}),
        ("categories", "name", {"name": "Conditional"}),
        ("tags", "name", {"name": "Conditional"}),
    ):
        created = api.post(f"/{kind}", body)
        path = f"/{kind}/{created.id}"
        read = api.get(path).etag
        updated = api.patch(path, {name: "Second"}, if_match=read).etag
        api.patch(path, {name: "Third"}, if_match=read)
        api.get(path, if_none_match=read)
        api.get(path, if_none_match=updated)
        for known in ('"0"', '"9-x"', "nonsense", "", 'W/"1-x"'):
            api.patch(path, {name: "Never"}, if_match=known)
        api.patch(path, {name: ""}, if_match=read)
        api.patch(path, {name: "Never"}, user="sue", if_match=read)
        api.patch(path, {name: "Any"}, if_match="*")
        api.delete(path, if_match=read)
        listed = api.get(path).etag
        api.delete(path, if_match=f'"0", {listed}')
        api.patch(f"/{kind}/99999", {name: "x"}, if_match="*")
    lists(api)


def lists(api):
    """Lists change with what they show."""
    etag = api.get("/tags?search=listed&hide_empty=false").etag
    tag = api.post("/tags", {"name": "Listed"}).id
    api.get("/tags?search=listed&hide_empty=false", if_none_match=etag)
    event = api.post("/events", EVENT | {"title": "Shown", "tags": [tag]}).id
    etag = api.get(f"/events/{event}").etag
    api.patch(f"/tags/{tag}", {"name": "Listed again"})
    api.get(f"/events/{event}", if_none_match=etag)
    api.get(f"/events?tags={tag}")
