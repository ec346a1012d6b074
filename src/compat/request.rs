//! A request to the compatibility root.

use poem::{
    Request,
    http::{Method, header},
};
use url::form_urlencoded;

use super::{
    rewrite::{remove_parameters, with_path_and_query},
    route::{PREFIX, Route, RouteEndpoint, Selector, Target},
    validation::RejectedFields,
};
use crate::{api::batch::is_in_batch, auth::Login, error::Problem, views::ROOT};

/// The properties of a request to the compatibility root on which the translation of the response depends.
pub(super) struct CompatRequest {
    pub method: Method,
    pub route: Route,
    /// The base URL of the server.
    pub base: String,
    /// The query for the native API.
    pub query: String,
    pub is_anonymous: bool,
    /// `_fields`: the members to which the response is limited.
    pub selected_fields: Option<Vec<String>>,
    /// `_envelope`: whether the response body includes status and headers.
    pub wants_envelope: bool,
    /// The fields of the body that The Events Calendar rejects.
    pub rejected: RejectedFields,
}

impl CompatRequest {
    pub(super) fn of(request: &Request, route: Route, base: String) -> Self {
        let query = request.uri().query().unwrap_or_default();
        let fields: Vec<String> = form_urlencoded::parse(query.as_bytes())
            .filter(|(name, _)| name == "_fields" || name.starts_with("_fields["))
            .flat_map(|(_, value)| {
                let names = value.split([',', ' ']).filter(|name| !name.is_empty());
                names.map(str::to_owned).collect::<Vec<_>>()
            })
            .collect();
        Self {
            method: request.method().clone(),
            route,
            base,
            // Only the native root knows it, and a translation needs all members.
            query: remove_parameters(query, |name| name == "fields" || name.starts_with("fields[")),
            is_anonymous: !request.headers().contains_key(header::AUTHORIZATION) && request.data::<Login>().is_none(),
            selected_fields: (!fields.is_empty()).then_some(fields),
            // The response of a batch has the status and headers of each request, and depends on them.
            wants_envelope: !is_in_batch(request)
                && form_urlencoded::parse(query.as_bytes()).any(|(name, _)| name == "_envelope"),
            rejected: RejectedFields::default(),
        }
    }

    /// The collection or object that the path addresses.
    pub(super) fn target(&self) -> Option<&Target> {
        match &self.route.endpoint {
            RouteEndpoint::Native { target, .. } => target.as_ref(),
            _ => None,
        }
    }

    pub(super) fn is_list(&self) -> bool {
        let is_collection = |target: &Target| target.selector == Selector::Collection;
        self.method == Method::GET && self.target().is_some_and(is_collection)
    }

    /// Whether the request changes an existing object.
    pub(super) fn is_update(&self) -> bool {
        let is_item = |target: &Target| target.selector != Selector::Collection;
        self.is_write() && self.target().is_some_and(is_item)
    }

    /// Whether the method creates or updates, with fields in the body.
    pub(super) fn is_write(&self) -> bool {
        matches!(self.method, Method::POST | Method::PUT | Method::PATCH)
    }

    /// The URL of the requested namespace.
    pub(super) fn root(&self) -> String {
        format!("{}{PREFIX}/{}", self.base, self.route.namespace)
    }

    /// Moves a URL from the native root to the requested namespace.
    pub(super) fn rebase(&self, url: &str) -> String {
        match url.strip_prefix(&self.native_root()) {
            Some(rest) => format!("{}{rest}", self.root()),
            None => url.to_owned(),
        }
    }

    /// The URL of the native root.
    pub(super) fn native_root(&self) -> String {
        format!("{}{ROOT}", self.base)
    }

    /// Sets the URI of the native path and query.
    pub(super) fn set_native_uri(&self, request: &mut Request) -> Result<(), Problem> {
        let path = match &self.route.endpoint {
            RouteEndpoint::Native { path, .. } => path.as_str(),
            _ => "",
        };
        let uri = with_path_and_query(request.uri(), &format!("{ROOT}{path}"), &self.query);
        *request.uri_mut() = uri.ok_or_else(Problem::no_route)?;
        Ok(())
    }
}
