// The public pages of events, venues and organizers, and those of categories and tags, which are lists.
const assert = require("node:assert/strict");
const { before } = require("node:test");
const { NARROW, SCHEMES, address, create, faults, isTooBroad, scenario } = require("./browser.js");

const LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";

/** The URLs of pages by schema.org type. */
let pages;

before(async () => {
  // An image that the server itself serves.
  const start = await (await fetch(address)).text();
  const image = address + start.match(/href="([^"]*\.svg)"/)[1];
  const event = await create("events", {
    title: `${LONG} </script><script>alert(1)</script>`,
    description:
      `<h2>Programme</h2><p>${LONG} meets.</p><ul><li>Music</li></ul><table><tr><td>${LONG}</td></tr></table>`,
    excerpt: "<p>An evening.</p>",
    start_date: "tomorrow 19:30", end_date: "tomorrow 22:00", timezone: "Europe/Berlin",
    cost: "12 €", website: `https://example.org/${LONG}`, image,
    venue: {
      venue: `${LONG} Hall`, address: "Am Markt 1", zip: "24103", city: "Kiel", country: "Germany",
      geo_lat: 54.32, geo_lng: 10.13, phone: "+49 431 12345", website: "https://hall.example.org", image,
    },
    organizer: [{ organizer: "Chamber Orchestra", email: "info@orchestra.example.org", image }],
    categories: ["Concerts"], tags: ["open air"],
  });
  pages = {
    Event: event.url,
    Place: event.venue[0].url,
    Organization: event.organizer[0].url,
    ItemList: event.categories[0].url,
    ItemList2: event.tags[0].url,
  };
});

for (const type of ["Event", "Place", "Organization", "ItemList", "ItemList2"]) {
  for (const colorScheme of SCHEMES) {
    scenario(`page of ${type} is accessible and has JSON-LD, ${colorScheme}`, { colorScheme }, async (page) => {
      await page.goto(pages[type]);
      assert.equal(await page.locator("h1").count(), 1);
      const jsonLd = await page.locator("script[type='application/ld+json']").textContent();
      const data = JSON.parse(jsonLd);
      assert.equal(data["@context"], "https://schema.org");
      assert.equal(data["@type"], type.replace(/\d/, ""));
      assert.equal(data.name, await page.locator("h1").textContent());
      assert.deepEqual(await faults(page), []);
    });
  }

  scenario(`page of ${type} fits a narrow window`, { viewport: NARROW }, async (page) => {
    await page.goto(pages[type]);
    assert.equal(await isTooBroad(page), false);
  });
}

scenario("event and venue link to each other", {}, async (page) => {
  await page.goto(pages.Event);
  await page.getByRole("link", { name: "Hall" }).first().click();
  await page.waitForURL(pages.Place);
  await page.locator(".events li > div > a").first().click();
  await page.waitForURL(pages.Event);
});

for (const path of ["/event/nowhere", "/nowhere"]) {
  for (const colorScheme of SCHEMES) {
    scenario(`${path} is not found, ${colorScheme}`, { colorScheme, refused: path }, async (page) => {
      const response = await page.goto(path);
      assert.equal(response.status(), 404);
      assert.equal(await page.locator("h1").count(), 1);
      assert.ok(await page.evaluate(() => document.styleSheets.length > 0), "the page is styled");
      assert.deepEqual(await faults(page), []);
    });
  }
}
