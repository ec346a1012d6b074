//! The object that a write is to, as this root shows it: what a client has read and may send back.

use html_escape::decode_html_entities;
use poem::Request;
use sea_orm::ConnectionTrait;
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
        entity::{category, event, organizer, tag, venue},
        linked_resource::{self, LinkedResource},
        publishable::{self, Key, PublishableRow},
        term,
        term_list::Counted,
    },
    views::{self, Detail, Represented, term::RepresentedTerm},
};

/// Members that name other objects by their IDs, which the endpoints compare.
const LINKS: [&str; 4] = ["venue", "organizer", "categories", "tags"];

/// What is there of the object that a body is for.
#[derive(Debug, Default)]
pub struct Existing {
    /// The members that a client may send back as it has read them.
    pub members: Map<String, Value>,
    /// The name as it is stored, where a new venue or organizer is sent with the name that this root shows.
    pub stored_name: Option<String>,
}

/// The object that is to be changed. For a new venue or organizer it is the one that has its name already.
pub async fn find(request: &Request, compat: &CompatRequest, fields: &Map<String, Value>) -> Result<Existing, Problem> {
    let Some(target) = compat.target().filter(|_| !compat.is_anonymous) else {
        return Ok(Existing::default());
    };
    let caller = &Caller::anonymous(request)?;
    let database = &caller.almanac.store.snapshot().await?;
    let key = match &target.selector {
        Selector::Id { id } => Some(Key::Id(id.parse().unwrap_or_default())),
        Selector::Slug { slug } => Some(Key::Slug(slug.clone())),
        Selector::Collection => None,
    };
    let found = match (target.kind, key) {
        (Kind::Event, Some(key)) => publishable_view::<event::Entity>(caller, database, &key).await?,
        (Kind::Venue, Some(key)) => publishable_view::<venue::Entity>(caller, database, &key).await?,
        (Kind::Organizer, Some(key)) => publishable_view::<organizer::Entity>(caller, database, &key).await?,
        (Kind::Category, Some(Key::Id(id))) => term_view::<category::Entity>(caller, database, id).await?,
        (Kind::Tag, Some(Key::Id(id))) => term_view::<tag::Entity>(caller, database, id).await?,
        (Kind::Venue, None) => {
            return find_by_name::<venue::Entity>(request, compat, caller, database, fields).await;
        }
        (Kind::Organizer, None) => {
            return find_by_name::<organizer::Entity>(request, compat, caller, database, fields).await;
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
    database: &impl ConnectionTrait,
    key: &Key,
) -> Result<Option<Value>, Problem> {
    match publishable::find::<E>(database, key).await? {
        Some(row) => view::<E>(caller, database, row).await.map(Some),
        None => Ok(None),
    }
}

async fn view<E: Represented>(
    caller: &Caller,
    database: &impl ConnectionTrait,
    row: E::Model,
) -> Result<Value, Problem> {
    let views = E::show(caller, database, vec![row], Detail::Item).await?;
    serde_json::to_value(views.first()).map_err(Problem::internal)
}

async fn term_view<E: RepresentedTerm>(
    caller: &Caller,
    database: &impl ConnectionTrait,
    id: i64,
) -> Result<Option<Value>, Problem> {
    let Some(row) = term::find::<E>(database, id).await? else {
        return Ok(None);
    };
    // The count of events is nothing that a body could change.
    let term = Counted { row, events: 0 };
    let view = views::term::show::<E>(caller, &term);
    serde_json::to_value(view).map(Some).map_err(Problem::internal)
}

/// The venue or organizer with the name in the body: the name that is meant, or the one that this root shows so.
async fn find_by_name<E: LinkedResource + Represented>(
    request: &Request,
    compat: &CompatRequest,
    caller: &Caller,
    database: &impl ConnectionTrait,
    fields: &Map<String, Value>,
) -> Result<Existing, Problem> {
    let sent = fields.get(E::KIND.name()).and_then(Value::as_str);
    // Wrong credentials are for the endpoint to refuse, and to count.
    let identity = identify(&caller.almanac.store, request, caller.timestamp()).await;
    let (Some(sent), Ok(identity), Some(target)) = (sent, identity, compat.target()) else {
        return Ok(Existing::default());
    };
    let author = identity.user().unwrap_or_default();
    let name = text::clean_line(&decode_html_entities(sent));
    for candidate in [&name, &untexturize(&name)] {
        let key = text::fold(candidate);
        let rows = linked_resource::find_by_name::<E>(database, &key, author, caller.timestamp()).await?;
        let same = rows.into_iter().find(|row| {
            let stored = row.common_columns().title;
            stored.to_lowercase() == name.to_lowercase() || texturize(&stored) == sent
        });
        if let Some(row) = same {
            let stored = row.common_columns().title;
            let native = view::<E>(caller, database, row).await?;
            let mut members = members(target, &native, compat);
            // A new object needs its name.
            members.remove(E::KIND.name());
            let stored_name = (texturize(&stored) == sent).then_some(stored);
            return Ok(Existing { members, stored_name });
        }
    }
    Ok(Existing::default())
}
