// The events at /fullcalendar.json, in FullCalendar and in @event-calendar/core.
const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const { dirname, join } = require("node:path");
const { before } = require("node:test");
const { address, create, scenario } = require("./browser.js");

/** A page on the server's origin with one of the calendars in May 2027. */
const CALENDARS = {
  FullCalendar: {
    script: join(dirname(require.resolve("fullcalendar")), "index.global.min.js"),
    begin: `new FullCalendar.Calendar(document.body.firstElementChild, {
      initialDate: "2027-05-01", timeZone: "UTC", events: "/fullcalendar.json?categories=calendar-test",
    }).render();`,
    title: ".fc-event-title",
  },
  "@event-calendar/core": {
    // Bundled with its dependencies.
    script: require.resolve("@event-calendar/build/dist/event-calendar.min.js"),
    style: require.resolve("@event-calendar/build/dist/event-calendar.min.css"),
    begin: `EventCalendar.create(document.body.firstElementChild, {
      view: "dayGridMonth", date: "2027-05-01", eventSources: [{ url: "/fullcalendar.json?categories=calendar-test" }],
    });`,
    title: ".ec-event-title",
  },
};

before(async () => {
  for (const [title, start_date, end_date, all_day] of [
    ["Concert", "2027-05-07 19:30", "2027-05-07 22:00", false],
    ["Fair", "2027-05-18", "2027-05-19", true],
    ["In another month", "2027-07-07 19:30", "2027-07-07 22:00", false],
  ]) {
    await create("events", { title, start_date, end_date, all_day, timezone: "UTC", categories: ["Calendar test"] });
  }
});

for (const [name, { script, style, begin, title }] of Object.entries(CALENDARS)) {
  scenario(`${name} shows the events of a month`, {}, async (page) => {
    const body = "<!doctype html><html lang=en><title>Calendar</title><link rel=icon href='data:,'><div></div>";
    await page.route("**/calendar-test", (route) => route.fulfill({ contentType: "text/html", body }));
    await page.goto("/calendar-test");
    await page.addScriptTag({ content: readFileSync(script, "utf8") });
    if (style) await page.addStyleTag({ content: readFileSync(style, "utf8") });
    const loaded = page.waitForResponse((response) => response.url().startsWith(`${address}/fullcalendar.json`));
    await page.evaluate(begin);
    assert.equal((await loaded).status(), 200);
    await page.locator(title).first().waitFor();
    const titles = await page.locator(title).allTextContents();
    assert.deepEqual([...new Set(titles)].sort(), ["Concert", "Fair"]);
    if (name === "FullCalendar") {
      assert.equal(await page.locator("[data-date='2027-05-07'] .fc-event").count(), 1);
      assert.equal(await page.locator("a.fc-event[href$='/event/concert']").count(), 1);
    }
  });
}
