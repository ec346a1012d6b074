// gatsby-source-tribe-events fetches all resources, up to its page size.
const assert = require("node:assert/strict");
const { sourceNodes } = require("gatsby-source-tribe-events");

const baseUrl = process.env.ALMANAC_ADDRESS;
const PAGE_SIZE = 50;

/** The length of a list, from the native API. */
async function total(list) {
  const response = await fetch(`${baseUrl}/calendar/events/v1/${list}?per_page=1`);
  return (await response.json()).total;
}

async function main() {
  const nodes = {};
  const createNode = (node) => (nodes[node.internal.type] ??= []).push(node);
  await sourceNodes(
    {
      actions: { createNode },
      createNodeId: (name) => name,
      createContentDigest: (content) => JSON.stringify(content).length,
    },
    { baseUrl, maxEvents: PAGE_SIZE }
  );
  for (const [list, type] of [
    ["events", "TribeEvents"],
    ["venues", "TribeVenues"],
    ["organizers", "TribeOrganizers"],
    ["categories", "TribeCategories"],
    ["tags", "TribeTags"],
  ]) {
    assert.equal(nodes[type].length, Math.min(await total(list), PAGE_SIZE), list);
    assert.equal(new Set(nodes[type].map((node) => node.id)).size, nodes[type].length, list);
  }
  const root = `${baseUrl}/wp-json/tribe/events/v1`;
  assert.ok(nodes.TribeEvents.every((event) => event.rest_url.startsWith(`${root}/events/`)));
  assert.ok(nodes.TribeTags.every((tag) => tag.urls.self.startsWith(`${root}/tags/`)));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
