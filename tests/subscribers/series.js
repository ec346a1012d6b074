// Reads the calendar of a series from standard input. Prints the events that ical.js makes of it, and the local times that
// rrule makes of its rule.
"use strict";

const fs = require("node:fs");
const ICAL = require("ical.js");
const { RRuleSet, rrulestr } = require("rrule");

const calendar = new ICAL.Component(ICAL.parse(fs.readFileSync(0, "utf8")));
for (const zone of calendar.getAllSubcomponents("vtimezone")) ICAL.TimezoneService.register(zone);
const components = calendar.getAllSubcomponents("vevent");
const master = components.find((component) => !component.getFirstProperty("recurrence-id"));
const exceptions = components.filter((component) => component !== master);

/** An instant in UTC, or a date. */
const text = (time) => time.isDate
  ? time.toString()
  : new Date(time.toUnixTime() * 1000).toISOString().replace(".000Z", "Z");

function icalJs() {
  const event = new ICAL.Event(master);
  for (const exception of exceptions) event.relateException(new ICAL.Event(exception));
  const found = [];
  const iterator = event.iterator();
  for (let next = iterator.next(); next; next = iterator.next()) {
    const { item, startDate, endDate } = event.getOccurrenceDetails(next);
    found.push([item.summary, text(startDate), text(endDate)]);
  }
  return found;
}

/** A local time as if it were in UTC. */
const local = (time) => new Date(Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second));

function places() {
  const start = master.getFirstPropertyValue("dtstart");
  const set = new RRuleSet();
  const rule = master.getFirstProperty("rrule");
  if (rule) {
    const recurrence = rule.getFirstValue();
    // Its end is in UTC, unlike its start.
    if (recurrence.until && !recurrence.until.isDate) recurrence.until = recurrence.until.convertToZone(start.zone);
    const lines = recurrence.toString().replace(/UNTIL=([0-9T]+)Z?/, "UNTIL=$1Z");
    set.rrule(rrulestr(`RRULE:${lines}`, { dtstart: local(start) }));
  } else {
    set.rdate(local(start));
  }
  const values = (name) => master.getAllProperties(name).flatMap((property) => property.getValues());
  for (const date of values("rdate")) set.rdate(local(date));
  for (const date of values("exdate")) set.exdate(local(date));
  return set.all().map((date) => date.toISOString().slice(0, 19));
}

console.log(JSON.stringify({ "ical.js": icalJs(), rrule: places() }));
