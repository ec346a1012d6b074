//! The API explorer at `/explorer`: Swagger UI with the OpenAPI document. All assets come from this server, and the
//! document is in the language that the browser prefers.

use askama::Template;
use poem::{Request, Response, handler};

use super::{assets, layout::Layout, render_uncached};
use crate::error::Problem;

#[derive(Template)]
#[template(path = "explorer.html")]
struct Explorer {
    layout: Layout,
}

impl Explorer {
    fn styles(&self) -> [&'static str; 2] {
        [assets::SWAGGER_UI_CSS, assets::EXPLORER_CSS].map(|asset| asset.path)
    }

    fn scripts(&self) -> [&'static str; 2] {
        [assets::SWAGGER_UI_BUNDLE_JS, assets::EXPLORER_JS].map(|asset| asset.path)
    }
}

#[handler]
pub(crate) fn page(request: &Request) -> Result<Response, Problem> {
    let layout = Layout::of(request)?;
    render_uncached(&Explorer { layout }, EXPLORER_SECURITY_POLICY)
}

/// The style sheet of Swagger UI embeds its icons as `data:` URLs. The logo of the site may be on any host.
const EXPLORER_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                      img-src 'self' https: http: data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";
