//! The style sheet with the site's accent colour, at `/theme.css`.

use poem::{Request, Response, handler};

use crate::{Almanac, error::Problem};

#[handler]
pub(crate) fn style(request: &Request) -> Result<Response, Problem> {
    let accent = Almanac::of(request)?.settings.branding.accent_color;
    let accent = accent.ok_or_else(Problem::no_route)?;
    let style = format!(":root {{ --accent: light-dark({}, {}); }}\n", accent.light, accent.dark);
    Ok(Response::builder().content_type("text/css; charset=utf-8").body(style))
}
