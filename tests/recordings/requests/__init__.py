"""The requests that are recorded: one module for each group, in the order in which they are sent."""

from . import (
    bodies,
    event_lists,
    events,
    nested,
    organizers,
    pages,
    preconditions,
    protocol,
    reads,
    roles,
    settings,
    term_lists,
    terms,
    trash,
    venue_lists,
    venues,
    wordpress_reads,
    wordpress_writes,
)

# Reads first, so that they see the demo calendar as it is.
GROUPS = [
    event_lists,
    venue_lists,
    term_lists,
    reads,
    protocol,
    pages,
    wordpress_reads,
    events,
    nested,
    bodies,
    venues,
    organizers,
    terms,
    trash,
    preconditions,
    roles,
    wordpress_writes,
]

SETTINGS = [
    *("--base-url", "https://events.example.org/city"),
    *("--timezone", "America/New_York"),
    *("--currency", "USD"),
    *("--lang", "es"),
    *("--max-per-page", "7"),
    *("--geoloc-radius-km", "3"),
    *("--cors-origin", "https://one.example,https://two.example"),
    *("--trusted-proxy", "127.0.0.1"),
    *("--rate-limit", "1000/s"),
    *("--body-limit", "2000"),
    "--no-wordpress-compat",
]

# Name, flags and groups of each server.
SERVERS = [
    ("a", ["--demo", "--variant", "a"], GROUPS),
    ("b", ["--demo", "--variant", "b"], GROUPS),
    ("settings", ["--demo", *SETTINGS], [settings]),
]
