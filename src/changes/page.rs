//! Pages of changes: which objects a reader learns of, and the token to continue with.

use std::collections::HashSet;

use sea_orm::DbErr;

use super::token::{End, Progress, SyncToken};
use crate::{
    calendar::Kind,
    store::{
        Snapshot,
        object_changes::{self, Change, Cursor, Range, due, ids_after},
    },
};

/// A token without changes is replaced after this time, in seconds, so that it does not expire, and so that the changes
/// of other kinds since then are not read again and again.
const RENEWAL: i64 = 60 * 60;

/// A page.
#[derive(Debug)]
pub(super) struct Page {
    pub entries: Vec<Entry>,
    pub next: SyncToken,
    pub more: bool,
}

/// An object on a page, and the token that continues after it.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub kind: Kind,
    pub id: i64,
    /// Why the object is on the page; none if all objects are read.
    pub change: Option<Change>,
    pub next: SyncToken,
}

/// Reads the page that follows the token, of at most `limit` objects. The position of the token must be known.
pub(super) async fn read(snapshot: &Snapshot, token: &SyncToken, now: i64, limit: usize) -> Result<Page, DbErr> {
    match token.progress() {
        Some(Progress::Objects { kind, id }) => objects(snapshot, token, kind, id, limit).await,
        Some(Progress::Changes { until, after }) => changes(snapshot, token, until, after, limit).await,
        Some(Progress::Scheduled { until, after }) => scheduled(snapshot, token, until, after, limit).await,
        None => {
            let until = End {
                head: object_changes::head(snapshot).await?,
                time: now,
            };
            let page = changes(snapshot, token, until, None, limit).await?;
            if page.entries.is_empty() && !page.more && now < token.time + RENEWAL {
                let next = token.clone();
                return Ok(Page { next, ..page });
            }
            Ok(page)
        }
    }
}

/// All objects by ID, from those after this one.
async fn objects(
    snapshot: &Snapshot,
    token: &SyncToken,
    mut kind: Kind,
    mut last: i64,
    limit: usize,
) -> Result<Page, DbErr> {
    let mut entries = Vec::new();
    let kinds = token.kinds();
    let first = kind;
    let mut rest = kinds.iter().skip_while(|other| **other != first).copied();
    rest.next();
    loop {
        let room = limit - entries.len();
        let ids = ids_after(snapshot, kind, last, room).await?;
        let is_end = ids.len() < room;
        entries.extend(ids.into_iter().map(|id| Entry {
            kind,
            id,
            change: None,
            next: token.with_progress(Some(Progress::Objects { kind, id })),
        }));
        if !is_end {
            let next = entries.last().map_or_else(|| token.clone(), |last| last.next.clone());
            return Ok(Page {
                entries,
                next,
                more: true,
            });
        }
        match rest.next() {
            Some(next) => (kind, last) = (next, 0),
            None => {
                return Ok(Page {
                    entries,
                    next: token.with_progress(None),
                    more: false,
                });
            }
        }
    }
}

/// Changes after the cursor, and then scheduled publications.
async fn changes(
    snapshot: &Snapshot,
    token: &SyncToken,
    until: End,
    after: Option<Cursor>,
    limit: usize,
) -> Result<Page, DbErr> {
    let since = token.position();
    let range = Range {
        since: &since,
        until: &until.head.position,
    };
    let mut found = object_changes::changes(snapshot, range, after, &token.kinds(), limit + 1).await?;
    let more = found.len() > limit;
    found.truncate(limit);
    let mut entries = entries(token, &until, found, false);
    if more {
        let next = entries.last().map_or_else(|| token.clone(), |last| last.next.clone());
        return Ok(Page { entries, next, more });
    }
    let page = scheduled(snapshot, token, until, None, limit - entries.len()).await?;
    // An object that was just created is also one that has become due.
    let known: HashSet<_> = entries.iter().map(|entry| (entry.kind, entry.id)).collect();
    let due = page.entries.into_iter();
    entries.extend(due.filter(|entry| !known.contains(&(entry.kind, entry.id))));
    Ok(Page { entries, ..page })
}

/// Publications that have become due, after the cursor.
async fn scheduled(
    snapshot: &Snapshot,
    token: &SyncToken,
    until: End,
    after: Option<Cursor>,
    limit: usize,
) -> Result<Page, DbErr> {
    let mut found = due(snapshot, token.time, until.time, after, &token.kinds(), limit + 1).await?;
    let more = found.len() > limit;
    found.truncate(limit);
    let entries = entries(token, &until, found, true);
    let next = match (more, entries.last()) {
        (false, _) => token.at(until),
        (true, Some(last)) => last.next.clone(),
        // The page is full of changes.
        (true, None) => token.with_progress(Some(Progress::Scheduled { until, after })),
    };
    Ok(Page { entries, next, more })
}

fn entries(token: &SyncToken, until: &End, changes: Vec<Change>, is_scheduled: bool) -> Vec<Entry> {
    let entry = |change: Change| Entry {
        kind: change.kind,
        id: change.id,
        change: Some(change),
        next: token.after(until, change, is_scheduled),
    };
    changes.into_iter().map(entry).collect()
}
