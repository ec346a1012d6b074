//! What lists hold, however they are read.

use almanac::{
    calendar::zone::Zone,
    demo::{self, Size},
    store::{PageRequest, entity::venue, events, open},
};
use chrono::Utc;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};

use crate::{filters::Events, on_both};

/// Filters that are tried, of which each fifth or so finds nothing.
const TRIED: usize = 400;

on_both! {
    async fn lists_have_the_events_that_a_look_at_each_one_finds(on) {
        let store = open(&on.url().await, false).await.expect("the database opens");
        let size = Size { events: 3_000, ..Size::CITY };
        let now = Utc::now();
        demo::fill(&store, &size, None, now, &Zone::UTC, |_| ()).await.expect("the calendar fills");
        let mut dice = StdRng::seed_from_u64(7);
        for planned_venue in [false, true] {
            if planned_venue {
                let transaction = store.begin().await.expect("a transaction");
                venue::Entity::update_many()
                    .col_expr(venue::Column::PublishedAt, Expr::val(now.timestamp() + 1000))
                    .filter(venue::Column::Id.is_in([1, 2]))
                    .exec(&transaction)
                    .await
                    .expect("venues are planned");
                transaction.commit().await.expect("a commit");
            }
            let all = Events::load(store.reader()).await;
            for _ in 0..TRIED / 2 {
                let filter = all.any_filter(&mut dice, now.timestamp());
                let expected = all.of(&filter);
                let per_page = dice.random_range(1..=30);
                let pages = expected.len() as u64 / per_page + 2;
                let request = PageRequest { page: dice.random_range(1..=pages), per_page };
                let page = events::list(store.reader(), &filter, request).await.expect("a list");
                let found: Vec<i64> = page.rows.iter().map(|row| row.id).collect();
                let expected_ids: Vec<i64> = expected
                    .iter()
                    .copied()
                    .skip(request.offset() as usize)
                    .take(per_page as usize)
                    .collect();
                assert_eq!(page.total, expected.len() as u64, "{filter:?}");
                assert_eq!(found, expected_ids, "{request:?} of {filter:?}");
            }
        }
    }
}
