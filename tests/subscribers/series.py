"""Compares the events that several libraries make of the calendar of a series with those of the API."""

import json
import pathlib
import subprocess
from datetime import date, datetime, timedelta, timezone

import icalendar
import recurring_ical_events

import api

SERIES = [
    ("2027-01-05 19:00", "2027-01-05 20:30", "Europe/Berlin", "RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=52", {}),
    # Places in a gap and in an overlap, in both hemispheres.
    ("2027-03-20 02:30", "2027-03-20 03:30", "Europe/Berlin", "RRULE:FREQ=DAILY;UNTIL=20271105T023000", {}),
    ("2027-03-28 02:30", "2027-03-28 03:30", "Europe/Berlin", "RRULE:FREQ=DAILY;COUNT=5", {}),
    ("2027-03-30 02:30", "2027-03-30 03:00", "Australia/Sydney", "RRULE:FREQ=DAILY;UNTIL=20271010T023000", {}),
    ("2027-09-30 02:10", "2027-09-30 02:50", "Australia/Lord_Howe", "RRULE:FREQ=DAILY;COUNT=9", {}),
    # Across a change of the clocks.
    ("2027-03-26 22:00", "2027-03-27 04:00", "Europe/Berlin", "RRULE:FREQ=DAILY;COUNT=5", {}),
    ("2027-01-04 08:00", "2027-01-04 09:00", "UTC", "RRULE:FREQ=WEEKLY;BYDAY=MO,WE,FR;UNTIL=20270301T080000Z", {}),
    ("2027-01-04 08:00", "2027-01-04 09:00", "UTC+5:30", "RRULE:FREQ=MONTHLY;BYDAY=1MO,-1FR;COUNT=12", {}),
    ("2027-01-31 10:00", "2027-01-31 11:00", "America/New_York",
     "RRULE:FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=10\nEXDATE:20270331T100000\nRDATE:20270415T180000", {}),
    ("2027-01-05", "2027-01-06", "Europe/Berlin", "RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=8\nEXDATE:20270119",
     {"all_day": True}),
    ("2027-01-05 19:00", "2027-01-05 19:00", "Europe/Berlin", "RRULE:FREQ=YEARLY;COUNT=4", {}),
    ("2027-01-05 19:00", "2027-01-05 20:00", "Europe/Berlin", "RDATE:20270105T190000,20270212T110000", {}),
]


def listed(series):
    """All events of a series."""
    page, events = 1, []
    while True:
        found = api.call("GET", f"/series/{series}/events?per_page=100&page={page}")
        events += found["events"]
        if page >= found["total_pages"]:
            return events
        page += 1


def instant(value):
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return value.isoformat()


def expected(event):
    if event["all_day"]:
        after = date.fromisoformat(event["end_date"][:10]) + timedelta(days=1)
        return [event["title"], event["start_date"][:10], after.isoformat()]
    return [event["title"], *(event[name].replace(" ", "T") + "Z" for name in ("utc_start_date", "utc_end_date"))]


def read_recurring(content):
    calendar = icalendar.Calendar.from_ical(content)
    del calendar["X-WR-TIMEZONE"]
    for event in recurring_ical_events.of(calendar).between((2026,), (2032,)):
        yield [str(event["SUMMARY"]), instant(event["DTSTART"].dt), instant(event.end)]


def read_with_node(content):
    script = pathlib.Path(__file__).with_name("series.js")
    output = subprocess.run(["node", script], input=content, stdout=subprocess.PIPE, check=True)
    return json.loads(output.stdout)


def check(name, rule, found, known):
    found, known = sorted(found), sorted(known)
    missing = [event for event in known if event not in found]
    unexpected = [event for event in found if event not in known]
    assert not missing and not unexpected, f"{name}, {rule}: expected {missing}, found {unexpected}"
    assert len(found) == len(known), f"{name}, {rule}: {len(found)} events"


total = 0
for start, end, zone, rule, fields in SERIES:
    body = {"title": "Class", "start_date": start, "end_date": end, "timezone": zone, "recurrence": rule, **fields}
    first = api.call("POST", "/events", body)
    series = first["series"]["id"]
    for changes in range(4):
        events = listed(series)
        if changes == 1 and len(events) > 3:
            # One is moved and renamed, one is deleted, and one is no longer published.
            api.call("PATCH", f"/events/{events[1]['id']}", {
                "title": "Another class", "start_date": "2027-02-01 12:00", "end_date": "2027-02-01 13:00",
            })
            api.call("DELETE", f"/events/{events[2]['id']}")
            api.call("PATCH", f"/events/{events[3]['id']}", {"status": "draft"})
        if changes == 2 and len(events) > 6:
            api.call("PATCH", f"/events/{events[5]['id']}?scope=following", {"title": "Last classes"})
        if changes == 3:
            api.call("PATCH", f"/series/{series}", {"title": "Classes"})
        events = listed(series)
        content = api.fetch(f"/series/{series}.ics")
        known = [expected(event) for event in events]
        check("recurring-ical-events", rule, list(read_recurring(content)), known)
        from_node = read_with_node(content)
        check("ical.js", rule, from_node["ical.js"], known)
        places = [event["series"]["recurrence_id"].replace(" ", "T") for event in events]
        check("rrule", rule, from_node["rrule"], places)
        total += len(events)
print(f"recurring-ical-events, ical.js, rrule: {total} events of series")
