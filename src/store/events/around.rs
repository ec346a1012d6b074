//! Lists of the events around a place, narrowed to dates and traits beside it, where there are many of them.
//!
//! To sort them out would cost most. The links to the venues are counted instead, without those that lead to an event
//! once more, and the page is read from the calendar in its order, which meets the events soon.

use sea_orm::{
    Condition, ConnectionTrait, DbErr,
    sea_query::{Expr, ExprTrait, Query},
};

use super::{EventFilter, Found, Ids, Surroundings, near, source::Source};
use crate::store::{PageRequest, entity::event_venue, number};

/// The place, if a list of the public is narrowed to it, and to nothing else but dates and traits.
fn place(filter: &EventFilter) -> Option<Surroundings> {
    // Taken apart, so that no filter can be forgotten here.
    let EventFilter {
        visibility,
        window: _,
        traits: _,
        include,
        words,
        categories,
        tags,
        venues,
        organizers,
        mapped,
        near,
        post_parent,
    } = filter;
    let is_narrowed = [categories, tags, venues, organizers, include]
        .iter()
        .any(|ids| ids.is_some());
    near.filter(|_| {
        !is_narrowed
            && visibility.is_public()
            && words.is_empty()
            && mapped.is_none()
            && post_parent.is_none()
    })
}

/// The page of the list, if it has more than `many` events.
pub async fn page(
    database: &impl ConnectionTrait,
    filter: &EventFilter,
    many: u64,
    request: PageRequest,
) -> Result<Option<Found>, DbErr> {
    let Some(place) = place(filter) else {
        return Ok(None);
    };
    let venues = near::venues(place, filter.visibility.now);
    let listed = |source: &Source| {
        Condition::all()
            .add(source.shown(filter))
            .add(source.within(filter.window))
    };
    let links = Source::links::<event_venue::Entity>();
    let leads_there = links.column("target_id").in_subquery(venues.clone());
    let all = links.count(listed(&links).add(leads_there));
    let further = listed(&links)
        // As the index has it, which serves no placeholder.
        .add(Expr::cust("position > 0"))
        .add(near::leads_to(&links, &venues))
        .add(near::is_further(&links, &venues));
    let total = Query::select()
        .expr(number::of(all).sub(number::of(links.count(further))))
        .to_owned();
    let total = number::ask(database, &total).await?.unsigned_abs();
    if total <= many {
        return Ok(None);
    }
    if request.offset() >= total {
        return Ok(Some((total, Ids::Of(Vec::new()))));
    }
    let events = Source::events();
    let there = listed(&events).add(near::happens_at(&events, &venues));
    let ids = events.ids(there, request.per_page, request.offset());
    Ok(Some((total, Ids::SelectedBy(Box::new(ids)))))
}
