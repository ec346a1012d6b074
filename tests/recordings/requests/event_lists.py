"""Lists of events: every filter alone and in combinations, good and bad values, pages."""

GOOD = """
page=1
page=2
page=007
per_page=1
per_page=3
per_page=100
per_page=101
per_page=5000
page=3&per_page=4
page=
per_page=
start_date=2027-03-01
start_date=2027-03-01 09:00
start_date=2027-03-01 09:00:00
start_date=2027/03/01 09:00
start_date=2027-03-01T09:00:00.5
start_date=2027-03-01T09:00:00Z
start_date=2027-03-01T09:00:00%2B05:30
start_date=2027-03-01T09:00:00+05:30
start_date=now
start_date=today
start_date=tomorrow 9am
start_date=yesterday 10:00&end_date=today
start_date=%2B1 day
start_date=+1 day
start_date=next monday
start_date=
end_date=2026-12-01
end_date=2026-12-01 20:00
end_date=2026-11-19
start_date=2026-12-01&end_date=2026-12-05
start_date=2026-12-01 20:00&end_date=2026-12-05 20:00
start_date=2026-12-01 20:00&end_date=2026-12-05 20:00&strict_dates=true
start_date=2026-12-05&end_date=2026-12-01
start_date=1900-01-01&end_date=2200-01-01
starts_before=2026-11-01
starts_before=2026-11-01 18:00&strict_dates=1
starts_after=2026-12-24
starts_after=2026-12-24 19:00&strict_dates=yes
ends_before=2026-11-01
ends_before=2026-11-01 21:00&strict_dates=on
ends_after=2027-01-10
ends_after=2027-01-10 21:00&strict_dates=TRUE
starts_after=2026-11-25&ends_before=2026-11-27
starts_after=2026-11-25&ends_before=2026-11-27&start_date=2026-11-26
starts_before=2026-11-25&strict_dates=false
search=jazz
search=JAZZ night
search="jazz night"
search=jazz -harbour
search=café
search=søren
search="unclosed phrase
search=%25
search=_
search=nothing-has-this-word
search=
categories=1
categories=1,2
categories=music
categories=music,sailing
categories=1&categories=2
categories[]=1&categories[]=24
categories[0]=10
categories=19
categories=
tags=1
tags=1,2
tags=free-entry
tags=free-entry,3
tags[]=1&tags[]=2
venue=1
venue=1,2
venue[]=1&venue[]=2
venue=17
organizer=1
organizer=1,2
organizer[]=3&organizer[]=4
organizer=17
featured=true
featured=false
featured=1
featured=no
featured=true&featured=false
featured=
status=publish
status=publish,publish
geoloc=true
geoloc=false
geoloc_lat=51.9&geoloc_lng=-8.47
geoloc_lat=51.62&geoloc_lng=-8.92
geoloc_lat=0&geoloc_lng=0
geoloc_lat=90&geoloc_lng=180
include=1,2,3
include=3,2,1,99999
include[]=5&include[]=6
include=0
include=1499
include=1&start_date=2027-01-01
post_parent=1
ticketed=true
ticketed=false
ticketed=0
categories=1&tags=1
categories=music&featured=true
categories=community&tags=volunteers-wanted&venue=2
tags=live-music&geoloc_lat=51.9&geoloc_lng=-8.47
venue=2&organizer=1
venue=2&start_date=2026-12-01&end_date=2026-12-31
search=night&categories=music&ticketed=true
search=harbour&tags=late-night&featured=false&per_page=2&page=2
geoloc=true&ticketed=true&tags=1&organizer=1,2,3
featured=true&ticketed=true&categories=stage-screen
include=1,2,3,4,5,6&categories=1
foo=bar&_locale=user&_embed=1&consumer_key=x
radius=5&near[lat]=1&=&&a
""".split("\n")[1:-1]

BAD = """
page=0
page=-1
page=x
page=1.5
page=99999999999999999999
per_page=0
per_page=-1
per_page=ten
start_date=garbage
start_date=2027-02-30
start_date=2027-13-01
start_date=1e9
end_date=garbage
starts_before=never
starts_after=25:00
ends_before=2027-03-01 25:00
ends_after=%00
strict_dates=perhaps
search=-jazz
search=-"jazz night" -blues
categories=99999
categories=nothing
categories=1,nothing,99999
tags=nothing
tags=99999
venue=99999
venue=x
venue=-1
venue=1,x
organizer=99999
organizer=dock-road
featured=maybe
featured=2
status=nothing
status=publish,nothing
status=draft
status=any
status=trash
geoloc=maybe
geoloc_lat=51
geoloc_lng=8
geoloc_lat=91&geoloc_lng=0
geoloc_lat=0&geoloc_lng=181
geoloc_lat=north&geoloc_lng=1e999
include=x
include=-1
post_parent=x
post_parent=0
ticketed=maybe
page=0&per_page=x&start_date=garbage&end_date=2027-02-30&search=-x&categories=nothing&tags=nothing&venue=99999
strict_dates=x&featured=x&status=x&geoloc=x&geoloc_lat=x&geoloc_lng=x&include=x&post_parent=x&ticketed=x&organizer=x
starts_before=x&starts_after=x&ends_before=x&ends_after=x
page=1000000
page=9223372036854775807
page=2&start_date=2150-01-01&end_date=2151-01-01
page=2&include=1
""".split("\n")[1:-1]

WITH_CREDENTIALS = [
    ("admin", "status=draft"),
    ("admin", "status=draft,pending"),
    ("admin", "status=private"),
    ("admin", "status=future"),
    ("admin", "status=trash"),
    ("admin", "status=any&per_page=2"),
    ("admin", "status=any&search=yoga&per_page=2"),
    ("ann", "status=pending"),
    ("token of ann", "status=private"),
    ("ben", "status=draft"),
    ("ben", "status=any&per_page=2"),
    ("cleo", "status=draft"),
    ("cleo", "per_page=2"),
    ("sue", "status=draft"),
    ("sue", "per_page=2"),
    ("admin", "include=1499&status=draft"),
]


def record(recorder):
    api = recorder.root("/calendar/events/v1")
    api.get("/events")
    api.get("/events")
    for query in GOOD + BAD:
        api.get(f"/events?{query}")
    for user, query in WITH_CREDENTIALS:
        api.get(f"/events?{query}", user)
    names = ",".join(f"tag-{number}" for number in range(101))
    api.get(f"/events?tags={names}")
    api.get(f"/events?search={'x' * 201}")
