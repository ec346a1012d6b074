//! Items for the tests and the benchmarks. Not a public interface.

pub use crate::Almanac;

pub mod api {
    pub mod document {
        pub use crate::api::document::{canonical, emit, missing_targets};
    }
}

pub mod auth {
    pub use crate::auth::Role;

    pub mod secret {
        pub use crate::auth::secret::{hash, new_token};
    }
}

pub mod calendar {
    pub use crate::calendar::{TermReference, Variant};

    pub mod event_status {
        pub use crate::calendar::event_status::EventStatus;
    }
    pub mod html {
        pub use crate::calendar::html::text_content;
    }
    pub mod search {
        pub use crate::calendar::search::Search;
    }
    pub mod status {
        pub use crate::calendar::status::Status;
    }
    pub mod text {
        pub use crate::calendar::text::fold;
    }
    pub mod tzdb {
        pub use crate::calendar::tzdb::BUNDLED;
    }
    pub mod window {
        pub use crate::calendar::window::{Span, Window};
    }
    pub mod zone {
        pub use crate::calendar::zone::Zone;
    }
}

pub mod commands {
    pub mod openapi {
        pub use crate::commands::openapi::text;
    }
    pub mod user {
        pub use crate::commands::user::add;
    }
}

pub mod config {
    pub use crate::config::{Language, Settings};
}

pub mod demo {
    pub use crate::demo::{Size, fill};
}

pub mod listen {
    pub use crate::listen::{Limits, Stop};
}

pub mod middleware {
    pub mod body_limit {
        pub use crate::middleware::body_limit::BodyTimeout;
    }
}

pub mod pages {
    pub mod health {
        pub use crate::pages::health::start_recording;
    }
}

pub mod server {
    pub use crate::server::{app, bind, serve};
}

pub mod store {
    pub use crate::store::{OpenError, PageRequest, Publishable, Snapshot, Store, entity, open, open_to_load};

    pub mod counts {
        pub use crate::store::counts::{Counts, counts};
    }
    pub mod denormalised {
        pub use crate::store::denormalised::{fill_counts, fill_event_category_closure};
    }
    pub mod description_texts {
        pub use crate::store::description_texts::fill;
    }
    pub mod event_keys {
        pub use crate::store::event_keys::fill;
    }
    pub mod events {
        pub use crate::store::events::{
            Direction, EventFilter, EventOrder, EventQuery, GeoBox, GeoCircle, Scope, SortKey, first_ids,
            invalidates_all_lists, list,
        };
    }
    pub mod idempotency_keys {
        pub use crate::store::idempotency_keys::{LIFETIME, find, insert, remove_expired};
    }
    pub mod images {
        pub use crate::store::images::find_all;
    }
    pub mod known_results {
        pub use crate::store::known_results::KnownResults;
    }
    pub mod linked_resource {
        pub use crate::store::linked_resource::{LinkedResourceFilter, find_by_name, followers, list};
    }
    pub mod links {
        pub use crate::store::links::{Link, of_events};
    }
    pub mod object_changes {
        use chrono::Utc;
        use sea_orm::DbErr;

        use crate::store::{Store, object_changes};

        pub use object_changes::trim;

        /// See [`object_changes::begin_epoch`].
        pub async fn begin_epoch(store: &Store) -> Result<(), DbErr> {
            let now = Utc::now().timestamp();
            store
                .write(|transaction| async move { object_changes::begin_epoch(&transaction, now).await })
                .await
        }

        /// See [`object_changes::continue_epoch`].
        pub async fn continue_epoch(store: &Store) -> Result<(), DbErr> {
            object_changes::continue_epoch(store, Utc::now().timestamp()).await
        }
    }
    pub mod pagination {
        pub use crate::store::pagination::count;
    }
    pub mod read_connection {
        pub use crate::store::read_connection::ReadConnection;
    }
    pub mod write_connection {
        pub use crate::store::write_connection::WriteConnection;
    }
    pub mod row {
        pub use crate::store::row::{FromRow, FromRows, Row};
    }
    pub mod publishable {
        pub use crate::store::publishable::{Key, find};
    }
    pub mod rederive {
        pub use crate::store::rederive::{Rederived, rederive, rederive_periodically};
    }
    pub mod search_index {
        pub use crate::store::search_index::index_queued;
    }
    pub mod segment_merges {
        pub use crate::store::segment_merges::merge;
    }
    pub mod series {
        pub use crate::store::series::horizon::extend_all;
    }
    pub mod term {
        pub use crate::store::term::{find_by_name, find_by_slug, resolve};
    }
    pub mod term_list {
        pub use crate::store::term_list::{TermFilter, TermOrder, list, with_counts};
    }
    pub mod trash {
        pub use crate::store::trash::{Removed, empty, find, remove};
    }
    pub mod users {
        pub use crate::store::users::{count_tokens, find_by_name, find_token, insert_token, remove, remove_token};
    }
    pub mod versioned_cache {
        pub use crate::store::versioned_cache::VersionedCache;
    }
    pub mod visibility {
        pub use crate::store::visibility::Visibility;
    }
}

pub mod transfer {
    pub mod tables {
        pub use crate::transfer::tables::{Kept, PLAIN_TABLES, TABLES, record_columns};
    }
}
