"""wordpress-api lists and creates with an application password."""

import os

from wordpress import API

api = API(
    url=os.environ["ALMANAC_ADDRESS"],
    api="wp-json",
    version="tribe/events/v1",
    consumer_key=None,
    consumer_secret=None,
    wp_user="admin",
    wp_pass=os.environ["ALMANAC_PASSWORD"],
    basic_auth=True,
    user_auth=True,
    # A debug build on a busy machine is slow.
    timeout=60,
)

listed = api.get("events?per_page=3")
assert listed.status_code == 200, listed.text
assert len(listed.json()["events"]) == 3, listed.text

created = api.post("organizers", {"organizer": "By wordpress-api", "email": "ann@example.org"})
assert created.status_code == 201, created.text
organizer = created.json()
assert organizer["organizer"] == "By wordpress-api", organizer
assert organizer["email"] == "ann@example.org", organizer

read = api.get("organizers/%d" % organizer["id"])
assert read.json()["slug"] == "by-wordpress-api", read.text
