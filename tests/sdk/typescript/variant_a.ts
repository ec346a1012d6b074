// Variant A has no filters that variant B lacks.

import type { ListEventsData } from "./client/index.js";

export const filtersOfVariant: NonNullable<ListEventsData["query"]> = {};
