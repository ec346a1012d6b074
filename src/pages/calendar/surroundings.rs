//! The parts of a view around its events: headings, links to other views and dates, filters and subscriptions.

use chrono::{Datelike, Days, NaiveDate};

use super::{
    Selection,
    address::{CalendarAddress, Frame, View},
    filter_bar::FilterBar,
    subscribe::Subscription,
    window::{month_after, month_before},
};
use crate::{
    auth::Caller,
    error::Problem,
    pages::{
        dates::{capitalised, date, month},
        event_items::today,
        layout::Layout,
    },
    store::{Snapshot, term::TermColumns},
};

/// The years between which views link to earlier and later dates.
const YEARS: std::ops::RangeInclusive<i32> = 1900..=2200;

/// A link.
pub(in crate::pages) struct Link {
    pub label: String,
    pub url: String,
}

/// A link to a view of the same events.
pub(super) struct ViewLink {
    pub label: &'static str,
    pub url: String,
    pub is_current: bool,
}

/// The parts of a view around its events.
pub(super) struct Surroundings {
    pub heading: String,
    /// The heading with the name of the site.
    pub title: String,
    pub canonical: String,
    /// Whether search engines may index the view: not with filters, and not without events.
    pub is_indexed: bool,
    /// From the start page to the parent. Empty in frames.
    pub breadcrumbs: Vec<Link>,
    /// The description of the category or tag: HTML, sanitised when it was written.
    pub description: String,
    pub views: Vec<ViewLink>,
    pub previous: Option<Link>,
    pub next: Option<Link>,
    /// The events that have ended or, from these, the upcoming ones.
    pub other_direction: Option<Link>,
    /// The list from the date of the view on, or of all events.
    pub onward: Link,
    /// The same view on this site, for frames.
    pub on_site: Link,
    /// None in frames.
    pub filters: Option<FilterBar>,
    pub subscription: Subscription,
}

impl Surroundings {
    /// `pages` is the number of pages of the list.
    pub(super) async fn of(
        caller: &Caller,
        snapshot: &Snapshot,
        layout: &Layout,
        selection: &Selection,
        (total, pages): (u64, u64),
    ) -> Result<Self, Problem> {
        let Selection {
            address,
            category,
            tag,
            page,
            ..
        } = selection;
        let today = today(caller);
        let first_day = address.first_day(today);
        let subject = subject(layout, address, category.as_ref(), tag.as_ref());
        let heading = heading(layout, address, &subject, first_day);
        let url = |path: String| format!("{}{path}", layout.prefix());
        let link = |label: String, to: &CalendarAddress| Link {
            label,
            url: url(to.path()),
        };
        let filters = match layout.is_embedded {
            true => None,
            false => Some(FilterBar::of(caller, snapshot, layout, selection).await?),
        };
        let (previous, next) = match address.view {
            View::Month => (
                month_link(layout, address, month_before(first_day)),
                month_link(layout, address, month_after(first_day)),
            ),
            View::Day if pages <= 1 => (
                day_link(layout, address, first_day.checked_sub_days(Days::new(1))),
                day_link(layout, address, first_day.succ_opt()),
            ),
            View::List | View::Day => {
                let to = |label: &str, number| Link {
                    label: label.to_owned(),
                    url: url(address.path_of_page(number)),
                };
                (
                    (page.page > 1).then(|| to(layout.texts.previous, page.page - 1)),
                    (page.page < pages).then(|| to(layout.texts.next, page.page + 1)),
                )
            }
        };
        let mut title = format!("{heading} · {}", layout.site_name());
        if page.page > 1 {
            title = format!("{heading} ({}) · {}", page.page, layout.site_name());
        }
        Ok(Self {
            title,
            canonical: format!("{}{}", layout.base, address.path_of_page(page.page)),
            is_indexed: address.filters.is_empty() && total > 0,
            breadcrumbs: match &filters {
                Some(filters) => breadcrumbs(layout, address, category.as_ref(), filters),
                None => Vec::new(),
            },
            description: category
                .as_ref()
                .or(tag.as_ref())
                .map(|term| term.description.clone())
                .unwrap_or_default(),
            views: views(layout, address, today),
            previous,
            next,
            other_direction: (address.view == View::List && address.date.is_none()).then(|| {
                let label = match address.is_past {
                    true => layout.texts.upcoming_events,
                    false => layout.texts.past_events,
                };
                link(label.to_owned(), &address.with_past(!address.is_past))
            }),
            onward: match address.view {
                View::List => link(
                    layout.texts.all_upcoming_events.to_owned(),
                    &CalendarAddress::new(address.frame),
                ),
                View::Month | View::Day => {
                    let later = Some(first_day).filter(|first| *first > today);
                    link(layout.texts.next_events.to_owned(), &address.at(View::List, later))
                }
            },
            on_site: link(layout.site_name().to_owned(), &address.in_frame(Frame::Page)),
            filters,
            subscription: Subscription::of(layout, address),
            heading,
        })
    }
}

/// The category, tag or kind of events that the view shows; empty for all events.
fn subject(
    layout: &Layout,
    address: &CalendarAddress,
    category: Option<&TermColumns>,
    tag: Option<&TermColumns>,
) -> String {
    let terms = category.into_iter().chain(tag).map(|term| term.name.as_str());
    let featured = address.is_featured.then_some(layout.texts.featured_events);
    terms.chain(featured).collect::<Vec<_>>().join(", ")
}

fn heading(layout: &Layout, address: &CalendarAddress, subject: &str, first_day: NaiveDate) -> String {
    let texts = layout.texts;
    let shown = match address.view {
        View::Month => month(layout.language, first_day),
        View::Day => capitalised(&date(layout.language, first_day, true)),
        View::List if address.is_past => texts.past_events.to_owned(),
        View::List => match address.date {
            None if subject.is_empty() => texts.upcoming_events.to_owned(),
            None => return subject.to_owned(),
            Some(from) => format!("{} {}", texts.from, date(layout.language, from, true)),
        },
    };
    match subject {
        "" => shown,
        subject => format!("{subject}: {shown}"),
    }
}

fn breadcrumbs(
    layout: &Layout,
    address: &CalendarAddress,
    category: Option<&TermColumns>,
    filters: &FilterBar,
) -> Vec<Link> {
    let link = |label: &str, path: &str| Link {
        label: label.to_owned(),
        url: format!("{}{path}", layout.prefix()),
    };
    let mut links = vec![link(layout.site_name(), "/")];
    let all = CalendarAddress::new(address.frame);
    if address.path() != all.path() {
        links.push(link(layout.texts.events, &all.path()));
    }
    if let Some(category) = category {
        let ancestors = filters.ancestors(category);
        links.extend(ancestors.iter().map(|ancestor| link(&ancestor.name, &ancestor.path)));
    }
    if let Some(category) = category.filter(|_| address.view != View::List) {
        let path = CalendarAddress {
            category: Some(category.slug.clone()),
            ..all
        };
        links.push(link(&category.name, &path.path()));
    }
    links
}

/// The list, the month and the day of the same events. A view keeps the month or day of another one.
fn views(layout: &Layout, address: &CalendarAddress, today: NaiveDate) -> Vec<ViewLink> {
    let texts = layout.texts;
    let views = [
        (View::List, texts.list),
        (View::Month, texts.month),
        (View::Day, texts.day),
    ];
    let views = views.into_iter().map(|(view, label)| {
        let is_this_month = |date: &NaiveDate| (date.year(), date.month()) == (today.year(), today.month());
        let date = match view {
            View::List => None,
            View::Month => address.date.filter(|date| !is_this_month(date)),
            View::Day => address.date.filter(|date| *date != today),
        };
        ViewLink {
            label,
            url: format!("{}{}", layout.prefix(), address.at(view, date).path()),
            is_current: view == address.view,
        }
    });
    views.collect()
}

fn month_link(layout: &Layout, address: &CalendarAddress, first_day: NaiveDate) -> Option<Link> {
    YEARS.contains(&first_day.year()).then(|| Link {
        label: month(layout.language, first_day),
        url: format!("{}{}", layout.prefix(), address.at(View::Month, Some(first_day)).path()),
    })
}

fn day_link(layout: &Layout, address: &CalendarAddress, day: Option<NaiveDate>) -> Option<Link> {
    let day = day.filter(|day| YEARS.contains(&day.year()))?;
    Some(Link {
        label: capitalised(&date(layout.language, day, false)),
        url: format!("{}{}", layout.prefix(), address.at(View::Day, Some(day)).path()),
    })
}
