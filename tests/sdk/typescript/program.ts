// What a user of the TypeScript client would write: reads, writes, and faults, against a server with the demo
// calendar in it.

import assert from "node:assert/strict";

import { client } from "./client/client.gen.js";
import { createClient, createConfig } from "./client/client/index.js";
import {
  createCategory,
  createEvent,
  createOrganizer,
  createTag,
  createVenue,
  deleteCategory,
  deleteEvent,
  deleteEventByExternalId,
  deleteOrganizer,
  deleteSeries,
  deleteTag,
  deleteVenue,
  getEvent,
  getEventByExternalId,
  getEventBySlug,
  getSeries,
  listCategories,
  listEvents,
  listOrganizers,
  listSeriesEvents,
  listTags,
  listVenues,
  patchEvent,
  patchVenue,
  previewSeries,
  putEventByExternalId,
  runBatch,
  type Event,
  type EventCreate,
  type PublicationStatus,
} from "./client/index.js";
import { filtersOfVariant } from "./variant.js";

const baseUrl = setting("ALMANAC_ADDRESS");
const password = setting("ALMANAC_PASSWORD");
client.setConfig({
  baseUrl,
  auth: ({ scheme }) => (scheme === "basic" ? `admin:${password}` : undefined),
});
const anonymous = createClient(createConfig({ baseUrl }));

function setting(name: string): string {
  const value = process.env[name];
  assert(value, `${name} is not set`);
  return value;
}

const concert: EventCreate = {
  title: "Matinée of the typed clients",
  start_date: "2031-05-07 11:00:00",
  end_date: "2031-05-07 13:00:00",
  timezone: "Europe/Berlin",
  cost: "12 €",
  website: "https://example.org/matinee",
  featured: true,
  ticketed: true,
  custom_fields: { dress_code: "casual" },
};

async function theListIsFollowedToItsEnd(): Promise<Event> {
  const events: Event[] = [];
  let total = 0;
  for (let page = 1; ; page += 1) {
    const { data } = await listEvents({ query: { page, per_page: 100 }, throwOnError: true });
    events.push(...data.events);
    total = data.total;
    if (data.next_rest_url === undefined) break;
  }
  assert.equal(new Set(events.map((event) => event.id)).size, total);
  const [first] = events;
  assert(first && total > 100, "the demo calendar takes more than a page");
  return first;
}

async function anEventIsMadeWithAllThatItNeeds(parent: Event, categoryId: number, tagId: number): Promise<Event> {
  const { data: event } = await createEvent({
    body: {
      ...concert,
      categories: [categoryId],
      tags: [tagId],
      venue: [{ venue: "Typed Hall", city: "Kiel", country: "Germany", geo_lat: 54.32, geo_lng: 10.13 }],
      organizer: [{ organizer: "Typed Orchestra", email: "office@example.org" }],
      post_parent: parent.id,
    },
    throwOnError: true,
  });
  const published: PublicationStatus = "publish";
  assert.equal(event.status, published);
  assert.equal(event.venue[0]?.city, "Kiel");
  assert.equal(event.organizer[0]?.email, "office@example.org");
  assert.equal(event.cost_details.currency_code, "EUR");
  assert.deepEqual(event.custom_fields, { dress_code: "casual" });
  return event;
}

async function everyFilterFindsIt(event: Event): Promise<void> {
  const { data } = await listEvents({
    query: {
      page: 1,
      per_page: 10,
      start_date: "2031-05-01",
      end_date: "2031-05-31",
      search: "typed matinée",
      categories: event.categories.map(({ id }) => id),
      tags: event.tags.map(({ id }) => id),
      venue: event.venue.map(({ id }) => id),
      organizer: event.organizer.map(({ id }) => id),
      featured: true,
      status: "publish",
      geoloc: true,
      geoloc_lat: 54.3,
      geoloc_lng: 10.1,
      post_parent: event.post_parent ?? 0,
      ...filtersOfVariant,
    },
    throwOnError: true,
  });
  assert.deepEqual(data.events.map(({ id }) => id), [event.id]);
  const named = await listEvents({ query: { include: [event.id] }, throwOnError: true });
  assert.equal(named.data.total, 1);
}

async function itIsReadByIdAndBySlug(event: Event): Promise<void> {
  const byId = await getEvent({ path: { id: event.id }, throwOnError: true });
  const bySlug = await getEventBySlug({ path: { slug: event.slug }, throwOnError: true });
  assert.equal(byId.data.title, concert.title);
  assert.deepEqual(bySlug.data, byId.data);
  assert.equal(byId.data.json_ld?.["@type"], "Event");
}

async function itIsPatchedAndFieldsAreCleared(event: Event): Promise<void> {
  const { data: changed } = await patchEvent({
    path: { id: event.id },
    body: { title: "Soirée of the typed clients", website: null, post_parent: null, cost: null },
    throwOnError: true,
  });
  assert.equal(changed.title, "Soirée of the typed clients");
  assert.equal(changed.start_date, event.start_date);
  assert.equal(changed.website, "");
  assert.equal(changed.post_parent, null);
  assert.equal(changed.cost, "");
  const venueId = event.venue[0]?.id;
  assert(venueId);
  const { data: venue } = await patchVenue({
    path: { id: venueId },
    body: { geo_lat: null, geo_lng: null, city: null },
    throwOnError: true,
  });
  assert.equal(venue.geo_lat, null);
  assert.equal(venue.city, "");
}

async function faultsAreTyped(event: Event): Promise<void> {
  const missing = await getEvent({ path: { id: 999_999_999 } });
  assert.equal(missing.response.status, 404);
  assert.equal(missing.error?.code, "event-not-found");
  assert.equal(missing.error.data.status, 404);

  const wrong = await patchEvent({ path: { id: event.id }, body: { end_date: "2031-05-06", timezone: "Mars" } });
  assert.equal(wrong.response.status, 400);
  assert.equal(wrong.error?.code, "rest_invalid_param");
  assert.match(wrong.error.data.params?.["timezone"] ?? "", /IANA/);
  assert.equal(wrong.error.data.details?.["timezone"]?.code, "rest_invalid_param");

  const stranger = await createEvent({ client: anonymous, body: concert });
  assert.equal(stranger.response.status, 401);
  assert.equal(stranger.error?.code, "rest_not_logged_in");
}

async function itIsDeleted(event: Event): Promise<void> {
  const { data } = await deleteEvent({ path: { id: event.id }, throwOnError: true });
  assert.equal(data.status, "trash");
  const again = await deleteEvent({ path: { id: event.id } });
  assert.equal(again.error?.code, "event-is-in-trash");
}

async function aSeriesIsMadeAndDivided(): Promise<void> {
  const recurrence = ["RRULE:FREQ=WEEKLY;COUNT=3;BYDAY=WE"];
  const rule = { start_date: "2031-05-07 11:00:00", timezone: "Europe/Berlin", recurrence };
  const { data: preview } = await previewSeries({ body: rule, throwOnError: true });
  assert.equal(preview.total, 3);
  const { data: first } = await createEvent({ body: { ...concert, recurrence }, throwOnError: true });
  assert(first.series);
  assert.deepEqual(first.series.recurrence, recurrence);
  const path = { id: first.series.id };
  const { data: list } = await listSeriesEvents({ path, throwOnError: true });
  assert.equal(list.total, 3);
  const second = list.events[1];
  assert(second);
  const { data: changed } = await patchEvent({
    path: { id: second.id },
    query: { scope: "following" },
    body: { title: "Encore" },
    throwOnError: true,
  });
  assert(changed.series);
  assert.notEqual(changed.series.id, path.id);
  const { data: series } = await getSeries({ path, throwOnError: true });
  assert.equal(series.title, concert.title);
  for (const id of [path.id, changed.series.id]) {
    const { data: deleted } = await deleteSeries({ path: { id }, throwOnError: true });
    assert.equal(deleted.status, "trash");
  }
}

async function writesAreRepeated(): Promise<void> {
  const headers = { "Idempotency-Key": "typed-client" };
  const first = await createEvent({ body: concert, headers, throwOnError: true });
  const again = await createEvent({ body: concert, headers, throwOnError: true });
  assert.equal(again.response.headers.get("Idempotent-Replayed"), "true");
  assert.equal(again.data.id, first.data.id);
  await deleteEvent({ path: { id: first.data.id }, throwOnError: true });

  const path = { source: "typed", external_id: "a/1" };
  const created = await putEventByExternalId({ path, body: { ...concert }, throwOnError: true });
  assert.equal(created.response.status, 201);
  const updated = await putEventByExternalId({ path, body: { title: "Encore" }, throwOnError: true });
  assert.equal(updated.response.status, 200);
  const { data: found } = await getEventByExternalId({ path, throwOnError: true });
  assert.equal(found.id, created.data.id);
  assert.equal(found.external_id, path.external_id);
  await deleteEventByExternalId({ path, throwOnError: true });
}

async function aBatchIsRun(): Promise<void> {
  const requests = [
    { path: "/calendar/events/v1/venues", body: { venue: "Hall of a batch" } },
    { path: "/calendar/events/v1/events", body: { ...concert, venue: "$1.id" } },
  ];
  const { data } = await runBatch({ body: { validation: "require-all-validate", requests }, throwOnError: true });
  assert.equal(data.failed, null);
  assert.deepEqual(data.responses.map((response) => response?.status), [201, 201]);
  const deletions = data.responses.map((response, index) => ({
    method: "DELETE" as const,
    path: `${requests[index]?.path}/${response?.body["id"]}`,
  }));
  const { data: deleted } = await runBatch({ body: { requests: deletions }, throwOnError: true });
  assert.deepEqual(deleted.responses.map((response) => response?.status), [200, 200]);
}

async function venuesAndOrganizersAreMadeListedAndDeleted(): Promise<void> {
  const { data: venue } = await createVenue({ body: { venue: "Lone Hall", city: "Kiel" }, throwOnError: true });
  const venues = await listVenues({ query: { search: "Lone Hall", has_events: false }, throwOnError: true });
  assert.deepEqual(venues.data.venues.map(({ id }) => id), [venue.id]);
  await deleteVenue({ path: { id: venue.id }, throwOnError: true });

  const { data: organizer } = await createOrganizer({ body: { organizer: "Lone Orchestra" }, throwOnError: true });
  const organizers = await listOrganizers({ query: { search: "Lone Orchestra" }, throwOnError: true });
  assert.deepEqual(organizers.data.organizers.map(({ id }) => id), [organizer.id]);
  await deleteOrganizer({ path: { id: organizer.id }, throwOnError: true });
}

const parent = await theListIsFollowedToItsEnd();
const category = await createCategory({ body: { name: "Typed category" }, throwOnError: true });
const tag = await createTag({ body: { name: "Typed tag" }, throwOnError: true });
const event = await anEventIsMadeWithAllThatItNeeds(parent, category.data.id, tag.data.id);
await everyFilterFindsIt(event);
await itIsReadByIdAndBySlug(event);
await itIsPatchedAndFieldsAreCleared(event);
await faultsAreTyped(event);
await itIsDeleted(event);
await aSeriesIsMadeAndDivided();
await writesAreRepeated();
await aBatchIsRun();
await venuesAndOrganizersAreMadeListedAndDeleted();

const order = { orderby: "id", order: "desc", hide_empty: false, per_page: 1 } as const;
const categories = await listCategories({ query: order, throwOnError: true });
assert.equal(categories.data.categories[0]?.id, category.data.id);
const tags = await listTags({ query: order, throwOnError: true });
assert.equal(tags.data.tags[0]?.id, tag.data.id);
await deleteCategory({ path: { id: category.data.id }, throwOnError: true });
await deleteTag({ path: { id: tag.data.id }, throwOnError: true });
