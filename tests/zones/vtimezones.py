"""Compares the zones that a calendar defines with Python's zoneinfo, and prints the number of comparisons.

    vtimezones.py DIRECTORY CALENDAR YEAR...

DIRECTORY has the compiled time zones. The calendar is read by python-dateutil, which knows nothing else about zones.
The instants are around every transition in the years, and random.
"""

import io
import pathlib
import random
import re
import sys
import zoneinfo
from datetime import datetime, timedelta, timezone

from dateutil import tz

DAY = timedelta(days=1)


def offset_at(zone, instant):
    return instant.astimezone(zone).utcoffset()


def transitions(zone, year):
    """The first seconds with another offset."""
    instant, end = datetime(year, 1, 1, tzinfo=timezone.utc), datetime(year + 1, 1, 1, tzinfo=timezone.utc)
    while instant < end:
        low, high = instant, instant + DAY
        if offset_at(zone, low) != offset_at(zone, high):
            while high - low > timedelta(seconds=1):
                middle = low + (high - low) // 2
                middle = middle.replace(microsecond=0)
                if offset_at(zone, middle) == offset_at(zone, low):
                    low = middle
                else:
                    high = middle
            yield high
        instant += DAY


def main(directory, calendar, *years):
    text = pathlib.Path(calendar).read_bytes().decode()
    definitions = re.findall(r"BEGIN:VTIMEZONE.*?END:VTIMEZONE\r\n", text, re.DOTALL)
    dice = random.Random(2026)
    known, compared, differences = {}, 0, []
    for definition in definitions:
        name = re.search(r"TZID:(.*)\r", definition).group(1)
        content = (pathlib.Path(directory) / name).read_bytes()
        zone = zoneinfo.ZoneInfo.from_file(io.BytesIO(content))
        body = definition.replace(name, "zone", 1)
        if known.setdefault(content, body) is not body:
            # A link to a zone that has been compared has the same definition.
            if known[content] != body:
                differences.append(f"{name}: differs from a zone with the same rules")
            continue
        defined = tz.tzical(io.StringIO(definition.replace("\r\n", "\n"))).get(name)
        instants = []
        for year in map(int, years):
            first = datetime(year, 1, 1, tzinfo=timezone.utc)
            instants += [first + timedelta(seconds=dice.randrange(365 * 86_400)) for _ in range(20)]
            for transition in transitions(zone, year):
                instants += [transition + timedelta(seconds=shift) for shift in (-3_600, -1, 0, 1, 1_800, 3_599, 3_600)]
        for instant in instants:
            local = instant.astimezone(zone)
            compared += 1
            found = local.replace(tzinfo=defined)
            if (found.utcoffset(), found.tzname()) != (local.utcoffset(), local.tzname()):
                read = f"{found.isoformat()} {found.tzname()}"
                differences.append(f"{name}: {instant} is {local.isoformat()} {local.tzname()}, found {read}")
    if differences:
        sys.exit(f"{len(differences)} differences:\n" + "\n".join(differences[:20]))
    print(compared)


main(*sys.argv[1:])
