//! The tables as SeaORM models, one file each.

pub mod category;
pub mod event;
pub mod event_category;
pub mod event_organizer;
pub mod event_tag;
pub mod event_venue;
pub mod image;
pub mod organizer;
pub mod tag;
pub mod token;
pub mod user;
pub mod venue;
