"""Subscribes to the calendar with vdirsyncer, and lists it with khal while events move, are cancelled and disappear."""

import os
import pathlib
import subprocess
import sys
import tempfile

import api

folder = pathlib.Path(tempfile.mkdtemp())
(folder / "vdirsyncer").write_text(f"""
[general]
status_path = "{folder}/status/"

[pair subscription]
a = "local"
b = "remote"
collections = null
conflict_resolution = "b wins"

[storage local]
type = "filesystem"
path = "{folder}/events/"
fileext = ".ics"

[storage remote]
type = "http"
url = "{api.ADDRESS}/category/subscribed.ics"
""")
(folder / "khal").write_text(f"""
[calendars]
[[subscription]]
path = {folder}/events/

[locale]
timeformat = %H:%M
dateformat = %Y-%m-%d
longdateformat = %Y-%m-%d
datetimeformat = %Y-%m-%d %H:%M
longdatetimeformat = %Y-%m-%d %H:%M
local_timezone = Europe/Berlin
default_timezone = Europe/Berlin

[sqlite]
path = {folder}/khal.db
""")
(folder / "events").mkdir()
environment = os.environ | {"VDIRSYNCER_CONFIG": str(folder / "vdirsyncer"), "HOME": str(folder), "COLUMNS": "200"}


def run(*command, **options):
    result = subprocess.run(command, env=environment, capture_output=True, text=True, **options)
    assert result.returncode == 0, f"{command}: {result.stdout} {result.stderr}"
    return result.stdout


# vdirsyncer replaces the identifiers of subscriptions by hashes, unless a test tells it not to.
VDIRSYNCER = """
from vdirsyncer.cli import app
from vdirsyncer.storage.http import HttpStorage
HttpStorage._ignore_uids = False
app()
"""


def vdirsyncer(*arguments, **options):
    return run(sys.executable, "-c", VDIRSYNCER, *arguments, **options)


def subscribed():
    """Synchronises, and returns the lines of khal: the number in the identifier, the start, the status if the event is
    cancelled, and the title."""
    vdirsyncer("sync")
    lines = run(
        "khal", "-c", folder / "khal", "list", "--once", "--day-format", "",
        "--format", "{uid} {start} {cancelled}{title}", "2027-05-01", "31d",
    )
    return sorted(line.split("@")[0] + line[line.index(" "):] for line in lines.splitlines() if line.strip())


def create(title, day):
    return api.call("POST", "/events", {
        "title": title, "start_date": f"2027-05-{day:02} 19:30", "end_date": f"2027-05-{day:02} 22:00",
        "categories": ["Subscribed"],
    })["id"]


first, second, third = (create(title, day) for title, day in [("First", 4), ("Second", 5), ("Third", 6)])
vdirsyncer("discover", input="y\ny\n")
before = subscribed()
assert before == sorted([
    f"{first} 2027-05-04 19:30 First", f"{second} 2027-05-05 19:30 Second", f"{third} 2027-05-06 19:30 Third",
]), before

api.call("PATCH", f"/events/{first}", {"start_date": "2027-05-20 18:00", "end_date": "2027-05-20 19:00"})
api.call("PATCH", f"/events/{second}", {"event_status": "canceled"})
api.call("DELETE", f"/events/{third}")
after = subscribed()
assert after == sorted([f"{first} 2027-05-20 18:00 First", f"{second} 2027-05-05 19:30 CANCELLED Second"]), after
assert len(list((folder / "events").glob("*.ics"))) == 2
print("vdirsyncer and khal: a move, a cancellation and a deletion")
