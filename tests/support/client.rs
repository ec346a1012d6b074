//! An HTTP client, and responses with assertions.

use std::sync::Arc;

use reqwest::{Method, RequestBuilder, StatusCode, header::HeaderMap, redirect::Policy};
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use serde_json::Value;

/// The root of the native API.
const ROOT: &str = "/calendar/events/v1";

/// TLS without certificates, which no test needs. The library would read those of the machine for each client.
fn no_tls() -> ClientConfig {
    ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("the versions of the provider")
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth()
}

/// A client with the credentials of one caller.
#[derive(Clone)]
pub(crate) struct Client {
    client: reqwest::Client,
    base_url: String,
    credentials: Option<(String, String)>,
    token: Option<String>,
}

impl Client {
    /// A client without credentials.
    pub(crate) fn new(base_url: &str) -> Self {
        let client = reqwest::Client::builder()
            .redirect(Policy::none())
            .no_gzip()
            .tls_backend_preconfigured(no_tls())
            .build()
            .expect("a client");
        Self {
            client,
            base_url: base_url.to_owned(),
            credentials: None,
            token: None,
        }
    }

    /// The client with HTTP Basic credentials.
    pub(crate) fn with_password(mut self, name: &str, password: &str) -> Self {
        self.credentials = Some((name.to_owned(), password.to_owned()));
        self
    }

    /// The client with a bearer token.
    pub(crate) fn with_token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// A request with these credentials. The path is relative to the native root; after `~`, to the root of the server.
    /// Absolute URLs are used as they are.
    pub(crate) fn request(&self, method: &str, path: &str) -> RequestBuilder {
        let url = if path.starts_with("http") {
            path.to_owned()
        } else if let Some(path) = path.strip_prefix('~') {
            format!("{}{path}", self.base_url)
        } else {
            format!("{}{ROOT}{path}", self.base_url)
        };
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        let mut request = self.client.request(method, url);
        if let Some((name, password)) = &self.credentials {
            request = request.basic_auth(name, Some(password));
        }
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        request
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        Response::fetch(self.request("GET", path)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Response {
        Response::fetch(self.request("DELETE", path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Response {
        Response::fetch(self.request("POST", path).json(&body)).await
    }

    pub(crate) async fn put(&self, path: &str, body: Value) -> Response {
        Response::fetch(self.request("PUT", path).json(&body)).await
    }

    pub(crate) async fn patch(&self, path: &str, body: Value) -> Response {
        Response::fetch(self.request("PATCH", path).json(&body)).await
    }

    /// Creates an object and returns it. Fails if the status is not 201.
    pub(crate) async fn create(&self, path: &str, body: Value) -> Value {
        self.post(path, body).await.is(201).body
    }

    /// Creates an object and returns its ID. Fails if the status is not 201.
    pub(crate) async fn create_id(&self, path: &str, body: Value) -> i64 {
        self.create(path, body).await["id"].as_i64().expect("an ID")
    }
}

/// A complete response.
#[derive(Debug)]
pub(crate) struct Response {
    pub status: StatusCode,
    pub headers: HeaderMap,
    /// Null if the body is not JSON.
    pub body: Value,
    pub text: String,
}

impl Response {
    /// Sends the request and reads the response.
    pub(crate) async fn fetch(request: RequestBuilder) -> Self {
        let response = request.send().await.expect("a response");
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = response.bytes().await.expect("a complete body");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let body = serde_json::from_str(&text).unwrap_or_default();
        Self {
            status,
            headers,
            body,
            text,
        }
    }

    /// Asserts the status.
    #[track_caller]
    pub(crate) fn is(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}", self.text);
        self
    }

    /// Asserts the status and the error code.
    #[allow(clippy::wrong_self_convention, reason = "it is chained like `is`")]
    #[track_caller]
    pub(crate) fn is_error(self, status: u16, code: &str) -> Self {
        let response = self.is(status);
        assert_eq!(response.body["code"], code, "{}", response.text);
        assert_eq!(response.body["data"]["status"], status, "{}", response.text);
        response
    }

    /// The names of the parameters or fields with validation errors, in order.
    pub(crate) fn invalid_params(&self) -> Vec<String> {
        let params = self.body["data"]["params"].as_object();
        params
            .map(|params| params.keys().cloned().collect())
            .unwrap_or_default()
    }

    /// The value of a header, or the empty string.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// The values of one member of all items of a list.
    pub(crate) fn each(&self, list: &str, member: &str) -> Vec<Value> {
        let items = self.body[list].as_array().cloned().unwrap_or_default();
        items.iter().map(|item| item[member].clone()).collect()
    }

    /// The strings in one member of all items of a list.
    pub(crate) fn texts(&self, list: &str, member: &str) -> Vec<String> {
        self.each(list, member)
            .iter()
            .map(|value| value.as_str().unwrap_or_default().to_owned())
            .collect()
    }
}
