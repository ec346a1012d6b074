//! Changes of the calendar, for programs that keep a copy of it: pages that follow a token, and a stream.
//!
//! A token stands for a state of the calendar. The page that follows it has the objects that have changed since then,
//! with their current content. An object that changes while pages are read is on a later page.

mod listeners;
mod page;
mod stream;
mod token;

use std::sync::Arc;

use crate::{
    auth::Caller,
    calendar::Kind,
    error::{FieldError, Problem, ValidationErrors},
    store::{
        Snapshot,
        object_changes::{self, Change},
    },
    views::{
        ROOT,
        change::{self, ChangeView, ChangesView},
    },
};

pub(crate) use listeners::Listeners;
pub(crate) use stream::listen;
pub(crate) use token::SyncToken;

/// Where a reader begins.
#[derive(Clone, Debug)]
pub(crate) enum Start {
    /// With all objects.
    All,
    /// With changes from now on.
    Now,
    /// After a token.
    After(Box<SyncToken>),
}

/// A reader's place, checked against the request.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub start: Start,
    pub kinds: Vec<Kind>,
}

impl Reading {
    /// Reads the token of a request. `kinds` are those that the request names, in the order of [`Kind::ALL`]; without
    /// them, those of the token count, or all. Without a token, the reader begins at `default`.
    pub(crate) fn of(
        caller: &Caller,
        token: Option<&str>,
        kinds: Option<Vec<Kind>>,
        default: Start,
    ) -> Result<Self, Problem> {
        let Some(token) = token else {
            return Ok(Self {
                start: default,
                kinds: kinds.unwrap_or_else(|| Kind::ALL.to_vec()),
            });
        };
        let expired = || expired(caller, kinds.as_deref());
        let token = SyncToken::decode(token).ok_or_else(expired)?;
        let oldest = caller.almanac.settings.change_retention.since(caller.timestamp());
        if !token.belongs_to(caller.identity) || token.time < oldest {
            return Err(expired());
        }
        let own = token.kinds();
        if kinds.is_some_and(|kinds| kinds != own) {
            let mut errors = ValidationErrors::default();
            let message = format!("must be {}, as for the token in since, or absent", plurals(&own));
            errors.add("types", FieldError::invalid(message));
            errors.into_result()?;
        }
        Ok(Self {
            start: Start::After(Box::new(token)),
            kinds: own,
        })
    }
}

/// The names of kinds as in the parameter `types`.
fn plurals(kinds: &[Kind]) -> String {
    let names: Vec<&str> = kinds.iter().map(|kind| kind.plural()).collect();
    names.join(",")
}

/// 410 with the URL to restart from.
fn expired(caller: &Caller, kinds: Option<&[Kind]>) -> Problem {
    let types = kinds.map_or_else(String::new, |kinds| format!("?types={}", plurals(kinds)));
    Problem::sync_token_expired(format!("{}{ROOT}/changes{types}", caller.address.base))
}

/// A page with the representations of its objects.
#[derive(Debug)]
pub(crate) struct ChangePage {
    pub entries: Vec<ChangeEntry>,
    pub next: SyncToken,
    pub more: bool,
}

/// A change on a page, and the token that continues after it.
#[derive(Debug)]
pub(crate) struct ChangeEntry {
    pub view: ChangeView,
    /// Why the object is on the page; none if all objects are read.
    pub change: Option<Change>,
    pub next: SyncToken,
}

impl From<ChangePage> for ChangesView {
    fn from(page: ChangePage) -> Self {
        Self {
            changes: page.entries.into_iter().map(|entry| entry.view).collect(),
            token: page.next.encode(),
            more: page.more,
        }
    }
}

/// Reads the page that follows the reader's place, of at most `limit` objects.
pub(crate) async fn read(caller: &Caller, reading: &Reading, limit: usize) -> Result<ChangePage, Problem> {
    let read = |snapshot: Arc<Snapshot>| async move {
        let token = match &reading.start {
            Start::After(token) => {
                for head in token.heads() {
                    if !object_changes::is_known(&*snapshot, &head).await? {
                        return Err(expired(caller, Some(&reading.kinds)));
                    }
                }
                (**token).clone().not_after(caller.timestamp())
            }
            Start::All => SyncToken::of_all(
                object_changes::head(&*snapshot).await?,
                caller.timestamp(),
                &reading.kinds,
                caller.identity,
            ),
            Start::Now => SyncToken::current(
                object_changes::head(&*snapshot).await?,
                caller.timestamp(),
                &reading.kinds,
                caller.identity,
            ),
        };
        let page = page::read(&snapshot, &token, caller.timestamp(), limit).await?;
        let objects: Vec<(Kind, i64)> = page.entries.iter().map(|entry| (entry.kind, entry.id)).collect();
        let views = change::represent(caller, &snapshot, &objects).await?;
        let entries = page.entries.into_iter().zip(views).map(|(entry, view)| ChangeEntry {
            view,
            change: entry.change,
            next: entry.next,
        });
        Ok(ChangePage {
            // A reader who has nothing yet needs no deletions.
            entries: entries
                .filter(|entry| entry.change.is_some() || !entry.view.is_deletion())
                .collect(),
            next: page.next,
            more: page.more,
        })
    };
    caller.read(read).await
}
