//! Generates unique slugs.

use std::collections::HashMap;

use crate::calendar::slug::with_suffix;

/// The number of slugs generated for each base.
///
/// Bases must not end in a number: they could equal a base with a suffix.
#[derive(Default)]
pub(super) struct UniqueSlugs {
    counts: HashMap<String, u32>,
}

impl UniqueSlugs {
    /// Returns `base` on the first call, then `base-2`, `base-3`, …, like the server.
    pub(super) fn next(&mut self, base: &str) -> String {
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
