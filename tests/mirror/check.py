"""Runs the example programs, in Python and JavaScript, and compares what they know with the calendar of a server."""

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
    interpreter = "node" if name.endswith(".js") else sys.executable
    command = [interpreter, PROGRAMS / name, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def start_receiver(name):
    """Starts a receiver with a webhook. Returns it with its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/"
    webhook = call("POST", "/webhooks", {"url": url, "types": ["events"]})
    return start(name, str(port), webhook["secret"]), url


def wait_for_listeners(number):
    """Waits until streams are open: each begins with the next change."""
    while f"\nalmanac_change_listeners {number}\n" not in httpx.get(f"{ADDRESS}/metrics").text:
        time.sleep(0.1)


def assert_forgery_is_refused(url):
    headers = {"webhook-id": "msg_1", "webhook-timestamp": str(int(time.time())), "webhook-signature": "v1,Zm9yZ2Vk"}
    response = httpx.post(url, json={"type": "event.changed", "data": {"id": 1}}, headers=headers)
    assert response.status_code == 400, response


def wait_for(program, text):
    for line in program.stdout:
        if text in line:
            return
    raise AssertionError(f"{text} was not printed")


def mirror(folder):
    """Runs the mirror, and returns its objects by type and ID."""
    file = f"{folder}/copy.db"
    subprocess.run([sys.executable, PROGRAMS / "mirror.py", ROOT, file], check=True)
    rows = sqlite3.connect(file).execute("SELECT type, id, json FROM objects")
    return {(row[0], row[1]): json.loads(row[2]) for row in rows}


def calendar():
    """The published events, by ID."""
    events, url = {}, f"{ROOT}/events?start_date=1900-01-01&end_date=2999-01-01&per_page=100"
    while url:
        page = httpx.get(url, timeout=60).raise_for_status().json()
        events |= {event["id"]: event for event in page["events"]}
        url = page.get("next_rest_url")
    return events


# The types of what events link to.
LINKS = {"categories": "category", "tags": "tag", "venue": "venue", "organizer": "organizer"}


def assert_equal(copy, events):
    copied = {key: event for (kind, key), event in copy.items() if kind == "event"}
    hidden = [key for key, event in copied.items() if event["hide_from_listings"]]
    # Lists do not contain them.
    events |= {key: httpx.get(f"{ROOT}/events/{key}").raise_for_status().json() for key in hidden}
    assert copied.keys() == events.keys(), copied.keys() ^ events.keys()
    for key, event in events.items():
        for name, value in event.items():
            found = copied[key].get(name)
            if name in LINKS:
                # IDs may be those of objects that the reader may not see, which the copy lacks.
                visible = [target for target in found if (LINKS[name], target) in copy]
                assert sorted(visible) == sorted(item["id"] for item in value), (key, name)
            elif name == "series" and value:
                assert found.items() <= value.items(), (key, name)
            elif name != "json_ld":
                assert found == value, (key, name)


def check(receivers, followers):
    with tempfile.TemporaryDirectory() as folder:
        assert_equal(mirror(folder), calendar())
        wait_for_listeners(len(followers))
        times = {"start_date": "2027-03-01 09:00", "end_date": "2027-03-01 10:00"}
        event = call("POST", "/events", {"title": "Mirrored", "venue": {"venue": "Hall"}, **times})
        for follower in followers:
            wait_for(follower, f"changed event {event['id']}")
        for receiver, url in receivers:
            wait_for(receiver, f"event.changed {event['id']} Mirrored")
            assert_forgery_is_refused(url)
        call("DELETE", "/events/" + str(next(iter(calendar()))))
        assert_equal(mirror(folder), calendar())


def main():
    signal.alarm(300)  # Ends this program if a message does not arrive.
    receivers = [start_receiver(name) for name in ("receive.py", "receive.js")]
    followers = [start(name, ROOT) for name in ("follow.py", "follow.js")]
    try:
        check(receivers, followers)
    finally:
        for program in followers + [receiver for receiver, _ in receivers]:
            program.terminate()
            program.wait()


main()
print("the copy equals the calendar, and all messages have arrived")
