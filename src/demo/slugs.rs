//! Slugs that no other row of a table has.

use std::collections::HashMap;

use crate::calendar::slug::with_suffix;

/// The slugs given out so far, by their beginning and how many have it.
///
/// Remembers one number for all namesakes, so it asks for bases that don't end in one themselves.
#[derive(Default)]
pub struct Slugs {
    given: HashMap<String, u32>,
}

impl Slugs {
    /// `base` for the first who asks, then `base-2`, `base-3`, …, as the server would give them.
    pub fn next(&mut self, base: &str) -> String {
        match self.given.get_mut(base) {
            None => {
                self.given.insert(base.to_owned(), 1);
                base.to_owned()
            }
            Some(given) => {
                *given += 1;
                with_suffix(base, *given)
            }
        }
    }
}
