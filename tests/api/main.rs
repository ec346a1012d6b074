//! The interface by HTTP, on a real server and a real database: one file a subject, as in `src/api/`.

#[path = "../support/mod.rs"]
mod support;

mod bodies;
mod cache;
mod categories;
mod changes;
mod concurrency;
mod connections;
mod cross_site;
mod currency;
mod deletion;
mod document;
mod edge;
mod event_filters;
mod event_places;
mod event_status;
mod event_times;
mod event_window;
mod event_zones;
mod events;
mod explorer;
mod fixture;
mod following;
mod hosts_list;
mod index;
mod logins;
mod markup;
mod nested;
mod odd_requests;
mod organizers;
mod pages;
mod paging;
mod preconditions;
mod proxies;
mod queries;
mod request_host;
mod rights;
mod samples;
mod search;
mod shutdown;
mod slow_connections;
mod tags;
mod terms;
mod terms_list;
mod venues;
