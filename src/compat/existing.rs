//! The current representation of the object that a write changes, which the client may send back unchanged.

use std::sync::Arc;

use html_escape::decode_html_entities;
use poem::Request;
use serde_json::{Map, Value};

use super::{
    representation,
    request::CompatRequest,
    route::{Selector, Target},
    typography::{texturize, untexturize},
};
use crate::{
    auth::{Caller, identify},
    calendar::{Kind, text},
    error::Problem,
    store::{
        Snapshot,
        entity::{category, event, organizer, tag, venue},
        linked_resource::{self, LinkedResource},
        publishable::{self, Key, PublishableRow},
        term,
        term_list::Counted,
    },
    views::{self, Detail, Represented, term::RepresentedTerm},
};

/// Members that represent linked objects, which the native API compares by ID.
const LINKS: [&str; 4] = ["venue", "organizer", "categories", "tags"];

/// The object that a write changes. Empty if there is none.
#[derive(Debug, Default)]
pub(super) struct Existing {
    /// The members of its representation, without links.
    pub members: Map<String, Value>,
    /// Its stored name, if a new venue or organizer was sent with the texturized form of that name.
    pub stored_name: Option<String>,
}

/// Finds the object that the request changes. For a new venue or organizer, this is the existing one of the same name.
pub(super) async fn find(
    request: &Request,
    compat: &CompatRequest,
    fields: &Map<String, Value>,
) -> Result<Existing, Problem> {
    let Some(target) = compat.target().filter(|_| !compat.is_anonymous) else {
        return Ok(Existing::default());
    };
    let caller = &Caller::anonymous(request)?;
    let find = |snapshot| find_in(request, compat, fields, target, caller, snapshot);
    caller.read(find).await
}

async fn find_in(
    request: &Request,
    compat: &CompatRequest,
    fields: &Map<String, Value>,
    target: &Target,
    caller: &Caller,
    snapshot: Arc<Snapshot>,
) -> Result<Existing, Problem> {
    let snapshot = &*snapshot;
    let key = match &target.selector {
        Selector::Id { id } => Some(Key::Id(id.parse().unwrap_or_default())),
        Selector::Slug { slug } => Some(Key::Slug(slug.clone())),
        Selector::Collection => None,
    };
    let found = match (target.kind, key) {
        (Kind::Event, Some(key)) => publishable_view::<event::Entity>(caller, snapshot, &key).await?,
        (Kind::Venue, Some(key)) => publishable_view::<venue::Entity>(caller, snapshot, &key).await?,
        (Kind::Organizer, Some(key)) => publishable_view::<organizer::Entity>(caller, snapshot, &key).await?,
        (Kind::Category, Some(Key::Id(id))) => term_view::<category::Entity>(caller, snapshot, id).await?,
        (Kind::Tag, Some(Key::Id(id))) => term_view::<tag::Entity>(caller, snapshot, id).await?,
        (Kind::Venue, None) => {
            return find_by_name::<venue::Entity>(request, compat, caller, snapshot, fields).await;
        }
        (Kind::Organizer, None) => {
            return find_by_name::<organizer::Entity>(request, compat, caller, snapshot, fields).await;
        }
        (Kind::Event | Kind::Category | Kind::Tag, _) => None,
    };
    Ok(Existing {
        members: found.map_or_else(Map::new, |native| members(target, &native, compat)),
        stored_name: None,
    })
}

fn members(target: &Target, native: &Value, compat: &CompatRequest) -> Map<String, Value> {
    let members = representation::represent(target.kind, native, compat, false);
    let mut members = members.as_object().cloned().unwrap_or_default();
    if target.kind == Kind::Event {
        members.retain(|name, _| !LINKS.contains(&name.as_str()));
    }
    members
}

async fn publishable_view<E: Represented>(
    caller: &Caller,
    snapshot: &Snapshot,
    key: &Key,
) -> Result<Option<Value>, Problem> {
    match publishable::find::<E>(snapshot, key).await? {
        Some(row) => view::<E>(caller, snapshot, row).await.map(Some),
        None => Ok(None),
    }
}

async fn view<E: Represented>(caller: &Caller, snapshot: &Snapshot, row: E::Model) -> Result<Value, Problem> {
    let views = E::represent(caller, snapshot, vec![row], Detail::Item).await?;
    serde_json::to_value(views.first()).map_err(Problem::internal)
}

async fn term_view<E: RepresentedTerm>(
    caller: &Caller,
    snapshot: &Snapshot,
    id: i64,
) -> Result<Option<Value>, Problem> {
    let Some(row) = term::find::<E>(snapshot, id).await? else {
        return Ok(None);
    };
    // No body can change the count of events.
    let term = Counted { row, events: 0 };
    let view = views::term::represent::<E>(caller, &term);
    serde_json::to_value(view).map(Some).map_err(Problem::internal)
}

/// Finds the venue or organizer whose name, plain or texturized, is the one in the body.
async fn find_by_name<E: LinkedResource + Represented>(
    request: &Request,
    compat: &CompatRequest,
    caller: &Caller,
    snapshot: &Snapshot,
    fields: &Map<String, Value>,
) -> Result<Existing, Problem> {
    let sent = fields.get(E::KIND.name()).and_then(Value::as_str);
    // The native API rejects and counts wrong credentials.
    let identity = identify(&caller.almanac.store, request, caller.timestamp()).await;
    let (Some(sent), Ok(identity), Some(target)) = (sent, identity, compat.target()) else {
        return Ok(Existing::default());
    };
    let author = identity.user().unwrap_or_default();
    let name = text::clean_line(&decode_html_entities(sent));
    for candidate in [&name, &untexturize(&name)] {
        let key = text::fold(candidate);
        let rows = linked_resource::find_by_name::<E>(snapshot, &key, author, caller.timestamp()).await?;
        let same = rows.into_iter().find(|row| {
            let stored = row.common_columns().title;
            stored.to_lowercase() == name.to_lowercase() || texturize(&stored) == sent
        });
        if let Some(row) = same {
            let stored = row.common_columns().title;
            let native = view::<E>(caller, snapshot, row).await?;
            let mut members = members(target, &native, compat);
            // The name is required to create an object, so it must stay in the body.
            members.remove(E::KIND.name());
            let stored_name = (texturize(&stored) == sent).then_some(stored);
            return Ok(Existing { members, stored_name });
        }
    }
    Ok(Existing::default())
}
