"""What a user of the client by openapi-generator would write: reads, writes, and faults, against a server with the
demo calendar in it."""

import os
from collections.abc import Callable

from almanac_client import (
    ApiClient,
    ApiException,
    BatchCreate,
    BatchesApi,
    BatchRequest,
    BatchValidation,
    CategoriesApi,
    CategoryCreate,
    Configuration,
    Event,
    EventCreate,
    EventsApi,
    EventUpdate,
    OrderDirection,
    OrganizerCreate,
    OrganizerInput,
    OrganizerReference,
    OrganizersApi,
    Problem,
    PublicationStatus,
    SeriesApi,
    SeriesRuleCreate,
    SeriesScope,
    TagCreate,
    TagsApi,
    TermOrder,
    VenueCreate,
    VenueInput,
    VenueReference,
    VenuesApi,
    VenueUpdate,
)
from variant import filters_of_variant

calendar = os.environ["ALMANAC_ADDRESS"]
client = ApiClient(Configuration(host=calendar, username="admin", password=os.environ["ALMANAC_PASSWORD"]))
events = EventsApi(client)
series = SeriesApi(client)
batches = BatchesApi(client)
venues = VenuesApi(client)
organizers = OrganizersApi(client)
categories = CategoriesApi(client)
tags = TagsApi(client)
anonymous = EventsApi(ApiClient(Configuration(host=calendar)))


def concert() -> EventCreate:
    return EventCreate(
        title="Matinée of the typed clients",
        start_date="2031-05-07 11:00:00",
        end_date="2031-05-07 13:00:00",
        timezone="Europe/Berlin",
        cost="12 €",
        website="https://example.org/matinee",
        featured=True,
        ticketed=True,
        custom_fields={"dress_code": "casual"},
    )


def the_list_is_followed_to_its_end() -> Event:
    found: list[Event] = []
    page = 1
    while True:
        listed = events.list_events(page=page, per_page=100)
        found += listed.events
        if listed.next_rest_url is None:
            break
        page += 1
    assert len({event.id for event in found}) == listed.total > 100
    return found[0]


def an_event_is_made_with_all_that_it_needs(parent: Event, category_id: int, tag_id: int) -> Event:
    hall = VenueInput(venue="Typed Hall", city="Kiel", country="Germany", geo_lat=54.32, geo_lng=10.13)
    orchestra = OrganizerInput(organizer="Typed Orchestra", email="office@example.org")
    body = concert()
    body.categories = [category_id]
    body.tags = [tag_id]
    body.venue = [VenueReference(hall)]
    body.organizer = [OrganizerReference(orchestra)]
    body.post_parent = parent.id
    event = events.create_event(body)
    assert event.status == PublicationStatus.PUBLISH
    assert event.starts_at.hour == 11
    assert event.venue[0].city == "Kiel"
    assert event.organizer[0].email == "office@example.org"
    assert event.cost_details.currency_code == "EUR"
    assert event.custom_fields == {"dress_code": "casual"}
    return event


def every_filter_finds_it(event: Event) -> None:
    listed = events.list_events(
        page=1,
        per_page=10,
        start_date="2031-05-01",
        end_date="2031-05-31",
        search="typed matinée",
        categories=[category.id for category in event.categories],
        tags=[tag.id for tag in event.tags],
        venue=[venue.id for venue in event.venue],
        organizer=[organizer.id for organizer in event.organizer],
        featured=True,
        status="publish",
        geoloc=True,
        geoloc_lat=54.3,
        geoloc_lng=10.1,
        post_parent=event.post_parent,
        **filters_of_variant,
    )
    assert [found.id for found in listed.events] == [event.id]
    assert events.list_events(include=[event.id]).total == 1


def it_is_read_by_id_and_by_slug(event: Event) -> None:
    by_id = events.get_event(event.id)
    assert by_id.title == event.title
    assert events.get_event_by_slug(event.slug) == by_id
    assert by_id.json_ld is not None and by_id.json_ld["@type"] == "Event"


def it_is_patched_and_fields_are_cleared(event: Event) -> None:
    update = EventUpdate(title="Soirée of the typed clients", website=None, post_parent=None, cost=None)
    changed = events.patch_event(event.id, update)
    assert changed.title == "Soirée of the typed clients"
    assert changed.start_date == event.start_date
    assert changed.website == ""
    assert changed.post_parent is None
    venue = venues.patch_venue(event.venue[0].id, VenueUpdate(geo_lat=None, geo_lng=None, city=None))
    assert venue.geo_lat is None
    assert venue.city == ""


def problem_of(status: int, request: Callable[[], object]) -> Problem:
    try:
        request()
    except ApiException as error:
        assert error.status == status, error
        assert isinstance(error.data, Problem)
        return error.data
    raise AssertionError(f"{status} was expected")


def faults_are_typed(event: Event) -> None:
    missing = problem_of(404, lambda: events.get_event(999_999_999))
    assert missing.code == "event-not-found"
    assert missing.data.status == 404

    update = EventUpdate(end_date="2031-05-06", timezone="Mars")
    wrong = problem_of(400, lambda: events.patch_event(event.id, update))
    assert wrong.code == "rest_invalid_param"
    assert wrong.data.params is not None and "IANA" in wrong.data.params["timezone"]
    assert wrong.data.details is not None and wrong.data.details["timezone"].code == "rest_invalid_param"

    stranger = problem_of(401, lambda: anonymous.create_event(concert()))
    assert stranger.code == "rest_not_logged_in"


def it_is_deleted(event: Event) -> None:
    assert events.delete_event(event.id).status == PublicationStatus.TRASH
    again = problem_of(410, lambda: events.delete_event(event.id))
    assert again.code == "event-is-in-trash"


def a_series_is_made_and_divided() -> None:
    rule = ["RRULE:FREQ=WEEKLY;COUNT=3;BYDAY=WE"]
    preview = series.preview_series(
        SeriesRuleCreate(start_date="2031-05-07 11:00:00", timezone="Europe/Berlin", recurrence=rule)
    )
    assert preview.total == 3
    body = concert()
    body.recurrence = rule
    first = events.create_event(body)
    assert first.series is not None and first.series.recurrence == rule
    listed = series.list_series_events(first.series.id)
    assert listed.total == 3
    update = EventUpdate(title="Encore")
    changed = events.patch_event(listed.events[1].id, update, scope=SeriesScope.FOLLOWING_EVENTS)
    assert changed.series is not None and changed.series.id != first.series.id
    assert series.get_series(first.series.id).title == body.title
    for divided in [first.series.id, changed.series.id]:
        assert series.delete_series(divided).status == "trash"


def writes_are_repeated() -> None:
    first = events.create_event(concert(), idempotency_key="typed-client")
    again = events.create_event_with_http_info(concert(), idempotency_key="typed-client")
    headers = {name.lower(): value for name, value in (again.headers or {}).items()}
    assert headers["idempotent-replayed"] == "true"
    assert again.data.id == first.id
    events.delete_event(first.id)

    body = EventUpdate.from_dict(concert().to_dict())
    assert body is not None
    created = events.put_event_by_external_id("typed", "a/1", body)
    updated = events.put_event_by_external_id("typed", "a/1", EventUpdate(title="Encore"))
    assert updated.id == created.id
    assert events.get_event_by_external_id("typed", "a/1").external_id == "a/1"
    assert events.delete_event_by_external_id("typed", "a/1").status == PublicationStatus.TRASH


def a_batch_is_run() -> None:
    venue = BatchRequest(path="/calendar/events/v1/venues", body={"venue": "Hall of a batch"})
    event = BatchRequest(path="/calendar/events/v1/events", body={**concert().to_dict(), "venue": "$1.id"})
    body = BatchCreate(validation=BatchValidation.REQUIRE_MINUS_ALL_MINUS_VALIDATE, requests=[venue, event])
    result = batches.run_batch(body)
    assert result.failed is None
    assert [response and response.status for response in result.responses] == [201, 201]


def venues_and_organizers_are_made_listed_and_deleted() -> None:
    venue = venues.create_venue(VenueCreate(venue="Lone Hall", city="Kiel"))
    listed = venues.list_venues(search="Lone Hall", has_events=False)
    assert [found.id for found in listed.venues] == [venue.id]
    venues.delete_venue(venue.id)

    organizer = organizers.create_organizer(OrganizerCreate(organizer="Lone Orchestra"))
    found = organizers.list_organizers(search="Lone Orchestra").organizers
    assert [one.id for one in found] == [organizer.id]
    organizers.delete_organizer(organizer.id)


def main() -> None:
    parent = the_list_is_followed_to_its_end()
    category = categories.create_category(CategoryCreate(name="Typed category"))
    tag = tags.create_tag(TagCreate(name="Typed tag"))
    event = an_event_is_made_with_all_that_it_needs(parent, category.id, tag.id)
    every_filter_finds_it(event)
    it_is_read_by_id_and_by_slug(event)
    it_is_patched_and_fields_are_cleared(event)
    faults_are_typed(event)
    it_is_deleted(event)
    a_series_is_made_and_divided()
    writes_are_repeated()
    a_batch_is_run()
    venues_and_organizers_are_made_listed_and_deleted()

    last, newest = OrderDirection.DESC, TermOrder.ID
    found = categories.list_categories(orderby=newest, order=last, hide_empty=False).categories
    assert found[0].id == category.id
    assert tags.list_tags(orderby=newest, order=last, hide_empty=False).tags[0].id == tag.id
    categories.delete_category(category.id)
    tags.delete_tag(tag.id)


main()
