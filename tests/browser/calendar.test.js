// The list, the month and the day, with filters and subscriptions.
const assert = require("node:assert/strict");
const { before } = require("node:test");
const { NARROW, SCHEMES, address, create, faults, isTooBroad, lightness, scenario } = require("./browser.js");

const TITLE = "Lantern procession";
/** The views, in a month in which the test has events. */
const VIEWS = {
  list: "/events?search=lantern",
  month: "/events/month/2031-05",
  day: "/events/2031-05-07",
};

/** Opens the filters and the ways to subscribe. */
function openAll(page) {
  return page.locator("details").evaluateAll((all) => all.forEach((details) => { details.open = true; }));
}

let event;
before(async () => {
  event = await create("events", {
    title: TITLE, start_date: "2031-05-07 19:30", end_date: "2031-05-07 22:00", timezone: "Europe/Berlin",
    categories: ["Processions"], venue: { venue: "Lantern Square", city: "Kiel" }, cost: "Free", featured: true,
  });
  await create("events", {
    title: "Lantern lecture", start_date: "2031-05-08 19:00", end_date: "2031-05-10 20:00", event_status: "canceled",
  });
  await create("events", {
    title: "Lantern talk", start_date: "2031-05-07 09:00", end_date: "2031-05-07 09:30", event_status: "postponed",
  });
  await create("events", { title: "Lantern week", start_date: "2031-05-05", end_date: "2031-05-09", all_day: true });
  for (let number = 1; number <= 5; number += 1) {
    await create("events", {
      title: `Lantern workshop ${number}`, start_date: "2031-05-07 10:00", end_date: "2031-05-07 11:00",
    });
  }
});

for (const [view, path] of Object.entries(VIEWS)) {
  for (const colorScheme of SCHEMES) {
    scenario(`${view} is accessible, ${colorScheme}`, { colorScheme }, async (page) => {
      await page.goto(path);
      await openAll(page);
      const light = await lightness(page);
      assert.ok(colorScheme === "light" ? light > 200 : light < 60, `it is ${colorScheme}: ${light}`);
      assert.equal(await page.locator("h1").count(), 1);
      assert.deepEqual(await faults(page), []);
    });
  }

  scenario(`${view} fits a narrow window`, { viewport: NARROW }, async (page) => {
    await page.goto(path);
    await openAll(page);
    assert.equal(await isTooBroad(page), false);
    assert.deepEqual(await faults(page), []);
  });

  scenario(`${view} works without scripts`, { javaScriptEnabled: false }, async (page) => {
    await page.goto(path);
    await page.getByText("Lantern week").first().waitFor();
    if (view !== "list") await page.locator("details.filters > summary").click();
    await page.locator("select[name=categories]").selectOption({ label: "Processions" });
    await page.getByRole("button", { name: "Show" }).click();
    await page.waitForURL(/categories=processions/);
    assert.equal(await page.getByText("Lantern week").count(), 0);
    assert.ok((await page.getByText(TITLE).count()) > 0);
  });
}

scenario("a visitor pages, filters, opens an event and leaves none without a link", {}, async (page) => {
  await page.goto("/events/month/2031-04");
  await page.getByRole("link", { name: "May 2031" }).click();
  await page.waitForURL("**/events/month/2031-05");
  await page.locator("details.filters > summary").click();
  await page.locator("select[name=categories]").selectOption("processions");
  await page.getByRole("button", { name: "Show" }).click();
  await page.waitForURL(/categories=processions/);
  await page.locator(".month").getByRole("link", { name: TITLE }).click();
  await page.waitForURL(event.url);
  assert.equal(await page.getByText("Add to calendar").count(), 1);
  assert.equal(await page.locator("a[href$='.ics?download']").count(), 1);
  await page.getByRole("navigation", { name: "Breadcrumbs" }).getByRole("link", { name: "Processions" }).click();
  await page.waitForURL("**/events/category/processions");
});

scenario("active filters are removed", {}, async (page) => {
  await page.goto("/events?search=lantern&categories=processions");
  const filters = page.getByRole("navigation", { name: "Active filters" });
  await filters.getByRole("link", { name: "Processions" }).click();
  await page.waitForURL("**/events?search=lantern");
  assert.ok((await page.locator(".events li").count()) > 1);
});

for (const javaScriptEnabled of [true, false]) {
  const scripts = javaScriptEnabled ? "with" : "without";
  scenario(`free events are filtered, ${scripts} scripts`, { javaScriptEnabled }, async (page) => {
    await page.goto("/events?search=lantern&orderby=title");
    const free = page.getByRole("checkbox", { name: "Free" });
    await free.check();
    await page.getByRole("button", { name: "Show" }).click();
    await page.waitForURL(/orderby=title.*free=true/);
    assert.equal(await page.locator(".events li").count(), 1);
    await free.uncheck();
    await page.getByRole("button", { name: "Show" }).click();
    await page.waitForURL((url) => !url.searchParams.has("free") && url.searchParams.get("orderby") === "title");
    assert.ok((await page.locator(".events li").count()) > 1);
  });
}

scenario("a full day leads to its events", {}, async (page) => {
  await page.goto(VIEWS.month);
  await page.getByRole("link", { name: /^\+ \d+ more$/ }).first().click();
  await page.waitForURL("**/events/2031-05-07");
  assert.equal(await page.locator(".events li").count(), 8);
});

for (const colorScheme of SCHEMES) {
  scenario(`an event that is postponed says so, ${colorScheme}`, { colorScheme }, async (page) => {
    for (const path of Object.values(VIEWS)) {
      await page.goto(path);
      await page.locator(".status", { hasText: "Postponed" }).first().waitFor();
    }
    await page.getByRole("link", { name: "Lantern talk" }).click();
    await page.locator("article .status", { hasText: "Postponed" }).waitFor();
    assert.deepEqual(await faults(page), []);
  });
}

scenario("the month is a table for screen readers", {}, async (page) => {
  await page.goto(VIEWS.month);
  const table = page.getByRole("table", { name: "May 2031" });
  assert.equal(await table.getByRole("columnheader").count(), 7);
  await table.getByRole("link", { name: "Wednesday, 7 May 2031, 8 events" }).waitFor();
  await table.getByText("Lantern week (continues)").first().waitFor({ state: "attached" });
});

scenario("the keyboard opens the filters and a day", {}, async (page) => {
  await page.goto(VIEWS.month);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.locator("details.filters > summary").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.name), "search");
  await page.keyboard.type("procession");
  await page.keyboard.press("Enter");
  await page.waitForURL(/search=procession/);
});

scenario("the visitor's own time is beside another one", { timezoneId: "America/New_York" }, async (page) => {
  await page.goto(event.url);
  await page.getByText(/13:30|1:30\sPM/).first().waitFor();
});

scenario("the same time is not repeated", { timezoneId: "Europe/Berlin" }, async (page) => {
  await page.goto(event.url);
  assert.equal(await page.locator("h1 ~ .dates .own-time").count(), 0);
});

scenario("the address of the feed is copied, with filters", {
  permissions: ["clipboard-read", "clipboard-write"],
}, async (page) => {
  await page.goto("/events?categories=processions");
  await page.getByText("Subscribe", { exact: true }).click();
  await page.getByRole("button", { name: "Copy" }).first().click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, `${address}/events.ics?categories=processions`);
  const webcal = await page.getByRole("link", { name: "Calendar program" }).getAttribute("href");
  assert.equal(webcal, copied.replace("http:", "webcal:"));
});

scenario("the calendar speaks Spanish to who reads it", { locale: "es-ES" }, async (page) => {
  await page.goto(VIEWS.month);
  assert.equal(await page.locator("h1").textContent(), "Mayo de 2031");
  assert.equal(await page.locator("html").getAttribute("lang"), "es");
  assert.deepEqual(await faults(page), []);
});
