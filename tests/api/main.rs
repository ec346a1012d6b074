//! The interface by HTTP, on a real server and a real database: one file a subject, as in `src/api/`.

#[path = "../support/mod.rs"]
mod support;

mod bodies;
mod categories;
mod deletion;
mod events;
mod nested;
mod organizers;
mod preconditions;
mod rights;
mod samples;
mod tags;
mod terms;
mod venues;
