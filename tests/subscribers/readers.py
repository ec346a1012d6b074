"""Compares what several libraries read from the feeds with the events of the API."""

import json
import os
import pathlib
import re
import subprocess
from datetime import date, datetime, timedelta, timezone

import feedparser
import icalendar
import recurring_ical_events
import vobject

import api

CALENDAR = "/events.ics?start_date=1900-01-01"


def instant(value):
    """A date, or an instant in UTC."""
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return value.isoformat()


def expected():
    for event in api.events():
        if event["all_day"]:
            after = date.fromisoformat(event["end_date"][:10]) + timedelta(days=1)
            start, end = event["start_date"][:10], after.isoformat()
        else:
            start, end = (event[name].replace(" ", "T") + "Z" for name in ("utc_start_date", "utc_end_date"))
        categories = [term["name"] for term in event["categories"] + event["tags"]]
        yield [event["id"], event["title"], start, end, event["url"], sorted(categories)]


def icalendar_event(event):
    end = event.get("DTEND", event["DTSTART"])
    categories = event.get("CATEGORIES")
    return [
        int(event["UID"].split("@")[0]), str(event["SUMMARY"]), instant(event["DTSTART"].dt), instant(end.dt),
        str(event["URL"]), sorted(str(category) for category in categories.cats) if categories else [],
    ]


def read_icalendar(content):
    calendar = icalendar.Calendar.from_ical(content)
    for event in calendar.walk("VEVENT"):
        assert not event.errors, event.errors
    return [icalendar_event(event) for event in calendar.walk("VEVENT")]


def read_recurring(content):
    calendar = icalendar.Calendar.from_ical(content)
    # It would convert times in UTC to this zone, and forget which of two equal local times they are.
    del calendar["X-WR-TIMEZONE"]
    return [icalendar_event(event) for event in recurring_ical_events.of(calendar).between((1900,), (2100,))]


def read_vobject(content):
    calendar = vobject.readOne(content.decode())
    calendar.validate(raiseException=True)
    for event in calendar.vevent_list:
        end = event.contents.get("dtend", event.contents["dtstart"])[0].value
        categories = [category for line in event.contents.get("categories", []) for category in line.value]
        yield [
            int(event.uid.value.split("@")[0]), event.summary.value, instant(event.dtstart.value), instant(end),
            event.url.value, sorted(categories),
        ]


def utc(text):
    """A date, or an instant in UTC, as iCalendar writes it."""
    if "T" not in text:
        return instant(datetime.strptime(text, "%Y%m%d").date())
    return instant(datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=timezone.utc))


def read_libical(content):
    output = subprocess.run([os.environ["LIBICAL_READER"]], input=content, stdout=subprocess.PIPE, check=True)
    for line in output.stdout.decode().removesuffix("\n").split("\n"):
        uid, title, start, end, url, *categories = line.split("\t")
        yield [int(uid.split("@")[0]), title, utc(start), utc(end), url, sorted(categories)]


def read_with_node(content):
    script = pathlib.Path(__file__).with_name("readers.js")
    output = subprocess.run(["node", script], input=content, stdout=subprocess.PIPE, check=True)
    return json.loads(output.stdout)


def check(name, found, known):
    found, known = sorted(found), sorted(known)
    missing = [event for event in known if event not in found]
    unexpected = [event for event in found if event not in known]
    assert not missing and not unexpected, f"{name}: expected {missing}, found {unexpected}"
    assert len(found) == len(known), f"{name}: {len(found)} events"
    print(f"{name}: {len(found)} events")


content = api.fetch(CALENDAR)
known = list(expected())
check("icalendar", read_icalendar(content), known)
check("recurring-ical-events", read_recurring(content), known)
check("vobject", list(read_vobject(content)), known)
check("libical", list(read_libical(content)), known)
from_node = read_with_node(content)
check("ical.js", from_node["ical.js"], known)


def without_limits_of_node_ical(events):
    """It has zones of its own, of an older release, which end in 2037; and it splits a name with a comma in it."""
    return [event[:5] for event in events if "Casablanca" not in event[1] and event[2] < "2037"]


check("node-ical", *map(without_limits_of_node_ical, (from_node["node-ical"], known)))

for path in ("/category/jazz-blues.ics", "/events.ics?categories=jazz-blues", "/event/with-everything.ics"):
    [event] = icalendar.Calendar.from_ical(api.fetch(path)).walk("VEVENT")
    [full] = [event for event in api.events() if event["slug"] == "with-everything"]
    assert event["LOCATION"] == 'Hall; "A", Markt 1, 24103 Kiel, Germany', event["LOCATION"]
    assert event["GEO"].to_ical() == "54.3233;-10.1228", event["GEO"].to_ical()
    assert event["DESCRIPTION"].startswith("Äpfel, Öl; Übung \\ 😀 & mehr."), event["DESCRIPTION"]
    assert event["DESCRIPTION"].splitlines()[-1] == full["url"], event["DESCRIPTION"]
    # A property that it does not know is not unescaped.
    assert re.sub(r"\\(.)", r"\1", event["X-ALT-DESC"]) == full["description"], event["X-ALT-DESC"]
    assert event["IMAGE"] == "https://example.org/a,b;c.jpg", event["IMAGE"]
    assert event["CONTACT"] == "Ann, Inc., ann@example.org", event["CONTACT"]
empty = icalendar.Calendar.from_ical(api.fetch("/events.ics?starts_after=2090-01-01"))
assert empty.walk("VEVENT") == [] and len(empty.walk("VTIMEZONE")) == 1

for path in ("/events.rss?start_date=1900-01-01", "/events.atom?start_date=1900-01-01"):
    feed = feedparser.parse(api.fetch(path))
    assert not feed.bozo, feed.bozo_exception
    found = sorted([entry.title, entry.link] for entry in feed.entries)
    assert found == sorted([event[1], event[4]] for event in known), found
    assert len({entry.id for entry in feed.entries}) == len(known)
    assert all(entry.published_parsed and entry.summary for entry in feed.entries)
    print(f"feedparser: {len(found)} entries of {path}")
items = json.loads(api.fetch("/events.json?start_date=1900-01-01"))["items"]
assert sorted([item["title"], item["url"]] for item in items) == sorted([event[1], event[4]] for event in known)
