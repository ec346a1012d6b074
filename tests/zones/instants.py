"""Prints conversions by Python's zoneinfo for the compiled time zones in a directory, for a test to compare.

    zone NAME...                    the names of the time zone of the following lines
    at INSTANT OFFSET ABBREVIATION  UTC offset in seconds and abbreviation at an instant
    local LOCAL INSTANT             the instant of a local time: moved forward in a gap, the first in an overlap

The times are around every transition from 1900 to 2100, and random.
"""

import io
import pathlib
import random
import sys
import zoneinfo
from collections import defaultdict
from datetime import datetime, timedelta, timezone

EPOCH = datetime(1970, 1, 1)
FIRST, LAST = -2_208_988_800, 4_102_444_800
# Transitions with the same effect are further apart than this.
STEP = 20 * 86_400


def at(zone, second):
    local = (EPOCH + timedelta(seconds=second)).replace(tzinfo=timezone.utc).astimezone(zone)
    return int(local.utcoffset().total_seconds()), local.tzname()


def transitions(zone):
    """The transitions: the first second with another offset or abbreviation, and the offset before it."""
    before = at(zone, FIRST)
    for second in range(FIRST, LAST, STEP):
        after = at(zone, second + STEP)
        low = second
        while before != after:
            low, high = low, second + STEP
            while high - low > 1:
                middle = (low + high) // 2
                if at(zone, middle) == before:
                    low = middle
                else:
                    high = middle
            yield high, before[0]
            before, low = at(zone, high), high


def instant_of(zone, second):
    """The instant of a local time. fold=0 means the offset before a gap, and the first time of an overlap."""
    local = (EPOCH + timedelta(seconds=second)).replace(tzinfo=zone)
    return second - int(local.utcoffset().total_seconds())


def main(directory):
    names = defaultdict(list)
    for file in sorted(pathlib.Path(directory).rglob("*")):
        if file.is_file() and (content := file.read_bytes()).startswith(b"TZif"):
            names[content].append(str(file.relative_to(directory)))
    dice = random.Random(2026)
    lines = []
    for content, links in names.items():
        zone = zoneinfo.ZoneInfo.from_file(io.BytesIO(content))
        lines.append("zone " + " ".join(links))
        changes = list(transitions(zone))
        seconds = [dice.randrange(FIRST, LAST) for _ in range(100)]
        seconds += [second + shift for second, _ in changes for shift in (-1, 0, 1, 3_599)]
        lines += ["at {} {} {}".format(second, *at(zone, second)) for second in seconds]
        locals_ = [dice.randrange(FIRST, LAST) for _ in range(100)]
        for second, offset in changes:
            locals_ += [second + offset + shift for shift in (-3_600, -1_800, -1, 0, 1, 1_800, 3_599, 3_600)]
        lines += ["local {} {}".format(local, instant_of(zone, local)) for local in locals_]
    print("\n".join(lines))


main(sys.argv[1])
