//! The tables as SeaORM models, one file each. The indexes of searches have none: their queries
//! differ between the databases.
#![expect(missing_docs, reason = "most columns are named after what they hold")]

pub mod calendar_identity;
pub mod category;
pub mod category_closure;
pub mod category_event_count;
pub mod change_epoch;
pub mod change_log;
pub mod event;
pub mod event_category;
pub mod event_category_closure;
pub mod event_organizer;
pub mod event_tag;
pub mod event_time_bucket;
pub mod event_venue;
pub mod idempotency_key;
pub mod image;
pub mod import_item;
pub mod import_note;
pub mod import_run;
pub mod import_source;
pub mod organizer;
pub mod series;
pub mod tag;
pub mod tag_event_count;
pub mod token;
pub mod user;
pub mod venue;
pub mod webhook;
pub mod webhook_delivery;
