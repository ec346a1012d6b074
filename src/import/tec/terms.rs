//! The order of categories.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::read;

/// Terms, parents before their children. A cycle is broken: its members keep their order.
pub(super) fn by_depth(terms: Vec<Value>) -> Vec<Value> {
    let parents: HashMap<i64, i64> = terms
        .iter()
        .filter_map(|term| Some((read::id(term)?, term["parent"].as_i64().unwrap_or_default())))
        .collect();
    let depth = |term: &Value| {
        let mut depth = 0;
        let mut next = read::id(term);
        while let Some(parent) = next.and_then(|id| parents.get(&id)).filter(|parent| **parent != 0) {
            depth += 1;
            next = Some(*parent);
            if depth > parents.len() {
                break;
            }
        }
        depth
    };
    let mut ordered: Vec<(usize, Value)> = terms.into_iter().map(|term| (depth(&term), term)).collect();
    ordered.sort_by_key(|(depth, _)| *depth);
    let mut seen = HashSet::new();
    let terms = ordered.into_iter().map(|(_, term)| term);
    terms
        .filter(|term| read::id(term).is_none_or(|id| seen.insert(id)))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parents_precede_children() {
        let terms = [(3, 2), (2, 1), (1, 0), (3, 2), (5, 6), (6, 5)];
        let terms = terms.map(|(id, parent)| json!({"id": id, "parent": parent})).to_vec();
        let ids: Vec<i64> = by_depth(terms).iter().filter_map(read::id).collect();
        assert_eq!(ids[..3], [1, 2, 3]);
        assert_eq!(ids.len(), 5);
    }
}
