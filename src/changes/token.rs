//! The tokens with which a reader continues.
//!
//! A token is not secret and not signed: what a reader may see depends on the credentials of the request only. Its
//! content is checked like any other input: [`SyncToken::heads`], [`SyncToken::not_after`].

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};

use crate::{
    auth::Identity,
    calendar::Kind,
    store::object_changes::{Change, Cursor, Head, Position},
};

/// The maximum length of a token.
const MAX_LENGTH: usize = 4096;

/// The place of a reader in the order of changes. Names are short because tokens are part of URLs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SyncToken {
    /// The history of the database.
    #[serde(rename = "e")]
    epoch: String,
    /// All changes up to here have been read.
    #[serde(rename = "p")]
    position: String,
    /// All scheduled publications up to this time have been read. A Unix timestamp.
    #[serde(rename = "t")]
    pub(crate) time: i64,
    /// The kinds that are read, as indices of [`Kind::ALL`].
    #[serde(rename = "k")]
    kinds: Vec<u8>,
    /// The ID and the role of the user; none for anonymous readers.
    #[serde(rename = "r", skip_serializing_if = "Option::is_none", default)]
    reader: Option<(i64, String)>,
    /// The place in the pages that are being read.
    #[serde(rename = "n", skip_serializing_if = "Option::is_none", default)]
    progress: Option<StoredProgress>,
}

/// The place of a reader among pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// All objects are read, by ID. These have been read last.
    Objects { kind: Kind, id: i64 },
    /// Changes up to an end are read.
    Changes { until: End, after: Option<Cursor> },
    /// Scheduled publications up to an end are read, after the changes.
    Scheduled { until: End, after: Option<Cursor> },
}

/// The end of the pages that are being read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct End {
    /// In the history of today, which may be a later one than that of the token.
    pub head: Head,
    /// A Unix timestamp.
    pub time: i64,
}

/// The history, the position and the time of an end.
type StoredEnd = (String, String, i64);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum StoredProgress {
    #[serde(rename = "o")]
    Objects(u8, i64),
    #[serde(rename = "c")]
    Changes(StoredEnd, Option<(i64, u8, i64)>),
    #[serde(rename = "s")]
    Scheduled(StoredEnd, Option<(i64, u8, i64)>),
}

impl SyncToken {
    /// The token of a reader who has read nothing yet, and has to read all objects first. Changes after `head` follow.
    pub(super) fn of_all(head: Head, time: i64, kinds: &[Kind], identity: Identity) -> Self {
        let token = Self::current(head, time, kinds, identity);
        let first = token.kinds().first().copied().unwrap_or(Kind::Event);
        token.with_progress(Some(Progress::Objects { kind: first, id: 0 }))
    }

    /// The token of a reader who has read everything up to now.
    pub(crate) fn current(head: Head, time: i64, kinds: &[Kind], identity: Identity) -> Self {
        Self {
            epoch: head.epoch,
            position: head.position.0,
            time,
            kinds: indices(kinds),
            reader: reader(identity),
            progress: None,
        }
    }

    /// The text that readers see.
    pub(crate) fn encode(&self) -> String {
        // A struct of texts and numbers can always be serialised.
        let json = serde_json::to_vec(self).unwrap_or_default();
        BASE64_URL_SAFE_NO_PAD.encode(json)
    }

    /// Reads a text. None if it is not a token.
    pub(crate) fn decode(text: &str) -> Option<Self> {
        if text.len() > MAX_LENGTH {
            return None;
        }
        let json = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
        let token: Self = serde_json::from_slice(&json).ok()?;
        let is_valid = !token.kinds().is_empty()
            && token.kinds.iter().all(|kind| kind_at(*kind).is_some())
            && (token.progress.is_none() || token.progress().is_some());
        is_valid.then_some(token)
    }

    /// Whether the reader has the token: the same user with the same role.
    pub(super) fn belongs_to(&self, identity: Identity) -> bool {
        self.reader == reader(identity)
    }

    /// The positions that must belong to the history of the database.
    pub(super) fn heads(&self) -> Vec<Head> {
        let until = match self.progress() {
            Some(Progress::Changes { until, .. } | Progress::Scheduled { until, .. }) => Some(until.head),
            Some(Progress::Objects { .. }) | None => None,
        };
        let since = Head {
            epoch: self.epoch.clone(),
            position: self.position(),
        };
        std::iter::once(since).chain(until).collect()
    }

    /// The same token, whose times are not after this one. Readers could write later times into it, and the clock of
    /// another server may be ahead. What is due between is read, perhaps again, when its time has come here.
    #[must_use]
    pub(super) fn not_after(self, now: i64) -> Self {
        let earlier = |until: End| End {
            time: until.time.min(now),
            ..until
        };
        let progress = self.progress().map(|progress| match progress {
            Progress::Objects { .. } => progress,
            Progress::Changes { until, after } => Progress::Changes {
                until: earlier(until),
                after,
            },
            Progress::Scheduled { until, after } => Progress::Scheduled {
                until: earlier(until),
                after,
            },
        });
        Self {
            time: self.time.min(now),
            ..self.with_progress(progress)
        }
    }

    /// The same token for other kinds.
    #[must_use]
    pub(crate) fn for_kinds(self, kinds: &[Kind]) -> Self {
        Self {
            kinds: indices(kinds),
            ..self
        }
    }

    /// The history of the database, a name.
    pub(crate) fn epoch(&self) -> &str {
        &self.epoch
    }

    pub(super) fn position(&self) -> Position {
        Position(self.position.clone())
    }

    /// The kinds that are read, in the order of [`Kind::ALL`].
    pub(crate) fn kinds(&self) -> Vec<Kind> {
        let kinds = Kind::ALL.into_iter();
        kinds.filter(|kind| self.kinds.contains(&index(*kind))).collect()
    }

    pub(super) fn progress(&self) -> Option<Progress> {
        let end = |(epoch, position, time): &StoredEnd| End {
            head: Head {
                epoch: epoch.clone(),
                position: Position(position.clone()),
            },
            time: *time,
        };
        let cursor = |cursor: &Option<(i64, u8, i64)>| match cursor {
            None => Some(None),
            Some((order, kind, id)) => kind_at(*kind).map(|kind| {
                Some(Cursor {
                    order: *order,
                    kind,
                    id: *id,
                })
            }),
        };
        Some(match self.progress.as_ref()? {
            StoredProgress::Objects(kind, id) => Progress::Objects {
                kind: kind_at(*kind)?,
                id: *id,
            },
            StoredProgress::Changes(until, after) => Progress::Changes {
                until: end(until),
                after: cursor(after)?,
            },
            StoredProgress::Scheduled(until, after) => Progress::Scheduled {
                until: end(until),
                after: cursor(after)?,
            },
        })
    }

    /// The same token at another place.
    pub(super) fn with_progress(&self, progress: Option<Progress>) -> Self {
        let cursor = |after: Option<Cursor>| after.map(|after| (after.order, index(after.kind), after.id));
        let stored = |End { head, time }: End| (head.epoch, head.position.0, time);
        let progress = progress.map(|progress| match progress {
            Progress::Objects { kind, id } => StoredProgress::Objects(index(kind), id),
            Progress::Changes { until, after } => StoredProgress::Changes(stored(until), cursor(after)),
            Progress::Scheduled { until, after } => StoredProgress::Scheduled(stored(until), cursor(after)),
        });
        Self {
            progress,
            ..self.clone()
        }
    }

    /// The token of a reader who has read everything up to this end.
    pub(super) fn at(&self, end: End) -> Self {
        Self {
            epoch: end.head.epoch,
            position: end.head.position.0,
            time: end.time,
            progress: None,
            ..self.clone()
        }
    }

    /// The token of a reader who has read the pages up to this change, of which more follow.
    pub(super) fn after(&self, until: &End, change: Change, is_scheduled: bool) -> Self {
        let (until, after) = (until.clone(), Some(Cursor::from(change)));
        self.with_progress(Some(match is_scheduled {
            false => Progress::Changes { until, after },
            true => Progress::Scheduled { until, after },
        }))
    }
}

fn reader(identity: Identity) -> Option<(i64, String)> {
    match identity {
        Identity::Anonymous => None,
        Identity::User { id, role } => Some((id, role.name().to_owned())),
    }
}

/// The kinds in the order of [`Kind::ALL`].
fn indices(kinds: &[Kind]) -> Vec<u8> {
    let kinds = Kind::ALL.into_iter().filter(|kind| kinds.contains(kind));
    kinds.map(index).collect()
}

fn index(kind: Kind) -> u8 {
    match kind {
        Kind::Event => 0,
        Kind::Venue => 1,
        Kind::Organizer => 2,
        Kind::Category => 3,
        Kind::Tag => 4,
    }
}

fn kind_at(index: u8) -> Option<Kind> {
    Kind::ALL.get(usize::from(index)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::Role;

    const EDITOR: Identity = Identity::User {
        id: 7,
        role: Role::Editor,
    };

    fn token() -> SyncToken {
        let head = Head {
            epoch: "a".to_owned(),
            position: Position("5:9:6,8".to_owned()),
        };
        SyncToken::current(head, 1_000, &[Kind::Tag, Kind::Event], EDITOR)
    }

    fn end(time: i64) -> End {
        let head = Head {
            epoch: "b".to_owned(),
            position: Position("12:12:".to_owned()),
        };
        End { head, time }
    }

    /// A server that starts begins another history, while a reader follows.
    #[test]
    fn each_position_keeps_its_history() {
        let until = end(2_000);
        let reading = token().with_progress(Some(Progress::Changes {
            until: until.clone(),
            after: None,
        }));
        let epochs: Vec<String> = reading.heads().into_iter().map(|head| head.epoch).collect();
        assert_eq!(epochs, ["a", "b"]);
        assert_eq!(reading.at(until.clone()).heads(), [until.head]);
    }

    #[test]
    fn tokens_survive_encoding() {
        let until = end(2_000);
        let after = Some(Cursor {
            order: 10,
            kind: Kind::Venue,
            id: 3,
        });
        for progress in [
            None,
            Some(Progress::Objects { kind: Kind::Tag, id: 5 }),
            Some(Progress::Changes {
                until: until.clone(),
                after,
            }),
            Some(Progress::Scheduled { until, after: None }),
        ] {
            let token = token().with_progress(progress.clone());
            assert_eq!(token.progress(), progress);
            assert_eq!(SyncToken::decode(&token.encode()), Some(token));
        }
    }

    #[test]
    fn times_are_not_in_the_future() {
        let until = |time| Progress::Scheduled {
            until: end(time),
            after: None,
        };
        let early = token().with_progress(Some(until(1_500)));
        assert_eq!(early.clone().not_after(1_500), early);
        let late = token().with_progress(Some(until(i64::MAX)));
        assert_eq!(late.clone().not_after(1_500), early);
        assert_eq!(late.not_after(900).time, 900);
    }

    #[test]
    fn other_texts_are_not_tokens() {
        let with_kinds = |kinds: Vec<u8>| SyncToken { kinds, ..token() }.encode();
        let long = "A".repeat(MAX_LENGTH + 1);
        for text in ["", "x", "e30", &with_kinds(vec![]), &with_kinds(vec![5]), &long] {
            assert_eq!(SyncToken::decode(text), None, "{text}");
        }
    }

    #[test]
    fn tokens_belong_to_a_user_and_role() {
        let other_role = Identity::User {
            id: 7,
            role: Role::Author,
        };
        let other_user = Identity::User {
            id: 8,
            role: Role::Editor,
        };
        assert!(token().belongs_to(EDITOR));
        for identity in [Identity::Anonymous, other_role, other_user] {
            assert!(!token().belongs_to(identity), "{identity:?}");
        }
    }

    #[test]
    fn kinds_have_their_order() {
        assert_eq!(token().kinds(), [Kind::Event, Kind::Tag]);
        let forged = SyncToken {
            kinds: vec![4, 0, 4],
            ..token()
        };
        assert_eq!(forged.kinds(), [Kind::Event, Kind::Tag]);
        for kind in Kind::ALL {
            assert_eq!(kind_at(index(kind)), Some(kind));
        }
    }
}
