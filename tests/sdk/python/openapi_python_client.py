"""What a user of the client by openapi-python-client would write: reads, writes, and faults, against a server with the
demo calendar in it."""

import base64
import os

from almanac_client import AuthenticatedClient
from almanac_client.api.categories import create_category, delete_category, list_categories
from almanac_client.api.events import (
    create_event,
    delete_event,
    get_event,
    get_event_by_slug,
    list_events,
    patch_event,
    put_event_by_external_id,
)
from almanac_client.api.organizers import create_organizer, delete_organizer, list_organizers
from almanac_client.api.tags import create_tag, delete_tag, list_tags
from almanac_client.api.venues import create_venue, delete_venue, list_venues, patch_venue
from almanac_client.models import (
    Category,
    CategoryCreate,
    CategoryList,
    CustomFields,
    Event,
    EventCreate,
    EventList,
    EventUpdate,
    OrderDirection,
    Organizer,
    OrganizerCreate,
    OrganizerInput,
    OrganizerList,
    Problem,
    PublicationStatus,
    Tag,
    TagCreate,
    TagList,
    TermOrder,
    Venue,
    VenueCreate,
    VenueInput,
    VenueList,
    VenueUpdate,
)
from almanac_client.types import Unset
from variant import filters_of_variant


def basic(password: str) -> AuthenticatedClient:
    token = base64.b64encode(f"admin:{password}".encode()).decode()
    return AuthenticatedClient(base_url=os.environ["ALMANAC_ADDRESS"], token=token, prefix="Basic")


client = basic(os.environ["ALMANAC_PASSWORD"])


def concert() -> EventCreate:
    custom_fields = CustomFields()
    custom_fields["dress_code"] = "casual"
    return EventCreate(
        title="Matinée of the typed clients",
        start_date="2031-05-07 11:00:00",
        end_date="2031-05-07 13:00:00",
        timezone="Europe/Berlin",
        cost="12 €",
        website="https://example.org/matinee",
        featured=True,
        ticketed=True,
        custom_fields=custom_fields,
    )


def the_list_is_followed_to_its_end() -> Event:
    found: list[Event] = []
    page = 1
    while True:
        listed = list_events.sync(client=client, page=page, per_page=100)
        assert isinstance(listed, EventList)
        found += listed.events
        if isinstance(listed.next_rest_url, Unset):
            break
        page += 1
    assert len({event.id for event in found}) == listed.total > 100
    return found[0]


def an_event_is_made_with_all_that_it_needs(parent: Event, category: Category, tag: Tag) -> Event:
    hall = VenueInput(venue="Typed Hall", city="Kiel", country="Germany", geo_lat=54.32, geo_lng=10.13)
    orchestra = OrganizerInput(organizer="Typed Orchestra", email="office@example.org")
    body = concert()
    body.categories = [category.id]
    body.tags = [tag.id]
    body.venue = [hall]
    body.organizer = [orchestra]
    body.post_parent = parent.id
    event = create_event.sync(client=client, body=body)
    assert isinstance(event, Event)
    assert event.status is PublicationStatus.PUBLISH
    assert event.starts_at.hour == 11
    assert event.venue[0].city == "Kiel"
    assert event.organizer[0].email == "office@example.org"
    assert event.cost_details.currency_code == "EUR"
    assert event.custom_fields["dress_code"] == "casual"
    return event


def every_filter_finds_it(event: Event) -> None:
    assert event.post_parent is not None
    listed = list_events.sync(
        client=client,
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
    assert isinstance(listed, EventList)
    assert [found.id for found in listed.events] == [event.id]
    named = list_events.sync(client=client, include=[event.id])
    assert isinstance(named, EventList) and named.total == 1


def it_is_read_by_id_and_by_slug(event: Event) -> None:
    by_id = get_event.sync(event.id, client=client)
    assert isinstance(by_id, Event) and by_id.title == event.title
    assert get_event_by_slug.sync(event.slug, client=client) == by_id
    assert by_id.json_ld is not None and by_id.json_ld["@type"] == "Event"


def it_is_patched_and_fields_are_cleared(event: Event) -> None:
    update = EventUpdate(title="Soirée of the typed clients", website=None, post_parent=None, cost=None)
    changed = patch_event.sync(event.id, client=client, body=update)
    assert isinstance(changed, Event)
    assert changed.title == "Soirée of the typed clients"
    assert changed.start_date == event.start_date
    assert changed.website == ""
    assert changed.post_parent is None
    nowhere = VenueUpdate(geo_lat=None, geo_lng=None, city=None)
    venue = patch_venue.sync(event.venue[0].id, client=client, body=nowhere)
    assert isinstance(venue, Venue)
    assert venue.geo_lat is None
    assert venue.city == ""


def faults_are_typed(event: Event) -> None:
    missing = get_event.sync_detailed(999_999_999, client=client)
    assert missing.status_code == 404
    assert isinstance(missing.parsed, Problem)
    assert missing.parsed.code == "event-not-found"
    assert missing.parsed.data.status == 404

    update = EventUpdate(end_date="2031-05-06", timezone="Mars")
    wrong = patch_event.sync_detailed(event.id, client=client, body=update)
    assert wrong.status_code == 400
    assert isinstance(wrong.parsed, Problem)
    data = wrong.parsed.data
    assert not isinstance(data.params, Unset) and "IANA" in data.params["timezone"]
    assert not isinstance(data.details, Unset) and data.details["timezone"].code == "rest_invalid_param"

    stranger = create_event.sync_detailed(client=basic("a guess"), body=concert())
    assert stranger.status_code == 401
    assert isinstance(stranger.parsed, Problem)
    assert stranger.parsed.code == "incorrect_password"


def it_is_deleted(event: Event) -> None:
    deleted = delete_event.sync(event.id, client=client)
    assert isinstance(deleted, Event) and deleted.status is PublicationStatus.TRASH
    again = delete_event.sync(event.id, client=client)
    assert isinstance(again, Problem) and again.code == "event-is-in-trash"


def writes_are_repeated() -> None:
    first = create_event.sync(client=client, body=concert(), idempotency_key="typed-client")
    again = create_event.sync_detailed(client=client, body=concert(), idempotency_key="typed-client")
    assert again.headers["Idempotent-Replayed"] == "true"
    assert isinstance(first, Event) and isinstance(again.parsed, Event) and first.id == again.parsed.id
    assert isinstance(delete_event.sync(first.id, client=client), Event)

    body = EventUpdate.from_dict(concert().to_dict())
    created = put_event_by_external_id.sync_detailed("typed", "1", client=client, body=body)
    assert created.status_code == 201 and isinstance(created.parsed, Event)
    updated = put_event_by_external_id.sync("typed", "1", client=client, body=EventUpdate(title="Encore"))
    assert isinstance(updated, Event) and updated.id == created.parsed.id and updated.external_id == "1"
    assert isinstance(delete_event.sync(updated.id, client=client), Event)


def venues_and_organizers_are_made_listed_and_deleted() -> None:
    venue = create_venue.sync(client=client, body=VenueCreate(venue="Lone Hall", city="Kiel"))
    assert isinstance(venue, Venue)
    venues = list_venues.sync(client=client, search="Lone Hall", has_events=False)
    assert isinstance(venues, VenueList)
    assert [found.id for found in venues.venues] == [venue.id]
    assert isinstance(delete_venue.sync(venue.id, client=client), Venue)

    organizer = create_organizer.sync(client=client, body=OrganizerCreate(organizer="Lone Orchestra"))
    assert isinstance(organizer, Organizer)
    organizers = list_organizers.sync(client=client, search="Lone Orchestra")
    assert isinstance(organizers, OrganizerList)
    assert [found.id for found in organizers.organizers] == [organizer.id]
    assert isinstance(delete_organizer.sync(organizer.id, client=client), Organizer)


def main() -> None:
    parent = the_list_is_followed_to_its_end()
    category = create_category.sync(client=client, body=CategoryCreate(name="Typed category"))
    tag = create_tag.sync(client=client, body=TagCreate(name="Typed tag"))
    assert isinstance(category, Category) and isinstance(tag, Tag)
    event = an_event_is_made_with_all_that_it_needs(parent, category, tag)
    every_filter_finds_it(event)
    it_is_read_by_id_and_by_slug(event)
    it_is_patched_and_fields_are_cleared(event)
    faults_are_typed(event)
    it_is_deleted(event)
    writes_are_repeated()
    venues_and_organizers_are_made_listed_and_deleted()

    newest, last = TermOrder.ID, OrderDirection.DESC
    categories = list_categories.sync(client=client, orderby=newest, order=last, hide_empty=False)
    assert isinstance(categories, CategoryList) and categories.categories[0].id == category.id
    tags = list_tags.sync(client=client, orderby=newest, order=last, hide_empty=False)
    assert isinstance(tags, TagList) and tags.tags[0].id == tag.id
    assert isinstance(delete_category.sync(category.id, client=client), Category)
    assert isinstance(delete_tag.sync(tag.id, client=client), Tag)


main()
