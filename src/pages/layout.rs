//! The layout of all pages, `layout.html`, and additions to it by other layers.

use std::sync::Arc;

use poem::Request;

use super::{EMBED_SECURITY_POLICY, PAGE_SECURITY_POLICY, assets, texts::Texts};
use crate::{
    Almanac,
    config::{Branding, Language},
    error::Problem,
    middleware::base_url::Address,
    views::ROOT,
};

/// The data of the layout.
pub(super) struct Layout {
    /// The base URL, without a trailing slash.
    pub base: String,
    pub language: Language,
    pub texts: &'static Texts,
    /// Whether the page is shown in a frame of another site: without header and footer.
    pub is_embedded: bool,
    pub additions: PageAdditions,
    almanac: Arc<Almanac>,
}

/// Additions to pages by an outer layer, passed as data of the request. Empty by default.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageAdditions {
    /// Elements in the head of every page.
    pub head: Vec<HeadElement>,
    /// Entries under "Find out more" on the page for developers.
    pub links: Vec<DeveloperLink>,
}

/// A void element in the head of a page, such as `link` or `meta`.
#[derive(Clone, Debug)]
pub(crate) struct HeadElement {
    pub name: &'static str,
    pub attributes: [(&'static str, String); 2],
}

/// A link on the page for developers.
#[derive(Clone, Debug)]
pub(crate) struct DeveloperLink {
    /// The path below the base URL.
    pub path: &'static str,
    pub name: &'static str,
    pub description: &'static str,
}

impl Layout {
    pub(super) fn of(request: &Request) -> Result<Self, Problem> {
        let almanac = Almanac::of(request)?;
        let language = almanac.documents.preferred_language(request.headers());
        Ok(Self {
            base: Address::known(request, &almanac.settings).base.clone(),
            language,
            texts: Texts::of(language),
            is_embedded: false,
            additions: request.data().cloned().unwrap_or_default(),
            almanac: almanac.clone(),
        })
    }

    fn branding(&self) -> &Branding {
        &self.almanac.settings.branding
    }

    pub(super) fn site_name(&self) -> &str {
        &self.branding().site_name
    }

    /// Empty if there is none.
    pub(super) fn site_description(&self) -> &str {
        self.branding().site_description.as_deref().unwrap_or_default()
    }

    /// The image beside the name.
    pub(super) fn logo(&self) -> String {
        match &self.branding().logo {
            Some(logo) => logo.clone(),
            None => format!("{}{}", self.prefix(), assets::ICON_SVG.path),
        }
    }

    /// Whether the site has a style sheet of its own ([`super::theme`]).
    pub(super) fn has_theme(&self) -> bool {
        self.branding().accent_color.is_some()
    }

    /// The path of the base URL: the prefix that a proxy strips. Links are relative to the origin, so pages work at
    /// every address of the server, and their policy allows their own origin only.
    pub(super) fn prefix(&self) -> &str {
        prefix(&self.base)
    }

    pub(super) fn root(&self) -> &'static str {
        ROOT
    }

    pub(super) fn style(&self) -> &'static str {
        assets::ALMANAC_CSS.path
    }

    pub(super) fn script(&self) -> &'static str {
        match self.is_embedded {
            true => assets::FRAME_JS.path,
            false => assets::CALENDAR_JS.path,
        }
    }

    /// The Content Security Policy of a page with this layout.
    pub(super) fn security_policy(&self) -> &'static str {
        match self.is_embedded {
            true => EMBED_SECURITY_POLICY,
            false => PAGE_SECURITY_POLICY,
        }
    }

    pub(super) fn icon(&self) -> &'static str {
        assets::ICON_SVG.path
    }

    pub(super) fn version(&self) -> &'static str {
        env!("CARGO_PKG_VERSION")
    }
}

/// The path of a base URL, without a trailing slash.
fn prefix(base: &str) -> &str {
    let after_scheme = base.split_once("://").map_or("", |(_, rest)| rest);
    after_scheme.find('/').map_or("", |at| &after_scheme[at..])
}

#[cfg(test)]
mod tests {
    use super::prefix;

    #[test]
    fn prefix_is_path_of_base_url() {
        for (base, expected) in [
            ("https://example.org", ""),
            ("http://127.0.0.1:8080", ""),
            ("https://example.org/calendar", "/calendar"),
            ("https://example.org/a/b", "/a/b"),
        ] {
            assert_eq!(prefix(base), expected);
        }
    }
}
