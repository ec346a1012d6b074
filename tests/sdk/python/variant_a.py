"""Variant A has no filters that variant B lacks."""

from typing import TypedDict


class Filters(TypedDict):
    pass


filters_of_variant: Filters = {}
