//! A deterministic random number generator.

use std::ops::RangeInclusive;

use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus, seq::IndexedRandom};

/// Arbitrary, but constant.
const SEED: u64 = 0x414c_4d41_4e41_4321;

/// The source of all random choices. Its sequence is the same on all machines.
pub(super) struct Random(Xoshiro256PlusPlus);

impl Random {
    /// Starts the sequence from the beginning.
    pub(super) fn new() -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(SEED))
    }

    /// A uniformly distributed number of the range, which must not be empty.
    pub(super) fn between(&mut self, range: RangeInclusive<i64>) -> i64 {
        self.0.random_range(range)
    }

    /// True with a probability in per mille.
    pub(super) fn per_mille(&mut self, per_mille: u32) -> bool {
        self.0.random_ratio(per_mille, 1000)
    }

    /// A uniformly distributed entry of a table, which must not be empty.
    pub(super) fn pick<'table, T>(&mut self, table: &'table [T]) -> &'table T {
        &table[self.0.random_range(0..table.len())]
    }

    /// An entry of a list that is ordered by popularity: half of the picks are in the first quarter. `None` if the list
    /// is empty.
    pub(super) fn pick_popular<'list, T>(&mut self, list: &'list [T]) -> Option<&'list T> {
        let position: f64 = self.0.random();
        list.get((position * position * list.len() as f64) as usize)
    }

    /// `count` different entries of a table in random order; all entries if it has fewer.
    pub(super) fn sample<'table, T>(&mut self, table: &'table [T], count: usize) -> impl Iterator<Item = &'table T> {
        table.sample(&mut self.0, count)
    }
}
