//! Chance that falls the same way each time.

use std::ops::RangeInclusive;

use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus, seq::IndexedRandom};

/// Any number does: it only has to stay the same.
const SEED: u64 = 0x414c_4d41_4e41_4321;

/// What decides wherever the demo calendar could be one thing or another.
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    /// Dice that will fall as they did before, on any machine.
    pub fn new() -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(SEED))
    }

    /// A number of the range, which must not be empty.
    pub fn between(&mut self, range: RangeInclusive<i64>) -> i64 {
        self.0.random_range(range)
    }

    /// True this many times in a thousand.
    pub fn per_mille(&mut self, chance: u32) -> bool {
        self.0.random_ratio(chance, 1000)
    }

    /// An entry of a table, which must not be empty.
    pub fn pick<'table, T>(&mut self, table: &'table [T]) -> &'table T {
        &table[self.0.random_range(0..table.len())]
    }

    /// An entry of a list in which the earlier ones are the more popular; half of the picks fall into
    /// the first quarter.
    pub fn pick_popular<'list, T>(&mut self, list: &'list [T]) -> Option<&'list T> {
        let place: f64 = self.0.random();
        list.get((place * place * list.len() as f64) as usize)
    }

    /// As many different entries of a table, in any order; all of them where it has no more.
    pub fn sample<'table, T>(&mut self, table: &'table [T], count: usize) -> impl Iterator<Item = &'table T> {
        table.sample(&mut self.0, count)
    }
}
