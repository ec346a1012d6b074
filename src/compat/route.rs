//! Routing of paths below `/wp-json`.

use crate::calendar::Kind;

/// The path of the WordPress REST API.
pub(super) const PREFIX: &str = "/wp-json";

/// The namespaces that serve the API.
pub(super) const NAMESPACES: [&str; 2] = ["tribe/events/v1", "calendar/events/v1"];

/// The native path of batches, which WordPress serves at `/batch/v1`.
const BATCH: &str = "/batch";

/// The route of a path below `/wp-json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Route {
    /// The requested namespace; the first one if the path is in none.
    pub namespace: &'static str,
    pub endpoint: RouteEndpoint,
}

/// What serves a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RouteEndpoint {
    /// The index of the site, with its namespaces.
    SiteIndex,
    /// The index of a namespace.
    NamespaceIndex,
    /// The authenticated user, at `/wp/v2/users/me`.
    CurrentUser,
    /// The native API.
    Native {
        /// The path below the namespace, with a leading slash.
        path: String,
        /// The collection or object, if the path addresses one.
        target: Option<Target>,
    },
    NotFound,
}

/// A collection or object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub kind: Kind,
    pub selector: Selector,
}

/// How a path addresses its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Selector {
    Collection,
    Id { id: String },
    Slug { slug: String },
}

impl Route {
    /// Parses a path. `None` if it is not below `/wp-json`.
    pub(super) fn of(path: &str) -> Option<Self> {
        let below = path.strip_prefix(PREFIX)?;
        let found = NAMESPACES.into_iter().find_map(|namespace| {
            let rest = below.strip_prefix('/')?.strip_prefix(namespace)?;
            (rest.is_empty() || rest.starts_with('/')).then_some((namespace, rest))
        });
        let endpoint = match (below, found) {
            ("" | "/", _) => RouteEndpoint::SiteIndex,
            ("/wp/v2/users/me" | "/wp/v2/users/me/", _) => RouteEndpoint::CurrentUser,
            ("/batch/v1" | "/batch/v1/", _) => RouteEndpoint::Native {
                path: BATCH.to_owned(),
                target: None,
            },
            (_, Some((_, "" | "/"))) => RouteEndpoint::NamespaceIndex,
            // Paths in lower case can't have such IDs, and representations here do not have them.
            (_, Some((_, rest))) if rest.contains("/by-external-id/") => RouteEndpoint::NotFound,
            (_, Some((_, rest))) => RouteEndpoint::Native {
                path: rest.to_owned(),
                target: target(rest),
            },
            (_, None) if below.starts_with('/') => RouteEndpoint::NotFound,
            (_, None) => return None,
        };
        Some(Self {
            namespace: found.map_or(NAMESPACES[0], |(namespace, _)| namespace),
            endpoint,
        })
    }
}

impl Route {
    /// Whether the path is that of batches, whose body is not an object of the API.
    pub(super) fn is_batch(&self) -> bool {
        matches!(&self.endpoint, RouteEndpoint::Native { path, .. } if path.trim_end_matches('/') == BATCH)
    }
}

fn target(rest: &str) -> Option<Target> {
    let mut parts = rest.trim_start_matches('/').split('/');
    let list = parts.next()?;
    let kind = Kind::ALL.into_iter().find(|kind| kind.plural() == list)?;
    let selector = match (parts.next(), parts.next()) {
        (None, _) => Selector::Collection,
        (Some(id), None) => Selector::Id { id: id.to_owned() },
        (Some("by-slug"), Some(slug)) => Selector::Slug { slug: slug.to_owned() },
        _ => return None,
    };
    Some(Target { kind, selector })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn native(rest: &str, target: Option<Target>) -> RouteEndpoint {
        RouteEndpoint::Native {
            path: rest.to_owned(),
            target,
        }
    }

    #[test]
    fn parse_paths() {
        let events = Target {
            kind: Kind::Event,
            selector: Selector::Collection,
        };
        let venue = Target {
            kind: Kind::Venue,
            selector: Selector::Id { id: "5".to_owned() },
        };
        for (path, namespace, endpoint) in [
            ("/wp-json", NAMESPACES[0], RouteEndpoint::SiteIndex),
            (
                "/wp-json/calendar/events/v1",
                NAMESPACES[1],
                RouteEndpoint::NamespaceIndex,
            ),
            (
                "/wp-json/tribe/events/v1/events",
                NAMESPACES[0],
                native("/events", Some(events)),
            ),
            (
                "/wp-json/calendar/events/v1/venues/5",
                NAMESPACES[1],
                native("/venues/5", Some(venue)),
            ),
            ("/wp-json/tribe/events/v1/doc", NAMESPACES[0], native("/doc", None)),
            ("/wp-json/batch/v1", NAMESPACES[0], native("/batch", None)),
            (
                "/wp-json/tribe/events/v1/events/by-external-id/a/1",
                NAMESPACES[0],
                RouteEndpoint::NotFound,
            ),
            ("/wp-json/tribe/events/v12", NAMESPACES[0], RouteEndpoint::NotFound),
            ("/wp-json/wp/v2/posts", NAMESPACES[0], RouteEndpoint::NotFound),
            ("/wp-json/wp/v2/users/me", NAMESPACES[0], RouteEndpoint::CurrentUser),
        ] {
            assert_eq!(Route::of(path), Some(Route { namespace, endpoint }), "{path}");
        }
        assert_eq!(Route::of("/wp-jsonx"), None);
        assert_eq!(Route::of("/calendar/events/v1/events"), None);
    }
}
