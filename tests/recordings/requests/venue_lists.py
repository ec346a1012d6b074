"""Lists of venues and organizers, which have the same filters."""

QUERIES = """

per_page=2
page=2&per_page=2
page=1000
page=0&per_page=0
per_page=100
search=harbour
search="parish hall"
search=quinn -björn
search=-harbour
event=1
event=997
event=1499
event=99999
event=x
has_events=true&per_page=3
has_events=false&per_page=3
has_events=maybe
only_with_upcoming=true&per_page=3
only_with_upcoming=false&per_page=3
only_with_upcoming=yes&has_events=true&search=o&per_page=2
only_with_upcoming=maybe
status=publish&per_page=2
status=draft
status=nothing
event=&search=&status=&page=
page=x&per_page=x&search=-x&event=x&has_events=x&only_with_upcoming=x&status=x
categories=1&start_date=garbage
""".split("\n")[1:-1]


def record(recorder):
    api = recorder.root("/calendar/events/v1")
    for kind in ("venues", "organizers"):
        for query in QUERIES:
            api.get(f"/{kind}?{query}")
        for user, query in [
            ("admin", "status=draft"),
            ("admin", "status=any&per_page=2"),
            ("ann", "status=publish,draft&per_page=2"),
            ("ben", "status=draft"),
            ("sue", "status=draft"),
            ("admin", "event=1499"),
        ]:
            api.get(f"/{kind}?{query}", user)
