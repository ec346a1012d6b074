//! Webhooks: messages to other programs about changes, in the format of Standard Webhooks
//! (<https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md>).
//!
//! An endpoint is a place in the order of changes. The server reads the changes after it as any other reader would, sends
//! them one after the other, and moves the place. Therefore a write costs the same whatever the number of endpoints, a
//! crash loses nothing, and an object that changes again before it was sent is sent once.

mod dispatch;
mod message;
mod retry;
mod sender;
pub(crate) mod signature;

pub(crate) use dispatch::Dispatcher;
pub(crate) use message::Message;
pub(crate) use sender::Sender;

use crate::{calendar::Kind, store::entity::webhook};

/// Why an endpoint receives no messages.
pub(crate) mod disabled {
    /// It has responded with 410.
    pub(crate) const GONE: &str = "gone";
    /// All attempts have failed for days.
    pub(crate) const FAILING: &str = "failing";
    /// The calendar was restored from a backup.
    pub(crate) const RESTORED: &str = "restored";
    /// An administrator has disabled it.
    pub(crate) const BY_ADMINISTRATOR: &str = "by_administrator";
}

/// The kinds of objects whose changes an endpoint receives.
pub(crate) fn kinds(row: &webhook::Model) -> Vec<Kind> {
    let is_named = |kind: &Kind| row.kinds.split(',').any(|name| name == kind.name());
    Kind::ALL.into_iter().filter(is_named).collect()
}

/// The kinds as they are stored, in the order of [`Kind::ALL`].
pub(crate) fn stored_kinds(kinds: &[Kind]) -> String {
    let names = Kind::ALL.into_iter().filter(|kind| kinds.contains(kind));
    let names: Vec<&str> = names.map(Kind::name).collect();
    names.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_stored_in_order() {
        for stored in [
            "event",
            "event,venue",
            "venue,tag",
            "event,venue,organizer,category,tag",
            "",
        ] {
            let row = webhook::Model {
                kinds: stored.to_owned(),
                ..webhook::Model::default()
            };
            assert_eq!(stored_kinds(&kinds(&row)), stored);
        }
        assert_eq!(stored_kinds(&[Kind::Tag, Kind::Event]), "event,tag");
    }
}
