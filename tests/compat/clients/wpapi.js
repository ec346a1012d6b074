// wpapi discovers the API, reads and writes, and pages by the response headers.
const assert = require("node:assert/strict");
const WPAPI = require("wpapi");

const [address, password] = [process.env.ALMANAC_ADDRESS, process.env.ALMANAC_PASSWORD];
const ids = (list) => list.events.map((event) => event.id);

async function main() {
  const site = await WPAPI.discover(address);
  const first = await site.namespace("tribe/events/v1").events().perPage(2).get();
  assert.equal(first.events.length, 2);
  assert.equal(Number(first._paging.total), first.total);
  assert.equal(Number(first._paging.totalPages), first.total_pages);
  const second = await first._paging.next.get();
  assert.equal(second.events.length, 2);
  assert.notDeepEqual(ids(second), ids(first));
  assert.deepEqual(ids(await second._paging.prev.get()), ids(first));

  const event = await site.namespace("tribe/events/v1").events().id(first.events[0].id).get();
  assert.equal(event.title, first.events[0].title);
  assert.equal(event.json_ld["@type"], "Event");

  const calendar = site.auth({ username: "admin", password }).namespace("tribe/events/v1");
  const created = await calendar.venues().create({ venue: "By wpapi", city: "Kiel" });
  assert.equal(created.venue, "By wpapi");
  assert.equal(created.author, "1");
  const updated = await calendar.venues().id(created.id).update({ city: "Cork" });
  assert.equal(updated.city, "Cork");
  const deleted = await calendar.venues().id(created.id).delete();
  assert.equal(deleted.status, "trash");
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
