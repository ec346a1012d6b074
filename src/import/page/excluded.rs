//! The events of series that an import has moved to the trash, because the source excludes them now. Unlike those that
//! were deleted by hand, they come back with the source. Each is an item that is gone.

use std::collections::HashSet;

use super::Page;
use crate::{
    calendar::Kind,
    import::ImportError,
    store::{
        entity::{event, import_item},
        imports,
        publishable::PublishableRow,
    },
};

/// The key of the item of an event.
fn key(series: &str, event: i64) -> String {
    format!("{series} #{event}")
}

impl Page<'_> {
    /// Those of the events of a series that imports have moved to the trash.
    pub(super) async fn excluded(&self, series: &str, events: &[event::Model]) -> Result<HashSet<i64>, ImportError> {
        let trashed = events.iter().filter(|event| event.is_in_trash());
        let keys: Vec<String> = trashed.map(|event| key(series, event.id)).collect();
        let items = imports::items(&self.transaction, self.source, Kind::Event, &keys).await?;
        Ok(items.into_values().map(|item| item.target_id).collect())
    }

    /// Notes which events an import has moved to the trash, and which it has restored.
    pub(super) async fn note_excluded(
        &mut self,
        series: &str,
        before: &[event::Model],
        after: &[event::Model],
    ) -> Result<(), ImportError> {
        let trashed_before: HashSet<i64> = before
            .iter()
            .filter(|event| event.is_in_trash())
            .map(|event| event.id)
            .collect();
        let mut restored = Vec::new();
        for event in after {
            match (trashed_before.contains(&event.id), event.is_in_trash()) {
                (false, true) => {
                    let key = key(series, event.id);
                    let item = self.new_item(Kind::Event, &key, event.id, String::new(), String::new());
                    let gone = import_item::Model {
                        created_by: None,
                        is_gone: true,
                        ..item
                    };
                    self.save_item(gone, Kind::Event);
                }
                (true, false) => restored.push(key(series, event.id)),
                _ => {}
            }
        }
        Ok(imports::remove_items(&self.transaction, self.source, Kind::Event, &restored).await?)
    }
}
