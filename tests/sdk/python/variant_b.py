"""The filters that only variant B has."""

from typing import TypedDict


class Filters(TypedDict):
    starts_before: str
    starts_after: str
    ends_before: str
    ends_after: str
    strict_dates: bool
    ticketed: bool


filters_of_variant: Filters = {
    "starts_before": "2031-05-07 12:00:00",
    "starts_after": "2031-05-07 08:00:00",
    "ends_before": "2031-05-07 18:00:00",
    "ends_after": "2031-05-07 10:00:00",
    "strict_dates": True,
    "ticketed": True,
}
