//! The query of a list: defaults of The Events Calendar, and its fallbacks for invalid values.
//!
//! The native API uses the last value of a repeated parameter, so parameters are appended.

use chrono::Utc;
use poem::Request;
use serde_json::{Map, Value};

use super::request::CompatRequest;
use crate::{
    Almanac,
    api::events::EventSortName,
    auth::{Identity, identify},
    calendar::Kind,
    extract::{
        FromInput, InputFormat, InputValue, choice::OrderDirection, form, lenient_bool::LenientBool,
        references::References,
    },
    store::{
        Term,
        entity::{category, tag},
        term,
        term_list::TermOrder,
    },
};

/// Whether the native API accepts the value of a parameter.
type IsValid = fn(&Value) -> bool;

/// Parameters that The Events Calendar does not validate, with the meaning of an invalid value.
const FALLBACKS: [(&str, IsValid, &str); 4] = [
    ("strict_dates", is_valid::<LenientBool>, "false"),
    ("has_events", is_valid::<LenientBool>, "false"),
    ("only_with_upcoming", is_valid::<LenientBool>, "false"),
    ("order", is_valid::<OrderDirection>, "asc"),
];

/// The same for the sort key, which differs by resource. Lists of venues and organizers have none.
fn sort_key_fallback(kind: Kind) -> Option<(&'static str, IsValid, &'static str)> {
    match kind {
        Kind::Event => Some(("orderby", is_valid::<EventSortName>, "date")),
        Kind::Category | Kind::Tag => Some(("orderby", is_valid::<TermOrder>, "name")),
        Kind::Venue | Kind::Organizer => None,
    }
}

/// The query for the native API.
pub(super) async fn list_query(request: &Request, compat: &CompatRequest, kind: Kind) -> String {
    let given = form::query(&compat.query).into_values();
    let mut query = compat.query.clone();
    let mut add = |name: &str, value: &str| {
        if !query.is_empty() {
            query.push('&');
        }
        query.extend([name, "=", value]);
    };
    if !has_value(&given, "per_page") {
        add("per_page", "10");
    }
    for (name, is_valid, fallback) in FALLBACKS.into_iter().chain(sort_key_fallback(kind)) {
        if has_value(&given, name) && !is_valid(&given[name]) {
            add(name, fallback);
        }
    }
    let Ok(almanac) = Almanac::of(request) else {
        return query;
    };
    if kind.is_term() {
        for name in ["include", "exclude"] {
            if has_value(&given, name) && !all_exist(almanac, kind, &given[name]).await {
                // The Events Calendar rejects unknown IDs. This value makes the native API reject the parameter.
                add(name, "unknown");
            }
        }
    } else if !has_value(&given, "status") && may_list_unpublished(request, almanac).await {
        add("status", "any");
    }
    query
}

/// Whether a parameter has a non-empty value.
fn has_value(given: &Map<String, Value>, name: &str) -> bool {
    let is_filled = |value: &Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
    match given.get(name) {
        Some(Value::Array(values)) => values.iter().any(is_filled),
        Some(value) => is_filled(value),
        None => false,
    }
}

fn input(value: &Value) -> InputValue<'_> {
    let format = InputFormat::Query;
    InputValue { value, format }
}

fn is_valid<T: FromInput>(value: &Value) -> bool {
    T::from_input(input(value)).is_ok()
}

/// Whether all referenced terms exist.
async fn all_exist(almanac: &Almanac, kind: Kind, named: &Value) -> bool {
    match kind {
        Kind::Category => all_terms_exist::<category::Entity>(almanac, named).await,
        _ => all_terms_exist::<tag::Entity>(almanac, named).await,
    }
}

async fn all_terms_exist<E: Term>(almanac: &Almanac, named: &Value) -> bool {
    // The native API reports references that it can't read.
    let Ok(references) = References::from_input(input(named)) else {
        return true;
    };
    let store = &almanac.store;
    let found = store.bounded(term::resolve::<E>(store.reader(), &references.0)).await;
    found.map_or(true, |ids| !ids.contains(&None))
}

/// Whether the caller may list unpublished objects. The native API rejects wrong credentials.
async fn may_list_unpublished(request: &Request, almanac: &Almanac) -> bool {
    identify(&almanac.store, request, Utc::now().timestamp())
        .await
        .is_ok_and(Identity::may_list_unpublished)
}
