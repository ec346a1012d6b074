// @wordpress/api-fetch reads and writes. It sends PUT, PATCH and DELETE as POST, with the method in a header.
const assert = require("node:assert/strict");

// The library expects a browser.
globalThis.window = globalThis;
const { default: apiFetch } = require("@wordpress/api-fetch");

const [address, password] = [process.env.ALMANAC_ADDRESS, process.env.ALMANAC_PASSWORD];
const credentials = Buffer.from(`admin:${password}`).toString("base64");

async function main() {
  apiFetch.use(apiFetch.createRootURLMiddleware(`${address}/wp-json/`));
  const sent = [];
  const plainFetch = globalThis.fetch;
  globalThis.fetch = (url, options) => {
    sent.push([options?.method ?? "GET", new URL(url).search]);
    return plainFetch(url, options);
  };
  const send = (path, options = {}) =>
    apiFetch({ path: `/tribe/events/v1${path}`, headers: { Authorization: `Basic ${credentials}` }, ...options });

  const list = await send("/events?per_page=1");
  assert.equal(list.events.length, 1);
  const tag = await send("/tags", { method: "POST", data: { name: "By api-fetch" } });
  assert.equal(tag.taxonomy, "post_tag");
  const renamed = await send(`/tags/${tag.id}`, { method: "PUT", data: { name: "Renamed" } });
  assert.equal(renamed.name, "Renamed");
  const described = await send(`/tags/${tag.id}`, { method: "PATCH", data: { description: "Described" } });
  assert.equal(described.name, "Renamed");
  assert.equal(described.description, "Described");
  const deleted = await send(`/tags/${tag.id}`, { method: "DELETE" });
  assert.equal(deleted.id, tag.id);
  await assert.rejects(send(`/tags/${tag.id}`), { code: "rest_invalid_param" });

  assert.deepEqual([...new Set(sent.map(([method]) => method))].sort(), ["GET", "POST"]);
  assert.ok(sent.every(([, query]) => query.includes("_locale=user")), "each request names the language");
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
