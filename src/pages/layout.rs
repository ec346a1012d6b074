//! The layout of all pages, `layout.html`, and additions to it by other layers.

use poem::Request;

use super::assets;
use crate::{Almanac, error::Problem, middleware::base_url::Address, views::ROOT};

/// The data of the layout.
pub(super) struct Layout {
    /// The base URL, without a trailing slash.
    pub base: String,
    pub additions: PageAdditions,
}

/// Additions to pages by an outer layer, passed as data of the request. Empty by default.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageAdditions {
    /// Elements in the head of every page.
    pub head: Vec<HeadElement>,
    /// Entries under "Find out more" on the start page.
    pub links: Vec<StartLink>,
}

/// A void element in the head of a page, such as `link` or `meta`.
#[derive(Clone, Debug)]
pub(crate) struct HeadElement {
    pub name: &'static str,
    pub attributes: [(&'static str, String); 2],
}

/// A link on the start page.
#[derive(Clone, Debug)]
pub(crate) struct StartLink {
    /// The path below the base URL.
    pub path: &'static str,
    pub name: &'static str,
    pub description: &'static str,
}

impl Layout {
    pub(super) fn of(request: &Request) -> Result<Self, Problem> {
        let settings = &Almanac::of(request)?.settings;
        Ok(Self {
            base: Address::known(request, settings).base.clone(),
            additions: request.data().cloned().unwrap_or_default(),
        })
    }

    /// The path of the base URL: the prefix that a proxy strips. Links are relative to the origin, so pages work at
    /// every address of the server, and their policy allows their own origin only.
    pub(super) fn prefix(&self) -> &str {
        let after_scheme = self.base.split_once("://").map_or("", |(_, rest)| rest);
        after_scheme.find('/').map_or("", |at| &after_scheme[at..])
    }

    pub(super) fn root(&self) -> &'static str {
        ROOT
    }

    pub(super) fn style(&self) -> &'static str {
        assets::ALMANAC_CSS.path
    }

    pub(super) fn icon(&self) -> &'static str {
        assets::ICON_SVG.path
    }

    pub(super) fn version(&self) -> &'static str {
        env!("CARGO_PKG_VERSION")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_is_path_of_base_url() {
        for (base, prefix) in [
            ("https://example.org", ""),
            ("http://127.0.0.1:8080", ""),
            ("https://example.org/calendar", "/calendar"),
            ("https://example.org/a/b", "/a/b"),
        ] {
            let base = base.to_owned();
            let additions = PageAdditions::default();
            assert_eq!(Layout { base, additions }.prefix(), prefix);
        }
    }
}
