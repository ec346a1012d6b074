//! A client that speaks HTTP, and answers that can be asked whether they are right.

use reqwest::{Method, RequestBuilder, StatusCode, header::HeaderMap, redirect::Policy};
use serde_json::Value;

/// The root of the native interface.
const ROOT: &str = "/calendar/events/v1";

/// Somebody who asks.
#[derive(Clone)]
pub struct Client {
    client: reqwest::Client,
    address: String,
    credentials: Option<(String, String)>,
    token: Option<String>,
}

impl Client {
    pub fn new(address: &str) -> Self {
        let client = reqwest::Client::builder()
            .redirect(Policy::none())
            .no_gzip()
            .build()
            .expect("a client");
        Self {
            client,
            address: address.to_owned(),
            credentials: None,
            token: None,
        }
    }

    /// The same with HTTP Basic.
    pub fn with_password(mut self, name: &str, password: &str) -> Self {
        self.credentials = Some((name.to_owned(), password.to_owned()));
        self
    }

    /// The same with a Bearer token.
    pub fn with_token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// A request with these credentials. A path that begins with a slash is below the native root; an address
    /// with a scheme stands for itself, and one that begins with `~` is below the server's own root.
    pub fn request(&self, method: &str, path: &str) -> RequestBuilder {
        let url = if path.starts_with("http") {
            path.to_owned()
        } else if let Some(path) = path.strip_prefix('~') {
            format!("{}{path}", self.address)
        } else {
            format!("{}{ROOT}{path}", self.address)
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

    pub async fn get(&self, path: &str) -> Response {
        Response::fetch(self.request("GET", path)).await
    }

    pub async fn delete(&self, path: &str) -> Response {
        Response::fetch(self.request("DELETE", path)).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Response {
        Response::fetch(self.request("POST", path).json(&body)).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Response {
        Response::fetch(self.request("PUT", path).json(&body)).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Response {
        Response::fetch(self.request("PATCH", path).json(&body)).await
    }

    /// Creates an object, which must succeed, and returns it.
    pub async fn create(&self, path: &str, body: Value) -> Value {
        self.post(path, body).await.is(201).body
    }

    /// Creates an object, which must succeed, and returns its ID.
    pub async fn create_id(&self, path: &str, body: Value) -> i64 {
        self.create(path, body).await["id"].as_i64().expect("an ID")
    }
}

/// What came back.
#[derive(Debug)]
pub struct Response {
    pub status: StatusCode,
    pub headers: HeaderMap,
    /// Null where the body is no JSON.
    pub body: Value,
    pub text: String,
}

impl Response {
    /// Sends the request.
    pub async fn fetch(request: RequestBuilder) -> Self {
        let response = request.send().await.expect("the server answers");
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = response.bytes().await.expect("the answer ends");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let body = serde_json::from_str(&text).unwrap_or_default();
        Self {
            status,
            headers,
            body,
            text,
        }
    }

    /// The answer, which must have this status.
    #[track_caller]
    pub fn is(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}", self.text);
        self
    }

    /// The answer, which must be this error.
    #[allow(clippy::wrong_self_convention, reason = "it reads as a sentence, like `is`")]
    #[track_caller]
    pub fn is_error(self, status: u16, code: &str) -> Self {
        let answer = self.is(status);
        assert_eq!(answer.body["code"], code, "{}", answer.text);
        assert_eq!(answer.body["data"]["status"], status, "{}", answer.text);
        answer
    }

    /// The names of the parameters that the error blames, in order.
    pub fn invalid_params(&self) -> Vec<String> {
        let invalid = self.body["data"]["params"].as_object();
        invalid.map(|names| names.keys().cloned().collect()).unwrap_or_default()
    }

    /// A header as text; empty where it is absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// The values of one member of all items of a list.
    pub fn each(&self, list: &str, member: &str) -> Vec<Value> {
        let items = self.body[list].as_array().cloned().unwrap_or_default();
        items.iter().map(|item| item[member].clone()).collect()
    }

    /// The same as texts.
    pub fn texts(&self, list: &str, member: &str) -> Vec<String> {
        self.each(list, member)
            .iter()
            .map(|value| value.as_str().unwrap_or_default().to_owned())
            .collect()
    }
}
