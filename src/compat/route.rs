//! What a path below `/wp-json` names.

use crate::calendar::Kind;

/// Below it WordPress serves its REST interfaces.
pub const PREFIX: &str = "/wp-json";

/// The names under which the interface is served.
pub const NAMESPACES: [&str; 2] = ["tribe/events/v1", "calendar/events/v1"];

/// A path below `/wp-json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The namespace that was asked, or the first one.
    pub namespace: &'static str,
    pub place: Place,
}

/// What there is at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The index of the site, with its namespaces.
    Site,
    /// The index of a namespace.
    Index,
    /// Who asks, as WordPress's own interface has it.
    Me,
    /// Something in a namespace.
    Within {
        /// The rest of the path, with its slash.
        rest: String,
        /// The list or object, where the path is one of those.
        target: Option<Target>,
    },
    Nowhere,
}

/// A list or object of the calendar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub kind: Kind,
    pub form: Form,
}

/// How a path names its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    Collection,
    Item { id: String },
    BySlug { slug: String },
}

impl Path {
    /// Takes a path apart; none where it is not below `/wp-json`.
    pub fn of(path: &str) -> Option<Self> {
        let below = path.strip_prefix(PREFIX)?;
        let found = NAMESPACES.into_iter().find_map(|namespace| {
            let rest = below.strip_prefix('/')?.strip_prefix(namespace)?;
            (rest.is_empty() || rest.starts_with('/')).then_some((namespace, rest))
        });
        let place = match (below, found) {
            ("" | "/", _) => Place::Site,
            ("/wp/v2/users/me" | "/wp/v2/users/me/", _) => Place::Me,
            (_, Some((_, "" | "/"))) => Place::Index,
            (_, Some((_, rest))) => Place::Within {
                rest: rest.to_owned(),
                target: target(rest),
            },
            (_, None) if below.starts_with('/') => Place::Nowhere,
            (_, None) => return None,
        };
        Some(Self {
            namespace: found.map_or(NAMESPACES[0], |(namespace, _)| namespace),
            place,
        })
    }
}

fn target(rest: &str) -> Option<Target> {
    let mut parts = rest.trim_start_matches('/').split('/');
    let list = parts.next()?;
    let kind = Kind::ALL.into_iter().find(|kind| kind.plural() == list)?;
    let form = match (parts.next(), parts.next()) {
        (None, _) => Form::Collection,
        (Some(id), None) => Form::Item { id: id.to_owned() },
        (Some("by-slug"), Some(slug)) => Form::BySlug { slug: slug.to_owned() },
        _ => return None,
    };
    Some(Target { kind, form })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(rest: &str, target: Option<Target>) -> Place {
        Place::Within {
            rest: rest.to_owned(),
            target,
        }
    }

    #[test]
    fn a_path_is_one_of_the_site_of_a_namespace_or_of_others() {
        let events = Target {
            kind: Kind::Event,
            form: Form::Collection,
        };
        let venue = Target {
            kind: Kind::Venue,
            form: Form::Item { id: "5".to_owned() },
        };
        for (path, namespace, place) in [
            ("/wp-json", NAMESPACES[0], Place::Site),
            ("/wp-json/calendar/events/v1", NAMESPACES[1], Place::Index),
            (
                "/wp-json/tribe/events/v1/events",
                NAMESPACES[0],
                within("/events", Some(events)),
            ),
            (
                "/wp-json/calendar/events/v1/venues/5",
                NAMESPACES[1],
                within("/venues/5", Some(venue)),
            ),
            ("/wp-json/tribe/events/v1/doc", NAMESPACES[0], within("/doc", None)),
            ("/wp-json/tribe/events/v12", NAMESPACES[0], Place::Nowhere),
            ("/wp-json/wp/v2/posts", NAMESPACES[0], Place::Nowhere),
            ("/wp-json/wp/v2/users/me", NAMESPACES[0], Place::Me),
        ] {
            assert_eq!(Path::of(path), Some(Path { namespace, place }), "{path}");
        }
        assert_eq!(Path::of("/wp-jsonx"), None);
        assert_eq!(Path::of("/calendar/events/v1/events"), None);
    }
}
