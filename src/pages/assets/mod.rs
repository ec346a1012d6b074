//! Static assets: style sheets, scripts, the icon.
//!
//! The build script (`prepare.rs`) compresses each asset and puts a hash of its content into its file name. An asset at
//! a path therefore never changes, and clients may cache it indefinitely.

use poem::{Request, Response, handler, http::header};

use crate::{error::Problem, middleware::negotiation::accepts_gzip};

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// A prepared asset.
pub(crate) struct Asset {
    /// The file name with the hash.
    file: &'static str,
    /// The path below the base URL.
    pub path: &'static str,
    hash: &'static str,
    media_type: &'static str,
    plain: &'static [u8],
    gzip: &'static [u8],
}

#[handler]
pub(crate) fn asset(request: &Request) -> Result<Response, Problem> {
    let file = request.raw_path_param("file").unwrap_or_default();
    let found = ALL
        .iter()
        .find(|known| known.file == file)
        .ok_or_else(Problem::no_route)?;
    Ok(respond(request, found, "public, max-age=31536000, immutable"))
}

/// The script for pages of other sites, at an address that does not change.
#[handler]
pub(crate) fn embed_script(request: &Request) -> Response {
    respond(request, &EMBED_JS, "public, max-age=3600")
}

fn respond(request: &Request, found: &Asset, cache_control: &str) -> Response {
    let response = Response::builder()
        .content_type(found.media_type)
        .header(header::CACHE_CONTROL, cache_control);
    let hash = found.hash;
    match accepts_gzip(request.headers()) {
        true => response
            .header(header::CONTENT_ENCODING, "gzip")
            .header(header::ETAG, format!("\"{hash}-gzip\""))
            .body(found.gzip),
        false => response.header(header::ETAG, format!("\"{hash}\"")).body(found.plain),
    }
}
