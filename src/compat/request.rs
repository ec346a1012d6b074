//! What was asked of the compatibility root: all that its answer depends on.

use poem::{
    Request,
    http::{Method, header},
};
use url::form_urlencoded;

use super::{
    rewrite::with_path_and_query,
    route::{PREFIX, Route, RouteEndpoint, Selector, Target},
    validation::RejectedFields,
};
use crate::{error::Problem, views::ROOT};

/// A request to the compatibility root.
pub struct CompatRequest {
    pub method: Method,
    pub route: Route,
    /// The public address of the server.
    pub base: String,
    /// The query, as the native endpoints get it.
    pub query: String,
    pub is_anonymous: bool,
    /// `_fields`: which members of the answer are wanted.
    pub selected_fields: Option<Vec<String>>,
    /// `_envelope`: whether status and headers are wanted in the body.
    pub wants_envelope: bool,
    /// What of the body the reference refuses.
    pub rejected: RejectedFields,
}

impl CompatRequest {
    pub fn of(request: &Request, route: Route, base: String) -> Self {
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
            query: query.to_owned(),
            is_anonymous: !request.headers().contains_key(header::AUTHORIZATION),
            selected_fields: (!fields.is_empty()).then_some(fields),
            wants_envelope: form_urlencoded::parse(query.as_bytes()).any(|(name, _)| name == "_envelope"),
            rejected: RejectedFields::default(),
        }
    }

    /// The list or object that the path names.
    pub fn target(&self) -> Option<&Target> {
        match &self.route.endpoint {
            RouteEndpoint::Native { target, .. } => target.as_ref(),
            _ => None,
        }
    }

    pub fn is_list(&self) -> bool {
        let is_collection = |target: &Target| target.selector == Selector::Collection;
        self.method == Method::GET && self.target().is_some_and(is_collection)
    }

    /// Whether an object is to be changed.
    pub fn is_update(&self) -> bool {
        let is_item = |target: &Target| target.selector != Selector::Collection;
        self.is_write() && self.target().is_some_and(is_item)
    }

    /// Whether the request has a body with fields.
    pub fn is_write(&self) -> bool {
        matches!(self.method, Method::POST | Method::PUT | Method::PATCH)
    }

    /// The root that was asked.
    pub fn root(&self) -> String {
        format!("{}{PREFIX}/{}", self.base, self.route.namespace)
    }

    /// An address of the native root, on the root that was asked.
    pub fn rebase(&self, url: &str) -> String {
        match url.strip_prefix(&self.native_root()) {
            Some(rest) => format!("{}{rest}", self.root()),
            None => url.to_owned(),
        }
    }

    /// The native root.
    pub fn native_root(&self) -> String {
        format!("{}{ROOT}", self.base)
    }

    /// Turns the request to the native endpoints.
    pub fn set_native_uri(&self, request: &mut Request) -> Result<(), Problem> {
        let path = match &self.route.endpoint {
            RouteEndpoint::Native { path, .. } => path.as_str(),
            _ => "",
        };
        let uri = with_path_and_query(request.uri(), &format!("{ROOT}{path}"), &self.query);
        *request.uri_mut() = uri.ok_or_else(Problem::no_route)?;
        Ok(())
    }
}
