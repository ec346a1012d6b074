// The explorer, in the hands of somebody who tries the interface.
const assert = require("node:assert/strict");
const { NARROW, ROOT, SCHEMES, address, faults, isTooBroad, lightness, password, scenario } = require("./browser.js");

/** The block of an operation, opened. */
async function open(page, operation) {
  const block = page.locator(`[id$=-${operation}]`);
  await block.locator(".opblock-summary-control").click();
  await block.locator(".execute").waitFor();
  return block;
}

/** Sends what the block holds. Returns the status that it shows. */
async function send(block) {
  await block.locator(".execute").click();
  const status = block.locator(".live-responses-table tbody .response-col_status");
  await status.first().waitFor();
  return (await status.first().textContent()).match(/\d+/)[0];
}

for (const colorScheme of SCHEMES) {
  scenario(`the explorer lists events, ${colorScheme}`, { colorScheme }, async (page) => {
    await page.goto("/explorer");
    const block = await open(page, "listEvents");
    const light = await lightness(page);
    assert.ok(colorScheme === "light" ? light > 200 : light < 60, `it is ${colorScheme}: ${light}`);
    assert.equal(await send(block), "200");
    assert.match(await block.locator(".curl-command").textContent(), /curl/);
    // Swagger UI's own faults are not ours to mend; what is around it is.
    assert.deepEqual(await faults(page, ".site"), []);
  });
}

scenario("the explorer takes an event, by HTTP Basic", {}, async (page) => {
  const title = "Made in the explorer";
  await page.goto("/explorer");
  await page.locator(".auth-wrapper .authorize").first().click();
  const basic = page.locator(".auth-container", { hasText: "Username" });
  await basic.locator("input[name=username]").fill("admin");
  await basic.locator("input[name=password]").fill(password);
  await basic.locator("button.authorize").click();
  await page.locator(".modal-ux .close-modal").click();
  const block = await open(page, "createEvent");
  await block.locator("textarea.body-param__text").fill(
    JSON.stringify({ title, start_date: "tomorrow 19:30", end_date: "tomorrow 22:00" }));
  assert.equal(await send(block), "201");
  const found = await fetch(`${address}/calendar/events/v1/events?search=${encodeURIComponent(title)}`);
  assert.ok((await found.json()).total > 0);
});

scenario("the explorer sends a token, and shows that it is refused", { refused: `${ROOT}/events` }, async (page) => {
  await page.goto("/explorer");
  await page.locator(".auth-wrapper .authorize").first().click();
  const bearer = page.locator(".auth-container", { hasText: "Bearer" });
  await bearer.locator("input").fill("alm_nobodys");
  await bearer.locator("button.authorize").click();
  await page.locator(".modal-ux .close-modal").click();
  const block = await open(page, "listEvents");
  assert.equal(await send(block), "401");
  const body = block.locator(".live-responses-table tbody .response-col_description");
  assert.match(await body.first().textContent(), /rest_invalid_token/);
});

scenario("the explorer speaks Spanish to who reads it", { locale: "es-ES" }, async (page) => {
  await page.goto("/explorer");
  await page.getByText("Primeros pasos").first().waitFor();
  assert.equal(await page.locator("html").getAttribute("lang"), "es");
});

scenario("the explorer fits a narrow window", { viewport: NARROW }, async (page) => {
  await page.goto("/explorer");
  await open(page, "listEvents");
  assert.equal(await isTooBroad(page), false);
});

scenario("the keyboard opens an operation and sends it", {}, async (page) => {
  await page.goto("/explorer");
  const block = page.locator("[id$=-listEvents]");
  await block.locator(".opblock-summary-control").focus();
  await page.keyboard.press("Enter");
  await block.locator(".execute").focus();
  await page.keyboard.press("Enter");
  await block.locator(".live-responses-table").waitFor();
});

scenario("an address leads into the explorer", {}, async (page) => {
  await page.goto("/explorer#/Events/listEvents");
  await page.locator("[id$=-listEvents] .execute").waitFor();
});

scenario("the explorer keeps its assets", {}, async (page) => {
  await page.goto("/explorer");
  await page.locator(".opblock").first().waitFor();
  await page.goto("/");
  await page.goto("/explorer");
  await page.locator(".opblock").first().waitFor();
  const sizes = await page.evaluate(() => performance.getEntriesByType("resource")
    .filter((entry) => entry.name.includes("/assets/"))
    .map((entry) => entry.transferSize));
  assert.ok(sizes.length >= 5, `${sizes}`);
  assert.ok(sizes.every((size) => size === 0), `${sizes}`);
});
