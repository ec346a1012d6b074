// The calendar in frames of a page of another origin.
const assert = require("node:assert/strict");
const { createServer } = require("node:http");
const { after, before } = require("node:test");
const { NARROW, SCHEMES, address, faults, scenario } = require("./browser.js");

/** A site of somebody else, which shows what follows `/?`. */
const site = createServer((request, response) => {
  const body = decodeURIComponent(request.url.split("?")[1] ?? "");
  response.setHeader("content-type", "text/html");
  const icon = "<link rel=\"icon\" href=\"data:,\">";
  response.end(`<!doctype html><html lang="en"><title>Elsewhere</title>${icon}<main><h1>Elsewhere</h1>${body}</main>`);
});
const port = 20000 + (process.pid % 20000);
const origin = `http://127.0.0.1:${port}`;
before(() => new Promise((resolve) => site.listen(port, "127.0.0.1", resolve)));
after(() => site.close());

const show = (html) => `${origin}/?${encodeURIComponent(html)}`;
const sites = [origin];

for (const javaScriptEnabled of [true, false]) {
  for (const view of ["list", "month"]) {
    const scripts = javaScriptEnabled ? "with" : "without";
    scenario(`${view} in a frame, ${scripts} scripts`, { sites, javaScriptEnabled }, async (page) => {
      await page.goto(show(`<iframe title="Calendar" src="${address}/embed/${view}"></iframe>`));
      const frame = page.frameLocator("iframe");
      await frame.locator("h1").waitFor();
      assert.ok((await frame.locator("a").count()) > 3);
      assert.equal(await frame.locator("header, footer, form").count(), 0);
    });
  }
}

scenario("the element fits its frame to the calendar, and pages inside it", { sites }, async (page) => {
  await page.goto(show(
    `<script src="${address}/embed.js"></script><almanac-calendar src="${address}/embed/month"></almanac-calendar>`));
  const frame = page.frameLocator("iframe");
  const heading = await frame.locator("h1").textContent();
  const fits = () => page.waitForFunction(() => {
    const height = parseFloat(document.querySelector("iframe").style.height);
    return document.querySelector("iframe").style.height.endsWith("px") && height > 300;
  });
  await fits();
  await frame.locator("a[rel=next]").click();
  await frame.locator("h1", { hasNotText: heading }).waitFor();
  await fits();
});

scenario("attributes of the element are filters", { sites }, async (page) => {
  await page.goto(show(
    `<script src="${address}/embed.js"></script><almanac-calendar view="list" search="jazz"></almanac-calendar>`));
  await page.frameLocator("iframe").locator("h1").waitFor();
  assert.equal(await page.locator("iframe").getAttribute("src"), `${address}/embed/list?search=jazz`);
});

scenario("an event opens outside of the frame", { sites }, async (page) => {
  await page.goto(show(`<iframe title="Calendar" height="800" src="${address}/embed/list"></iframe>`));
  await page.frameLocator("iframe").locator(".events li > div > a").first().click();
  await page.waitForURL(`${address}/event/**`);
});

for (const colorScheme of SCHEMES) {
  scenario(`embeds are accessible, ${colorScheme}`, { colorScheme, viewport: NARROW }, async (page) => {
    for (const view of ["list", "month"]) {
      await page.goto(`/embed/${view}`);
      assert.deepEqual(await faults(page), []);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth), false);
    }
  });
}
