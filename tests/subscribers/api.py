"""A client of the server's API, as its administrator."""

import base64
import json
import os
import urllib.request

ADDRESS = os.environ["ALMANAC_ADDRESS"]
CREDENTIALS = base64.b64encode(f"admin:{os.environ['ALMANAC_PASSWORD']}".encode()).decode()


def call(method, path, body=None):
    """Sends a request and returns the JSON of the response."""
    request = urllib.request.Request(
        f"{ADDRESS}/calendar/events/v1{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Basic {CREDENTIALS}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def fetch(path):
    """Reads a feed, without credentials."""
    with urllib.request.urlopen(f"{ADDRESS}{path}") as response:
        return response.read()


def events():
    """All published events."""
    return call("GET", "/events?start_date=1900-01-01&end_date=2100-01-01&per_page=100")["events"]
