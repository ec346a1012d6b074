//! Lists of IDs as values of statements.

/// The maximum length of a list that is padded. Longer ones are rare, and their statements take longer to run than to
/// prepare.
pub(super) const MAX_PADDED: usize = 64;

/// The same IDs, of which the last one is repeated until their number is a power of two.
///
/// Statements with lists of different lengths have different texts. Each text is built once, and parsed and planned by
/// each connection, which on PostgreSQL takes longer than its execution.
pub(super) fn padded(ids: &[i64]) -> Vec<i64> {
    let mut padded = ids.to_vec();
    if let Some(last) = ids.last()
        && ids.len() <= MAX_PADDED
    {
        padded.resize(ids.len().next_power_of_two(), *last);
    }
    padded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_powers_of_two() {
        for (length, expected) in [(0, 0), (1, 1), (2, 2), (3, 4), (10, 16), (64, 64), (65, 65)] {
            let ids: Vec<i64> = (1..=length).collect();
            let padded = padded(&ids);
            assert_eq!(padded.len(), expected, "{length}");
            assert!(padded.starts_with(&ids));
            assert!(padded.iter().all(|id| ids.contains(id)));
        }
    }
}
