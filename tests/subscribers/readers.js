// Reads a calendar from standard input with ical.js and node-ical, and prints the events that each has found.
"use strict";

const fs = require("node:fs");

const content = fs.readFileSync(0, "utf8");

/** An instant in UTC, without fractions of a second. */
const instant = (date) => date.toISOString().replace(".000Z", "Z");

/** A date without a time, as node-ical represents it: at midnight in the zone of the process. */
const day = (date) => [date.getFullYear(), date.getMonth() + 1, date.getDate()]
  .map((part) => String(part).padStart(2, "0")).join("-");

function icalJs(ICAL) {
  const calendar = new ICAL.Component(ICAL.parse(content));
  for (const zone of calendar.getAllSubcomponents("vtimezone")) ICAL.TimezoneService.register(zone);
  return calendar.getAllSubcomponents("vevent").map((component) => {
    const event = new ICAL.Event(component);
    const text = (time) => time.isDate ? time.toString() : instant(new Date(time.toUnixTime() * 1000));
    const categories = component.getFirstProperty("categories")?.getValues() ?? [];
    return [
      Number(event.uid.split("@")[0]), event.summary, text(event.startDate), text(event.endDate),
      component.getFirstPropertyValue("url"), [...categories].sort(),
    ];
  });
}

function nodeIcal(ical) {
  return Object.values(ical.sync.parseICS(content)).filter((event) => event.type === "VEVENT").map((event) => {
    const text = event.datetype === "date" ? day : instant;
    return [
      Number(event.uid.split("@")[0]), event.summary, text(event.start), text(event.end ?? event.start),
      event.url, [...(event.categories ?? [])].sort(),
    ];
  });
}

console.log(JSON.stringify({ "ical.js": icalJs(require("ical.js")), "node-ical": nodeIcal(require("node-ical")) }));
