// The start page, and the page for developers.
const assert = require("node:assert/strict");
const { NARROW, SCHEMES, address, faults, isTooBroad, lightness, scenario } = require("./browser.js");

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
    [...document.querySelectorAll("a, button, input, summary, [tabindex]")]
      .filter((element) => element.checkVisibility()).map((element) => element.textContent.trim()));
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

for (const path of ["/", "/developers", "/events", "/events/month"]) {
  scenario(`links of ${path} work`, {}, async (page) => {
    await page.goto(path);
    const links = await page.locator("a").evaluateAll((links) => links.map((link) => link.href));
    const own = links.filter((link) => link.startsWith(address));
    assert.ok(own.length > 8, `${links}`);
    for (const link of new Set(own)) {
      const response = await page.request.get(link);
      assert.equal(response.status(), 200, link);
    }
  });
}

for (const colorScheme of SCHEMES) {
  scenario(`page for developers is accessible, ${colorScheme}`, { colorScheme }, async (page) => {
    await page.goto("/developers");
    assert.deepEqual(await faults(page), []);
  });
}

scenario("page for developers fits a narrow window", { viewport: NARROW }, async (page) => {
  await page.goto("/developers");
  assert.equal(await isTooBroad(page), false);
});
