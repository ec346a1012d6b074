//! Tests of the store: the results, plans and statement counts of queries, and denormalised data.

#[path = "../support/mod.rs"]
#[allow(dead_code, reason = "each test binary uses a part of it")]
mod support;

mod changes;
mod denormalisation;
mod event_rules;
mod filters;
mod idempotency_keys;
mod lists;
mod local_times;
mod plan_queries;
mod plans;
mod pooler;
mod purge;
mod rederive;
mod search_index;
mod search_words;
mod series;
mod snapshots;
mod statements;
mod tables;
mod terms;
mod trash;
mod upgrade;
