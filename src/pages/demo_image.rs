//! The pictures of the demo calendar, which the program draws, below `/demo`.

use poem::{Request, Response, handler, http::header};

use crate::{demo::picture, error::Problem};

#[handler]
pub(crate) fn image(request: &Request) -> Result<Response, Problem> {
    let parameter = |name| request.raw_path_param(name).unwrap_or_default();
    let svg = picture::svg(parameter("folder"), parameter("file")).ok_or_else(Problem::no_route)?;
    Ok(Response::builder()
        .content_type("image/svg+xml")
        .header(header::CACHE_CONTROL, "public, max-age=86400")
        .body(svg))
}
