"""Runs the example programs against a server, and compares what they know with the calendar."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx

PROGRAMS = Path(__file__).parent
ADDRESS, PASSWORD = os.environ["ALMANAC_ADDRESS"], os.environ["ALMANAC_PASSWORD"]
ROOT = f"{ADDRESS}/calendar/events/v1"
api = httpx.Client(base_url=ROOT, auth=("admin", PASSWORD), timeout=60)


def call(method, path, body=None):
    return api.request(method, path, json=body).raise_for_status().json()


def start(name, *arguments):
    """Starts a program, whose output can be read line by line."""
    command = [sys.executable, PROGRAMS / name, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def wait_for(program, text):
    for line in program.stdout:
        if text in line:
            return
    raise AssertionError(f"{text} was not printed")


def mirror(folder):
    """Runs the mirror, and returns its events by ID."""
    file = f"{folder}/copy.db"
    subprocess.run([sys.executable, PROGRAMS / "mirror.py", ROOT, file], check=True)
    rows = sqlite3.connect(file).execute("SELECT id, json FROM objects WHERE type = 'event'")
    return {row[0]: json.loads(row[1]) for row in rows}


def calendar():
    """The published events, by ID."""
    events, url = {}, f"{ROOT}/events?start_date=1900-01-01&end_date=2999-01-01&per_page=100"
    while url:
        page = httpx.get(url, timeout=60).raise_for_status().json()
        events |= {event["id"]: event for event in page["events"]}
        url = page.get("next_rest_url")
    return events


def assert_equal(copy, events):
    assert copy.keys() == events.keys(), copy.keys() ^ events.keys()
    links = {"categories", "tags", "venue", "organizer"}
    for key, event in events.items():
        for name, value in event.items():
            if name in links:
                ids = [item["id"] for item in value]
                assert sorted(copy[key][name]) == sorted(ids), (key, name)
            elif name not in {"json_ld", "series"}:
                assert copy[key][name] == value, (key, name)


def main():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    webhook = call("POST", "/webhooks", {"url": f"http://127.0.0.1:{port}/", "types": ["events"]})
    receiver = start("receive.py", str(port), webhook["secret"])
    follower = start("follow.py", ROOT)
    with tempfile.TemporaryDirectory() as folder:
        assert_equal(mirror(folder), calendar())
        time.sleep(2)  # The stream begins with the next change.
        times = {"start_date": "2027-03-01 09:00", "end_date": "2027-03-01 10:00"}
        event = call("POST", "/events", {"title": "Mirrored", "venue": {"venue": "Hall"}, **times})
        wait_for(follower, f"changed event {event['id']}")
        wait_for(receiver, f"event.changed {event['id']} Mirrored")
        call("DELETE", "/events/" + str(next(iter(calendar()))))
        assert_equal(mirror(folder), calendar())
    for program in (receiver, follower):
        program.send_signal(signal.SIGTERM)
        program.wait()


main()
print("the copy equals the calendar")
