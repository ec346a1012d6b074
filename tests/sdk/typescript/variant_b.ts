// The filters that only variant B has.

import type { ListEventsData } from "./client/index.js";

export const filtersOfVariant: NonNullable<ListEventsData["query"]> = {
  starts_before: "2031-05-07 12:00:00",
  starts_after: "2031-05-07 08:00:00",
  ends_before: "2031-05-07 18:00:00",
  ends_after: "2031-05-07 10:00:00",
  strict_dates: true,
  ticketed: true,
};
