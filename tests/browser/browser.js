// A browser that can reach only the server, and tests that fail on any error in a page.
//
// `ALMANAC_ADDRESS` is the URL of a server with the demo calendar, and `ALMANAC_PASSWORD` the administrator's password.
const assert = require("node:assert/strict");
const { after, before, test } = require("node:test");
const axe = require("axe-core").source;
const { chromium } = require("playwright-core");

const { ALMANAC_ADDRESS: address, ALMANAC_PASSWORD: password, CHROMIUM = "/usr/bin/chromium" } = process.env;
const ROOT = "/calendar/events/v1";

let browser;
before(async () => {
  const { hostname } = new URL(address);
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [`--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE ${hostname}`],
  });
});
after(() => browser?.close());

/**
 * Defines a test with a page of its own. `options` are passed to the browser's context; `refused` is a path that must
 * respond with an error, and `sites` are further origins that may be requested.
 */
function scenario(name, { refused, sites = [], ...options }, run) {
  test(name, async () => {
    const context = await browser.newContext({ baseURL: address, ...options });
    try {
      const page = await context.newPage();
      const errors = watch(page, refused, [address, ...sites]);
      await run(page);
      assert.deepEqual(errors, []);
    } finally {
      await context.close();
    }
  });
}

/** Collects the errors in the page from now on. */
function watch(page, refused, origins) {
  const errors = [];
  const isRefused = (url) => URL.canParse(url) && new URL(url).pathname === refused;
  page.on("pageerror", (error) => errors.push(`error: ${error.message}`));
  page.on("requestfailed", (request) => {
    // Leaving a document, or closing the page, aborts the request for its icon. The browser sends that request at any
    // time after the load event, where `goto` returns, and does not assign it to a document.
    const isIcon = /\/assets\/icon\.\w+\.svg$/.test(new URL(request.url()).pathname);
    const isAborted = request.failure()?.errorText === "net::ERR_ABORTED";
    if (!(isIcon && isAborted)) errors.push(`failed: ${request.url()} ${request.failure()?.errorText}`);
  });
  page.on("console", (message) => {
    if (message.type() === "error" && !isRefused(message.location().url)) errors.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && !origins.includes(url.origin)) errors.push(`foreign: ${request.url()}`);
  });
  page.on("response", (response) => {
    const isExpected = response.status() >= 400 === isRefused(response.url());
    if (!isExpected) errors.push(`${response.status()}: ${response.url()}`);
  });
  return errors;
}

/** The violations that axe finds below the element. */
async function faults(page, selector = "html") {
  await page.evaluate(axe);
  const { violations } = await page.evaluate((selector) => axe.run(selector), selector);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
}

/** Whether the page is wider than the window. */
function isTooBroad(page) {
  return page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
}

/** The brightness of the background, from 0 to 255. */
function lightness(page) {
  return page.evaluate(() => {
    const [red, green, blue] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
    return (red + green + blue) / 3;
  });
}

/** Creates an object as the administrator, without the browser. */
async function create(list, body) {
  const response = await fetch(`${address}${ROOT}/${list}`, {
    method: "POST",
    headers: {
      "Authorization": `Basic ${Buffer.from(`admin:${password}`).toString("base64")}`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify(body),
  });
  assert.equal(response.status, 201, await response.clone().text());
  return response.json();
}

/** The colour schemes. */
const SCHEMES = ["light", "dark"];
/** The narrowest supported window (WCAG 2.2, 1.4.10). */
const NARROW = { width: 320, height: 640 };

module.exports = { NARROW, ROOT, SCHEMES, address, create, faults, isTooBroad, lightness, password, scenario };
