"""Keeps a copy of a calendar in a SQLite file, and brings it up to date each time it runs."""

import json
import sqlite3
import sys

import httpx

ROOT, FILE = sys.argv[1:3]  # such as https://calendar.example.org/calendar/events/v1 and copy.db

copy = sqlite3.connect(FILE)
copy.execute("CREATE TABLE IF NOT EXISTS objects (type, id, version, json, PRIMARY KEY (type, id))")
copy.execute("CREATE TABLE IF NOT EXISTS state (token)")


def store(page):
    """Stores a page of changes together with the token that continues after it."""
    with copy:
        for change in page["changes"]:
            key = (change["type"], change["id"])
            copy.execute("DELETE FROM objects WHERE type = ? AND id = ?", key)
            if change["change"] == "changed":
                row = (*key, change["version"], json.dumps(change["object"]))
                copy.execute("INSERT INTO objects VALUES (?, ?, ?, ?)", row)
        copy.execute("DELETE FROM state")
        copy.execute("INSERT INTO state VALUES (?)", (page["token"],))


more = True
while more:
    token = copy.execute("SELECT token FROM state").fetchone()
    response = httpx.get(f"{ROOT}/changes", params={"since": token[0]} if token else {}, timeout=60)
    if response.status_code == 410:  # The token has expired: begin again.
        with copy:
            copy.execute("DELETE FROM objects")
            copy.execute("DELETE FROM state")
        continue
    page = response.raise_for_status().json()
    store(page)
    more = page["more"]
print(copy.execute("SELECT COUNT(*) FROM objects").fetchone()[0], "objects")
