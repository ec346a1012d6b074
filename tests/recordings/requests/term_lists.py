"""Lists of categories and tags, which have nearly the same filters."""

QUERIES = """

per_page=100
page=2&per_page=3
page=100
page=0&per_page=-1
search=music
search=in
search="live music"
search=free -entry
search=-free
exclude=1,2
exclude[]=1&exclude[]=99999
exclude=x
include=3,2,1
include=3,2,1&orderby=include
include=3,2,1&orderby=include&order=desc
include=99999
include=x
include=1,2,3&exclude=2
order=desc
order=DESC
order=sideways
orderby=id
orderby=slug
orderby=count&order=desc
orderby=description
orderby=parent
orderby=event_date
hide_empty=true
hide_empty=false&per_page=100
hide_empty=0
hide_empty=maybe
parent=0
parent=1
parent=19
parent=99999
parent=x
parent=-1
post=997
post=1499
post=99999
post=x
event=997
event=997&post=1
event=99999
slug=jazz
slug=live-music
slug=Jazz
slug=nothing
page=x&per_page=x&search=-x&exclude=x&include=x&order=x&orderby=x&hide_empty=x&parent=x&post=x&event=x
hide_empty=&order=&orderby=&parent=&event=
status=draft&featured=maybe
""".split("\n")[1:-1]


def record(recorder):
    api = recorder.root("/calendar/events/v1")
    for kind in ("categories", "tags"):
        for query in QUERIES:
            api.get(f"/{kind}?{query}")
        api.get(f"/{kind}?event=1499", "admin")
