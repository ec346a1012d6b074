//! Tests of the store: the results, plans and statement counts of queries, and the denormalised data that they read.

#[path = "../support/mod.rs"]
#[allow(dead_code, reason = "other tests stand on more of it")]
mod support;

mod changes;
mod denormalisation;
mod filters;
mod lists;
mod local_times;
mod plans;
mod pooler;
mod purge;
mod rederive;
mod snapshots;
mod statements;
mod terms;
mod trash;
mod upgrade;
