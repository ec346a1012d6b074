//! The native API over HTTP, against a real server and a real database. Files are named after the modules of `src/`, or
//! after the feature.

#[path = "../support/mod.rs"]
mod support;

mod assertions;
mod base_url;
mod cache_headers;
mod cache_invalidation;
mod categories;
mod concurrency;
mod conditional_requests;
mod cors;
mod cross_site;
mod currency;
mod document;
mod event_date_filter_zones;
mod event_date_filters;
mod event_dates;
mod event_fields;
mod event_filters;
mod event_geo_filters;
mod event_publication;
mod event_references;
mod event_status_filter;
mod event_times;
mod events;
mod explorer;
mod fixtures;
mod forwarded;
mod host_header;
mod html;
mod index;
mod inherited_publication;
mod linked_resource_lists;
mod login_limit;
mod negotiation;
mod organizers;
mod pages;
mod pagination;
mod permissions;
mod query_parameters;
mod rate_limit;
mod request_bodies;
mod response_cache;
mod robustness;
mod routing;
mod search;
mod shutdown;
mod slow_connections;
mod slugs;
mod tags;
mod term_lists;
mod terms;
mod trash;
mod unread_bodies;
mod venues;
