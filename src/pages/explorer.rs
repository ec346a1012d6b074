//! The explorer at `/explorer`: Swagger UI, with the served document in the page. It needs no network.

use std::sync::Arc;

use poem::{Request, Response, handler};

use crate::{
    Almanac,
    api::{
        self,
        variant::{A, B, VariantName},
    },
    wire::{Freshness, Problem},
};

#[handler]
pub fn page(request: &Request) -> Result<Response, Problem> {
    let almanac = request
        .data::<Arc<Almanac>>()
        .ok_or_else(|| Problem::internal("no service behind the page"))?;
    let document = &almanac.documents.preferred(request.headers()).value;
    let (page, emitted) = match almanac.settings.variant {
        VariantName::A => swagger::<A>(),
        VariantName::B => swagger::<B>(),
    };
    // The page holds what poem-openapi emits; the served document says more.
    let served = document.to_string().replace("</", "<\\/");
    let mut response = Response::builder()
        .content_type("text/html; charset=utf-8")
        .body(page.replacen(&emitted, &served, 1));
    response.set_data(Freshness::LASTING);
    Ok(response)
}

fn swagger<V: api::variant::Variant>() -> (String, String) {
    let service = api::service::<V>();
    (service.swagger_ui_html(), service.spec())
}
