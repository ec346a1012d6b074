//! Lists of events that are narrowed to what they link to, to words, to a parent or to IDs.

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect,
    QueryTrait,
    sea_query::{Expr, ExprTrait, IntoIden, Query, SelectStatement},
};

use super::{EventFilter, Found, near, source::Source};
use crate::store::{
    PageRequest,
    entity::{
        event::{Column, Entity},
        event_category, event_organizer, event_tag, event_venue,
    },
    links::Link,
    search::finds_words,
};

/// Which of two filters leaves fewer events is not told apart beyond so many.
const MANY: u64 = 10_000;

/// The page of the list.
pub async fn page(
    database: &impl ConnectionTrait,
    filter: &EventFilter,
    request: PageRequest,
) -> Result<Found, DbErr> {
    let mut links = links(filter);
    // Links know of the public what is listed, and nothing else.
    let from_links = filter.visibility.is_public() && filter.include.is_none();
    let start = match from_links {
        true => narrowest(database, filter, &mut links).await?,
        false => None,
    };
    let source = start
        .as_ref()
        .map_or_else(Source::events, |links| links.source.clone());
    let mut condition = source
        .shown(filter)
        .add_option(start.as_ref().map(|links| links.lead_to(&source)))
        .add(has_words(database, &source, &filter.words))
        .add_option(filter.post_parent.map(|parent| belongs_to(&source, parent)));
    condition = match &filter.include {
        Some(ids) => condition.add(source.id().is_in(ids.iter().copied())),
        None => condition.add(source.within(filter.window)),
    };
    if let Some(wanted) = filter.mapped {
        let mapped = Links::near(near::on_the_map(filter.visibility.now));
        let has_one = mapped.exist_for(&source);
        condition = condition.add(if wanted { has_one } else { has_one.not() });
    }
    for other in links {
        condition = condition.add(other.exist_for(&source));
    }
    // An event may have several of the links that were asked for.
    let is_distinct = start.is_some_and(|links| !links.is_single);
    let offset = request.offset();
    let total = count(&source, condition.clone(), is_distinct);
    let total = match database.query_one(&total).await? {
        Some(row) => row.try_get_by_index::<i64>(0)?.unsigned_abs(),
        None => 0,
    };
    let ids = (offset < total).then(|| {
        let mut ids = source.ids(condition, request.per_page, offset);
        if is_distinct {
            ids.add_group_by([source.column(Column::StartsAt), source.id()]);
        }
        ids
    });
    Ok((total, ids))
}

fn count(source: &Source, condition: Condition, is_distinct: bool) -> SelectStatement {
    if !is_distinct {
        return source.count(condition);
    }
    let events = source
        .rows(condition)
        .distinct()
        .expr_as(source.id(), "id")
        .to_owned();
    Query::select()
        .expr(Expr::cust("COUNT(*)"))
        .from_subquery(events, "events")
        .to_owned()
}

/// Links of one kind to what a list is narrowed to.
struct Links {
    source: Source,
    /// Selects their targets.
    targets: Targets,
    /// Whether no event can have two of them.
    is_single: bool,
}

enum Targets {
    These(Vec<i64>),
    Selected(Box<SelectStatement>),
}

impl Links {
    fn to<L: Link>(ids: &Option<Vec<i64>>) -> Option<Self> {
        let ids = ids.clone()?;
        Some(Self {
            source: Source::links::<L>(),
            is_single: ids.len() <= 1,
            targets: Targets::These(ids),
        })
    }

    fn near(venues: SelectStatement) -> Self {
        Self {
            source: Source::links::<event_venue::Entity>(),
            targets: Targets::Selected(Box::new(venues)),
            is_single: false,
        }
    }

    /// Whether a row of the source, which is of this kind, is one of them.
    fn lead_to(&self, source: &Source) -> Condition {
        let target = source.column("target_id".into_iden());
        Condition::all().add(match &self.targets {
            Targets::These(ids) => match ids[..] {
                [id] => target.eq(id),
                _ => target.is_in(ids.iter().copied()),
            },
            Targets::Selected(select) => target.in_subquery((**select).clone()),
        })
    }

    /// Whether the event of a row of the source has one of them.
    fn exist_for(&self, source: &Source) -> Condition {
        let other = self.source.named("other");
        let links = other.rows(self.lead_to(&other));
        Condition::all().add(if source.is_events() {
            source
                .id()
                .in_subquery(links.clone().expr(other.id()).to_owned())
        } else {
            let same = other.id().eq(source.id());
            Expr::exists(links.clone().expr(Expr::val(1)).and_where(same).to_owned())
        })
    }
}

fn links(filter: &EventFilter) -> Vec<Links> {
    let near = filter
        .near
        .map(|near| Links::near(near::venues(near, filter.visibility.now)));
    [
        Links::to::<event_category::Entity>(&filter.categories),
        Links::to::<event_tag::Entity>(&filter.tags),
        Links::to::<event_venue::Entity>(&filter.venues),
        Links::to::<event_organizer::Entity>(&filter.organizers),
        near,
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Takes out those of the links that lead to the fewest events.
async fn narrowest(
    database: &impl ConnectionTrait,
    filter: &EventFilter,
    links: &mut Vec<Links>,
) -> Result<Option<Links>, DbErr> {
    if links.len() <= 1 {
        return Ok(links.pop());
    }
    let mut counts = Query::select();
    for links in links.iter() {
        let Links { source, .. } = links;
        let condition = links
            .lead_to(source)
            .add(source.shown(filter))
            .add(source.within(filter.window));
        let some = source
            .rows(condition)
            .expr_as(Expr::val(1), "one")
            .limit(MANY)
            .to_owned();
        let count = Query::select()
            .expr(Expr::cust("COUNT(*)"))
            .from_subquery(some, "some_of_them")
            .to_owned();
        counts.expr(Expr::SubQuery(None, Box::new(count.into())));
    }
    let Some(row) = database.query_one(&counts).await? else {
        return Ok(links.pop());
    };
    let mut fewest = (0, i64::MAX);
    for place in 0..links.len() {
        let count = row.try_get_by_index(place)?;
        if count < fewest.1 {
            fewest = (place, count);
        }
    }
    Ok(Some(links.swap_remove(fewest.0)))
}

fn has_words(database: &impl ConnectionTrait, source: &Source, words: &[String]) -> Condition {
    let column = Column::SearchText;
    let finds = |id: Expr| finds_words(database, "event_search", id, column, words);
    if words.is_empty() || source.is_events() {
        return finds(source.id());
    }
    let texts = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(finds(Expr::col(Column::Id.as_column_ref())))
        .into_query();
    Condition::all().add(source.id().in_subquery(texts))
}

fn belongs_to(source: &Source, parent: i64) -> Condition {
    let is_part = Column::PostParent.eq(parent);
    if source.is_events() {
        return Condition::all().add(is_part);
    }
    let parts = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(is_part)
        .into_query();
    Condition::all().add(source.id().in_subquery(parts))
}
