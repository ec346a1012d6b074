"""Prints the changes of a calendar as they happen, from the stream."""

import json
import sys
import time

import httpx
from httpx_sse import connect_sse

ROOT = sys.argv[1]  # such as https://calendar.example.org/calendar/events/v1

last = None
while True:
    try:
        headers = {"Last-Event-ID": last} if last else {}
        timeout = httpx.Timeout(60)  # The server sends a comment every 20 seconds.
        with (
            httpx.Client(timeout=timeout) as client,
            connect_sse(client, "GET", f"{ROOT}/changes/stream", headers=headers) as stream,
        ):
            for event in stream.iter_sse():
                for change in json.loads(event.data)["changes"]:
                    print(change["change"], change["type"], change["id"], flush=True)
                last = event.id
    except httpx.HTTPError as error:
        print(error, file=sys.stderr)
    time.sleep(2)
