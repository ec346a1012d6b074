//! Images that were copied from a site with WordPress, at their former addresses.

use poem::{Request, Response, handler, http::header};

use crate::{Almanac, calendar::uploads::image_path, error::Problem};

/// Scripts in an SVG image must not run when it is opened as a page.
const IMAGE_SECURITY_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

#[handler]
pub(crate) async fn image(request: &Request) -> Result<Response, Problem> {
    let folder = Almanac::of(request)?
        .settings
        .uploads
        .as_ref()
        .ok_or_else(Problem::no_route)?;
    let below = request.raw_path_param("path").unwrap_or_default();
    let (path, media_type) = image_path(below).ok_or_else(Problem::no_route)?;
    let content = tokio::fs::read(folder.join(path))
        .await
        .map_err(|_| Problem::no_route())?;
    Ok(Response::builder()
        .content_type(media_type)
        .header(header::CACHE_CONTROL, "public, max-age=86400")
        .header(header::CONTENT_SECURITY_POLICY, IMAGE_SECURITY_POLICY)
        .header(header::X_CONTENT_TYPE_OPTIONS, "nosniff")
        .body(content))
}
