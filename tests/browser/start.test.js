// The start page.
const assert = require("node:assert/strict");
const { NARROW, SCHEMES, faults, isTooBroad, lightness, scenario } = require("./browser.js");

for (const colorScheme of SCHEMES) {
  scenario(`start page is accessible, ${colorScheme}`, { colorScheme }, async (page) => {
    await page.goto("/");
    assert.equal(await page.locator("h1").count(), 1);
    assert.ok((await page.locator(".events li").count()) > 0, "it lists upcoming events");
    const light = await lightness(page);
    assert.ok(colorScheme === "light" ? light > 200 : light < 60, `it is ${colorScheme}: ${light}`);
    assert.deepEqual(await faults(page), []);
  });
}

scenario("start page fits a narrow window", { viewport: NARROW }, async (page) => {
  await page.goto("/");
  assert.equal(await isTooBroad(page), false);
});

scenario("start page works without scripts", { javaScriptEnabled: false }, async (page) => {
  await page.goto("/");
  assert.ok(await page.locator(".events a").first().isVisible());
});

scenario("keyboard focus is visible and in order", {}, async (page) => {
  await page.goto("/");
  const all = await page.evaluate(() =>
    [...document.querySelectorAll("a, [tabindex]")].map((element) => element.textContent.trim()));
  const reached = [];
  for (const _ of all) {
    await page.keyboard.press("Tab");
    reached.push(await page.evaluate(() => {
      const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
      const isShown = outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
      return isShown ? document.activeElement.textContent.trim() : "without an outline";
    }));
  }
  assert.deepEqual(reached, all);
});

scenario("links of the start page work", {}, async (page) => {
  await page.goto("/");
  const links = await page.locator("a").evaluateAll((links) => links.map((link) => link.href));
  assert.ok(links.length > 8, `${links}`);
  for (const link of new Set(links)) {
    const response = await page.request.get(link);
    assert.equal(response.status(), 200, link);
  }
});
