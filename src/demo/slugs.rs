//! UniqueSlugs that no other row of a table has.

use std::collections::HashMap;

use crate::calendar::slug::with_suffix;

/// The slugs given out so far, by their beginning and how many have it.
///
/// Remembers one number for all namesakes, so it asks for bases that don't end in one themselves.
#[derive(Default)]
pub struct UniqueSlugs {
    counts: HashMap<String, u32>,
}

impl UniqueSlugs {
    /// `base` for the first who asks, then `base-2`, `base-3`, …, as the server would give them.
    pub fn next(&mut self, base: &str) -> String {
        match self.counts.get_mut(base) {
            None => {
                self.counts.insert(base.to_owned(), 1);
                base.to_owned()
            }
            Some(count) => {
                *count += 1;
                with_suffix(base, *count)
            }
        }
    }
}
