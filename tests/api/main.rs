//! The interface by HTTP, on a real server and a real database: one file a subject, as in `src/api/`.

#[path = "../support/mod.rs"]
mod support;

mod concurrency;
mod deletion;
mod event_filters;
mod event_places;
mod event_status;
mod event_window;
mod event_zones;
mod fixture;
mod hosts_list;
mod odd_requests;
mod paging;
mod queries;
mod terms_list;
