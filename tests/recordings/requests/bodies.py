"""Bodies in other forms than JSON, and what can't be read."""

from exchange import multipart

from .samples import EVENT

FORM = [
    ("title", "Jazz & Blues + more"),
    ("start_date", "2027-05-07 19:30"),
    ("end_date", "2027-05-07 22:00"),
    ("featured", "on"),
    ("cost", "10,50 €"),
    ("venue[venue]", "City Hall"),
    ("venue[city]", "Zürich"),
    ("organizer[0][organizer]", "Ann"),
    ("organizer[0][email]", "ann@example.org"),
    ("organizer[1][organizer]", "Ben"),
    ("tags[]", "Free"),
    ("tags[]", "Open air"),
    ("custom_fields[a]", "1"),
]
UPDATES = [
    *("venue=2", "venue[]=2&venue[]=3", "venue[id]=2", "venue[0][id]=2", "venue=", "venue=0"),
    *("tags=", "tags=1,2", "tags[]=", "cost=", "cost[]=10&cost[]=20", "title=&featured=maybe", "featured="),
    *("image=1", "image[id]=1", "image=", "title=a&title=b", "custom_fields[a][b]=c", "custom_fields=x"),
    *("geo_lat=5", "start_date=tomorrow+9am&end_date=tomorrow"),
]
MALFORMED_FORMS = [
    *("title=%ff%fe&venue=1", "[[[=1", "a[b=1&a]c=2", "venue=1&venue[venue]=Hall", "=&&=", "%"),
    "a" + "[b]" * 50 + "=1",
]
MALFORMED_JSON = [
    *("{", '{"title": }', "nonsense", "[]", '[{"title": "A"}]', '"text"', "5", "null", "true", '{"a": 1} more'),
    *('{"title": "\\ud800"}', "\ufeff{}", "[" * 1000 + "]" * 1000),
    '{"custom_fields": ' + '{"a":' * 200 + "1" + "}" * 200 + "}",
]
JSON = b'{"name": "By type %d"}'
TYPES = [
    *(None, "", "application/json", "Application/JSON; charset=utf-8", "application/hal+json", "application/jsonx"),
    *("application/x-www-form-urlencoded", "multipart/form-data", "text/plain", "text/html; charset=utf-8"),
    *("application/xml", "nonsense"),
]


def record(recorder):
    api = recorder.root("/calendar/events/v1")
    forms(api)
    media_types(api)
    malformed(api)
    too_large(api)


def forms(api):
    event = api.post("/events", form=FORM).id
    content_type, body = multipart(FORM)
    api.post("/events", body=body, content_type=content_type)
    api.post("/events", form="title=A+B&start_date=2027-05-07&end_date=2027-05-08&tags[0]=Free", content_type=None)
    for form in UPDATES:
        api.post(f"/events/{event}", form=form)
        content_type, body = multipart([pair.split("=", 1) for pair in form.split("&")])
        api.patch(f"/events/{event}", body=body, content_type=content_type)
    content_type, body = multipart([("venue", "Hall")], [("image", "a.jpg", "bytes")])
    api.post("/venues", body=body, content_type=content_type)
    api.post("/venues", body=b"no parts", content_type=content_type)
    api.post("/venues", form="venue=Form&geo_lat=1.5&geo_lng=x&show_map=maybe&website=x")
    api.post("/venues", form="venue=Form&geo_lat=1.5&geo_lng=2&show_map=no&zip=0")
    api.post("/organizers", form="organizer=Form&email=nobody")
    api.post("/organizers", form="organizer=Form&email=ann%40example.org")
    api.post("/categories", form="name=Form&parent=1")
    api.post("/tags", form="name=Form&slug=form-tag")
    api.post("/tags?name=From+the+query", {})


def media_types(api):
    for number, media_type in enumerate(TYPES):
        api.post("/tags", body=JSON % number, content_type=media_type)
    api.post("/tags", body=b"", content_type="application/json")
    api.post("/tags", body=b"", content_type="text/plain")
    api.patch("/tags/1", body=b"")
    api.post("/tags", {"name": "Compressed"}, content_encoding="gzip")
    api.post("/tags", {"name": "Identity"}, content_encoding="identity")
    api.post("/tags", user="sue", body=b"{", content_type="text/plain")
    api.post("/tags", user=None, body=b"{", content_type="text/plain")


def malformed(api):
    for text in MALFORMED_JSON:
        api.post("/events", body=text.encode(), content_type="application/json")
    api.post("/events", body=b"{\xff\xfe", content_type="application/json")
    api.patch("/events/1", body=b"{", content_type="application/json")
    api.patch("/events/99999", body=b"{", content_type="application/json")
    for form in MALFORMED_FORMS:
        api.post("/events", form=form)
    api.post("/events", body=b"a=\xff", content_type="application/x-www-form-urlencoded")
    api.post("/events", body=b'{"title": "a", "title": "b"}', content_type="application/json")


def too_large(api):
    api.post("/events", EVENT | {"description": "x" * 99_000, "title": "Long"})
    api.post("/events", EVENT | {"custom_fields": {"a": "x" * 70_000}})
    # Refused before any of it is sent.
    for user in ("admin", None):
        api.post("/events", user=user, content_length="2000000", expect="100-continue", content_type="application/json")
