//! The object that a write is to, as this root shows it: what a client has read and may send back.

use html_escape::decode_html_entities;
use poem::Request;
use sea_orm::ConnectionTrait;
use serde_json::{Map, Value};

use super::{
    request::CompatRequest,
    route::{Form, Target},
    shape,
    typography::{straight, title},
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
pub struct Current {
    /// The members that a client may send back as it has read them.
    pub shown: Map<String, Value>,
    /// The name as it is stored, where a new venue or organizer is sent with the name that this root shows.
    pub name: Option<String>,
}

/// The object that is to be changed. For a new venue or organizer it is the one that has its name already.
pub async fn find(request: &Request, asked: &CompatRequest, fields: &Map<String, Value>) -> Result<Current, Problem> {
    let Some(target) = asked.target().filter(|_| !asked.is_anonymous) else {
        return Ok(Current::default());
    };
    let caller = &Caller::anonymous(request)?;
    let database = &caller.almanac.store.snapshot().await?;
    let key = match &target.form {
        Form::Item { id } => Some(Key::Id(id.parse().unwrap_or_default())),
        Form::BySlug { slug } => Some(Key::Slug(slug.clone())),
        Form::Collection => None,
    };
    let found = match (target.kind, key) {
        (Kind::Event, Some(key)) => post::<event::Entity>(caller, database, &key).await?,
        (Kind::Venue, Some(key)) => post::<venue::Entity>(caller, database, &key).await?,
        (Kind::Organizer, Some(key)) => post::<organizer::Entity>(caller, database, &key).await?,
        (Kind::Category, Some(Key::Id(id))) => term::<category::Entity>(caller, database, id).await?,
        (Kind::Tag, Some(Key::Id(id))) => term::<tag::Entity>(caller, database, id).await?,
        (Kind::Venue, None) => {
            return namesake::<venue::Entity>(request, asked, caller, database, fields).await;
        }
        (Kind::Organizer, None) => {
            return namesake::<organizer::Entity>(request, asked, caller, database, fields).await;
        }
        (Kind::Event | Kind::Category | Kind::Tag, _) => None,
    };
    Ok(Current {
        shown: found.map_or_else(Map::new, |native| shown(target, &native, asked)),
        name: None,
    })
}

fn shown(target: &Target, native: &Value, asked: &CompatRequest) -> Map<String, Value> {
    let shown = shape::item(target.kind, native, asked, false);
    let mut shown = shown.as_object().cloned().unwrap_or_default();
    if target.kind == Kind::Event {
        shown.retain(|name, _| !LINKS.contains(&name.as_str()));
    }
    shown
}

async fn post<E: Represented>(
    caller: &Caller,
    database: &impl ConnectionTrait,
    key: &Key,
) -> Result<Option<Value>, Problem> {
    match publishable::find::<E>(database, key).await? {
        Some(row) => represent::<E>(caller, database, row).await.map(Some),
        None => Ok(None),
    }
}

async fn represent<E: Represented>(
    caller: &Caller,
    database: &impl ConnectionTrait,
    row: E::Model,
) -> Result<Value, Problem> {
    let views = E::show(caller, database, vec![row], Detail::Item).await?;
    serde_json::to_value(views.first()).map_err(Problem::internal)
}

async fn term<E: RepresentedTerm>(
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
async fn namesake<E: LinkedResource + Represented>(
    request: &Request,
    asked: &CompatRequest,
    caller: &Caller,
    database: &impl ConnectionTrait,
    fields: &Map<String, Value>,
) -> Result<Current, Problem> {
    let sent = fields.get(E::KIND.name()).and_then(Value::as_str);
    // Wrong credentials are for the endpoint to refuse, and to count.
    let identity = identify(&caller.almanac.store, request, caller.timestamp()).await;
    let (Some(sent), Ok(identity), Some(target)) = (sent, identity, asked.target()) else {
        return Ok(Current::default());
    };
    let author = identity.user().unwrap_or_default();
    let meant = text::clean_line(&decode_html_entities(sent));
    for name in [&meant, &straight(&meant)] {
        let key = text::fold(name);
        let rows = linked_resource::find_by_name::<E>(database, &key, author, caller.timestamp()).await?;
        let same = rows.into_iter().find(|row| {
            let stored = row.common_columns().title;
            stored.to_lowercase() == meant.to_lowercase() || title(&stored) == sent
        });
        if let Some(row) = same {
            let stored = row.common_columns().title;
            let native = represent::<E>(caller, database, row).await?;
            let mut shown = shown(target, &native, asked);
            // A new object needs its name.
            shown.remove(E::KIND.name());
            let name = (title(&stored) == sent).then_some(stored);
            return Ok(Current { shown, name });
        }
    }
    Ok(Current::default())
}
